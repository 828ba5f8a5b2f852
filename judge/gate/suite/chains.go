package suite

import (
	"encoding/json"
	"path"
	"strings"
)

// placeholder is part of the script that `npm init` writes for want of tests.
const placeholder = "no test specified"

// node reads the script "test" of package.json and finds the package manager by its field, else by the nearest lock file.
func (p *planner) node(dir string) ([]Command, error) {
	text, err := p.text(dir, "package.json")
	if err != nil {
		return nil, err
	}
	var pkg struct {
		Scripts        map[string]any `json:"scripts"`
		PackageManager string         `json:"packageManager"`
	}
	broken := json.Unmarshal([]byte(text), &pkg) != nil // the package manager will say so
	script, _ := pkg.Scripts["test"].(string)
	manager := p.manager(dir, pkg.PackageManager)
	switch {
	case broken:
	case strings.TrimSpace(script) == "" && manager == "bun" && p.ends(dir, ".test.ts", ".test.tsx", ".test.js", ".test.jsx", "_test.ts", ".spec.ts", ".spec.js"):
		return run(dir, "bun", "test"), nil
	case strings.TrimSpace(script) == "" || strings.Contains(script, placeholder):
		return nil, nil
	}
	if manager == "bun" { // `bun test` is its own test runner, not the script
		return run(dir, "bun", "run", "test"), nil
	}
	return run(dir, manager, "test"), nil
}

func (p *planner) manager(dir, field string) string {
	switch name, _, _ := strings.Cut(field, "@"); name {
	case "npm", "pnpm", "yarn", "bun":
		return name
	}
	_, lock, _ := p.up(dir, "pnpm-lock.yaml", "yarn.lock", "bun.lockb", "bun.lock", "package-lock.json", "npm-shrinkwrap.json")
	switch lock {
	case "pnpm-lock.yaml":
		return "pnpm"
	case "yarn.lock":
		return "yarn"
	case "bun.lockb", "bun.lock":
		return "bun"
	}
	return "npm"
}

func (p *planner) dart(dir string) ([]Command, error) {
	if !p.ends(join(dir, "test"), "_test.dart") {
		return nil, nil
	}
	text, err := p.text(dir, "pubspec.yaml")
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line == "flutter:" || line == "flutter_test:" || line == "sdk: flutter" {
			return run(dir, "flutter", "test"), nil
		}
	}
	return run(dir, "dart", "test"), nil
}

// maven runs in the folder of the aggregating project, because a module alone does not find its sisters.
func (p *planner) maven(dir string) ([]Command, error) {
	top := dir
	for at := dir; at != ""; {
		at = parent(at)
		text, err := p.text(at, "pom.xml")
		if err != nil {
			return nil, err
		}
		if strings.Contains(text, "<module>") {
			top = at
		}
	}
	argv := []string{"mvn"}
	if folder, _, ok := p.up(top, "mvnw"); ok {
		argv[0] = climbTo(top, folder, "mvnw")
	}
	argv = append(argv, "-q", "-B", "test")
	if top != dir {
		argv = append(argv, "-pl", strings.TrimPrefix(strings.TrimPrefix(dir, top), "/"), "-am")
	}
	return run(top, argv...), nil
}

func (p *planner) gradle(dir string) ([]Command, error) {
	if folder, _, ok := p.up(dir, "gradlew"); ok {
		return run(dir, climbTo(dir, folder, "gradlew"), "test"), nil
	}
	return run(dir, "gradle", "test"), nil
}

func (p *planner) rust(dir string) ([]Command, error) { return run(dir, "cargo", "test"), nil }

func (p *planner) golang(dir string) ([]Command, error) {
	if !p.ends(dir, ".go") {
		return nil, nil
	}
	return run(dir, "go", "test", "./..."), nil
}

// dotnet prefers the solution: a project alone is often the one without tests.
func (p *planner) dotnet(dir string) ([]Command, error) {
	if folder, name, ok := p.up(dir, "*.sln", "*.slnx"); ok {
		return run(folder, "dotnet", "test", name), nil
	}
	for _, mark := range [...]string{"*.csproj", "*.fsproj", "*.vbproj"} {
		if name := p.find(dir, mark); name != "" {
			return run(dir, "dotnet", "test", name), nil
		}
	}
	return nil, nil
}

