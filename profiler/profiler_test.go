package profiler_test

import (
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/devflow-suite/devflow/internal/shell"
	"github.com/devflow-suite/devflow/profiler"
)

func impl(p, test string, read bool) profiler.File {
	return profiler.File{Path: p, Kind: profiler.KindImpl, Test: test, Read: read}
}

// The eight worked rows of the rules, and the example that they were derived from.
func TestWorkedRows(t *testing.T) {
	t.Parallel()
	refactor := profiler.Facts{Lines: 500, CI: true}
	for i := range 12 {
		refactor.Files = append(refactor.Files, impl([]string{"web", "app", "lib", "pkg"}[i%4]+"/x"+string(rune('a'+i))+".ts", profiler.TestExists, i%2 == 0))
	}
	for name, tc := range map[string]struct {
		facts      profiler.Facts
		p, i, d, r int64
		level      profiler.Level
	}{
		"jwt example":          {profiler.Facts{Files: []profiler.File{impl("src/auth/jwt.py", "exists", true), impl("src/auth/keys.py", "exists", true)}, Lines: 60, CI: true}, 230, 900, 312, 64, "strict"},
		"readme typo":          {profiler.Facts{Files: []profiler.File{{Path: "README.md", Kind: "doc", Read: true}}, Lines: 2, CI: true}, 100, 100, 210, 2, "vibe"},
		"test file only":       {profiler.Facts{Files: []profiler.File{{Path: "pkg/a_test.go", Kind: "test", Read: true}}, Lines: 60, CI: true}, 190, 100, 100, 1, "vibe"},
		"go util":              {profiler.Facts{Files: []profiler.File{impl("pkg/a.go", "exists", true)}, Lines: 15, CI: true}, 120, 400, 237, 11, "standard"},
		"jwt without a test":   {profiler.Facts{Files: []profiler.File{impl("src/auth/jwt.py", "none", true), impl("src/auth/keys.py", "none", true)}, Lines: 60, CI: true}, 230, 900, 560, 115, "human_review"},
		"jwt with its test":    {profiler.Facts{Files: []profiler.File{impl("src/auth/jwt.py", "changed", true), impl("src/auth/keys.py", "changed", true), {Path: "tests/test_jwt.py", Kind: "test", Read: true}}, Lines: 110, CI: true}, 377, 900, 175, 59, "strict"},
		"ts refactor":          {refactor, 580, 700, 237, 96, "strict"},
		"sql migration, no ci": {profiler.Facts{Files: []profiler.File{impl("db/migrations/0007_add.sql", "none", true)}, Lines: 40}, 270, 900, 620, 150, "human_review"},
		"python util, unread":  {profiler.Facts{Files: []profiler.File{impl("src/util.py", "none", false)}, Lines: 60}, 405, 400, 620, 100, "strict"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := profiler.Score{P: tc.p, I: tc.i, D: tc.d, R: tc.r, Level: tc.level}
			if got := profiler.Rate(tc.facts); got != want {
				t.Errorf("Rate(%+v) = %+v, want %+v", tc.facts, got, want)
			}
		})
	}
}

func TestPathImpact(t *testing.T) {
	t.Parallel()
	for p, want := range map[string]int64{
		"src/auth/jwt.py": 900, "lib/AuthService.kt": 900, "lib/HTTPToken.java": 900, "src/session_store.go": 900, "src/taxes.py": 900, "billing.rb": 900,
		"db/schema.sql": 900, "Dockerfile": 900, "Dockerfile.prod": 900, ".github/workflows/ci.yml": 900, "infra/main.tf": 900, "charts/helm/x.yaml": 900,
		"src/author.go": 400, "src/tokenizer.go": 400, "src/taxonomy.py": 400, "src/sessional.py": 400, "src/priceless.py": 400, "src/cryptography.py": 400,
		"api/v1/users.go": 700, "proto/user.proto": 700, "src/capital.go": 400, "src/main.go": 400,
	} {
		if got := profiler.PathImpact(p, profiler.KindImpl); got != want {
			t.Errorf("PathImpact(%s) = %d, want %d", p, got, want)
		}
	}
	for kind, want := range map[string]int64{profiler.KindTest: 100, profiler.KindDoc: 100, profiler.KindConfig: 900, profiler.KindImpl: 900} {
		if got := profiler.PathImpact("src/auth/x.py", kind); got != want {
			t.Errorf("PathImpact(src/auth/x.py, %s) = %d, want %d", kind, got, want)
		}
	}
	if got := profiler.PathImpact("settings.toml", profiler.KindConfig); got != 500 {
		t.Errorf("PathImpact of a configuration = %d, want 500", got)
	}
}

