package suite_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/devflow-suite/devflow/judge/gate/suite"
)

func TestUnknownProgram(t *testing.T) {
	t.Parallel()
	tests := []struct{ text, want string }{
		{"sh: 1: jest: not found\n", "jest"},
		{"sh: jest: command not found\n", "jest"},
		{"bash: line 1: vitest: command not found\nnpm error code 127\n", "vitest"},
		{"zsh:1: command not found: mocha\n", "mocha"},
		{"/bin/sh: 1: golangci-lint: not found\nmake: *** [Makefile:3: test] Error 127\n", "golangci-lint"},
		{"make: bats: No such file or directory\n", "bats"},
		{"make[1]: bats: No such file or directory\n", "bats"},
		{"bundler: command not found: rspec\n", "rspec"},
		{"sh: 1: ./scripts/test.sh: not found\n", ""},
		{"make: ./run: No such file or directory\n", ""},
		{"cat: file: No such file or directory\n", ""},
		{"make: *** No rule to make target 'test'.  Stop.\n", ""},
		{"AssertionError: user not found\n", ""},
		{"", ""},
	}
	for _, tt := range tests {
		if got := suite.UnknownProgram(tt.text); got != tt.want {
			t.Errorf("UnknownProgram(%q) = %q, want %q", tt.text, got, tt.want)
		}
	}
}

// FuzzOutput reads what tests write.
func FuzzOutput(f *testing.F) {
	f.Add([]byte("\x1b[31mred\x1b[0m\x1b]8;;x\x07\x1b]\x1b\\\r\r\n\x1b"), "/tmp/x")
	f.Add([]byte("\x1b["+strings.Repeat("1;", 400)+"m\x00\xff"), "")
	f.Add([]byte(strings.Repeat("ok  \tx\n", 100)+"sh: 1: x: not found"), "x")
	f.Fuzz(func(t *testing.T, output []byte, hide string) {
		suite.UnknownProgram(string(output))
		got := suite.Tail(output, hide)
		if len(got) > suite.MaxOutput || !utf8.ValidString(got) || strings.ContainsAny(got, "\x1b\r\x00\x07") {
			t.Errorf("%d bytes %q", len(got), got)
		}
	})
}
