package compile

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"go/parser"
	"go/scanner"
	"go/token"
	"io"
	"path"
	"strings"

	"github.com/BurntSushi/toml"

	"github.com/devflow-suite/devflow/judge/gate/lint/compile/yaml"
)

// inProcess reads files of the kinds for which we have a reader.
func inProcess(ctx context.Context, k kind, files []file) ([]*problem, string, error) {
	out := make([]*problem, len(files))
	for i, f := range files {
		if ctx.Err() != nil {
			return nil, "", context.Cause(ctx)
		}
		switch k {
		case goFile:
			out[i] = readGo(f)
		case jsonFile:
			out[i] = readJSON(f)
		case tomlFile:
			out[i] = readTOML(f)
		case yamlFile:
			out[i] = readYAML(f)
		}
	}
	return out, "", nil
}

func readGo(f file) *problem {
	_, err := parser.ParseFile(token.NewFileSet(), "", f.data, parser.SkipObjectResolution)
	if err == nil {
		return nil
	}
	var list scanner.ErrorList
	if errors.As(err, &list) && len(list) > 0 {
		return &problem{line: list[0].Pos.Line, text: list[0].Msg}
	}
	return &problem{text: err.Error()}
}

func readYAML(f file) *problem {
	switch r := yaml.Check(f.data); {
	case r.Template:
		return &problem{skip: true, text: "a template"}
	case r.Problem != "":
		return &problem{line: r.Line, text: r.Problem}
	}
	return nil
}

// maxDepth is how deep brackets may nest in TOML: its reader recurses.
const maxDepth = 1000

func readTOML(f file) *problem {
	depth := 0
	for _, b := range f.data {
		switch b {
		case '[', '{':
			depth++
		case '\n':
			if depth < 0 {
				depth = 0
			}
		case ']', '}':
			depth--
		}
		if depth > maxDepth {
			return &problem{text: "brackets nest too deeply to be read"}
		}
	}
	var v map[string]any
	_, err := toml.Decode(string(bytes.TrimPrefix(f.data, []byte("\xef\xbb\xbf"))), &v)
	if err == nil {
		return nil
	}
	var pe toml.ParseError
	if errors.As(err, &pe) {
		return &problem{line: pe.Position.Line, text: pe.Message}
	}
	return &problem{text: strings.TrimPrefix(err.Error(), "toml: ")}
}

// readJSON accepts plain JSON everywhere, and JSON with comments and trailing commas where it is customary; elsewhere those are a note,
// since somebody may read the file so.
func readJSON(f file) *problem {
	data := bytes.TrimPrefix(f.data, []byte("\xef\xbb\xbf"))
	if len(bytes.TrimSpace(data)) == 0 {
		return &problem{text: "empty", note: !plainJSON(f.path)}
	}
	err := decode(data)
	if err == nil {
		return nil
	}
	p := &problem{text: err.text, line: err.line}
	loose := decode(relax(data))
	switch {
	case loose == nil && commented(f.path):
		return nil
	case loose == nil && !plainJSON(f.path):
		p.text, p.note = "comments or commas at the end: many readers of JSON refuse them", true
	case loose != nil && loose.many && !plainJSON(f.path):
		p.text, p.note = "several values, one behind the other", true
	case loose != nil:
		p.text, p.line = loose.text, loose.line
	}
	return p
}

type jsonError struct {
	text string
	line int
	many bool // it is a sequence of complete values
}

// decode reads one value.
func decode(data []byte) *jsonError {
	if json.Valid(data) {
		return nil
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	for n := 0; ; n++ {
		var v json.RawMessage
		err := dec.Decode(&v)
		if err == io.EOF {
			return &jsonError{text: "more than one value", many: n > 1}
		}
		if err == nil {
			continue
		}
		at := dec.InputOffset()
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			at = syntax.Offset
		}
		if errors.Is(err, io.ErrUnexpectedEOF) {
			at = int64(len(data))
		}
		line := 1 + bytes.Count(data[:min(max(at-1, 0), int64(len(data)))], []byte{'\n'})
		return &jsonError{text: strings.TrimPrefix(err.Error(), "json: "), line: line}
	}
}

// relax blanks comments and commas before a closing bracket. Line numbers stay.
func relax(data []byte) []byte {
	out := bytes.Clone(data)
	comma := -1
	for i := 0; i < len(out); i++ {
		switch c := out[i]; {
		case c == '"':
			for i++; i < len(out) && out[i] != '"'; i++ {
				if out[i] == '\\' {
					i++
				}
			}
			comma = -1
		case c == '/' && i+1 < len(out) && out[i+1] == '/':
			for ; i < len(out) && out[i] != '\n'; i++ {
				out[i] = ' '
			}
		case c == '/' && i+1 < len(out) && out[i+1] == '*':
			end := bytes.Index(out[i+2:], []byte("*/"))
			if end < 0 {
				return data
			}
			for stop := i + 2 + end + 2; i < stop; i++ {
				if out[i] != '\n' {
					out[i] = ' '
				}
			}
			i--
		case c == ',':
			comma = i
		case c == '}' || c == ']':
			if comma >= 0 {
				out[comma] = ' '
			}
			comma = -1
		case c != ' ' && c != '\t' && c != '\n' && c != '\r':
			comma = -1
		}
	}
	return out
}

// plainJSON names files whose readers accept nothing but JSON.
func plainJSON(p string) bool {
	switch base := path.Base(p); base {
	case "package.json", "package-lock.json", "npm-shrinkwrap.json", "composer.json", "composer.lock", "bower.json", "Pipfile.lock":
		return true
	default:
		return path.Ext(base) == ".ipynb" || path.Ext(base) == ".webmanifest"
	}
}

// commented names files in which comments are customary.
func commented(p string) bool {
	base := strings.ToLower(path.Base(p))
	if path.Ext(base) != ".json" && path.Ext(base) != ".ipynb" && path.Ext(base) != ".webmanifest" {
		return true // .jsonc, .code-workspace
	}
	for d := range strings.SplitSeq(path.Dir(p), "/") {
		switch d {
		case ".vscode", ".devcontainer", ".zed", ".cursor", ".fleet", ".sublime":
			return true
		}
	}
	for _, head := range [...]string{"tsconfig", "jsconfig", ".eslintrc", ".babelrc", "babel.config", ".swcrc", ".jshintrc", "tslint", ".hintrc", "deno", "turbo", "nx", "angular", "api-extractor",
		"rush", "typedoc", "renovate", ".renovaterc", "biome", "cspell", ".cspell", ".markdownlint", ".prettierrc", ".stylelintrc", "devcontainer", "wrangler", ".luarc", "pyrightconfig",
		"appsettings", "launchsettings", "local.settings", "global.json", "host.json", "language-configuration", "settings.json", "keybindings", "tasks.json", "launch.json", "project.json", "workspace.json",
		".oxlintrc", "dprint", "knip", "lerna", "jest.config", ".mocharc", ".nycrc", ".c8rc", "firebase", "eas.json", "components.json", "nest-cli"} {
		if strings.HasPrefix(base, head) {
			return true
		}
	}
	return strings.HasSuffix(base, ".tmlanguage.json") || strings.HasSuffix(base, "-language-configuration.json")
}
