// Package commandline words the mistakes that people make on a command line and breaks help text for their terminals. It
// knows neither the commands nor the library that parses them, and it writes nothing by itself.
package commandline

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// What the parsing library says (urfave/cli v3.14: command_parse.go, command.go). It has no types for these errors.
const (
	unknownFlag = "flag provided but not defined: -"
	noValue     = "flag needs an argument: "
	badValue    = "invalid value "
	badFlag     = " for flag -"
)

// MaxDays is the most days that a report may look back, a hundred years.
const MaxDays = 36500

// Mistake is a value that a flag does not take. Its text spells the flag with two hyphens; Reword knows how it was typed.
type Mistake struct {
	Flag  string // without hyphens
	Value string
	Want  string // "a whole number from 1"
}

func (m *Mistake) Error() string { return m.as("--" + m.Flag) }

func (m *Mistake) as(flag string) string {
	return fmt.Sprintf("%s is %q, want %s", flag, m.Value, m.Want)
}

// Number reads a whole number from low to high (math.MaxInt64: no limit). Its error is a *Mistake.
func Number(flag, value string, low, high int64) (int64, error) {
	n, err := strconv.ParseInt(value, 10, 64)
	if err == nil && n >= low && n <= high {
		return n, nil
	}
	want := "a whole number from " + strconv.FormatInt(low, 10)
	if high != math.MaxInt64 {
		want += " to " + strconv.FormatInt(high, 10)
	}
	return 0, &Mistake{flag, value, want}
}

// OneOf tells whether a value is one of those that the flag takes. Its error is a *Mistake.
func OneOf(flag, value string, values ...string) error {
	for _, v := range values {
		if v == value {
			return nil
		}
	}
	last := len(values) - 1
	return &Mistake{flag, value, strings.Join(values[:last], ", ") + " or " + values[last]}
}

// Reword says what is wrong with a command line in the flags' spelling of args. found is the mistake that a flag's own check
// has found, nil if none; err is what the parsing library says, in which the type of found is lost.
func Reword(err error, found *Mistake, args []string) error {
	text := err.Error()
	if found != nil {
		return fmt.Errorf("%s", found.as(typed(args, found.Flag)))
	}
	if name, ok := strings.CutPrefix(text, unknownFlag); ok {
		return fmt.Errorf("unknown flag %s", typed(args, name))
	}
	if flag, ok := strings.CutPrefix(text, noValue); ok {
		return fmt.Errorf("%s needs a value", typed(args, strings.TrimLeft(flag, "-")))
	}
	if rest, ok := strings.CutPrefix(text, badValue); ok { // only switches are left to the library's own check
		quoted, qerr := strconv.QuotedPrefix(rest)
		name, ok := strings.CutPrefix(rest[len(quoted):], badFlag)
		value, uerr := strconv.Unquote(quoted)
		if name, _, _ = strings.Cut(name, ":"); ok && qerr == nil && uerr == nil {
			return fmt.Errorf("%s", (&Mistake{name, value, "true or false"}).as(typed(args, name)))
		}
	}
	return err
}

// typed is how a flag was spelled: "--name", or "-name" if that stands in args.
func typed(args []string, name string) string {
	for _, arg := range args {
		flag, _, _ := strings.Cut(strings.TrimSpace(arg), "=")
		if strings.HasPrefix(flag, "-") && strings.TrimLeft(flag, "-") == name {
			return flag
		}
	}
	return "--" + name
}
