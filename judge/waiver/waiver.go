// Package waiver reads the file in which people of a project say which findings they accept, and lowers those findings.
//
// The file is .devflow-waivers.toml in the root of the repository. A waiver names a rule, the paths it is for, a reason and
// a day on which it ends; without any of them it does not hold. It lowers a finding that would fail to a warning that
// names the waiver; it never makes a finding go away, and reasons that no rule found (signals, failing tests) are not for
// it. The judge reads the file as it was before the change: a change cannot excuse itself. The package owns no table.
package waiver

import (
	"fmt"
	"strings"
	"time"

	"github.com/BurntSushi/toml"
	"github.com/bmatcuk/doublestar/v4"

	"github.com/devflow-suite/devflow/judge/verdict"
)

// File is the name of the waiver file, in the root of the repository.
const File = ".devflow-waivers.toml"

// Waiver accepts the findings of a rule.
type Waiver struct {
	Rule    string `toml:"rule"`
	Path    string `toml:"path"`    // glob over slash paths relative to the root; ** crosses folders
	Reason  string `toml:"reason"`  // shown in every verdict
	Expires string `toml:"expires"` // YYYY-MM-DD, the last day
}

// maxFile bounds the file, in bytes.
const maxFile = 256 << 10

// Parse reads a waiver file. What does not hold is said in problems, one for each; the rest holds.
func Parse(text []byte) (list []Waiver, problems []string) {
	if len(text) > maxFile {
		return nil, []string{fmt.Sprintf("%s is larger than %d bytes: no waiver holds", File, maxFile)}
	}
	var file struct {
		Waiver []Waiver `toml:"waiver"`
	}
	meta, err := toml.Decode(string(text), &file)
	if err != nil {
		return nil, []string{fmt.Sprintf("%s cannot be read: no waiver holds: %v", File, err)}
	}
	for _, key := range meta.Undecoded() {
		problems = append(problems, fmt.Sprintf("%s: unknown key %s", File, key))
	}
	for i, w := range file.Waiver {
		if why := w.invalid(); why != "" {
			problems = append(problems, fmt.Sprintf("%s: waiver %d does not hold: %s", File, i+1, why))
			continue
		}
		list = append(list, w)
	}
	return list, problems
}

func (w Waiver) invalid() string {
	switch {
	case w.Rule == "":
		return "it names no rule"
	case w.Path == "" || !doublestar.ValidatePattern(w.Path):
		return "it names no path, or one that is no pattern"
	case len(strings.Fields(w.Reason)) < 2:
		return "its reason is missing or a single word: say in a few words why the finding is accepted"
	}
	if _, err := time.Parse(time.DateOnly, w.Expires); err != nil {
		return "expires is no day such as 2027-01-31"
	}
	return ""
}

// Apply lowers the hard findings that a waiver is for to soft ones that say so. now decides what has expired; an expired
// waiver is named in the finding that it would have lowered.
func Apply(reasons []verdict.Reason, list []Waiver, now time.Time) []verdict.Reason {
	if len(list) == 0 {
		return reasons
	}
	out := make([]verdict.Reason, len(reasons))
	copy(out, reasons)
	today := now.Format(time.DateOnly)
	for i := range out {
		r := &out[i]
		if r.Rule == "" || r.File == "" || r.Weight() != verdict.Hard {
			continue
		}
		for _, w := range list {
			if match, _ := doublestar.Match(w.Path, r.File); !match || w.Rule != r.Rule {
				continue
			}
			if w.Expires < today {
				r.Text += fmt.Sprintf(" (its waiver ended on %s)", w.Expires)
				continue
			}
			r.Class, r.Waived = verdict.Soft, true
			r.Text += fmt.Sprintf(" (waived until %s: %s)", w.Expires, strings.Join(strings.Fields(w.Reason), " "))
			break
		}
	}
	return out
}
