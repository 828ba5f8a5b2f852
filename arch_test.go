package devflow_test

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

const module = "github.com/devflow-suite/devflow"

// layers orders the packages: a package may import packages of lower layers and of its own only where `peers` says so.
// The first matching prefix counts.
var layers = [...]struct {
	prefix string
	layer  int
	peers  bool
}{
	{"internal/testkit", 9, true}, // tests only
	{"internal/", 0, true},
	{"telemetry/spec", 1, false},  // pure, below the tables: words of specs,
	{"telemetry/ledger", 1, true}, // and the texts that kv keeps
	{"telemetry/pack", 1, true},
	{"telemetry/", 3, true}, // stand on telemetry's tables
	{"telemetry", 2, false},
	{"profiler", 2, false},
	{"tdd", 2, false},
	{"guard/told", 3, false},
	{"guard/", 1, true}, // pure, below the tables: what a call does, and the rules
	{"guard", 2, false},
	{"judge/verdict", 1, false}, // the words of the judge,
	{"judge/lex", 3, true},      // and what its rules look at
	{"judge/units", 3, true},
	{"judge/change", 3, true},
	{"judge/look", 3, true},
	{"judge/waiver", 3, true},
	{"judge/matter", 3, true},
	{"judge/", 5, true},
	{"judge", 4, false},
	{"orchestrator/gateway", 1, true}, // knows endpoints, not runs
	{"orchestrator/", 5, true},
	{"orchestrator", 2, false},
	{"install", 5, true},
	{"mcpserver", 6, false},
	{"hooks/event", 6, false}, // the glue that all hook programs share
	{"hooks/devflow-", 7, false},
	{"hooks", 3, false},         // the harness
	{"cmd/internal/", 6, false}, // the frame of the programs
	{"cmd/devflow/internal/", 6, true},
	{"cmd/devflock/internal/", 6, true},
	{"cmd/", 7, false},
	{"e2e", 9, true},
}

func layerOf(rel string) (layer int, peers bool) {
	for _, l := range layers {
		whole := !strings.HasSuffix(l.prefix, "/") && !strings.HasSuffix(l.prefix, "-")
		if whole && (rel == l.prefix || strings.HasPrefix(rel, l.prefix+"/")) || !whole && strings.HasPrefix(rel, l.prefix) {
			return l.layer, l.peers
		}
	}
	return -1, false
}

// pkg is what the tests need of `go list -json`.
type pkg struct {
	ImportPath string
	Dir        string
	Name       string
	Doc        string
	GoFiles    []string
	CgoFiles   []string
	Imports    []string
	Deps       []string
}

func (p pkg) rel() string { return strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, module), "/") }

