package compile

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
)

// pythonSource parses what it is fed and runs none of it.
const pythonSource = `
import sys, ast, json, warnings
warnings.simplefilter("ignore")
i, o = sys.stdin.buffer, sys.stdout
o.write(json.dumps(list(sys.version_info[:2])) + "\n")
o.flush()
while True:
    head = i.readline()
    if not head:
        break
    src = i.read(json.loads(head)["size"])
    r = None
    try:
        ast.parse(src)
    except SyntaxError as e:
        r = {"line": e.lineno or 0, "text": str(e.msg)[:300], "code": (e.text or "")[:500] if isinstance(e.text, str) else ""}
    except (RecursionError, MemoryError):
        r = {"text": "nests too deeply to be read"}
    except Exception as e:
        r = {"text": str(e)[:300]}
    o.write(json.dumps(r) + "\n")
    o.flush()
`

// readPython asks the project's own interpreter if it has one, and else the one on the PATH.
func readPython(ctx context.Context, t *tools, files []file) ([]*problem, string, error) {
	var answers []*answer
	var have [2]int
	found := false
	for _, prog := range t.pythons() {
		var err error
		answers, have, found, err = t.feed(ctx, "", []string{prog, "-I", "-S", "-B", "-c", pythonSource}, files)
		if err != nil {
			return nil, "", err
		}
		if found {
			break
		}
	}
	if !found {
		return nil, "python3: not installed", nil
	}
	out := make([]*problem, len(files))
	for i, a := range answers {
		if a == nil {
			continue
		}
		p := &problem{line: a.Line, text: a.Text}
		switch want := t.wantsPython(ctx, files[i].path); {
		case want[0] == 2:
			p.skip, p.text = true, "Python 2"
		case older(have, want):
			p.skip, p.text = true, fmt.Sprintf("python3 %d.%d is older than the project's %d.%d", have[0], have[1], want[0], want[1])
		case newer(have, a):
			p.note = true
			p.text += fmt.Sprintf(" (python3 is %d.%d: maybe the syntax of a later one)", have[0], have[1])
		}
		out[i] = p
	}
	return out, "", nil
}

func (t *tools) pythons() []string {
	var out []string
	if t.in.Root != "" {
		out = append(out, filepath.Join(t.in.Root, ".venv", "bin", "python3"), filepath.Join(t.in.Root, "venv", "bin", "python3"))
	}
	return append(out, "python3")
}

// wantsPython is the version that the project asks for, as far as it says so.
func (t *tools) wantsPython(ctx context.Context, p string) (v [2]int) {
	for _, place := range [...][2]string{{"pyproject.toml", "requires-python"}, {"setup.cfg", "python_requires"}, {"setup.py", "python_requires"}, {".python-version", ""}} {
		text, ok := t.nearby(ctx, p, place[0])
		if !ok {
			continue
		}
		value := setting(text, place[1])
		if strings.Contains(value, "<3") && !strings.Contains(value, "<3.") {
			return [2]int{2, 7}
		}
		if strings.HasPrefix(value, "<") { // an upper bound only
			continue
		}
		if v = digits(value); v[0] > 0 {
			return v
		}
	}
	return v
}

// newer guesses that a file uses syntax of a later Python than the one that refused it.
func newer(have [2]int, a *answer) bool {
	code := strings.TrimSpace(a.Code)
	word, rest, _ := strings.Cut(code, " ")
	name := strings.TrimLeft(rest, " ")
	head, _, _ := strings.Cut(name, "(")
	switch {
	case older(have, [2]int{3, 10}) && (word == "match" || word == "case"):
		return strings.HasSuffix(code, ":")
	case older(have, [2]int{3, 11}) && strings.HasPrefix(code, "except*"):
		return true
	case older(have, [2]int{3, 12}) && word == "type" && strings.Contains(name, "="):
		return true
	case older(have, [2]int{3, 12}) && (word == "def" || word == "class" || code == "async def"):
		return strings.Contains(head, "[")
	case older(have, [2]int{3, 12}) && strings.HasPrefix(a.Text, "f-string"):
		return strings.Count(code, `"`) >= 4 || strings.Count(code, "'") >= 4 || strings.Contains(code, `\`)
	case older(have, [2]int{3, 14}) && (strings.Contains(code, ` t"`) || strings.Contains(code, "(t\"") || strings.Contains(code, " t'") || strings.Contains(code, "(t'")):
		return true
	}
	return false
}
