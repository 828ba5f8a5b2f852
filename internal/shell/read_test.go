package shell_test

import (
	"strings"
	"testing"

	"github.com/devflow-suite/devflow/internal/shell"
)

// What builtins read into variables is followed, and scripts are read many strings deep.
func TestReadIntoVariables(t *testing.T) {
	t.Parallel()
	deep := "rm -rf /"
	for range 8 {
		deep = "bash -c '" + strings.ReplaceAll(deep, "'", `'\''`) + "'"
	}
	for _, line := range [...]string{
		`IFS=: read a b <<< 'rm:-rf'; $a $b /`, `read -ra a <<< 'rm -rf /'; "${a[@]}"`, `read -r -a a <<< 'rm -rf /'; ${a[*]}`, `IFS=, read -ra a <<< rm,-rf,/; "${a[@]}"`,
		`mapfile -t a <<< $'rm\n-rf\n/'; "${a[@]}"`, `mapfile -t <<< $'rm\n-rf\n/'; "${MAPFILE[@]}"`, `readarray a <<< 'rm -rf /'; ${a[0]}`, `$0 -c 'rm -rf /'`, `yash -c 'rm -rf /'`, `nu -c 'rm -rf /'`,
		`echo / | xargs --replace rm -rf {}`, `rtk rm -rf /`, deep,
	} {
		s, err := shell.Parse(line)
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, c := range s.Commands {
			found = found || c.Name == "rm" && strings.Join(c.Args, " ") == "-rf /"
		}
		if !found {
			t.Errorf("%s: no rm -rf / in %+v", line, s.Commands)
		}
	}
}
