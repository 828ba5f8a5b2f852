package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/devflow-suite/devflow/internal/store"
)

// world is a throw-away home with devflow installed, a database that has seen 10,000 tasks, a repository, and the floors.
type world struct {
	dir, home, root, repo string
	sqlite, goappend      string // floors
	gojson                string
}

// tasks is how much history the measured database has.
const tasks = 10_000

func (w *world) db() string           { return filepath.Join(w.root, "telemetry", "devflow.db") }
func (w *world) hook(n string) string { return filepath.Join(w.root, "bin", n) }
func (w *world) path(n string) string { return filepath.Join(w.dir, n) }
func (w *world) env(extra ...string) []string {
	return append([]string{"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=" + w.home, "TMPDIR=" + w.dir, "LANG=C.UTF-8"}, extra...)
}

// newWorld builds everything below dir with the executables of bin.
func newWorld(dir, bin string) (*world, error) {
	w := &world{dir: dir, home: filepath.Join(dir, "home"), repo: filepath.Join(dir, "repo")}
	w.root = filepath.Join(w.home, ".claude", "devflow")
	for _, d := range []string{w.home, filepath.Join(w.repo, "src")} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			return nil, err
		}
	}
	steps := []func() error{
		func() error { return w.run(w.repo, w.env(), filepath.Join(bin, "devflow"), "install") },
		w.makeRepo,
		w.buildFloors,
		w.seed,
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return w, nil
}

func (w *world) run(dir string, env []string, argv ...string) error {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = dir, env
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", strings.Join(argv, " "), err, out)
	}
	return nil
}

func (w *world) makeRepo() error {
	for name, text := range map[string]string{"README.md": "# bench\n", "src/a.go": source("y", small), "src/a_test.go": sourceTest} {
		if err := os.WriteFile(filepath.Join(w.repo, name), []byte(text), 0o600); err != nil {
			return err
		}
	}
	git := []string{"git", "-c", "user.name=bench", "-c", "user.email=bench@example.test", "-c", "init.defaultBranch=work"}
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"commit", "-q", "-m", "start"}} {
		if err := w.run(w.repo, w.env("GIT_CONFIG_GLOBAL=/dev/null"), append(git, args...)...); err != nil {
			return err
		}
	}
	return nil
}

// small and large are the sizes of the measured files, in bytes.
const small, large = 4_000, 200_000

// source is a Go file of a given size in which one line holds the given name.
func source(name string, size int) string {
	var b strings.Builder
	b.WriteString("package src\n\n// Total adds up.\nfunc Total(x, y int) int {\n\treturn " + name + "\n}\n")
	for i := 0; b.Len() < size; i++ {
		fmt.Fprintf(&b, "\n// F%d scales its argument.\nfunc F%d(n int) int {\n\treturn n * %d // \"é\"\n}\n", i, i, i)
	}
	return b.String()
}

// sourceTest is its test.
const sourceTest = "package src\n\nimport \"testing\"\n\nfunc TestTotal(t *testing.T) {\n\tif got := Total(1, 2); got != 2 {\n\t\tt.Errorf(\"Total = %d, want 2\", got)\n\t}\n}\n"

// buildFloors compiles the programs that do comparable work with the least code.
func (w *world) buildFloors() error {
	amalgamation, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/mattn/go-sqlite3").Output()
	if err != nil {
		return fmt.Errorf("find the SQLite source: %w", err)
	}
	src := strings.TrimSpace(string(amalgamation))
	cc := "gcc"
	if _, err := exec.LookPath("musl-gcc"); err == nil {
		cc = "musl-gcc"
	}
	w.sqlite, w.goappend, w.gojson = w.path("floor-sqlite"), w.path("floor-goappend"), w.path("floor-gojson")
	env := os.Environ()
	if err := w.run(".", env, cc, "-std=gnu99", "-O2", "-w", "-static", "-DHAVE_FDATASYNC=1", "-DHAVE_USLEEP=1", "-DSQLITE_DEFAULT_MEMSTATUS=0",
		"-DSQLITE_THREADSAFE=1", "-DSQLITE_OMIT_DEPRECATED", "-DSQLITE_OMIT_LOAD_EXTENSION", "-I", src, "-o", w.sqlite,
		"e2e/bench/floors/sqlite.c", filepath.Join(src, "sqlite3-binding.c"), "-lm"); err != nil {
		return err
	}
	for out, pkg := range map[string]string{w.goappend: "./e2e/bench/floors/goappend", w.gojson: "./e2e/bench/floors/gojson"} {
		if err := w.run(".", append(env, "CGO_ENABLED=0"), "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", out, pkg); err != nil {
			return err
		}
	}
	return nil
}

