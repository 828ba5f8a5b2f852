package worker_test

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/devflow-suite/devflow/internal/proc"
	"github.com/devflow-suite/devflow/internal/sandbox"
	"github.com/devflow-suite/devflow/internal/testkit/mockapi"
	"github.com/devflow-suite/devflow/orchestrator/worker"
)

const notebook = `{"cells":[{"cell_type":"code","id":"c1","metadata":{},"outputs":[],"execution_count":null,"source":["1"]}],"metadata":{},"nbformat":4,"nbformat_minor":5}`

// filesWith are the tools that write files, tried in and out of the region.
func (w *world) attempts() []mockapi.Step {
	edit := func(path string) []mockapi.Step {
		return []mockapi.Step{mockapi.Turn(mockapi.Read(path)), mockapi.Turn(mockapi.Edit(path, "one", "two"))}
	}
	cell := func(path string) []mockapi.Step {
		return []mockapi.Step{mockapi.Turn(mockapi.Read(path)), mockapi.Turn(mockapi.Tool("NotebookEdit", map[string]any{"notebook_path": path, "cell_id": "c1", "new_source": "2"}))}
	}
	in, out := func(name string) string { return filepath.Join(w.mine, name) }, func(name string) string { return filepath.Join(w.theirs, name) }
	steps := []mockapi.Step{
		mockapi.Turn(mockapi.Write(in("in.txt"), "in")), mockapi.Turn(mockapi.Write(in("new/deep/in.txt"), "in")),
		mockapi.Turn(mockapi.Write(out("out.txt"), "out")), mockapi.Turn(mockapi.Write(out("new/deep/out.txt"), "out")),
		mockapi.Turn(mockapi.Write(in("folder-link/out2.txt"), "out")), mockapi.Turn(mockapi.Write(in("file-link"), "out")),
		mockapi.Turn(mockapi.Write(in("dangling-link"), "out")), mockapi.Turn(mockapi.Write(in("../ui/out3.txt"), "out")),
		mockapi.Turn(mockapi.Write(w.mine+"-twin/out4.txt", "out")), mockapi.Turn(mockapi.Write(filepath.Join(w.tree, ".git-like"), "out")),
		mockapi.Turn(mockapi.Write(filepath.Join(w.root, "far.txt"), "out")),
	}
	steps = append(steps, edit(in("edit.txt"))...)
	steps = append(steps, edit(out("edit.txt"))...)
	steps = append(steps, cell(in("book.ipynb"))...)
	return append(steps, cell(out("book.ipynb"))...)
}

// lay puts the files down that the attempts are about.
func (w *world) lay() {
	w.Helper()
	for _, dir := range []string{w.mine, w.theirs} {
		w.write(filepath.Join(dir, "edit.txt"), "one\n")
		w.write(filepath.Join(dir, "book.ipynb"), notebook)
	}
	w.write(filepath.Join(w.theirs, "linked.txt"), "one\n")
	if err := os.Mkdir(w.mine+"-twin", 0o755); err != nil {
		w.Fatal(err)
	}
	for name, target := range map[string]string{"folder-link": "../ui", "file-link": "../ui/linked.txt", "dangling-link": "../ui/made.txt"} {
		if err := os.Symlink(target, filepath.Join(w.mine, name)); err != nil {
			w.Fatal(err)
		}
	}
}

// intact checks that everything outside is as it was, and that everything inside was done.
func (w *world) intact() {
	w.Helper()
	for _, path := range []string{
		"ui/out.txt", "ui/new", "ui/out2.txt", "ui/made.txt", "ui/out3.txt", "api-twin/out4.txt", ".git-like", "../far.txt",
	} {
		if w.exists(filepath.Join(w.tree, path)) {
			w.Errorf("%s was written", path)
		}
	}
	for path, want := range map[string]string{"ui/edit.txt": "one\n", "ui/book.ipynb": notebook, "ui/linked.txt": "one\n", "ui/theirs.txt": "theirs\n"} {
		if got := w.read(filepath.Join(w.tree, path)); got != want {
			w.Errorf("%s = %q, want %q", path, got, want)
		}
	}
	for path, want := range map[string]string{"in.txt": "in", "new/deep/in.txt": "in", "edit.txt": "two\n"} {
		if got := w.read(filepath.Join(w.mine, path)); got != want {
			w.Errorf("%s = %q, want %q", path, got, want)
		}
	}
	if got := w.read(filepath.Join(w.mine, "book.ipynb")); got == notebook {
		w.Error("the region's own notebook was not edited")
	}
}

