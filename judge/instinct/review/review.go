// Package review is how a person goes through what was learned about a project: a list, single decisions, and one question
// after the other at a terminal. It owns no table; decisions are those of package instinct.
//
// Deciding is for people. Whoever calls [Run] says whether an agent asks; the guard refuses these commands to one, too.
package review

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/judge/instinct"
)

// Errors of a request.
var (
	ErrAgent    = errors.New("what is learned is decided by a person, not by the agent")
	ErrTerminal = errors.New("--interactive asks questions, and there is no terminal to answer them")
	ErrActions  = errors.New("--promote, --dismiss, --promote-all and --interactive are one or the other")
)

// Request is what `devflow learn` was asked to do. Without an action it lists.
type Request struct {
	Root             string // of the project
	Promote, Dismiss string // id, "" for none
	All, Interactive bool
	JSON             bool
	Agent            bool // the caller is no person
	Terminal         bool // somebody can answer
}

// Validate finds a request that makes no sense.
func (r Request) Validate() error {
	actions := 0
	for _, on := range [...]bool{r.Promote != "", r.Dismiss != "", r.All, r.Interactive} {
		if on {
			actions++
		}
	}
	switch {
	case actions > 1:
		return ErrActions
	case actions == 1 && r.Agent:
		return ErrAgent
	case r.Interactive && !r.Terminal:
		return ErrTerminal
	}
	return nil
}

// Run does what was asked for and tells it on out. Errors are those of Validate, instinct.ErrUnknown, instinct.ErrAmbiguous,
// and those of the store and of the rules file.
func Run(db *store.DB, r Request, in io.Reader, out io.Writer, now time.Time) error {
	if err := r.Validate(); err != nil {
		return err
	}
	ms := now.UnixMilli()
	switch {
	case r.Interactive:
		return ask(db, r.Root, in, out, ms)
	case r.All:
		done, err := instinct.PromoteAll(db, r.Root, instinct.Threshold, ms)
		if err != nil {
			return err
		}
		return r.tell(out, done, fmt.Sprintf("nothing waits with a confidence of %.2f or more", instinct.Threshold))
	case r.Promote != "":
		done, err := instinct.Promote(db, r.Root, r.Promote, ms)
		if err != nil {
			return err
		}
		return r.tell(out, []instinct.Instinct{done}, "")
	case r.Dismiss != "":
		done, err := instinct.Dismiss(db, r.Root, r.Dismiss, ms)
		if err != nil {
			return err
		}
		return r.tell(out, []instinct.Instinct{done}, "")
	}
	list, err := waiting(db, r.Root, "")
	if err != nil {
		return err
	}
	return r.tell(out, list, "nothing was learned about this project yet")
}

func waiting(db *store.DB, root, status string) (list []instinct.Instinct, err error) {
	err = db.View(func(tx *store.Tx) (err error) { list, err = instinct.List(tx, root, status); return err })
	return list, err
}

// tell prints a list, as JSON or for people; empty is what is said of none.
func (r Request) tell(out io.Writer, list []instinct.Instinct, empty string) error {
	if r.JSON {
		enc := json.NewEncoder(out)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		if list == nil {
			list = []instinct.Instinct{}
		}
		return enc.Encode(list)
	}
	if len(list) == 0 {
		_, err := fmt.Fprintln(out, empty)
		return err
	}
	var b strings.Builder
	for _, in := range list {
		fmt.Fprintf(&b, "%s  %-9s  %.2f  %-10s  %s\n", in.ID, in.Status, in.Confidence, in.Category, in.Content)
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// Terminal tells whether somebody can answer on in.
func Terminal(in io.Reader) bool {
	f, ok := in.(*os.File)
	if !ok || f == nil {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// ask goes through what waits, the surest first. The end of the input is a no to all that is left.
func ask(db *store.DB, root string, in io.Reader, out io.Writer, ms int64) error {
	list, err := waiting(db, root, instinct.Pending)
	if err != nil {
		return err
	}
	if len(list) == 0 {
		_, err := fmt.Fprintln(out, "nothing waits")
		return err
	}
	lines := bufio.NewScanner(in)
	for i, item := range list {
		fmt.Fprintf(out, "\n%d of %d  %s, confidence %.2f, from a %s\n  %s\n", i+1, len(list), item.Category, item.Confidence, item.Source, item.Content)
	question:
		for {
			fmt.Fprint(out, "promote (p), dismiss (d), later (l), quit (q)? ")
			if !lines.Scan() {
				fmt.Fprintln(out)
				return lines.Err()
			}
			switch strings.ToLower(strings.TrimSpace(lines.Text())) {
			case "p", "promote", "y", "yes":
				_, err = instinct.Promote(db, root, item.SHA, ms)
				break question
			case "d", "dismiss", "n", "no":
				_, err = instinct.Dismiss(db, root, item.SHA, ms)
				break question
			case "l", "later":
				break question
			case "q", "quit":
				return nil
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}
