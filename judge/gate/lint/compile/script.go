package compile

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
)

// nodeSource compiles what it is fed, as a module of either kind, and runs none of it.
const nodeSource = `
const vm = require("vm"), fs = require("fs");
const all = fs.readFileSync(0), v = process.versions.node.split(".");
const out = x => fs.writeSync(1, JSON.stringify(x) + "\n");
out([+v[0], +v[1]]);
const where = e => { const m = /^f\.js:(\d+)/.exec(e.stack || ""); return {line: m ? +m[1] : 0, text: String(e.message).slice(0, 300)} };
const plain = s => { try { vm.compileFunction(s, ["exports", "require", "module", "__filename", "__dirname"], {filename: "f.js"}); return null } catch (e) { return where(e) } };
const mod = s => { try { new vm.SourceTextModule(s, {identifier: "f.js"}); return null } catch (e) { return where(e) } };
for (let at = 0; at < all.length;) {
  const end = all.indexOf(10, at), head = JSON.parse(all.toString("utf8", at, end));
  let s = all.toString("utf8", end + 1, end + 1 + head.size);
  at = end + 1 + head.size;
  if (s.charCodeAt(0) === 0xfeff) s = s.slice(1);
  if (s.startsWith("#!")) s = "//" + s.slice(2);
  const cjs = head.name.endsWith(".mjs") ? undefined : plain(s);
  if (cjs === null) { out(null); continue }
  const esm = head.name.endsWith(".cjs") ? undefined : mod(s);
  if (esm === null) { out(null); continue }
  out(esm === undefined ? cjs : cjs === undefined || /^\s*(import|export)\b/m.test(s) ? esm : cjs);
}
`

// typedSource reads with the project's own TypeScript, whose folder is the first argument.
const typedSource = `
const fs = require("fs"), ts = require(process.argv[1]);
const all = fs.readFileSync(0), v = String(ts.version).split(".");
const out = x => fs.writeSync(1, JSON.stringify(x) + "\n");
out([+v[0], +v[1]]);
for (let at = 0; at < all.length;) {
  const end = all.indexOf(10, at), head = JSON.parse(all.toString("utf8", at, end));
  const s = all.toString("utf8", end + 1, end + 1 + head.size);
  at = end + 1 + head.size;
  const name = /\.(js|jsx|mjs|cjs)$/.test(head.name) ? "f.jsx" : head.name;
  const f = ts.createSourceFile(name, s, ts.ScriptTarget.Latest, true), d = (f.parseDiagnostics || [])[0];
  out(d ? {line: f.getLineAndCharacterOfPosition(d.start || 0).line + 1, text: ts.flattenDiagnosticMessageText(d.messageText, " ").slice(0, 300)} : null);
}
`

// readScript reads JavaScript with node. What node does not know but build tools do (JSX, Flow, decorators) is read by the project's
// TypeScript if it has one, and else passed over.
func readScript(ctx context.Context, t *tools, files []file) ([]*problem, string, error) {
	answers, _, found, err := t.feed(ctx, "", []string{"node", "--experimental-vm-modules", "--no-warnings", "-e", nodeSource}, files)
	if err != nil {
		return nil, "", err
	}
	if !found {
		return nil, "node: not installed", nil
	}
	out := make([]*problem, len(files))
	var again []file
	var at []int
	for i, a := range answers {
		if a == nil {
			continue
		}
		out[i] = &problem{line: a.Line, text: a.Text}
		if why := dialect(files[i]); why != "" {
			out[i] = &problem{skip: true, text: why + ", which node does not read"}
			again, at = append(again, files[i]), append(at, i)
		}
	}
	if len(again) == 0 {
		return out, "", nil
	}
	byTypes, missing, err := t.typescript(ctx, again)
	if err != nil {
		return nil, "", err
	}
	for k, p := range byTypes {
		if missing == "" && !strings.HasPrefix(out[at[k]].text, "Flow") {
			out[at[k]] = p
		}
	}
	return out, "", nil
}

