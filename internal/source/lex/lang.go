// Package lex splits program text into tokens: names, numbers, strings and operators, without comments and blanks.
//
// It knows the fifteen languages of package source, which callers use instead of it. It is no parser: it never fails, works
// on broken and half-written files, costs time linear in the input and recurses nowhere deeper than a fixed bound. It owns
// no table and no file. All functions are pure and safe for concurrent use.
package lex

import (
	"path"
	"strings"
)

// Lang is a programming language. The empty value is “not one that we know”.
type Lang string

// The languages.
const (
	Go     Lang = "go"
	Python Lang = "python"
	JS     Lang = "js" // with JSX
	TS     Lang = "ts" // with TSX
	Java   Lang = "java"
	Kotlin Lang = "kotlin"
	Rust   Lang = "rust"
	Dart   Lang = "dart"
	Swift  Lang = "swift"
	CSharp Lang = "csharp"
	Ruby   Lang = "ruby"
	PHP    Lang = "php"
	Scala  Lang = "scala"
	C      Lang = "c"
	CPP    Lang = "cpp"
)

// Of returns the language of a file by its name's ending.
func Of(file string) Lang {
	switch strings.ToLower(strings.TrimPrefix(path.Ext(file), ".")) {
	case "go":
		return Go
	case "py", "pyi", "pyw":
		return Python
	case "js", "jsx", "mjs", "cjs":
		return JS
	case "ts", "tsx", "mts", "cts":
		return TS
	case "java":
		return Java
	case "kt", "kts":
		return Kotlin
	case "rs":
		return Rust
	case "dart":
		return Dart
	case "swift":
		return Swift
	case "cs":
		return CSharp
	case "rb":
		return Ruby
	case "php":
		return PHP
	case "scala", "sc":
		return Scala
	case "c", "h":
		return C
	case "cc", "cpp", "cxx", "hpp", "hh", "hxx", "c++", "ipp":
		return CPP
	}
	return ""
}

// rules say how a language writes comments and strings.
type rules struct {
	hash       bool   // # starts a comment
	slash      bool   // // and /* */
	nested     bool   // /* */ nests
	triple     string // quotes that may be tripled: `"`, `'"`
	single     single // what ' starts
	backtick   backtick
	multiline  string // quotes of strings that may span lines without being tripled
	interp     string // opener of code inside strings: "${", "#{", "\\("
	dollarName bool   // $ is a letter of names
	regex      bool   // /…/ literals
}

type single uint8

const (
	singleNone single = iota
	singleString
	singleChar
	singleLifetime // Rust: 'a or 'x'
)

type backtick uint8

const (
	tickNone backtick = iota
	tickRaw           // Go
	tickTemplate
	tickName // Kotlin, Scala, Swift
)

func rulesOf(l Lang) rules {
	r := rules{slash: true, single: singleChar}
	switch l {
	case Go:
		r.backtick = tickRaw
	case Python:
		return rules{hash: true, single: singleString, triple: `'"`}
	case JS, TS:
		r.single, r.backtick, r.regex, r.dollarName, r.interp = singleString, tickTemplate, true, true, "${"
	case Java:
		r.triple, r.dollarName = `"`, true
	case Kotlin:
		r.triple, r.nested, r.backtick, r.interp = `"`, true, tickName, "${"
	case Rust:
		r.nested, r.single, r.multiline = true, singleLifetime, `"`
	case Dart:
		r.nested, r.single, r.triple, r.interp, r.dollarName = true, singleString, `'"`, "${", true
	case Swift:
		r.nested, r.single, r.triple, r.backtick, r.interp = true, singleNone, `"`, tickName, "\\("
	case CSharp:
		r.triple = `"`
	case Ruby:
		return rules{hash: true, single: singleString, multiline: `'"`, interp: "#{", regex: true}
	case PHP:
		r.hash, r.single, r.multiline, r.dollarName = true, singleString, `'"`, true
	case Scala:
		r.nested, r.triple, r.backtick, r.interp = true, `"`, tickName, "${"
	case C, CPP:
	default:
		r.hash, r.single = true, singleString
	}
	return r
}
