// Package yamltree reads a YAML file as far as its indentation goes: keys, items and the lines of block scalars, each with its
// line and its parent.
//
// It reads broken files and fragments, too, and never fails. It owns no table and no file. All functions are pure.
package yamltree

import "strings"

// Node is one key, one item of a list, or one line of a block scalar.
type Node struct {
	Line   int
	Indent int
	Key    string // "" for items and lines of scalars
	Value  string // what stands behind the key or the dash, without quotes and comments
	Parent int    // -1 at the top
	Item   bool   // begins with a dash
	Text   bool   // a line of a block scalar
}

// Parse reads the nodes of a file in order.
func Parse(src string) []Node {
	var out []Node
	var stack []int
	scalar := -1 // node that holds the block scalar
	n := 0
	for raw := range strings.Lines(src) {
		n++
		raw = strings.TrimRight(raw, "\r\n")
		text := strings.TrimLeft(raw, " \t")
		indent := len(raw) - len(text)
		if text == "" {
			continue
		}
		if scalar >= 0 {
			if indent > out[scalar].Indent {
				out = append(out, Node{Line: n, Indent: indent, Value: text, Parent: scalar, Text: true})
				continue
			}
			scalar = -1
		}
		if text[0] == '#' || strings.HasPrefix(text, "---") {
			continue
		}
		for {
			item := text == "-" || strings.HasPrefix(text, "- ")
			for len(stack) > 0 {
				top := out[stack[len(stack)-1]]
				if top.Indent > indent || top.Indent == indent && (!item || top.Item) {
					stack = stack[:len(stack)-1]
					continue
				}
				break
			}
			parent := -1
			if len(stack) > 0 {
				parent = stack[len(stack)-1]
			}
			node := Node{Line: n, Indent: indent, Parent: parent, Item: item}
			if item {
				rest := strings.TrimLeft(strings.TrimPrefix(text, "-"), " ")
				inner := indent + len(text) - len(rest)
				key, _, ok := pair(rest)
				if !ok || key == "" {
					node.Value = clean(rest)
				}
				out = append(out, node)
				stack = append(stack, len(out)-1)
				if ok && key != "" {
					text, indent = rest, inner
					continue
				}
				if strings.HasPrefix(node.Value, "|") || strings.HasPrefix(node.Value, ">") {
					scalar = len(out) - 1
				}
				break
			}
			key, value, ok := pair(text)
			if !ok {
				node.Value = clean(text)
			} else {
				node.Key, node.Value = key, clean(value)
			}
			out = append(out, node)
			stack = append(stack, len(out)-1)
			if v := strings.TrimSpace(value); strings.HasPrefix(v, "|") || strings.HasPrefix(v, ">") {
				scalar = len(out) - 1
			}
			break
		}
	}
	return out
}

// pair cuts "key: value".
func pair(text string) (key, value string, ok bool) {
	if text == "" || text[0] == '"' || text[0] == '\'' {
		if text == "" {
			return "", "", false
		}
		end := strings.IndexByte(text[1:], text[0])
		if end < 0 || !strings.HasPrefix(text[end+2:], ":") {
			return "", "", false
		}
		return text[1 : end+1], strings.TrimSpace(text[end+3:]), true
	}
	i := strings.Index(text, ": ")
	if i < 0 {
		if !strings.HasSuffix(text, ":") {
			return "", "", false
		}
		i = len(text) - 1
	}
	key = text[:i]
	if strings.ContainsAny(key, "\"'{[&|;") || strings.Count(key, " ") > 3 {
		return "", "", false
	}
	return strings.TrimSpace(key), strings.TrimSpace(text[i+1:]), true
}

// clean takes comments and quotes off a value.
func clean(v string) string {
	v = strings.TrimSpace(v)
	if len(v) > 1 && (v[0] == '"' || v[0] == '\'') {
		if end := strings.LastIndexByte(v, v[0]); end > 0 {
			return v[1:end]
		}
	}
	if i := strings.Index(v, " #"); i >= 0 {
		v = strings.TrimSpace(v[:i])
	}
	return v
}

// maxBeside bounds how many nodes before and behind a node are looked at.
const maxBeside = 5000

// Beside lists the keys that stand beside node i or beside one of those around it, the nearest first, no further than
// maxBeside nodes away.
func Beside(nodes []Node, i int) []int {
	var out []int
	for cur := i; cur >= 0; cur = nodes[cur].Parent {
		p := nodes[cur].Parent
		for k := max(p+1, cur-maxBeside); k < min(len(nodes), cur+maxBeside) && nodes[k].Parent >= p; k++ {
			if nodes[k].Parent == p && k != cur && nodes[k].Key != "" && !nodes[k].Text {
				out = append(out, k)
			}
		}
	}
	return out
}

// Path lists the keys from the top to node i.
func Path(nodes []Node, i int) []string {
	var out []string
	for cur := i; cur >= 0; cur = nodes[cur].Parent {
		if nodes[cur].Key != "" {
			out = append([]string{nodes[cur].Key}, out...)
		}
	}
	return out
}
