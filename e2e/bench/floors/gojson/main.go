// Command gojson reads stdin and parses it as JSON, nothing else: the floor of many hooks at once, where the processor
// and not the disk decides. It is a floor for `make bench`.
package main

import (
	"encoding/json"
	"io"
	"os"
)

func main() {
	data, err := io.ReadAll(os.Stdin)
	if err != nil {
		os.Exit(1)
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(data, &fields); err != nil {
		os.Exit(1)
	}
}