func (p *planner) deno(dir string) ([]Command, error) {
	for _, name := range [...]string{"deno.json", "deno.jsonc"} {
		text, err := p.text(dir, name)
		if err != nil {
			return nil, err
		}
		if _, tasks, ok := strings.Cut(text, `"tasks"`); ok && strings.Contains(tasks, `"test"`) {
			return run(dir, "deno", "task", "test"), nil
		}
	}
	if p.ends(dir, "_test.ts", "_test.js", "_test.tsx", ".test.ts", ".test.js", ".test.tsx") {
		return run(dir, "deno", "test", "-A"), nil
	}
	return nil, nil
}

func (p *planner) php(dir string) ([]Command, error) {
	text, err := p.text(dir, "composer.json")
	if err != nil {
		return nil, err
	}
	var pkg struct {
		Scripts map[string]any `json:"scripts"`
	}
	_ = json.Unmarshal([]byte(text), &pkg)
	switch {
	case pkg.Scripts["test"] != nil:
		return run(dir, "composer", "test"), nil
	case p.has(dir, "artisan") && p.ends(join(dir, "tests"), "Test.php"):
		return run(dir, "php", "artisan", "test"), nil
	case p.has(dir, "phpunit.xml") || p.has(dir, "phpunit.xml.dist") || p.has(dir, "phpunit.dist.xml"):
		return run(dir, "./vendor/bin/phpunit"), nil
	}
	return nil, nil
}

func (p *planner) ruby(dir string) ([]Command, error) {
	var argv []string
	if p.has(dir, "Gemfile") {
		argv = []string{"bundle", "exec"}
	}
	switch {
	case p.has(dir, ".rspec") || p.ends(join(dir, "spec"), "_spec.rb"):
		return run(dir, append(argv, "rspec")...), nil
	case p.has(dir, "bin/rails") && p.ends(join(dir, "test"), "_test.rb"):
		return run(dir, "./bin/rails", "test"), nil
	case p.has(dir, "Rakefile") && p.below(join(dir, "test"), func(rel string) bool { return path.Ext(rel) == ".rb" }):
		return run(dir, append(argv, "rake", "test")...), nil
	}
	return nil, nil
}

func (p *planner) swift(dir string) ([]Command, error) {
	if !p.ends(join(dir, "Tests"), ".swift") {
		return nil, nil
	}
	return run(dir, "swift", "test"), nil
}

func (p *planner) elixir(dir string) ([]Command, error) {
	if !p.ends(dir, "_test.exs") {
		return nil, nil
	}
	return run(dir, "mix", "test"), nil
}

// make looks for a target test in the nearest Makefile that has one.
func (p *planner) make(dir string) ([]Command, error) {
	for {
		if fixture(dir) {
			dir = parent(dir)
			continue
		}
		for _, name := range [...]string{"GNUmakefile", "makefile", "Makefile"} { // the order in which make looks
			text, err := p.text(dir, name)
			if err != nil {
				return nil, err
			}
			if target(text) {
				return []Command{{Dir: dir, Toolchain: "make", Argv: []string{"make", "test"}}}, nil
			}
			if text != "" {
				break
			}
		}
		if dir == "" {
			return nil, nil
		}
		dir = parent(dir)
	}
}

// target tells whether a makefile has a rule for test.
func target(text string) bool {
	for line := range strings.Lines(text) {
		if line[0] == '\t' || line[0] == '#' || line[0] == ' ' {
			continue
		}
		names, rest, ok := strings.Cut(line, ":")
		if !ok || strings.HasPrefix(rest, "=") || strings.HasPrefix(rest, ":=") || strings.ContainsAny(names, "=$") {
			continue
		}
		for name := range strings.FieldsSeq(names) {
			if name == "test" {
				return true
			}
		}
	}
	return false
}
