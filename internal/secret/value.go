package secret

import (
	"math"
	"strings"
)

// fillers are words that stand in documentation where a key would, in lower case. Each is long enough not to turn up in a
// generated value by chance.
var fillers = [...]string{
	"example", "sample", "dummy", "placeholder", "redacted", "your", "changeme", "change-me", "change_me", "insert", "replace",
	"notreal", "not-real", "not_real", "insecure", "fake", "xxxx", "goes-here", "goes_here", "goeshere", "foobar", "signature",
}

// words mark a value without any digit as one that a person wrote.
var words = [...]string{"token", "secret", "passw", "test", "here", "real", "value", "some", "valid", "mock", "stub", "demo", "work", "with", "that", "this"}

var accessKey = [...]string{"access", "key"}

// placeholder reports whether a value is written by hand to stand for a key: xxxx, YOUR_KEY, 1234567890123456.
func placeholder(v string) bool {
	const longest = 256 // longer ones are not written by hand
	if len(v) > longest {
		return distinct(v[:longest]) <= 2 || strings.Contains(v, "EXAMPLE")
	}
	digit, lower, upper := kinds(v)
	switch n := distinct(v); {
	case n <= 2, n <= 5 && (!digit || !lower && !upper):
		return true
	case !digit && !upper, !digit && !lower && strings.ContainsAny(v, "_-"), !digit && !lower && containsAny(v, accessKey[:]): // my-key, MY_KEY, MYKEY
		return true
	}
	if sequence(v) || containsAny(v, fillers[:]) {
		return true
	}
	return !digit && containsAny(v, words[:])
}

func kinds(v string) (digit, lower, upper bool) {
	for i := range len(v) {
		switch c := v[i]; {
		case c >= '0' && c <= '9':
			digit = true
		case c >= 'a' && c <= 'z':
			lower = true
		case c >= 'A' && c <= 'Z':
			upper = true
		}
	}
	return digit, lower, upper
}

func distinct(v string) int {
	var seen [256]bool
	n := 0
	for i := range len(v) {
		if !seen[v[i]] {
			seen[v[i]] = true
			n++
		}
	}
	return n
}

// sequence reports whether every byte follows the one before it: abcdefgh, 1234567890123.
func sequence(v string) bool {
	for i := 1; i < len(v); i++ {
		a, b := v[i-1], v[i]
		if b != a+1 && !(a == '9' && b == '0') && !(a == 'z' && b == 'a') && !(a == 'Z' && b == 'A') {
			return false
		}
	}
	return true
}

// containsAny reports whether v holds one of the words, whatever the case.
func containsAny(v string, words []string) bool {
	for i := range len(v) {
		c := v[i] | 0x20
		for _, w := range words {
			if w[0] == c && len(v)-i >= len(w) && strings.EqualFold(v[i:i+len(w)], w) {
				return true
			}
		}
	}
	return false
}

// entropy is Shannon's, in bits per byte.
func entropy(v string) float64 {
	var count [256]int
	for i := range len(v) {
		count[v[i]]++
	}
	h, n := 0.0, float64(len(v))
	for _, c := range count {
		if c > 0 {
			h -= float64(c) / n * math.Log2(float64(c)/n)
		}
	}
	return h
}