var packages = sync.OnceValues(func() ([]pkg, error) {
	out, err := exec.Command("go", "list", "-json=ImportPath,Dir,Name,Doc,GoFiles,CgoFiles,Imports,Deps", "./...").Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	var all []pkg
	for dec := json.NewDecoder(strings.NewReader(string(out))); dec.More(); {
		var p pkg
		if err := dec.Decode(&p); err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return all, nil
})

func eachPackage(t *testing.T, check func(t *testing.T, p pkg)) {
	t.Helper()
	all, err := packages()
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 10 {
		t.Fatalf("go list found %d packages: the checks below would check nothing", len(all))
	}
	for _, p := range all {
		if len(p.GoFiles)+len(p.CgoFiles) > 0 {
			check(t, p)
		}
	}
}

func TestImportsPointDown(t *testing.T) {
	t.Parallel()
	eachPackage(t, func(t *testing.T, p pkg) {
		if bad := upward(p.rel(), p.Imports); bad != "" {
			t.Error(bad)
		}
	})
	if upward("internal/store", []string{module + "/telemetry"}) == "" || upward("telemetry", []string{module + "/tdd"}) == "" || upward("judge", []string{module + "/internal/testkit"}) == "" {
		t.Error("a planted upward import was not found")
	}
}

// upward names the first import that goes against the layers.
func upward(rel string, imports []string) string {
	layer, peers := layerOf(rel)
	if layer < 0 {
		return fmt.Sprintf("package %s has no layer: add it to the table in arch_test.go and to docs/ARCHITECTURE.md", rel)
	}
	for _, imp := range imports {
		target, ours := strings.CutPrefix(imp, module+"/")
		if !ours {
			continue
		}
		other, _ := layerOf(target)
		if other > layer || other == layer && !peers {
			return fmt.Sprintf("%s imports %s: layer %d may not import layer %d", rel, target, layer, other)
		}
	}
	return ""
}

// TestTheOrchestratorKnowsNothingOfTheJudge: domains meet in mains only.
func TestTheOrchestratorKnowsNothingOfTheJudge(t *testing.T) {
	t.Parallel()
	seen := 0
	eachPackage(t, func(t *testing.T, p pkg) {
		if p.rel() != "orchestrator" && !strings.HasPrefix(p.rel(), "orchestrator/") {
			return
		}
		seen++
		for _, imp := range p.Imports {
			if other, ours := strings.CutPrefix(imp, module+"/"); ours && !strings.HasPrefix(other, "internal/") && other != "orchestrator" && !strings.HasPrefix(other, "orchestrator/") {
				t.Errorf("%s imports %s: the orchestrator stands on its own packages and internal/ only", p.rel(), other)
			}
		}
	})
	if seen < 5 {
		t.Errorf("found %d packages of the orchestrator: the check above would check nothing", seen)
	}
}

func TestEveryPackageHasOneComment(t *testing.T) {
	t.Parallel()
	eachPackage(t, func(t *testing.T, p pkg) {
		want := "Package " + p.Name + " "
		if p.Name == "main" {
			want = "Command " + filepath.Base(p.rel()) + " "
		}
		if !strings.HasPrefix(p.Doc, want) {
			t.Errorf("%s: package comment %q, want one that starts with %q", p.rel(), p.Doc, want)
		}
	})
}

// Size limits of the style guide, in lines.
const (
	maxFile, maxTestFile, maxPackage, maxMain = 500, 800, 1500, 40
)

func TestFilesPackagesAndMainsStaySmall(t *testing.T) {
	t.Parallel()
	eachPackage(t, func(t *testing.T, p pkg) {
		total := 0
		entries, err := os.ReadDir(p.Dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if filepath.Ext(e.Name()) != ".go" {
				continue
			}
			data, err := os.ReadFile(filepath.Join(p.Dir, e.Name()))
			if err != nil {
				t.Fatal(err)
			}
			n, limit := strings.Count(string(data), "\n"), maxFile
			switch {
			case strings.HasSuffix(e.Name(), "_test.go"):
				limit = maxTestFile
			case e.Name() == "main.go" && p.Name == "main":
				limit = maxMain
				total += n
			default:
				total += n
			}
			if n > limit {
				t.Errorf("%s/%s has %d lines, limit %d", p.rel(), e.Name(), n, limit)
			}
		}
		if total > maxPackage {
			t.Errorf("package %s has %d lines, limit %d", p.rel(), total, maxPackage)
		}
	})
}

func TestNoInitAndNoMutablePackageVariables(t *testing.T) {
	t.Parallel()
	eachPackage(t, func(t *testing.T, p pkg) {
		for _, name := range slices.Concat(p.GoFiles, p.CgoFiles) {
			set := token.NewFileSet()
			file, err := parser.ParseFile(set, filepath.Join(p.Dir, name), nil, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			for _, bad := range mutableState(file) {
				t.Errorf("%s: %s", set.Position(bad.pos), bad.what)
			}
		}
	})
	planted, err := parser.ParseFile(token.NewFileSet(), "x.go", "package x\nvar m = map[string]int{}\nfunc init() {}\nvar e = errors.New(\"x\")\nvar a = [...]int{1}", 0)
	if err != nil {
		t.Fatal(err)
	}
	if got := len(mutableState(planted)); got != 2 {
		t.Errorf("planted file: %d findings, want 2", got)
	}
}

type finding struct {
	pos  token.Pos
	what string
}

// mutableState lists init functions and package variables that something could change: everything but arrays of constants,
// sentinel errors, sync.OnceValue(s), embedded files, blank assertions, and the version set by the linker in a main.
func mutableState(file *ast.File) []finding {
	var found []finding
	for _, decl := range file.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if d.Name.Name == "init" && d.Recv == nil {
				found = append(found, finding{d.Pos(), "func init"})
			}
		case *ast.GenDecl:
			if d.Tok != token.VAR {
				continue
			}
			for _, spec := range d.Specs {
				v := spec.(*ast.ValueSpec)
				if !immutable(d, v) {
					found = append(found, finding{v.Pos(), "package variable " + v.Names[0].Name})
				}
			}
		}
	}
	return found
}

