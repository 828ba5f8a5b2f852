package store_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/devflow-suite/devflow/internal/store"
)

// powercuts is how many cuts the test makes unless DEVFLOW_POWERCUTS says otherwise.
const powercuts = 8

// The database lives on an ext4 file system on a loop device. Right after writers acknowledged their rows and exited, the file
// behind the device is copied: the copy is what a disk holds when the power goes at that moment, if everything that was submitted
// counts as stored. Each copy is mounted from a new file and a new loop device (an overwritten image shows stale blocks).
func TestPowerCutLosesNothingAcknowledged(t *testing.T) {
	t.Parallel()
	cuts := powercuts
	if s := os.Getenv("DEVFLOW_POWERCUTS"); s != "" {
		cuts = int(number(s))
	}
	if os.Geteuid() != 0 {
		t.Fatal("the simulated power cut mounts loop devices and needs root: run `sudo -E make powercut`, or the tests without it by -skip PowerCut")
	}
	dir := t.TempDir()
	image := filepath.Join(dir, "disk.img")
	run(t, "truncate", "-s", "48M", image)
	run(t, "mkfs.ext4", "-q", "-O", "^metadata_csum_seed", image)
	disk := mountImage(t, image)
	path := filepath.Join(disk, "telemetry", "devflow.db")
	spool := store.Spool{Dirs: []string{filepath.Join(disk, "spool")}}

	var rows []int64
	var records []string
	forgotten := 0
	for cut := range cuts {
		// The first cut also covers the creation; later ones fall before, at and after checkpoints.
		rows = append(rows, writeTogether(t, path, 4, len(rows), 1+cut*3)...)
		record := strconv.Itoa(cut)
		if err := spool.Append("s", []byte(record)); err != nil {
			t.Fatal(err)
		}
		records = append(records, record)
		// This row was never flushed and never acknowledged: that it is gone shows that the copy forgets at all.
		control := filepath.Join(disk, "control-"+record)
		write(t, control, "not flushed")

		copied := filepath.Join(dir, fmt.Sprintf("cut-%d.img", cut))
		run(t, "cp", "--sparse=always", image, copied)
		if !checkCut(t, copied, rows, records, filepath.Base(control)) {
			forgotten++
		}
		if t.Failed() {
			t.Fatalf("after cut %d", cut)
		}
	}
	if forgotten == 0 {
		t.Error("unflushed files survived every cut: the simulation proves nothing here")
	}
	t.Logf("%d rows and %d spooled records over %d cuts; %d unflushed files were forgotten", len(rows), len(records), cuts, forgotten)
}

// writeTogether lets n processes write rows at the same time and returns the acknowledged ones.
func writeTogether(t *testing.T, path string, n, from, rowsEach int) []int64 {
	t.Helper()
	outs := make([]string, n)
	var wg sync.WaitGroup
	for i := range n {
		cmd := child(t, "write", path, strconv.Itoa(from+i*rowsEach), strconv.Itoa(rowsEach), "1000")
		wg.Go(func() {
			out, err := cmd.Output()
			if err != nil {
				t.Error(err)
			}
			outs[i] = string(out)
		})
	}
	wg.Wait()
	return ids(t, strings.Join(outs, ""))
}

// checkCut boots from a copy: its journal is replayed by mounting, the database recovers by opening. It tells whether the
// control file is there with its content.
func checkCut(t *testing.T, image string, rows []int64, records []string, control string) (survived bool) {
	t.Helper()
	disk := mountImage(t, image)
	db, err := store.Open(filepath.Join(disk, "telemetry", "devflow.db"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	checkSound(t, db, rows)
	spooled := map[string]bool{}
	n, err := store.Spool{Dirs: []string{filepath.Join(disk, "spool")}}.Drain(db, func(_ *store.Tx, record []byte) error {
		spooled[string(record)] = true
		return nil
	})
	if err != nil || n != len(records) || len(spooled) != n {
		t.Errorf("%d of %d spooled records are there: %v", len(spooled), len(records), err)
	}
	if err := db.Close(); err != nil {
		t.Error(err)
	}
	text, err := os.ReadFile(filepath.Join(disk, control))
	return err == nil && string(text) == "not flushed"
}

// mountImage mounts an image through a loop device of its own until the test ends.
func mountImage(t *testing.T, image string) (dir string) {
	t.Helper()
	const howTo = "the simulated power cut needs loop devices: run it as root with losetup, mkfs.ext4 and mount (util-linux, e2fsprogs); " +
		"in a container give it --privileged and /dev/loop-control"
	out, err := exec.CommandContext(t.Context(), "losetup", "--find", "--show", image).CombinedOutput()
	if err != nil {
		t.Fatalf("losetup: %v: %s\n%s", err, out, howTo)
	}
	device := strings.TrimSpace(string(out))
	dir = t.TempDir()
	t.Cleanup(func() {
		// The context of the test is over by now.
		if out, err := exec.Command("losetup", "--detach", device).CombinedOutput(); err != nil {
			t.Errorf("losetup --detach %s: %v: %s", device, err, out)
		}
	})
	if err := syscall.Mount(device, dir, "ext4", 0, ""); err != nil {
		t.Fatalf("mount %s: %v\n%s", device, err, howTo)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Errorf("unmount %s: %v", dir, err)
		}
	})
	return dir
}

// run runs a program that must succeed.
func run(t *testing.T, name string, args ...string) {
	t.Helper()
	if out, err := exec.CommandContext(t.Context(), name, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v: %s", name, err, out)
	}
}