func TestClassify(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]profiler.Class{
		"ls -la && git status": "read", "cat a | grep b | wc -l": "read", "grep -r x .": "read", "sed -n 1,5p a": "read", "find . -name '*.go'": "read",
		"go test ./...": "build", "cd x && npm test": "build", "pytest -q": "build", "cargo check": "build", "make": "build", "python -m pytest": "build",
		"echo hi > a.txt": "other", "sed -i s/a/b/ x": "other", "cp a b": "other", "python3 x.py": "other", "$cmd now": "other", "rm build.log": "other", "touch x": "other",
		"npm install left-pad": "dependency", "pip install x": "dependency", "go get example.test/x": "dependency", "cargo add serde": "dependency",
		"git rebase -i HEAD~3": "history", "git commit --amend": "history", "git reset HEAD~1": "history",
		"git push": "deploy", "git -C x push origin HEAD": "deploy", "npm publish": "deploy", "kubectl apply -f x": "deploy", "terraform apply": "deploy",
		"rm -rf src": "destructive", "sudo rm -fr /": "destructive", "git clean -fdx": "destructive", "git reset --hard": "destructive", "find . -name x -delete": "destructive",
		"terraform destroy": "destructive", "mkfs.ext4 /dev/sdb1": "destructive", "dd if=/dev/zero of=/dev/sda": "destructive", "ls; rm -rf ~": "destructive", "bash -c 'rm -rf src'": "destructive",
		"rm -rf build node_modules": "other", "rm -rf /tmp/x": "other", "git commit -m 'rm -rf /'": "build", "echo 'git push'": "read",
	} {
		s, err := shell.Parse(line)
		if got := profiler.Classify(s, err == nil); got != want {
			t.Errorf("Classify(%q) = %s, want %s", line, got, want)
		}
	}
}

func TestClassifyFollowsRunnersAndArguments(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]profiler.Class{
		"npx vitest run": "build", "uv run pytest | tail -3": "build", "python -m pip install x": "dependency", "uv pip install x": "dependency", "pnpm -C web add x": "dependency",
		"npm --prefix web ci": "dependency", "npx prettier --write .": "build", "git add -A && git commit -q -m x": "build", "git checkout -b x": "other", "git switch main": "other",
		"git clean --dry-run -fd": "other", "git clean -nfd": "other", "git push --dry-run": "other", "git push -fu origin x": "destructive", "git push origin +main": "destructive",
		"git checkout -- a.go": "destructive", "git checkout .gitignore": "other", "git branch": "other", "git branch --show-current": "read", "git remote -v": "read", "git remote add x y": "other",
		"git log --output=x": "other", "sort a -o a": "other", "sort a": "read", "awk '{print $1}' a": "read", "awk '{print > \"b\"}' a": "other", "yq -i .a b": "other",
		"echo x > /dev/sda": "destructive", "echo x > /dev/null": "read", "echo > /dev/tcp/example.test/22": "other", "chmod -R 777 /": "destructive", "chmod -R u+x scripts": "other",
		"rm ~/.ssh/id_rsa": "destructive", "rm /etc/shadow": "destructive", "rm -rf /home/dev/proj/node_modules": "other", "rm -rf $SNAP/*": "destructive", "rm -rf *": "destructive",
		"find build -name '*.o' -delete": "other", "find . -name x -exec rm -rf {} +": "destructive", "psql -c 'DROP TABLE x'": "destructive", "psql -c 'DELETE FROM x'": "destructive",
		"psql -c 'DELETE FROM x WHERE id=1'": "other", "sqlite3 dev.db 'SELECT count(*) FROM drop_table_log'": "read", "psql < dump.sql": "other", "redis-cli FLUSHALL": "destructive",
		"npm run deploy": "deploy", "make release": "deploy", "npm run build": "build", "npm run reset-db -- --hard": "other", "gh pr create": "other", "gh pr merge 3": "deploy", "gh pr view 3": "read",
		"kubectl get pods": "read", "kubectl -n prod delete pod x": "destructive", "terraform plan -destroy -out=p.bin": "other", "terraform -chdir=x apply": "deploy", "node --version": "read",
		"eval \"rm -rf $HOME\"": "destructive", "env": "read", "A=1": "read", "curl https://example.test": "other", "docker compose up": "other", "docker ps": "read", "go mod tidy": "dependency",
		"go install ./cmd/x": "build", "go install example.test/x@latest": "dependency", "go env GOPATH": "read", "cargo tree": "read", "xargs rm -f": "other", "printf / | xargs rm -rf": "destructive", "f() { ls; }; f": "other", "true": "read",
	} {
		s, err := shell.Parse(line)
		if got := profiler.Classify(s, err == nil); got != want {
			t.Errorf("Classify(%q) = %s, want %s", line, got, want)
		}
	}
}

