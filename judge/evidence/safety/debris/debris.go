// Package debris finds what a change leaves lying about: prints and breakpoints in library code, code in comments, and
// blocks that are there twice.
//
// It owns no table. All of it is a warning at most.
package debris

import (
	"path"
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/internal/source/layout"
	"github.com/devflow-suite/devflow/judge/change"
	"github.com/devflow-suite/devflow/judge/evidence/rule"
	"github.com/devflow-suite/devflow/judge/units"
	"github.com/devflow-suite/devflow/judge/verdict"
)

// Rules lists the rules of the package.
func Rules() []rule.Rule {
	return []rule.Rule{
		{ID: "debug-leftover", Axis: verdict.Hygiene, Class: verdict.Soft, What: "a print or a breakpoint is left in library code", Why: "it is noise for every user, or stops the program", Find: debug},
		{ID: "commented-code", Axis: verdict.Hygiene, Class: verdict.Soft, What: "three or more lines of code in comments are added", Why: "nobody runs, tests or updates them; history keeps what was", Find: commented},
		{ID: "duplicated-block", Axis: verdict.Hygiene, Class: verdict.Soft, What: "a block of ten or more lines is there twice", Why: "the next fix reaches one of them", Find: duplicated},
	}
}

// library reports whether a file is code that others use, rather than a program that talks to people.
func library(f *change.File) bool {
	if f.After == nil || f.Lang == "" || f.Kind != layout.Impl && f.Kind != layout.Other || len(f.Added) == 0 {
		return false
	}
	low := strings.ToLower(f.Path)
	for _, d := range strings.Split(path.Dir(low), "/") {
		switch d {
		case "cmd", "bin", "cli", "scripts", "script", "tools", "tool", "examples", "example", "bench", "benches", "benchmark", "benchmarks", "demo", "demos", "commands", "command", "hack", "tasks", "website", "playground", "console", "dev":
			return false
		}
	}
	base := path.Base(low)
	for _, w := range [...]string{"main.", "__main__", "cli", "console", "log", "print", "debug", "report", "repl", "command", "terminal", "setup.", "build.", "manage.", "gulpfile", "gruntfile", ".config.", "progress", "script", "dump", "display", "output"} {
		if strings.Contains(base, w) {
			return false
		}
	}
	return !(f.Lang == source.Go && strings.Contains(f.After.Src, "package main")) && !strings.HasPrefix(f.After.Src, "#!")
}

func debug(c *change.Change, report func(rule.Finding)) {
	gone := map[string]int{}
	for _, f := range c.Files {
		for _, l := range f.Removed {
			gone[strings.TrimSpace(l.Text)]++
		}
	}
	for _, f := range c.Files {
		if f.After == nil || f.Lang == "" || f.IsTest() || f.Kind == layout.Generated || f.Kind == layout.Doc || len(f.Added) == 0 {
			continue
		}
		lib := library(f)
		talks := prints(f.Before) > 0 || prints(f.After) > 3
		for i := range f.After.Tokens {
			what, stop := printed(f.After, i)
			if what == "" {
				continue
			}
			line := f.After.TokenLine(i)
			if !f.Touched(line, line) {
				continue
			}
			text := strings.TrimSpace(f.After.Lines(line, line))
			if gone[text] > 0 {
				gone[text]--
				continue
			}
			marked := shouts(f.After, i)
			if !stop && !marked && (!lib || talks || guarded(f.After, i)) {
				continue
			}
			report(rule.Finding{Path: f.Path, Line: line, Text: what + " is left in the code", Evidence: text, Fix: "remove it, or use the project's logger"})
		}
	}
}

// prints counts calls in a file that print.
func prints(f *units.File) int {
	if f == nil {
		return 0
	}
	n := 0
	for i := range f.Tokens {
		if what, stop := printed(f, i); what != "" && !stop && !shouts(f, i) {
			n++
		}
	}
	return n
}

