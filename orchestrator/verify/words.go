package verify

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
	"unicode"

	"github.com/devflow-suite/devflow/internal/atomicfile"
	"github.com/devflow-suite/devflow/orchestrator/schedule"
)

// ended says in words how a command ended.
func (v *Verifier) ended(o outcome) string {
	after := o.elapsed.Round(100 * time.Millisecond)
	switch {
	case o.timedOut:
		return fmt.Sprintf("The command did not end within %s and was killed with everything that it had started.", v.o.Timeout)
	case o.exit == 0:
		return fmt.Sprintf("The command succeeded after %s.", after)
	case o.exit == 126:
		return "The command could not be run (exit status 126): a file in it is not executable, or a folder."
	case o.exit == 127:
		return "The command could not be run (exit status 127): a program in it was not found."
	case o.exit > 128 && o.exit < 128+65:
		return fmt.Sprintf("The command was ended by a signal after %s: %s%s (exit status %d).", after, syscall.Signal(o.exit-128), hint(o.exit-128), o.exit)
	}
	return fmt.Sprintf("The command failed with exit status %d after %s.", o.exit, after)
}

func hint(signal int) string {
	switch syscall.Signal(signal) {
	case syscall.SIGKILL:
		return ", perhaps for want of memory"
	case syscall.SIGSEGV, syscall.SIGBUS, syscall.SIGILL, syscall.SIGFPE, syscall.SIGABRT:
		return ", the program crashed"
	}
	return ""
}

// clean makes output fit to be read: text, without what steers a terminal.
func clean(out []byte) string {
	s := strings.ToValidUTF8(string(out), "\uFFFD")
	var b strings.Builder
	b.Grow(len(s))
	const (
		plain = iota
		escape
		sequence // ESC [ … letter
		text     // ESC ] … BEL or ESC \
	)
	state := plain
	for _, r := range s {
		switch state {
		case escape:
			switch r {
			case '[':
				state = sequence
			case ']', 'P', '^', '_':
				state = text
			default:
				state = plain
			}
			continue
		case sequence:
			if r >= '@' && r <= '~' {
				state = plain
			}
			if r != '\n' {
				continue
			}
			state = plain
		case text:
			switch r {
			case '\a':
				state = plain
				continue
			case 0x1b:
				state = escape
				continue
			case '\n':
				state = plain
			default:
				continue
			}
		}
		switch {
		case r == 0x1b:
			state = escape
		case r == '\n' || r == '\t' || !unicode.IsControl(r):
			b.WriteRune(r)
		}
	}
	return b.String()
}

// keep writes the evidence of a command. A verdict does not depend on it.
func (v *Verifier) keep(c schedule.Check, o outcome) {
	if v.o.Evidence == "" {
		return
	}
	name := c.Region
	if name == "" {
		name = "merged.tree"
	}
	now := v.o.Now().UTC()
	path := filepath.Join(v.o.Evidence, fmt.Sprintf("%s-%s-%d.txt", now.Format("20060102T150405.000"), name, v.count.Add(1)))
	text := fmt.Sprintf("command: %s\nfolder: %s\nregion: %s\nnetwork: %t\nconfinement: %s\nended: %s\nresult: %s\n\n%s", c.Command, c.Dir, c.Region, c.Network, v.box.Kind(), now.Format(time.RFC3339), v.ended(o), o.output)
	err := os.MkdirAll(v.o.Evidence, 0o700)
	if err == nil {
		err = atomicfile.WriteFile(path, []byte(text), 0o600)
	}
	if err != nil {
		v.o.Log.Warn("evidence of a check is not kept", "region", c.Region, "error", err)
		return
	}
	v.o.Log.Info("check ended", "region", c.Region, "exit", o.exit, "timed_out", o.timedOut, "evidence", path)
}
