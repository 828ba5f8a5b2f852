package filter

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	ll "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

// MinABI is the oldest version of Landlock that is used: 3, Linux 6.2, guards truncation. Before it, any file could be
// emptied.
const MinABI = 3

// Versions of Landlock that bring something, for those who say what is lacking.
const (
	ABINetwork  = 4 // TCP
	ABIScopes   = 6 // signals and abstract sockets
	ABISockets  = 9 // sockets by path
	readRights  = ll.AccessFSExecute | ll.AccessFSReadFile | ll.AccessFSReadDir
	fileRights  = ll.AccessFSExecute | ll.AccessFSReadFile | ll.AccessFSWriteFile | ll.AccessFSTruncate | ll.AccessFSIoctlDev | ll.AccessFSResolveUnix
	writeRights = ll.AccessFSWriteFile | ll.AccessFSRemoveDir | ll.AccessFSRemoveFile | ll.AccessFSMakeDir | ll.AccessFSMakeReg |
		ll.AccessFSMakeSock | ll.AccessFSMakeFifo | ll.AccessFSMakeSym | ll.AccessFSRefer | ll.AccessFSTruncate
	deviceRights = ll.AccessFSMakeChar | ll.AccessFSMakeBlock // nowhere
)

// Place is one path with its mode. Of nested places the longest path counts.
type Place struct {
	Path string // real: no symbolic links, clean, absolute
	Mode Mode
}

// Mode is what may be done in a place.
type Mode int

// The modes of a place.
const (
	Read Mode = iota
	Write
	Hide
)

// ABI gives the version of Landlock that the kernel offers; 0 = none.
func ABI() int {
	v, err := ll.LandlockGetABIVersion()
	if err != nil {
		return 0
	}
	return v
}

// devices are the nodes of /dev that programs use.
var devices = [...]string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"}

// Restrict puts the calling thread, and what it executes, under Landlock for good: only the places can be reached. The
// thread needs no_new_privs.
func Restrict(places []Place, network bool) error {
	abi := ABI()
	if abi < MinABI {
		return fmt.Errorf("restrict files: landlock version %d, at least %d is needed", abi, MinABI)
	}
	attr := ll.RulesetAttr{HandledAccessFS: readRights | writeRights | deviceRights}
	if abi >= 5 {
		attr.HandledAccessFS |= ll.AccessFSIoctlDev
	}
	if abi >= ABISockets {
		attr.HandledAccessFS |= ll.AccessFSResolveUnix
	}
	if abi >= ABINetwork && !network {
		attr.HandledAccessNet = ll.AccessNetBindTCP | ll.AccessNetConnectTCP
	}
	if abi >= ABIScopes {
		attr.Scoped = ll.ScopeAbstractUnixSocket | ll.ScopeSignal
	}
	set, err := ll.LandlockCreateRuleset(&attr, 0)
	if err != nil {
		return fmt.Errorf("make landlock rules: %w", err)
	}
	defer unix.Close(set)
	r := rules{set: set, handled: attr.HandledAccessFS, places: places}
	if err := r.all(); err != nil {
		return fmt.Errorf("make landlock rules: %w", err)
	}
	if err := ll.LandlockRestrictSelf(set, 0); err != nil {
		return fmt.Errorf("restrict files: %w", err)
	}
	return nil
}

// ScopeAbstract keeps the calling thread, and what it executes, from abstract Unix sockets outside. It restricts
// nothing else, mounts neither, and does nothing where Landlock has no scopes. The thread needs no_new_privs.
func ScopeAbstract() error {
	if ABI() < ABIScopes {
		return nil
	}
	set, err := ll.LandlockCreateRuleset(&ll.RulesetAttr{Scoped: ll.ScopeAbstractUnixSocket}, 0)
	if err != nil {
		return fmt.Errorf("restrict abstract sockets: %w", err)
	}
	defer unix.Close(set)
	if err := ll.LandlockRestrictSelf(set, 0); err != nil {
		return fmt.Errorf("restrict abstract sockets: %w", err)
	}
	return nil
}

type rules struct {
	set     int
	handled uint64
	places  []Place
}

func (r *rules) all() error {
	if err := r.allow("/proc", ll.AccessFSReadFile|ll.AccessFSReadDir); err != nil {
		return err
	}
	for _, dev := range devices {
		if err := r.allow(dev, ll.AccessFSReadFile|ll.AccessFSWriteFile|ll.AccessFSIoctlDev); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	for _, p := range r.places {
		if p.Mode == Hide {
			continue
		}
		if err := r.place(p); err != nil {
			return err
		}
	}
	return nil
}

func (r *rules) place(p Place) error {
	rights := uint64(readRights | ll.AccessFSResolveUnix)
	if p.Mode == Write {
		rights |= writeRights
	}
	return r.tree(p.Path, rights)
}

// tree allows a folder. Landlock cannot take anything out of what it allows, so a folder with a hidden place in it is
// allowed entry by entry, as it is now; its names stay visible.
func (r *rules) tree(path string, rights uint64) error {
	if !r.hides(path) {
		return r.allow(path, rights)
	}
	if err := r.allow(path, ll.AccessFSReadDir); err != nil {
		return err
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return err
	}
	for _, e := range entries {
		child := filepath.Join(path, e.Name())
		if e.Type() == fs.ModeSymlink || r.is(child, Hide) {
			continue
		}
		if err := r.tree(child, rights); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

func (r *rules) hides(dir string) bool {
	for _, p := range r.places {
		if p.Mode == Hide && p.Path != dir && strings.HasPrefix(p.Path, strings.TrimSuffix(dir, "/")+"/") {
			return true
		}
	}
	return false
}

func (r *rules) is(path string, m Mode) bool {
	for _, p := range r.places {
		if p.Mode == m && p.Path == path {
			return true
		}
	}
	return false
}

func (r *rules) allow(path string, rights uint64) error {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC|unix.O_NOFOLLOW, 0)
	if err != nil {
		return &fs.PathError{Op: "open", Path: path, Err: err}
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return &fs.PathError{Op: "stat", Path: path, Err: err}
	}
	if st.Mode&unix.S_IFMT != unix.S_IFDIR {
		rights &= fileRights
	}
	if rights &= r.handled; rights == 0 {
		return nil
	}
	if err := ll.LandlockAddPathBeneathRule(r.set, &ll.PathBeneathAttr{ParentFd: fd, AllowedAccess: rights}, 0); err != nil {
		return &fs.PathError{Op: "allow", Path: path, Err: err}
	}
	return nil
}