// seed gives the installed database the history of a long-time user and makes the floor's database of the same size.
func (w *world) seed() error {
	db, err := store.Open(w.db(), store.Options{})
	if err != nil {
		return err
	}
	defer db.Close()
	const many = `WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM c WHERE i < ?) `
	history := []struct {
		sql string
		n   int
	}{
		{`INSERT INTO tasks(session_id,seq,project_root,branch,state,oversight,started_ms,updated_ms,ended_ms) SELECT printf('%08x-0000-4000-8000-%012d',(i*2654435761)&0xffffffff,i),1,'/p','b','passed','standard',i,i,i FROM c`, tasks},
		{`INSERT INTO task_executions(task_id,timestamp,session_id,task_category,stack,tool_calls_total,context_tokens_consumed,oversight_level,judge_verdict,cost_usd,model,input_tokens,output_tokens) SELECT printf('%08x-0000-4000-8000-%012d#1',(i*2654435761)&0xffffffff,i),printf('2026-01-01T00:00:00.%03dZ',i%1000),printf('%08x-0000-4000-8000-%012d',(i*2654435761)&0xffffffff,i),'feature','go',20,50000,'standard','pass',0.5,'claude-opus-4-8',1000,1000 FROM c`, tasks},
		{`INSERT INTO hook_runs(ms,session_id,seq,event,tool,outcome,us,modules) SELECT i,printf('%08x-0000-4000-8000-%012d',((i/10)*2654435761)&0xffffffff,i/10),1,'PostToolUse','Edit','ok',3000,'tdd:100:ok' FROM c`, 10 * tasks},
		{`INSERT INTO tool_log(session_id,n,seq,tool,path,ok,class,ms) SELECT printf('%08x-0000-4000-8000-%012d',((i/10)*2654435761)&0xffffffff,i/10),i%10,1,'Edit','src/a.go',1,'other',i FROM c`, 10 * tasks},
		{`INSERT INTO edits(session_id,n,seq,path,tool,kind,added,removed,test_state,ms) SELECT printf('%08x-0000-4000-8000-%012d',((i/5)*2654435761)&0xffffffff,i/5),i%5,1,'src/a.go','Edit','impl',10,2,'exists',i FROM c`, 5 * tasks},
		{`INSERT INTO signals(session_id,seq,kind,key,severity,state,generation,created_ms,updated_ms) SELECT printf('%08x-0000-4000-8000-%012d',(i*2654435761)&0xffffffff,i),1,'tdd_violation','src/a.go','hard','consumed',1,i,i FROM c`, tasks},
	}
	err = db.Update(func(tx *store.Tx) error {
		for _, h := range history {
			if _, err := tx.Exec(many+h.sql, h.n); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("seed the database: %w", err)
	}
	return w.seedFloor()
}

func (w *world) seedFloor() error {
	sql := `PRAGMA journal_mode=WAL; CREATE TABLE row(id INTEGER PRIMARY KEY, ms INTEGER NOT NULL, session TEXT NOT NULL, event TEXT NOT NULL, payload TEXT) STRICT;
WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM c WHERE i < 25000) INSERT INTO row(ms,session,event,payload) SELECT i,'s','PreToolUse',hex(randomblob(100)) FROM c; PRAGMA wal_checkpoint(TRUNCATE);`
	return floorDB(w.path("floor.db"), sql)
}
