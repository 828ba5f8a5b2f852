package hooks

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/devflow-suite/devflow/internal/redact"
)

// maxLogBytes is the size at which the log is moved to .1: two files of this size are kept.
const maxLogBytes = 4 << 20

// maxCause bounds one entry, so that a hostile input cannot fill the log.
const maxCause = 600

// entry is one line of the log: why something was not done. It never holds payload text.
type entry struct {
	At      time.Time `json:"ts"`
	Hook    string    `json:"hook"`
	Event   string    `json:"event,omitempty"`
	Session string    `json:"session_id,omitempty"`
	What    string    `json:"msg"`
	Cause   string    `json:"cause"`
}

// logger appends entries to the first file that takes them; stderr is the last resort (the client ignores it).
type logger struct {
	files  []string
	stderr io.Writer
}

func (l logger) write(e entry) {
	e.Cause = redact.Clip(e.Cause, maxCause)
	e.Event, e.Session = redact.Clip(e.Event, 64), redact.Clip(e.Session, 128)
	e.At = e.At.UTC()
	line, err := json.Marshal(e)
	if err != nil {
		return // unreachable: all fields are strings and a time
	}
	line = append(line, '\n')
	for _, file := range l.files {
		if appendLine(file, line) == nil {
			return
		}
	}
	_, _ = l.stderr.Write(line)
}

func appendLine(file string, line []byte) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	if info, err := os.Lstat(file); err == nil && info.Size() > maxLogBytes {
		_ = os.Rename(file, file+".1") // a lost race leaves the file a little longer
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_APPEND|os.O_CREATE|noFollow, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	n, err := f.Write(line)
	if err != nil && n > 0 { // a full disk: half a line would spoil the next one
		if end, serr := f.Seek(0, io.SeekCurrent); serr == nil {
			_ = f.Truncate(end - int64(n))
		}
	}
	return err
}

// firstFrame is the function and place of a panic: the first frame of the stack outside the runtime and this harness.
func firstFrame(stack []byte) string {
	lines := strings.Split(string(bytes.TrimSpace(stack)), "\n")
	seen := false
	for i := 1; i+1 < len(lines); i += 2 {
		fn := lines[i]
		if strings.HasPrefix(fn, "panic(") {
			seen = true
			continue
		}
		if seen && !strings.HasPrefix(fn, "runtime.") {
			place := strings.TrimSpace(lines[i+1])
			if k := strings.LastIndexByte(place, '/'); k >= 0 {
				place = place[k+1:]
			}
			return place
		}
	}
	return "unknown place"
}