func (w *world) run(o worker.Options) worker.Result {
	w.Helper()
	o.Tools = []string{"Read", "Write", "Edit", "NotebookEdit", "Bash", "Glob", "Grep"}
	o.MaxTurns = 80
	return w.turn(w.start(o), "try it")
}

func TestPermissionRulesAloneKeepFilesIn(t *testing.T) {
	t.Parallel()
	eachClient(t, sandbox.None, func(t *testing.T, version string, kind sandbox.Kind) {
		w := newScripted(t, (*world).attempts)
		w.lay()
		o := w.options(version, kind)
		o.Unguarded()
		res := w.run(o)
		w.intact()
		if len(res.Denied) < 7 {
			t.Errorf("denied: %q", res.Denied)
		}
	})
}

func TestGuardAloneKeepsFilesIn(t *testing.T) {
	t.Parallel()
	eachClient(t, sandbox.None, func(t *testing.T, version string, kind sandbox.Kind) {
		w := newScripted(t, (*world).attempts)
		w.lay()
		o := w.options(version, kind)
		o.AllowEverything()
		res := w.run(o)
		w.intact()
		if len(res.Denied) < 7 {
			t.Errorf("denied: %q", res.Denied)
		}
		told := ""
		for _, r := range w.api.Talk("") {
			told += r.Last()
		}
		if !strings.Contains(told, "You may write only below "+w.mine) || !strings.Contains(told, "request_change") {
			t.Error("the model was not told where it may write")
		}
	})
}

// newScripted is a world whose script needs its paths.
func newScripted(t *testing.T, steps func(*world) []mockapi.Step) *world {
	t.Helper()
	var w *world
	var plan []mockapi.Step
	n := 0
	w = newWorld(t, mockapi.Script{After: &mockapi.Step{Do: func(mockapi.Request) mockapi.Step {
		if plan == nil {
			plan = steps(w)
		}
		if n == len(plan) {
			return mockapi.Say("done")
		}
		n++
		return plan[n-1]
	}}})
	return w
}

func TestKernelAloneKeepsEverythingIn(t *testing.T) {
	t.Parallel()
	for _, kind := range []sandbox.Kind{sandbox.Bwrap, sandbox.Landlock} {
		eachClient(t, kind, testKernelAlone)
	}
}

