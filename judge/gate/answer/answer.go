// Package answer writes for people what the push gate has said. It decides nothing and owns no table.
package answer

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/devflow-suite/devflow/internal/redact"
	"github.com/devflow-suite/devflow/judge/gate"
	"github.com/devflow-suite/devflow/judge/gate/pushes"
)

// indent is where the text of a step begins: after its name, status and time.
const indent = "                                 "

// Write shows one answer: a line for every step, then whether the refs may go out.
func Write(w io.Writer, req gate.Request, res gate.Result) error {
	var b strings.Builder
	for _, s := range res.Steps {
		first, more, _ := strings.Cut(s.Text, "\n")
		line := fmt.Sprintf("%-16s %-5s", s.Name, s.Status)
		if s.MS >= 100 {
			line += fmt.Sprintf(" %5.1f s ", float64(s.MS)/1000)
		} else {
			line += strings.Repeat(" ", 9)
		}
		b.WriteString(strings.TrimRight(line+" "+first, " ") + "\n")
		for l := range strings.Lines(more) {
			b.WriteString(indent + strings.TrimRight(l, "\n") + "\n")
		}
	}
	var where []string
	for _, ref := range res.Refs {
		where = append(where, strings.TrimSpace(ref.Remote+" "+short(ref.Name)))
		if ref.Protected && !req.Agent {
			b.WriteString("note: " + short(ref.Name) + " is a protected branch: an agent's push of it is refused\n")
		}
	}
	word := "may go out: "
	if res.Refused() {
		word = "refused: "
	}
	_, err := fmt.Fprintln(w, b.String()+word+strings.Join(where, ", "))
	return err
}

// Log shows the newest answers about a project, as a table.
func Log(w io.Writer, project string, list []pushes.Push) error {
	if len(list) == 0 {
		_, err := fmt.Fprintln(w, "no push was looked at in "+project)
		return err
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "TIME\tANSWER\tREMOTE\tREF\tTESTS\tSECONDS\tREASON")
	for _, p := range list {
		tests, _, _ := strings.Cut(cmp.Or(p.Tests, "-"), " ")
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%.1f\t%s\n", p.At.Local().Format("01-02 15:04"), p.Verdict, cmp.Or(p.Remote, "-"), cmp.Or(short(p.Ref), "-"), tests, float64(p.TookMS)/1000, reason(p))
	}
	return t.Flush()
}

// short is a ref for people.
func short(ref string) string {
	return strings.TrimPrefix(strings.TrimPrefix(ref, "refs/heads/"), "refs/")
}

// reason is the first step that speaks against a push, in a few words.
func reason(p pushes.Push) string {
	for _, s := range p.Steps {
		if s.Status == gate.Fail {
			text, _, _ := strings.Cut(s.Text, "\n")
			return redact.Clip(s.Name+": "+text, 60)
		}
	}
	return ""
}
