package suite

import (
	"context"
	"fmt"
	"path"
	"slices"
	"sort"
	"strings"
)

// toolchain is a kind of project that can be recognised by the files in a folder.
type toolchain struct {
	name string
	exts string   // of the files that it builds, each with a blank before and behind
	mark []string // names of marker files; "*.x" for any file with that ending
	plan func(p *planner, dir string) ([]Command, error)
}

// python is needed by name, too: scripts with tests beside them need no marker.
func python() toolchain {
	return toolchain{"python", " .py .pyi .pyx ", []string{"pyproject.toml", "setup.py", "setup.cfg", "requirements.txt", "Pipfile", "pytest.ini", "tox.ini", "manage.py"}, (*planner).python}
}

// toolchains lists them in the order that decides when several markers lie in one folder and the changed file's
// extension does not (governance 10.2).
func toolchains() [13]toolchain {
	return [...]toolchain{
		{"node", " .js .jsx .mjs .cjs .ts .tsx .mts .cts .vue .svelte .css .scss .html ", []string{"package.json"}, (*planner).node},
		{"dart", " .dart ", []string{"pubspec.yaml"}, (*planner).dart},
		{"maven", " .java .kt .scala .groovy ", []string{"pom.xml"}, (*planner).maven},
		{"rust", " .rs ", []string{"Cargo.toml"}, (*planner).rust},
		{"go", " .go .s ", []string{"go.mod"}, (*planner).golang},
		python(),
		{"gradle", " .java .kt .kts .groovy .gradle ", []string{"build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"}, (*planner).gradle},
		{"dotnet", " .cs .fs .vb .cshtml .razor ", []string{"*.sln", "*.slnx", "*.csproj", "*.fsproj", "*.vbproj"}, (*planner).dotnet},
		{"deno", " .ts .tsx .js .jsx .mjs .mts ", []string{"deno.json", "deno.jsonc"}, (*planner).deno},
		{"php", " .php .phtml .twig ", []string{"composer.json"}, (*planner).php},
		{"ruby", " .rb .erb .rake .gemspec ", []string{"Gemfile", "Rakefile", ".rspec", "*.gemspec"}, (*planner).ruby},
		{"swift", " .swift ", []string{"Package.swift"}, (*planner).swift},
		{"elixir", " .ex .exs .heex ", []string{"mix.exs"}, (*planner).elixir},
	}
}

// Plan names the test commands for the changed files (slash paths, deleted ones too): that of the nearest marker file at
// or above each, up to the root, and that of the nearest marker of its own language when the two differ. A folder whose
// toolchain has no tests passes the question on to the folders above, at last to a Makefile with a target test. override is
// a shell line of the user that takes the place of all that; empty = none. The order is that of the changed paths. No
// command is no error; an error means that the tree could not be read.
func Plan(ctx context.Context, tree Tree, changes []string, override string) ([]Command, error) {
	if strings.TrimSpace(override) != "" {
		return []Command{{Toolchain: Override, Argv: []string{"sh", "-c", override}}}, nil
	}
	p := &planner{
		read:    func(path string) ([]byte, bool, error) { return tree.Read(ctx, path) },
		files:   slices.Clone(tree.Files()),
		chains:  toolchains(),
		planned: map[string][]Command{},
	}
	sort.Strings(p.files)
	changes = slices.Compact(slices.Sorted(slices.Values(changes)))
	asked := map[string]bool{}
	for _, file := range changes {
		dir, ext := parent(file), strings.ToLower(path.Ext(file))
		if key := dir + "\x00" + ext; asked[key] {
			continue
		} else {
			asked[key] = true
		}
		commands, err := p.forFile(dir, ext)
		if err != nil {
			return nil, fmt.Errorf("plan tests of %s: %w", file, err)
		}
		p.add(commands)
	}
	return p.commands, nil
}

// planner holds the sorted files of the tree and what was found so far.
type planner struct {
	read     func(path string) ([]byte, bool, error)
	files    []string
	chains   [13]toolchain
	planned  map[string][]Command // folder and toolchain → its commands
	commands []Command
}

func (p *planner) add(commands []Command) {
	for _, c := range commands {
		same := func(o Command) bool { return o.Dir == c.Dir && slices.Equal(o.Argv, c.Argv) }
		if !slices.ContainsFunc(p.commands, same) {
			p.commands = append(p.commands, c)
		}
	}
}

// forFile gives the commands for a file with the extension ext in dir.
func (p *planner) forFile(dir, ext string) ([]Command, error) {
	nearest, err := p.climb(dir, ext, func(toolchain) bool { return true })
	if err != nil {
		return nil, err
	}
	builds := func(t toolchain) bool { return ext != "" && strings.Contains(t.exts, " "+ext+" ") }
	own, err := p.climb(dir, ext, builds)
	if err != nil {
		return nil, err
	}
	if commands := append(slices.Clone(nearest), own...); len(commands) > 0 {
		return commands, nil
	}
	if ext == ".py" {
		if commands, err := p.at(python(), ""); err != nil || len(commands) > 0 {
			return commands, err
		}
	}
	return p.make(dir)
}