// printed names the call at token i when it prints for a developer; stop: it halts the program, or nobody means it to stay.
func printed(f *units.File, i int) (what string, stop bool) {
	if f.Kind(i) != source.Name {
		return "", false
	}
	name := f.Text(i)
	first := f.Tokens[i].First || f.Is(i-1, ";") || f.Is(i-1, "{") || f.Is(i-1, ")") || f.Is(i-1, "else")
	dotted := f.Is(i+1, ".") && f.Is(i+3, "(")
	called := f.Is(i+1, "(")
	bare := !f.Is(i-1, ".") && !f.Is(i-1, "->") && !f.Is(i-1, "::") && !f.Is(i-1, "def") && !f.Is(i-1, "function") && !f.Is(i-1, "fn")
	switch f.Lang {
	case source.Python:
		switch {
		case name == "print" && called && first:
			return "print", false
		case name == "breakpoint" && called && bare, (name == "pdb" || name == "ipdb" || name == "pudb") && dotted && f.Is(i+2, "set_trace"), name == "pprint" && called && first, name == "ic" && called && first:
			return name, name != "pprint"
		}
	case source.JS, source.TS:
		switch {
		case name == "console" && dotted && bare && (f.Is(i+2, "log") || f.Is(i+2, "dir") || f.Is(i+2, "trace") || f.Is(i+2, "table")):
			return "console." + f.Text(i+2), false
		case name == "debugger" && first && (f.Is(i+1, ";") || i+1 >= len(f.Tokens) || f.Tokens[i+1].First || f.Is(i+1, "}")):
			return "debugger", true
		case name == "alert" && called && first:
			return "alert", false
		}
	case source.Go:
		switch {
		case name == "fmt" && dotted && first && (f.Is(i+2, "Println") || f.Is(i+2, "Printf") || f.Is(i+2, "Print")):
			return "fmt." + f.Text(i+2), false
		case (name == "println" || name == "print") && called && first:
			return name, false
		case (name == "fmt" && strings.HasPrefix(f.Text(i+2), "Fprint") && strings.Contains(f.Norm(i+4, i+7), "Std") || name == "log" && strings.HasPrefix(f.Text(i+2), "Print")) && dotted && first && shouts(f, i):
			return name + "." + f.Text(i+2), false
		case name == "spew" && dotted && first:
			return "spew", true
		}
	case source.Java:
		switch {
		case name == "new" && first && f.Is(i+2, "(") && f.Is(f.Close(i+2)+2, "printStackTrace"):
			return "a stack trace of nothing", true
		case name == "Thread" && dotted && first && f.Is(i+2, "dumpStack"):
			return "Thread.dumpStack", true
		}
		if name == "System" && (f.Is(i+2, "out") || f.Is(i+2, "err")) && first && strings.HasPrefix(f.Text(i+4), "print") {
			return "System." + f.Text(i+2), false
		}
	case source.Rust:
		switch {
		case name == "dbg" && f.Is(i+1, "!"):
			return "dbg!", true
		case (name == "println" || name == "eprintln" || name == "print" || name == "eprint") && f.Is(i+1, "!"):
			return name + "!", false
		}
	case source.Dart:
		if (name == "print" || name == "debugPrint") && called && bare && first {
			return name, false
		}
	case source.Kotlin, source.Swift, source.Scala:
		if (name == "println" || name == "print" || name == "NSLog" || name == "dump") && called && bare && first {
			return name, false
		}
	case source.CSharp:
		if (name == "Console" || name == "Debug") && dotted && first && strings.HasPrefix(f.Text(i+2), "Write") {
			return name + "." + f.Text(i+2), false
		}
	case source.PHP:
		if (name == "var_dump" || name == "print_r" || name == "dd" || name == "dump" || name == "xdebug_break") && called && first {
			return name, name != "print_r"
		}
	case source.Ruby:
		switch {
		case name == "binding" && f.Is(i+1, ".") && (f.Is(i+2, "pry") || f.Is(i+2, "irb")), (name == "byebug" || name == "debugger") && first:
			return name, true
		case (name == "puts" || name == "pp" || name == "p") && first && !f.Is(i+1, "=") && !f.Is(i+1, "."):
			return name, false
		}
	case source.C, source.CPP:
		if name == "printf" && called && first {
			return name, false
		}
	}
	return "", false
}

// shouts reports whether what is printed looks like a note to oneself.
func shouts(f *units.File, i int) bool {
	for k := i + 1; k < i+10 && k < len(f.Tokens); k++ {
		if f.Kind(k) != source.String {
			continue
		}
		t := strings.TrimLeft(f.Unquote(k), " \t\\n")
		low := strings.ToLower(t)
		for _, w := range [...]string{"debug", "xxx", ">>>", "here", "got here", "===", "###", "~~~", "***", "---", "todo", "!!!", "checkpoint", "test ", "foo", "asdf", "reached", "in here", "wtf", "value of", "dbg"} {
			if strings.HasPrefix(low, w) {
				return true
			}
		}
		return false
	}
	return false
}

// guarded reports whether a print stands where printing is meant: behind a switch, in a function that prints.
func guarded(f *units.File, i int) bool {
	line := f.TokenLine(i)
	for l := line; l > max(line-3, 0); l-- {
		low := strings.ToLower(f.Lines(l, l))
		if l < line && !strings.Contains(low, "if") {
			continue
		}
		for _, w := range [...]string{"debug", "verbose", "quiet", "silent", "__name__", "process.env", "kdebugmode", "isatty", "file=", "dry"} {
			if strings.Contains(low, w) && (l < line || w == "file=" || strings.Contains(low, "if ")) {
				return true
			}
		}
	}
	for _, fn := range f.Funcs() {
		if fn.First <= line && line <= fn.End {
			low := strings.ToLower(fn.Name)
			for _, w := range [...]string{"print", "show", "display", "usage", "help", "main", "report", "dump", "log", "cli", "debug", "write", "render", "echo", "notify", "warn"} {
				if strings.Contains(low, w) {
					return true
				}
			}
		}
	}
	return false
}