func immutable(d *ast.GenDecl, v *ast.ValueSpec) bool {
	for _, doc := range [...]*ast.CommentGroup{d.Doc, v.Doc} {
		if doc != nil && slices.ContainsFunc(doc.List, func(c *ast.Comment) bool { return strings.HasPrefix(c.Text, "//go:embed ") }) {
			return true
		}
	}
	if v.Names[0].Name == "_" || v.Names[0].Name == "version" && v.Values == nil {
		return true
	}
	for _, value := range v.Values {
		switch x := value.(type) {
		case *ast.CompositeLit:
			if array, ok := x.Type.(*ast.ArrayType); !ok || array.Len == nil {
				return false
			}
		case *ast.CallExpr:
			sel, ok := x.Fun.(*ast.SelectorExpr)
			if idx, generic := x.Fun.(*ast.IndexExpr); generic {
				sel, ok = idx.X.(*ast.SelectorExpr)
			}
			if !ok || !slices.Contains([]string{"New", "Errorf", "OnceValue", "OnceValues", "OnceFunc"}, sel.Sel.Name) {
				return false
			}
		case *ast.SelectorExpr: // another package's sentinel error under our name
			if !strings.HasPrefix(v.Names[0].Name, "Err") {
				return false
			}
		default:
			return false
		}
	}
	return len(v.Values) > 0
}

// heavy are packages that cost a hook start-up time or size; the reasons are measured (docs/adr/0003-hook-budget.md).
var heavy = [...]string{
	"net/http", "html/template", "text/template", "flag", "github.com/urfave/cli/v3", "github.com/santhosh-tekuri/jsonschema",
	"github.com/sashabaranov/go-openai", "github.com/zricethezav/gitleaks", "testing", "github.com/rogpeppe/go-internal",
}

func TestHooksLinkNothingHeavy(t *testing.T) {
	t.Parallel()
	seen := 0
	eachPackage(t, func(t *testing.T, p pkg) {
		if !strings.HasPrefix(p.rel(), "hooks/devflow-") {
			return
		}
		seen++
		for _, dep := range p.Deps {
			for _, bad := range heavy {
				if dep == bad || strings.HasPrefix(dep, bad+"/") {
					t.Errorf("%s links %s", p.rel(), dep)
				}
			}
		}
	})
	if seen != 7 {
		t.Errorf("found %d hook binaries, want 7", seen)
	}
}

func TestOnlyMainsImportTheCommandLineLibrary(t *testing.T) {
	t.Parallel()
	eachPackage(t, func(t *testing.T, p pkg) {
		if slices.Contains(p.Imports, "github.com/urfave/cli/v3") && !strings.HasPrefix(p.rel(), "cmd/") {
			t.Errorf("%s imports the command line library, which belongs to cmd/", p.rel())
		}
		if slices.Contains(p.Imports, "os/exec") && p.rel() != "internal/proc" && !strings.HasPrefix(p.rel(), "internal/testkit") && !strings.HasPrefix(p.rel(), "e2e") {
			t.Errorf("%s starts processes by itself: children run through internal/proc", p.rel())
		}
	})
}