// climb gives the commands of the first folder, from dir upwards, that has a marker of a wanted toolchain with tests. Of
// several markers in one folder, that of the toolchain which builds ext comes first.
func (p *planner) climb(dir, ext string, wanted func(toolchain) bool) ([]Command, error) {
	for {
		if !fixture(dir) {
			for _, own := range [...]bool{true, false} {
				for _, t := range p.chains {
					builds := ext != "" && strings.Contains(t.exts, " "+ext+" ")
					if builds != own || !wanted(t) || !p.marked(dir, t.mark) {
						continue
					}
					if commands, err := p.at(t, dir); err != nil || len(commands) > 0 {
						return commands, err
					}
				}
			}
		}
		if dir == "" {
			return nil, nil
		}
		dir = parent(dir)
	}
}

// at plans one toolchain in one folder, once.
func (p *planner) at(t toolchain, dir string) ([]Command, error) {
	key := t.name + "\x00" + dir
	if commands, known := p.planned[key]; known {
		return commands, nil
	}
	commands, err := t.plan(p, dir)
	if err != nil {
		return nil, err
	}
	for i := range commands {
		commands[i].Toolchain = t.name
	}
	p.planned[key] = commands
	return commands, nil
}

// fixture is true for folders whose markers belong to test data or to somebody else's code.
func fixture(dir string) bool {
	for part := range strings.SplitSeq(dir, "/") {
		switch part {
		case "testdata", "fixtures", "__fixtures__", "node_modules", "vendor", "third_party", ".git":
			return true
		}
	}
	return false
}

func (p *planner) marked(dir string, marks []string) bool {
	for _, mark := range marks {
		if p.find(dir, mark) != "" {
			return true
		}
	}
	return false
}

// find gives the name of the first file directly in dir that mark stands for; empty when there is none.
func (p *planner) find(dir, mark string) string {
	ending, glob := strings.CutPrefix(mark, "*")
	if !glob {
		if p.has(dir, mark) {
			return mark
		}
		return ""
	}
	found := ""
	p.below(dir, func(rel string) bool {
		if strings.HasSuffix(rel, ending) && !strings.Contains(rel, "/") {
			found = rel
		}
		return found != ""
	})
	return found
}

func (p *planner) has(dir, name string) bool {
	_, ok := slices.BinarySearch(p.files, join(dir, name))
	return ok
}

// below calls f with the paths of all files at any depth below dir, relative to it, until f says that it is enough; it
// tells whether f did.
func (p *planner) below(dir string, f func(rel string) bool) bool {
	prefix := ""
	if dir != "" {
		prefix = dir + "/"
	}
	i, _ := slices.BinarySearch(p.files, prefix)
	for ; i < len(p.files) && strings.HasPrefix(p.files[i], prefix); i++ {
		if f(p.files[i][len(prefix):]) {
			return true
		}
	}
	return false
}

// ends tells whether a file below dir has one of the endings.
func (p *planner) ends(dir string, endings ...string) bool {
	return p.below(dir, func(rel string) bool {
		return slices.ContainsFunc(endings, func(e string) bool { return strings.HasSuffix(rel, e) }) && !fixture(parent(rel))
	})
}

// up gives the nearest folder from dir upwards that has one of the names, and that name.
func (p *planner) up(dir string, names ...string) (folder, name string, ok bool) {
	for {
		for _, n := range names {
			if found := p.find(dir, n); found != "" {
				return dir, found, true
			}
		}
		if dir == "" {
			return "", "", false
		}
		dir = parent(dir)
	}
}

// text reads a file of the tree; empty when it is not there.
func (p *planner) text(dir, name string) (string, error) {
	if !p.has(dir, name) {
		return "", nil
	}
	data, _, err := p.read(join(dir, name))
	return strings.TrimPrefix(string(data), "\ufeff"), err
}

// run is a list of one command.
func run(dir string, argv ...string) []Command { return []Command{{Dir: dir, Argv: argv}} }

func join(dir, name string) string {
	if dir == "" {
		return name
	}
	return dir + "/" + name
}

// parent is path.Dir with "" for the root.
func parent(p string) string {
	if i := strings.LastIndexByte(p, '/'); i >= 0 {
		return p[:i]
	}
	return ""
}

// climbTo is the relative path from folder dir to a file in one of the folders above it.
func climbTo(dir, folder, name string) string {
	rel := strings.TrimPrefix(strings.TrimPrefix(dir, folder), "/")
	if rel == "" {
		return "./" + name
	}
	return strings.Repeat("../", strings.Count(rel, "/")+1) + name
}
