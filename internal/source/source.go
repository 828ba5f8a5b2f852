// Package source reads program text just far enough to tell code from comments and strings, and to find the names that a file
// declares. Its lexer is package lex, whose names it passes on.
//
// It is no parser: it never fails, works on broken and half-written files, costs time linear in the input and recurses nowhere
// deeper than a fixed bound. It owns no table and no file. All functions are pure and safe for concurrent use.
package source

import "github.com/devflow-suite/devflow/internal/source/lex"

// Lang is a programming language. The empty value is “not one that we know”.
type Lang = lex.Lang

// The languages.
const (
	Go     = lex.Go
	Python = lex.Python
	JS     = lex.JS // with JSX
	TS     = lex.TS // with TSX
	Java   = lex.Java
	Kotlin = lex.Kotlin
	Rust   = lex.Rust
	Dart   = lex.Dart
	Swift  = lex.Swift
	CSharp = lex.CSharp
	Ruby   = lex.Ruby
	PHP    = lex.PHP
	Scala  = lex.Scala
	C      = lex.C
	CPP    = lex.CPP
)

// Kind is the kind of a token.
type Kind = lex.Kind

// Kinds of tokens. Comments and blanks make none.
const (
	Name   = lex.Name   // identifiers and keywords
	Number = lex.Number // numeric literals
	String = lex.String // string, character and regular expression literals, quotes included
	Op     = lex.Op     // operators and punctuation, longest known first
)

// Token is one token of a file.
type Token = lex.Token

// MaxSize is the largest file, in bytes, that Lex reads; of a longer one it reads the beginning.
const MaxSize = lex.MaxSize

// File is a lexed file.
type File struct{ lex.File }

// Of returns the language of a file by its name's ending.
func Of(file string) Lang { return lex.Of(file) }

// Lex splits src into tokens.
func Lex(lang Lang, src []byte) *File { return &File{*lex.Lex(lang, src)} }

// Relex lexes another version of f's text; see lex.File.Relex.
func (f *File) Relex(src []byte) (g *File, from, to int) {
	h, from, to := f.File.Relex(src)
	return &File{*h}, from, to
}
