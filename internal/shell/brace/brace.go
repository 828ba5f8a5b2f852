// Package brace expands the brace lists of bash ({a,b}, {1..5}) in words of a syntax tree.
//
// It owns no table and no file and leaves the tree as it is. A word with too many or too long lists stays one word. All functions are pure.
package brace

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Bounds of brace expansion. A word beyond them stays one word that is marked Glob.
const (
	maxBraceText = 4096 // bytes of literal text
	maxBraces    = 32   // opening braces
	maxVariants  = 128  // words
)

// Expand returns the parts of the words that brace expansion makes of x.
func Expand(x *syntax.Word) [][]syntax.WordPart {
	open, size := 0, 0
	for _, p := range x.Parts {
		if lit, ok := p.(*syntax.Lit); ok {
			size += len(lit.Value)
			if size <= maxBraceText {
				open += strings.Count(lit.Value, "{")
			}
		}
	}
	if open == 0 || open > maxBraces || size > maxBraceText {
		return [][]syntax.WordPart{x.Parts}
	}
	split := *x // the tree itself stays as it was read: its positions are needed again
	if !syntax.SplitBraces(&split) {
		return [][]syntax.WordPart{x.Parts}
	}
	if out := variants(split.Parts); out != nil {
		return out
	}
	return [][]syntax.WordPart{x.Parts}
}

// variants expands the brace lists among parts; nil if there would be too many.
func variants(parts []syntax.WordPart) [][]syntax.WordPart {
	out := [][]syntax.WordPart{nil}
	for _, p := range parts {
		b, ok := p.(*syntax.BraceExp)
		if !ok {
			for i := range out {
				out[i] = append(out[i][:len(out[i]):len(out[i])], p)
			}
			continue
		}
		var choices [][]syntax.WordPart
		if b.Sequence {
			choices = sequence(b)
		} else {
			for _, e := range b.Elems {
				v := variants(e.Parts)
				if v == nil || len(choices)+len(v) > maxVariants {
					return nil
				}
				choices = append(choices, v...)
			}
		}
		if len(choices) == 0 || len(out)*len(choices) > maxVariants {
			return nil
		}
		next := make([][]syntax.WordPart, 0, len(out)*len(choices))
		for _, o := range out {
			for _, c := range choices {
				next = append(next, append(o[:len(o):len(o)], c...))
			}
		}
		out = next
	}
	return out
}

// sequence expands {1..5} and {a..e..2}; nil if it is too long.
func sequence(b *syntax.BraceExp) [][]syntax.WordPart {
	from, to := b.Elems[0].Lit(), b.Elems[1].Lit()
	a, err := strconv.Atoi(from)
	z, _ := strconv.Atoi(to)
	letters := err != nil
	if letters {
		if from == "" || to == "" {
			return nil
		}
		a, z = int(from[0]), int(to[0])
	}
	step := 1
	if len(b.Elems) > 2 {
		if step, _ = strconv.Atoi(b.Elems[2].Lit()); step < 0 {
			step = -step
		}
	}
	if step = max(step, 1); a > z {
		step = -step
	}
	if n := (z - a) / step; n < 0 || n >= maxVariants || step > 1<<31 {
		return nil
	}
	var out [][]syntax.WordPart
	for i := a; step > 0 && i <= z || step < 0 && i >= z; i += step {
		v := strconv.Itoa(i)
		if letters {
			v = string(rune(i))
		}
		out = append(out, []syntax.WordPart{&syntax.Lit{Value: v}})
	}
	return out
}
