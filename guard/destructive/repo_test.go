package destructive_test

import (
	"strings"
	"testing"

	"github.com/devflow-suite/devflow/guard/place"
	"github.com/devflow-suite/devflow/guard/verdict"
	"github.com/devflow-suite/devflow/internal/testkit/gitrepo"
)

// realWorld is a work tree on the disk, with the home folder around it. Command lines about /home/dev are about it.
func realWorld(t *testing.T) (gitrepo.Repo, place.World, func(cmd string) string) {
	t.Helper()
	home := t.TempDir()
	r := gitrepo.New(t, home+"/proj", "main")
	r.Write(".gitignore", "node_modules/\ndist/\n/generated/\n*.log\n")
	for _, f := range []string{"src/a.go", "src/old.go", "a.py", "file", "file.txt", "a.txt", "b.txt", "build.txt", "tests/x_test.go", "docs/x.md", "a", "old/x", "old.txt", "app.ts", "script.sh"} {
		r.Write(f, "content of "+f+"\n")
	}
	r.Commit("one")
	for _, f := range []string{"node_modules/p/index.js", "dist/x.js", "generated/x.go", "build.log", "build/x.o", "coverage/x", "target/x"} {
		r.Write(f, "made\n")
	}
	r.Git("update-index", "--refresh")
	w := place.World{Home: home, Project: r.Dir, Cwd: r.Dir, Temp: "/tmp", Disk: place.NewDisk(r.Dir, r.Path(".git"), r.Path(".git"))}
	return r, w, func(cmd string) string { return strings.ReplaceAll(cmd, "/home/dev", home) }
}

func TestCasesInARealRepository(t *testing.T) {
	t.Parallel()
	r, w, here := realWorld(t)
	for _, f := range []string{"src/a.go", "a.py", "f"} {
		r.Write(f, "work that nobody has\n")
	}
	check := func(cmd string, danger bool) {
		if cmd == "rm -rf /home/other" || cmd == "rm -rf /home/*" || cmd == "rm -rf /home" || cmd == "rm -rf ~dev" || strings.HasPrefix(cmd, "find /tmp ") { // not about this home folder
			return
		}
		found := judge(t, w, here(cmd))
		if stopped := verdict.Worst(found) != verdict.Pass; stopped != danger {
			t.Errorf("%q is stopped: %v, want %v: %+v", cmd, stopped, danger, found)
		}
	}
	for _, line := range lines(t, "handed.tsv") {
		cmd, want, _ := strings.Cut(line, "\t")
		check(cmd, want == "danger")
	}
	for _, cmd := range lines(t, "dangers.txt") {
		check(cmd, true)
	}
	for _, cmd := range lines(t, "honest.txt") {
		check(cmd, false)
	}
}

// What the disk knows makes the difference.
func TestDiskDecides(t *testing.T) {
	t.Parallel()
	r, w, _ := realWorld(t)
	for cmd, danger := range map[string]bool{
		"rm -rf generated":                false, // git ignores it
		"rm -rf generated/*":              false,
		"git clean -fdx generated":        false,
		"rm -rf old":                      false, // git has all of it
		"rm -rf old/x old.txt":            false,
		"rm -rf ./src":                    true, // a main folder of the project
		"rm -rf nothing-there":            false,
		"mv src/a.go gone && rm -rf gone": true, // not there yet, but soon
		"git rm -rf old":                  false,
		"git checkout HEAD~1 -- old/x":    false,
		"git checkout main -- new.py":     false, // would only bring a file
		"git restore go.sum":              false,
		"git checkout a.py":               false, // has no change that could be lost
		"git checkout file":               false,
		"git checkout main":               false,
		"git checkout no-such-branch.go":  false,
		"git checkout .":                  true,
		"git restore a.py":                false,
		"git checkout '*.go'":             true,
	} {
		if stopped := verdict.Worst(judge(t, w, cmd)) != verdict.Pass; stopped != danger {
			t.Errorf("%q is stopped: %v, want %v", cmd, stopped, danger)
		}
	}
	r.Write("a.py", "work that nobody has\n")
	r.Write("build/tracked.txt", "x\n")
	r.Git("add", "-f", "build/tracked.txt")
	w.Disk = place.NewDisk(r.Dir, r.Path(".git"), r.Path(".git"))
	r.Write("old/untracked.txt", "x\n")
	r.Write("kept/.env", "x\n")
	r.Write("scratch/a.txt", "x\n")
	for _, cmd := range []string{"git checkout a.py", "git restore a.py", "git checkout main -- a.py", "git rm -f a.py", "rm -rf build", "rm -rf old", "rm -rf kept", "rm -rf scratch", "rm -rf scra*"} {
		if verdict.Worst(judge(t, w, cmd)) == verdict.Pass {
			t.Errorf("%q passes", cmd)
		}
	}
}

