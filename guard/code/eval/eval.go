// Package eval follows interpreter code statement by statement, without running it, up to the library functions that package lib knows.
//
// It owns no table and no file. It reads all languages with one tolerant parser: it knows assignments, imports, loops over known lists,
// calls and functions of the code itself, and goes over code that defines functions several times, so that their parameters are known.
// Branches are all taken. Time is linear in the source, the depth of the recursion bounded.
package eval

import (
	"github.com/devflow-suite/devflow/guard/code/effect"
	"github.com/devflow-suite/devflow/guard/code/lib"
	"github.com/devflow-suite/devflow/guard/code/scope"
	"github.com/devflow-suite/devflow/guard/code/token"
)

// Bounds of the evaluator.
const (
	maxNesting  = 200 // brackets and blocks
	maxCode     = 3   // code in strings that is executed: exec("exec('…')")
	maxExecuted = 200 // pieces of code that are executed, over all passes
	passes      = 3   // over code that defines functions: calls of calls of a function are followed
)

// eval runs over the tokens of one piece of code.
type eval struct {
	*effect.Sink
	*scope.Scope
	token.Cursor
	lang     effect.Lang
	depth    int
	pass     int            // over the code, from 0
	code     int            // exec in exec
	it       []effect.Value // what the parameters of the next callback are
	defaults []effect.Value // of the parameters that were read last
	print    bool           // awk: inside print, where > redirects
	quiet    int            // not: comparisons do not narrow
	m        *lib.Machine
}

func dialect(lang effect.Lang) token.Dialect {
	switch lang {
	case effect.Node:
		return token.JS
	case effect.Perl:
		return token.Perl
	case effect.Ruby:
		return token.Ruby
	case effect.PHP:
		return token.PHP
	case effect.Awk:
		return token.Awk
	case effect.Lua:
		return token.Lua
	case effect.R:
		return token.R
	case effect.AppleScript:
		return token.AppleScript
	}
	return token.Python
}

// Run reads src, which need not be complete or correct. argv are the arguments that the code gets; nil: not known.
func Run(lang effect.Lang, src string, argv []string) effect.Effects {
	e := eval{Sink: &effect.Sink{}, lang: lang}
	e.Scope = &scope.Scope{Vars: map[string]effect.Value{}, Funcs: map[string]*scope.Func{}, Grows: lang == effect.Perl}
	e.m = &lib.Machine{Sink: e.Sink, Lang: lang, Argv: argv, Host: &e}
	e.run(src)
	return e.Out
}

// lex cuts src and pairs its brackets.
func (e *eval) lex(src string) {
	e.D = dialect(e.lang)
	e.Use(token.Lex(e.D, src))
}

// run reads src once, or several times if it defines functions or uses variables before they are bound.
func (e *eval) run(src string) {
	e.lex(src)
	rounds := 1
	for i := range e.Toks {
		if t := &e.Toks[i]; t.Kind == token.Name || t.Kind == token.Op {
			switch t.Text {
			case "def", "function", "sub", "lambda", "=>", "func", "fn", "for", "->":
				rounds = passes
			}
		}
	}
	for e.pass = range rounds {
		e.Reset()
		e.At, e.Now, e.depth, e.Star = 0, nil, 0, e.Star[:0]
		e.block("")
	}
}

// inner reads code that the code executes.
func (e *eval) inner(src string) {
	if e.Executed++; e.code >= maxCode || e.Executed > maxExecuted || len(src) > 1<<20 {
		e.Ask()
		return
	}
	sub := eval{Sink: e.Sink, Scope: e.Scope, lang: e.lang, code: e.code + 1}
	machine := *e.m
	machine.Host = &sub
	sub.m = &machine
	sub.lex(src)
	sub.block("")
}