// No command of the handed list that people call safe is taken for a destructive one, and most of the dangerous ones are. The guard,
// not the profiler, is there to stop all of them.
func TestHandedCommands(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/commands.tsv")
	if err != nil {
		t.Fatal(err)
	}
	danger, seen := 0, 0
	for line := range strings.Lines(string(data)) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(f) != 3 || strings.HasPrefix(line, "#") {
			continue
		}
		src := strings.ReplaceAll(f[0], `\n`, "\n")
		s, err := shell.Parse(src)
		class := profiler.Classify(s, err == nil)
		switch {
		case f[1] == "safe" && class == profiler.Destructive:
			t.Errorf("%q is safe, but classed %s", src, class)
		case f[1] == "danger":
			danger++
			if class == profiler.Destructive {
				seen++
			} else {
				t.Logf("danger not seen: %q is %s", src, class)
			}
		}
	}
	if seen*4 < danger*3 {
		t.Errorf("only %d of %d dangerous commands are seen", seen, danger)
	}
}

// A project below com/example is no example, and what says noncode is not scored for types.
func TestFactsOfFiles(t *testing.T) {
	t.Parallel()
	if got := profiler.PathImpact("src/main/java/com/example/Auth.java", profiler.KindImpl); got != 900 {
		t.Errorf("PathImpact of com/example/Auth.java = %d, want 900", got)
	}
	if got := profiler.PathImpact("web/api_client.ts", profiler.KindImpl); got != 400 {
		t.Errorf("PathImpact of a client = %d, want 400", got)
	}
	css := profiler.Rate(profiler.Facts{Files: []profiler.File{{Path: "a.css", Kind: "other", Test: "noncode", Read: true}}, CI: true})
	if css.D != 210 {
		t.Errorf("D of a style sheet = %d, want 210", css.D)
	}
	sql := profiler.Rate(profiler.Facts{Files: []profiler.File{{Path: "db/migrations/1.sql", Kind: profiler.KindGenerated, Test: profiler.TestNone, Read: true}}, Lines: 40})
	if sql.Level != profiler.HumanReview || sql.D != 620 {
		t.Errorf("a migration without CI = %+v, want human_review with D 620", sql)
	}
}

func TestUnreadableIsNeverHarmless(t *testing.T) {
	t.Parallel()
	s, err := shell.Parse("ls 'unfinished")
	if err == nil {
		t.Fatal("want a syntax error")
	}
	if got := profiler.Classify(s, false); !got.Mutates() {
		t.Errorf("Classify of an unreadable line = %s, want one that may mutate", got)
	}
}

// More of anything never lowers the risk, and every level can be reached.
func TestRateIsMonotonic(t *testing.T) {
	t.Parallel()
	states := []string{profiler.TestChanged, profiler.TestExists, profiler.TestNone}
	rapid.Check(t, func(t *rapid.T) {
		f := profiler.Facts{
			Lines: rapid.Int64Range(0, 2000).Draw(t, "lines"), CI: rapid.Bool().Draw(t, "ci"),
			Files: []profiler.File{impl("src/a.py", rapid.SampledFrom(states).Draw(t, "test"), rapid.Bool().Draw(t, "read"))},
		}
		base := profiler.Rate(f)
		more := f
		switch rapid.IntRange(0, 4).Draw(t, "more") {
		case 0:
			more.Lines += 500
		case 1:
			more.CI = false
		case 2:
			more.Command = profiler.Deploy
		case 3:
			more.Production = true
		case 4:
			more.Files = append([]profiler.File{impl("src/auth/b.py", profiler.TestNone, false)}, f.Files...)
		}
		got := profiler.Rate(more)
		if got.P < base.P || got.I < base.I || got.D < base.D || got.R < base.R {
			t.Fatalf("Rate fell from %+v to %+v", base, got)
		}
	})
	if got := profiler.Rate(profiler.Facts{Command: profiler.Destructive}).Level; got != profiler.HumanReview {
		t.Errorf("a destructive command gives %s, want human_review", got)
	}
}