var (
	tableOwner = regexp.MustCompile(`(?m)^--\s*writer:\s*(\S+)\s*\n(?:--.*\n)*CREATE TABLE (\w+)`)
	tableWrite = regexp.MustCompile(`(?i)\b(?:INSERT(?:\s+OR\s+\w+)?\s+INTO|UPDATE(?:\s+OR\s+\w+)?|DELETE\s+FROM|REPLACE\s+INTO)\s+([a-z_]+)`)
)

func TestEveryTableHasOneWriter(t *testing.T) {
	t.Parallel()
	owner := map[string]string{}
	err := filepath.WalkDir("internal/store/migrations", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".sql" {
			return err
		}
		data, err := os.ReadFile(path)
		for _, m := range tableOwner.FindAllStringSubmatch(string(data), -1) {
			owner[m[2]] = m[1]
		}
		if got, want := len(tableOwner.FindAllString(string(data), -1)), strings.Count(string(data), "CREATE TABLE "); got != want {
			t.Errorf("%s: %d of %d tables name their writer (a line `-- writer: package` above each)", path, got, want)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(owner) < 10 {
		t.Fatalf("found %d tables with a writer, want at least 10", len(owner))
	}
	eachPackage(t, func(t *testing.T, p pkg) {
		if strings.HasPrefix(p.rel(), "internal/testkit") || strings.HasPrefix(p.rel(), "e2e") {
			return
		}
		for _, name := range slices.Concat(p.GoFiles, p.CgoFiles) {
			set := token.NewFileSet()
			file, err := parser.ParseFile(set, filepath.Join(p.Dir, name), nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(file, func(n ast.Node) bool {
				lit, ok := n.(*ast.BasicLit)
				if !ok || lit.Kind != token.STRING {
					return true
				}
				for _, m := range tableWrite.FindAllStringSubmatch(lit.Value, -1) {
					want, known := owner[m[1]]
					if known && want != p.rel() && !(m[1] == "kv" && p.rel() == "internal/store") {
						t.Errorf("%s writes table %s, whose writer is %s", set.Position(lit.Pos()), m[1], want)
					}
				}
				return true
			})
		}
	})
}

// Binary size limits in bytes (docs/adr/0003-hook-budget.md). The tool hooks hold the guard.
const maxHookBytes, maxGuardBytes, maxStopBytes = 7 << 20, 9 << 20, 12 << 20

func TestBinariesStaySmallAndStatic(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cmd := exec.Command("make", "-s", "build", "BIN="+dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("make build: %v\n%s", err, out)
	}
	hooks, err := filepath.Glob(filepath.Join(dir, "devflow-*"))
	if err != nil || len(hooks) < 8 {
		t.Fatalf("make build made %d binaries (%v), want at least 8", len(hooks), err)
	}
	for _, file := range hooks {
		name := filepath.Base(file)
		if name == "devflow-telemetry" {
			continue
		}
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		limit := int64(maxHookBytes)
		switch name {
		case "devflow-stop":
			limit = maxStopBytes
		case "devflow-pre-tool-use", "devflow-post-tool-use":
			limit = maxGuardBytes
		}
		t.Logf("%-28s %5.2f MB", name, float64(info.Size())/(1<<20))
		if info.Size() > limit {
			t.Errorf("%s has %d bytes, limit %d", name, info.Size(), limit)
		}
		out, err := exec.Command("ldd", file).CombinedOutput()
		if err == nil || !strings.Contains(string(out), "not a dynamic executable") {
			t.Errorf("ldd %s: %s (%v), want \"not a dynamic executable\"", name, strings.TrimSpace(string(out)), err)
		}
	}
}
