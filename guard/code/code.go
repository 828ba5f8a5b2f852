// Package code reads what a piece of interpreter code does to files and which programs it starts: `python3 -c …`, `node -e …`,
// `perl -pi -e …`, here-documents given to an interpreter, awk programs and their like.
//
// It owns no table and no file. It does not run or compile anything: package token cuts the source into tokens, and a small partial
// evaluator follows imports, aliases, constant variables, joined strings and paths, and the functions that the code defines itself, up
// to the calls that write, delete or start something. Printed text, comments and data strings are not effects. What cannot be followed
// matters only where it decides what is run or deleted: then Effects.Unreadable is set.
//
// It is a reader for code that people and agents write, not a sandbox: code that hides on purpose can stay unseen. It decides nothing;
// the rules for shell commands judge the effects, see Effects.Shell.
//
// Cost is linear in the source. All values are plain data and may be shared by goroutines.
package code

import (
	"strings"

	"github.com/devflow-suite/devflow/guard/code/effect"
	"github.com/devflow-suite/devflow/guard/code/eval"
	"github.com/devflow-suite/devflow/internal/shell"
)

// Lang is a language that Read knows.
type Lang = effect.Lang

// The languages. Node stands for every JavaScript and TypeScript runtime, Awk for all awks.
const (
	Python      = effect.Python
	Node        = effect.Node
	Perl        = effect.Perl
	Ruby        = effect.Ruby
	PHP         = effect.PHP
	Awk         = effect.Awk
	Lua         = effect.Lua
	R           = effect.R
	AppleScript = effect.AppleScript
)

// Effects and Path are what Read and Run find.
type (
	Effects = effect.Effects
	Path    = effect.Path
)

// Computed stands in the texts of Effects for a part that is known only at run time.
const Computed = effect.Computed

// Run reads the code that c gives to an interpreter, with the arguments that follow it and the files that it edits in place. ok is
// false if c is no such command, or runs a script file.
func Run(c *shell.Command) (e Effects, ok bool) {
	inv, ok := invocationOf(c)
	if !ok {
		return Effects{}, false
	}
	if inv.src.Dynamic && wholly(inv.src.Text) {
		e.Unreadable = true
		return e, true
	}
	e = eval.Run(inv.lang, inv.src.Text, inv.argv)
	for _, w := range inv.inPlace {
		e.Writes = append(e.Writes, Path{Text: w.Text, Dynamic: w.Dynamic, Glob: w.Glob, Line: 1})
	}
	if inv.src.Dynamic { // parts that the shell expands stand in strings as `$name`
		for _, list := range [...][]Path{e.Writes, e.Deletes, e.Trees} {
			for i := range list {
				list[i].Dynamic = list[i].Dynamic || strings.ContainsAny(list[i].Text, "$`")
			}
		}
	}
	return e, true
}

// wholly reports whether s is nothing but one expansion of the shell: `$CODE`, `$(cat x.py)`.
func wholly(s string) bool {
	s = strings.TrimSpace(s)
	return len(s) > 1 && (s[0] == '`' && s[len(s)-1] == '`' || s[0] == '$' && (s[1] == '(' && s[len(s)-1] == ')' ||
		s[1] == '{' && s[len(s)-1] == '}' || strings.Trim(s[1:], "_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@*") == ""))
}

// Read reads src, which need not be complete or correct. It never fails: what it does not understand has no effect.
func Read(lang Lang, src string) Effects { return eval.Run(lang, src, nil) }