// dialect names what makes a file more than JavaScript, "" if nothing does.
func dialect(f file) string {
	if bytes.HasPrefix(f.data, []byte("---\n")) {
		return "a page with front matter"
	}
	if bytes.Contains(f.data, []byte("<%")) {
		return "a template"
	}
	head := f.data[:min(len(f.data), 2000)]
	if bytes.Contains(head, []byte("@flow")) || bytes.Contains(f.data, []byte("import type ")) {
		return "Flow types"
	}
	x := source.Lex(source.JS, f.data)
	closes := bytes.Contains(f.data, []byte("</")) || bytes.Contains(f.data, []byte("/>"))
	if closes && path.Ext(f.path) == ".jsx" {
		return "JSX"
	}
	for i := range x.Tokens {
		switch {
		case closes && x.Is(i, "<") && (x.Kind(i+1) == source.Name || x.Is(i+1, ">")) && element(x, i-1),
			closes && x.Is(i, "<>") && element(x, i-1):
			return "JSX"
		case x.Is(i, "@") && x.Tokens[i].First && x.Kind(i+1) == source.Name:
			return "decorators"
		case x.Is(i, "using") && x.Kind(i+1) == source.Name && x.Is(i+2, "="):
			return "using declarations"
		}
	}
	return ""
}

// element reports whether JSX may begin behind token i: where an operand is expected.
func element(x *source.File, i int) bool {
	switch x.Text(i) {
	case "", "(", ",", "=", "?", ":", "[", "{", "=>", "&&", "||", "??", "return", "default", ";", "}", ">", "yield":
		return x.Kind(i) != source.String
	}
	return false
}

// readTyped reads TypeScript.
func readTyped(ctx context.Context, t *tools, files []file) ([]*problem, string, error) {
	return t.typescript(ctx, files)
}

// typescript reads with the project's own TypeScript, or with a tsc on the PATH; only what is wrong with the syntax counts, since types
// depend on more than the files of a push.
func (t *tools) typescript(ctx context.Context, files []file) ([]*problem, string, error) {
	if t.in.Root != "" {
		lib := filepath.Join(t.in.Root, "node_modules", "typescript")
		if info, err := os.Stat(lib); err == nil && info.IsDir() {
			answers, _, found, err := t.feed(ctx, "", []string{"node", "-e", typedSource, lib}, files)
			if err != nil {
				return nil, "", err
			}
			if found {
				out := make([]*problem, len(files))
				for i, a := range answers {
					if a != nil {
						out[i] = &problem{line: a.Line, text: a.Text}
					}
				}
				return out, "", nil
			}
		}
	}
	return t.tsc(ctx, files)
}

func (t *tools) tsc(ctx context.Context, files []file) (out []*problem, missing string, err error) {
	dir, err := folder()
	if err != nil {
		return nil, "", err
	}
	defer os.RemoveAll(dir)
	names, err := write(dir, files, func(f file) string {
		switch ext := path.Ext(f.path); {
		case strings.HasSuffix(f.path, ".d.ts"):
			return ".d.ts"
		case ext == ".js" || ext == ".mjs" || ext == ".cjs":
			return ".jsx"
		default:
			return ext
		}
	})
	if err != nil {
		return nil, "", err
	}
	args := append([]string{"tsc", "--noEmit", "--noResolve", "--skipLibCheck", "--allowJs", "--pretty", "false", "--jsx", "preserve", "--target", "esnext"}, names...)
	res, found, err := t.run(ctx, dir, nil, args...)
	if err != nil {
		return nil, "", err
	}
	if !found {
		return nil, "tsc: not installed", nil
	}
	out = make([]*problem, len(files))
	for line := range bytes.Lines(res.Stdout) { // f3.ts(2,5): error TS1005: ';' expected.
		head, text, ok := strings.Cut(strings.TrimSpace(string(line)), ": error TS1")
		name, pos, at := strings.Cut(head, "(")
		code, text, colon := strings.Cut(text, ":")
		if !ok || !at || !colon || len(code) != 3 && !(len(code) == 4 && code[0] == '7') { // TS1xxx and TS17xxx are those of syntax
			continue
		}
		number, _, _ := strings.Cut(strings.TrimPrefix(name, "f"), ".")
		i, err := strconv.Atoi(number)
		if err != nil || i < 0 || i >= len(out) || out[i] != nil {
			continue
		}
		out[i] = &problem{line: digits(pos)[0], text: strings.TrimSpace(text)}
	}
	if res.Exit > 2 && len(res.Stdout) == 0 {
		return nil, "", fmt.Errorf("tsc: exit %d", res.Exit)
	}
	return out, "", nil
}