// In a linked work tree discards of paths are everyday work, but only there.
func TestLinkedWorkTree(t *testing.T) {
	t.Parallel()
	w := world()
	w.Linked = true
	for cmd, danger := range map[string]bool{
		"git restore a.py": false, "git checkout -- a.py": false, "git checkout .": false, "git restore .": false,
		"git --git-dir=/x/.git restore a.py": true, "git --work-tree /x checkout .": true, "git -C ../other restore .": true, "GIT_DIR=/x git checkout -- a.py": true, "cd ../other && git restore a.py": true,
		"git reset --hard": true, "git clean -fdx": true, "rm -rf .": true,
	} {
		if stopped := verdict.Worst(judge(t, w, cmd)) != verdict.Pass; stopped != danger {
			t.Errorf("%q is stopped: %v, want %v", cmd, stopped, danger)
		}
	}
}

// Paths in containers and on other machines are not paths here, but for what is mounted.
func TestElsewhere(t *testing.T) {
	t.Parallel()
	for cmd, danger := range map[string]bool{
		`docker run --rm -v "$PWD":/app alpine rm -rf /app/node_modules`: false,
		"docker run --rm -v ./:/app alpine rm -rf /app/dist":             false,
		"docker run --rm -v /tmp/x:/x alpine rm -rf /x/y":                false,
		"docker run --rm alpine rm -rf /tmp/x":                           false,
		`docker run --rm -v "$PWD":/app alpine rm -rf /app/src`:          true,
		`docker run --rm -v "$PWD":/app alpine rm -rf /app`:              true,
		"docker run --rm -v ~:/h alpine rm -rf /h":                       true,
		"docker run --rm -v ~:/h alpine find /h -delete":                 true,
		"docker run --rm -v ~/.ssh:/k alpine rm /k/id_rsa":               true,
		"docker run --rm -v /:/host:ro alpine ls /host":                  false,
		"docker run --rm -v data:/data alpine rm -rf /data":              true,
		"docker exec app rm -rf /":                                       true,
		"docker exec app rm -rf node_modules":                            false, // made again
		"docker exec app rm -rf data":                                    true,
		"ssh host 'cd /srv/app && rm -rf node_modules'":                  true,
		"docker exec app sh -c 'rm -f /tmp/x'":                           false,
		"ssh host 'echo x > out.txt'":                                    false,
		"ssh host 'echo x > /dev/sda'":                                   true,
		"ssh host cat /dev/sda > ./image":                                false,
		"ssh host 'git reset --hard'":                                    true,
		"ssh host 'sudo systemctl restart nginx'":                        false,
		"ssh host sudo reboot":                                           true,
		"kubectl exec pod -- ls /data":                                   false,
		"kubectl exec -it pod -- sh -c 'rm -rf /data/*'":                 true,
	} {
		found := judge(t, world(), cmd)
		if stopped := verdict.Worst(found) != verdict.Pass; stopped != danger {
			t.Errorf("%q is stopped: %v, want %v: %+v", cmd, stopped, danger, found)
		}
	}
}

