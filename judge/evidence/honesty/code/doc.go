// Package code reads the body of a function into statements and answers what the honesty rules ask about them: what it
// returns, whether a value is a constant, which functions it calls, where it leaves with an error.
//
// It works on tokens of all languages alike, is no parser and never fails: what it does not understand is one plain
// statement. It owns no table and judges nothing.
package code
