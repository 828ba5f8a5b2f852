package secret

import (
	"math/bits"
	"strings"
	"sync"

	"github.com/devflow-suite/devflow/internal/secret/documented"
)

// index finds the places where a credential may start by three table look-ups per byte: bit b of first[c], second[c] and
// third[c] says that a beginning of group b has c as its first, second or third byte. A place whose three masks share a bit
// is looked at; all others, nearly all of an ordinary text, are passed over.
type index struct {
	first, second, third [256]uint32
	groups               [groupFormats]uint8 // the first of heads in each group, counted from 1
	heads                [maxHeads]beginning // in each group in the order of formats
}

// beginning is one head of a row of formats.
type beginning struct {
	head string
	row  *format
	next uint8 // of the same group, counted from 1
}

// maxHeads is how many beginnings there may be.
const maxHeads = 128

// Groups of beginnings.
const (
	groupFormats = 26             // 0…25: rows of formats
	groupName    = groupFormats   // a piece of a telling name
	groupURL     = groupName + 1  // ://
	groupBlock   = groupURL + 1   // --BEGIN, PuTTY-User-Key-File
	groupDot     = groupBlock + 1 // eyJ, hooks.slack.com and others that are looked at from the middle
	groupMid     = groupDot + 1   // :AA Telegram, Q~ Azure, -us Mailchimp, key- Mailgun
	groupUser    = groupMid + 1   // a decimal number in base64, with which Discord's tokens begin
)

// pieces are the beginnings of telling names, in lower case. They are found in either case.
var pieces = [...]string{"pass", "pwd", "secr", "toke", "key", "cred", "auth"}

var dotPieces = [...]string{"eyJ", "hoo", "web"}

var midPieces = [...]string{":AA", "-us", "ey-"}

// table is made at the first look, and by every process anew: it is filled without splitting and growing.
var table = sync.OnceValue(func() *index {
	x := new(index)
	n := uint8(0)
	for i := len(formats) - 1; i >= 0; i-- { // from the end, so that a list begins with its first
		row := &formats[i]
		for rest, head := row.heads, ""; rest != ""; n++ {
			cut := strings.LastIndexByte(rest, ' ')
			rest, head = rest[:max(cut, 0)], rest[cut+1:]
			// Those that share their first byte share a group, so that a mixed-up place costs one look at a few of them.
			g := int(head[0]) % groupFormats
			x.heads[n] = beginning{head, row, x.groups[g]}
			x.groups[g] = n + 1
			x.enter(head, g)
		}
	}
	for _, p := range pieces {
		x.enter(p, groupName)
		x.enter(string([]byte{p[0] ^ ' ', p[1] ^ ' ', p[2] ^ ' '}), groupName) // in capitals
	}
	for _, p := range dotPieces {
		x.enter(p, groupDot)
	}
	for _, p := range midPieces {
		x.enter(p, groupMid)
	}
	x.enter("://", groupURL)
	x.enter("--B", groupBlock)
	x.enter("- B", groupBlock)
	x.enter("PuT", groupBlock)
	for c := '0'; c <= '9'; c++ { // Azure: a digit, Q~
		x.enter(string(c)+"Q~", groupMid)
	}
	for _, c := range "MNO" {
		x.first[c] |= 1 << groupUser
	}
	for _, c := range "DTjz" {
		x.second[c] |= 1 << groupUser
	}
	for _, c := range "AEIMQUYcgk" {
		x.third[c] |= 1 << groupUser
	}
	return x
})

func (x *index) enter(head string, group int) {
	bit := uint32(1) << group
	x.first[head[0]] |= bit
	x.second[head[1]] |= bit
	if len(head) > 2 { // the rest is compared
		x.third[head[2]] |= bit
		return
	}
	for _, c := range "0123456789abcdef" { // any of the set that follows; SK is the only beginning of two bytes
		x.third[c] |= bit
	}
}

func (f *finder) scan() {
	s, x := f.s, table()
	if len(s) < 3 {
		return
	}
	a, b := x.first[s[0]], x.first[s[1]]
	a &= x.second[s[1]]
	for i := 2; i < len(s); i++ {
		c := s[i]
		hit := a & x.third[c]
		a = b & x.second[c]
		b = x.first[c]
		if hit != 0 && i-2 >= f.skip {
			f.look(x, i-2, hit)
		}
	}
}

// look examines a place for the groups in hit.
func (f *finder) look(x *index, i int, hit uint32) {
	for ; hit != 0; hit &= hit - 1 {
		switch g := bits.TrailingZeros32(hit); g {
		case groupName:
			f.named(i)
		case groupURL:
			f.address(i)
		case groupBlock:
			f.block(i)
		case groupDot:
			f.dots(i)
		case groupMid:
			f.middle(i)
		case groupUser:
			f.discord(i)
		default:
			f.formats(x, x.groups[g], i)
		}
	}
}

// formats looks for one of the beginnings at i, from the given one on.
func (f *finder) formats(x *index, first uint8, i int) {
	s := f.s
	for b := first; b != 0; b = x.heads[b-1].next {
		head, row := x.heads[b-1].head, x.heads[b-1].row
		if !strings.HasPrefix(s[i:], head) || !bounded(s, i, head) {
			continue
		}
		from := i + len(head)
		end := runTo(s, from, maxProbe, row.set)
		for end > from && (s[end-1] == '.' || s[end-1] == '-') { // a sentence's end, not the token's
			end--
		}
		if n := end - from; n < row.min || row.max > 0 && n > row.max {
			continue
		}
		if v := s[from:end]; placeholder(v) || documented.Example(s[i:end]) || strings.HasSuffix(head, "=") && documented.Example(v) {
			continue
		}
		if strings.HasSuffix(head, "=") { // the head is a name
			i = from
		}
		if end-from > maxProbe/2 { // cut by the probe
			end = run(s, end, row.set)
		}
		f.add(row.id, i, end)
		f.skip = end
		return
	}
}

// bounded reports whether a credential with this head may begin at i, which is not so in the middle of a word.
func bounded(s string, i int, head string) bool {
	switch head {
	case "sk-", "secret_", "cio": // short ones are parts of other words
		return i == 0 || !inSet(s[i-1], dotted) && s[i-1] != '+' || escaped(s, i)
	}
	return starts(s, i)
}

// maxProbe is how far a place is examined in bytes before it is known to be a credential, so that a text made of beginnings
// is still looked at in linear time. No format needs more.
const maxProbe = 512

func runTo(s string, i, limit int, of set) int { return run(s[:min(len(s), i+limit)], i, of) }

// run is the end of the bytes of a set from i on.
func run(s string, i int, of set) int {
	for i < len(s) && inSet(s[i], of) {
		i++
	}
	return i
}

// inSet reports whether c belongs to a set.
func inSet(c byte, of set) bool {
	switch {
	case c >= '0' && c <= '9':
		return true
	case c >= 'a' && c <= 'f':
		return of != upper
	case c >= 'g' && c <= 'z':
		return of != upper && of != hex
	case c >= 'A' && c <= 'Z':
		return of != hex
	case c == '_':
		return of == word || of == token || of == dotted
	case c == '-':
		return of == token || of == dotted
	case c == '.':
		return of == dotted
	case c == '+' || c == '/' || c == '=':
		return of == base64
	}
	return false
}