// Work trees in a temporary folder may be thrown away, and repositories that the same line makes there with all their refs.
func TestThrowawayRepositories(t *testing.T) {
	t.Parallel()
	for cmd, danger := range map[string]bool{
		"cd /tmp/r && git reset --hard origin/main && git clean -fdx":                         false,
		"git -C /tmp/r checkout .":                                                            false,
		"git -C /tmp/r restore .":                                                             false,
		"git -C /tmp/r switch -f main":                                                        false,
		`D=$(mktemp -d) && git -C "$D" init -q && git -C "$D" reset --hard`:                   false,
		`cd "$(mktemp -d)" && git init && git commit --allow-empty -m x && git reset --hard`:  false,
		`t=$(mktemp -d); git clone -q . "$t/c"; cd "$t/c"; git clean -fd; git branch -D main`: false,
		"git clone . /tmp/c && cd /tmp/c && git filter-branch -f HEAD && git gc --prune=now":  false,
		"git worktree add /tmp/wt main && git worktree remove --force /tmp/wt":                false,
		"git worktree remove --force ../wt":                                                   true,
		"git worktree add /tmp/wt main && cd /tmp/wt && git branch -D feature":                true, // the refs are those of the project
		"cd /tmp/r && git branch -D feature":                                                  true,
		"cd /tmp/r && git stash clear":                                                        true,
		"cd /tmp && git reset --hard":                                                         true,
		"git -C /tmp/r --work-tree=/home/dev/proj checkout .":                                 true,
		"GIT_DIR=/home/dev/proj/.git git -C /tmp/r reset --hard":                              true,
		"git -C /tmp/r -C /home/dev/proj reset --hard":                                        true,
		"cd /tmp/r; cd -; git reset --hard":                                                   true,
		"ssh host 'cd /tmp/r && git reset --hard'":                                            true,
		"cd /tmp/../home/dev/proj && git reset --hard":                                        true,
	} {
		if stopped := verdict.Worst(judge(t, world(), cmd)) != verdict.Pass; stopped != danger {
			t.Errorf("%q is stopped: %v, want %v", cmd, stopped, danger)
		}
	}
	w := place.World{Home: "/tmp/t/home", Project: "/tmp/t/proj", Cwd: "/tmp/t/proj", Temp: "/tmp"}
	for _, cmd := range []string{"git -C ../other reset --hard", "git -C /tmp/t/proj reset --hard", "git reset --hard"} {
		if verdict.Worst(judge(t, w, cmd)) == verdict.Pass {
			t.Errorf("%q passes where the project is a temporary folder", cmd)
		}
	}
}

// What the line made itself, where nothing was, it may delete again.
func TestMadeByTheLine(t *testing.T) {
	t.Parallel()
	_, w, here := realWorld(t)
	for cmd, danger := range map[string]bool{
		"git clone . ../copy -q && rm -rf ../copy":              false,
		"mkdir -p ~/t/x && rm -rf ~/t/x":                        false,
		"mkdir -p gone && cp a.py gone && rm -rf gone":          false,
		"rm -rf ../copy && git clone . ../copy":                 true,
		"mkdir -p ~/t/x && rm -rf ~/t":                          true,
		"mkdir -p ../copy && mv a.py ../copy && rm -rf ../copy": true,
		"mkdir -p old && rm -rf ../other":                       true,
		"ssh h 'mkdir -p /opt/none' && rm -rf /opt/none":        true,
		"mkdir -p $X/y && rm -rf $X/y":                          true,
	} {
		if stopped := verdict.Worst(judge(t, w, here(cmd))) != verdict.Pass; stopped != danger {
			t.Errorf("%q is stopped: %v, want %v", cmd, stopped, danger)
		}
	}
	w.Disk = place.NewPlainDisk(w.Project)
	for cmd, danger := range map[string]bool{"rm -rf old": true, "rm -rf none": false, "rm -rf dist": false, "rm -rf bin/x": false, "rm -rf src": true, "rm -rf ol*": true, "git checkout -- a.py": true, "rm -rf .": true} {
		if stopped := verdict.Worst(judge(t, w, cmd)) != verdict.Pass; stopped != danger {
			t.Errorf("%q without git is stopped: %v, want %v", cmd, stopped, danger)
		}
	}
}
