package frame_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/urfave/cli/v3"

	"github.com/devflow-suite/devflow/cmd/internal/frame"
	"github.com/devflow-suite/devflow/internal/config"
)

func TestRunSaysErrorsOnce(t *testing.T) {
	t.Parallel()
	plain := errors.New("x: y")
	for _, tt := range []struct {
		err  error
		args string
		exit int
		out  string
	}{
		{nil, "do", frame.ExitOK, ""},
		{plain, "do", frame.ExitError, "prog: x: y\n"},
		{frame.Hint(plain, "prog fix"), "do", frame.ExitError, "prog: x: y\nhint: prog fix\n"},
		{frame.Hint(fmt.Errorf("more: %w", frame.Hint(plain, "inner")), "outer"), "do", frame.ExitError, "prog: more: x: y\nhint: outer\n"},
		{frame.Usage(plain), "do", frame.ExitUsage, "prog: x: y\nhint: prog do --help\n"},
		{frame.Blocked(plain), "do", frame.ExitBlocked, ""},
		{config.ErrNoHome, "do", frame.ExitError, "prog: " + config.ErrNoHome.Error() + "\nhint: set HOME or DEVFLOW_HOME\n"},
		{nil, "do much", frame.ExitUsage, "prog: do takes no argument, got much\nhint: prog do --help\n"},
		{nil, "do --loud", frame.ExitUsage, "prog: unknown flag --loud\nhint: prog do --help\n"},
		{nil, "undo", frame.ExitUsage, "prog: unknown command \"undo\"\nhint: prog help\n"},
		{nil, "group", frame.ExitUsage, "prog: group needs a command: in\nhint: prog group --help\n"},
		{nil, "group out", frame.ExitUsage, "prog: group: unknown command \"out\"\nhint: prog group --help\n"},
		{nil, "help undo", frame.ExitUsage, "prog: unknown command \"undo\"\nhint: prog help\n"},
	} {
		var stderr strings.Builder
		a := frame.New(append([]string{"prog"}, strings.Fields(tt.args)...), frame.System{Stdout: io.Discard, Stderr: &stderr})
		exit := a.Run(t.Context(), "prog", func() *cli.Command {
			return &cli.Command{Name: "prog", Commands: []*cli.Command{
				{Name: "do", Action: func(context.Context, *cli.Command) error { return tt.err }},
				{Name: "group", Commands: []*cli.Command{{Name: "in"}, {Name: "secret", Hidden: true}}},
			}}
		})
		if exit != tt.exit || stderr.String() != tt.out {
			t.Errorf("%s with %v: exit %d, %q; want %d, %q", tt.args, tt.err, exit, stderr.String(), tt.exit, tt.out)
		}
	}
}

func TestOwn(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		in         string
		json, help bool
		rest       string
	}{
		{"", false, false, ""}, {"--json a --json", true, false, "a --json"}, {"-h x", false, true, "x"}, {"-- --json", false, false, "--json"},
	} {
		asJSON, help, rest := frame.Own(strings.Fields(tt.in))
		if asJSON != tt.json || help != tt.help || strings.Join(rest, " ") != tt.rest {
			t.Errorf("Own(%q) = %v, %v, %q", tt.in, asJSON, help, rest)
		}
	}
}

func TestUnbroken(t *testing.T) {
	t.Parallel()
	c := &cli.Command{Name: "a", Description: "short", Commands: []*cli.Command{{Name: "b", Description: "short\n" + strings.Repeat("é", 76)}}}
	if got := frame.Unbroken(c); len(got) != 1 || !strings.HasPrefix(got[0], "b: é") {
		t.Errorf("got %q", got)
	}
}

func TestPipesAndFilesHaveNoColumns(t *testing.T) {
	t.Parallel()
	file, err := os.Create(filepath.Join(t.TempDir(), "x"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	for _, stream := range []any{io.Discard, file, null, nil} {
		if n := frame.Columns(stream); n != 0 {
			t.Errorf("%T: %d columns", stream, n)
		}
	}
}

func TestNothingIsSaidWhereNobodyLooks(t *testing.T) {
	t.Parallel()
	var out, stderr strings.Builder
	a := frame.New([]string{"prog"}, frame.System{Stdout: &out, Stderr: &stderr, Getenv: func(string) string { return "" }})
	a.Waiting("waiting")()
	if a.Coloured() || stderr.String() != "" {
		t.Errorf("coloured %v, said %q", a.Coloured(), stderr.String())
	}
}