func testKernelAlone(t *testing.T, version string, kind sandbox.Kind) {
	victim := exec.Command("sleep", "1000")
	victim.Env = []string{"VICTIM_SECRET=sk-ant-victim"}
	if err := victim.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = victim.Process.Kill(); _ = victim.Wait() }()
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tcp.Close() }()
	udp, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = udp.Close() }()
	_, tcpPort, _ := net.SplitHostPort(tcp.Addr().String())
	_, udpPort, _ := net.SplitHostPort(udp.LocalAddr().String())

	var commands []string
	w := newScripted(t, func(w *world) []mockapi.Step {
		steps := w.attempts()
		for _, c := range commands {
			steps = append(steps, mockapi.Turn(mockapi.Bash(c)))
		}
		return steps
	})
	w.lay()
	secret := filepath.Join(w.root, "secret.txt")
	w.write(secret, "sk-ant-secret")
	commands = []string{
		"echo x > ../ui/redirect.txt; echo r1=$?",
		"echo x > folder-link/redirect2.txt; echo r2=$?",
		"chmod 777 ../ui/theirs.txt; echo r3=$?",
		"touch -d 2001-01-01 ../ui/theirs.txt; echo r4=$?",
		"mv ../ui/theirs.txt ../ui/moved.txt; echo r5=$?",
		"mv ../ui/theirs.txt taken.txt; echo r6=$?",
		"ln ../ui/theirs.txt hard.txt && echo changed >> hard.txt; echo r7=$?",
		"rm -f ../ui/theirs.txt; echo r8=$?",
		"ln -s ../ui fresh-link; echo x > fresh-link/redirect3.txt; echo r9=$?",
		"python3 -c \"open('../ui/py.txt','w').write('x')\"; echo r10=$?",
		"truncate -s 0 ../ui/theirs.txt; echo r11=$?",
		"(exec 3<>/dev/tcp/127.0.0.1/" + tcpPort + ") 2>&1; echo tcp=$?",
		"(echo x > /dev/udp/127.0.0.1/" + udpPort + ") 2>&1; echo udp=$?",
		"cat /proc/" + strconv.Itoa(victim.Process.Pid) + "/environ; echo environ=$?",
		"kill -9 " + strconv.Itoa(victim.Process.Pid) + "; echo kill=$?",
		"cat " + secret + "; echo secret=$?",
		"(git init -q repo && cd repo && echo a > a && git add a && git -c user.name=x -c user.email=x@x commit -q -m a); echo git=$?",
		"mkdir -p sub && cp edit.txt sub/copy.txt && mv sub/copy.txt sub/moved.txt && ln -s moved.txt sub/l && chmod 755 sub/moved.txt && rm sub/l; echo work=$?",
		"mktemp > /dev/null; echo mktemp=$?",
	}
	began, err := os.Stat(filepath.Join(w.theirs, "theirs.txt"))
	if err != nil {
		t.Fatal(err)
	}
	o := w.options(version, kind)
	o.AllowEverything()
	o.Unguarded()
	w.run(o)
	w.intact()
	after, err := os.Stat(filepath.Join(w.theirs, "theirs.txt"))
	if err != nil || after.Mode() != began.Mode() || !after.ModTime().Equal(began.ModTime()) {
		t.Errorf("theirs.txt: %v, %v → %v, %v: %v", began.Mode(), began.ModTime(), after.Mode(), after.ModTime(), err)
	}
	for _, name := range []string{"redirect.txt", "redirect2.txt", "redirect3.txt", "py.txt", "moved.txt"} {
		if w.exists(filepath.Join(w.theirs, name)) {
			t.Errorf("ui/%s was written", name)
		}
	}
	if got := received(t, udp); got != "end" {
		t.Errorf("a datagram came from inside: %q", got)
	}
	told := ""
	for _, r := range w.api.Talk("") {
		told += r.Last() + "\n"
	}
	for _, bad := range []string{"r1=0", "r2=0", "r3=0", "r4=0", "r5=0", "r6=0", "r7=0", "r9=0", "r10=0", "r11=0", "tcp=0", "environ=0", "kill=0", "secret=0", "sk-ant-"} {
		if strings.Contains(told, bad) {
			t.Errorf("%s: an escape worked", bad)
		}
	}
	for _, good := range []string{"git=0", "work=0", "mktemp=0"} {
		if !strings.Contains(told, good) {
			t.Errorf("%s is missing: honest work failed", good)
		}
	}
	if !strings.Contains(told, "kill=") || !proc.Alive(victim.Process.Pid, startOf(t, victim.Process.Pid)) {
		t.Error("a process outside was killed")
	}
	if t.Failed() {
		t.Log(told)
	}
}

// received gives the first datagram, which is ours when nobody else has sent one.
func received(t *testing.T, udp net.PacketConn) string {
	t.Helper()
	c, err := net.Dial("udp", udp.LocalAddr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	if _, err := c.Write([]byte("end")); err != nil {
		t.Fatal(err)
	}
	b := make([]byte, 100)
	n, _, err := udp.ReadFrom(b)
	if err != nil {
		t.Fatal(err)
	}
	return string(b[:n])
}

func startOf(t *testing.T, pid int) int64 {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Fatal(err)
	}
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	start, err := strconv.ParseInt(fields[19], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return start
}
