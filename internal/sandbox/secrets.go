package sandbox

import (
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

// named are places below /etc that are hidden even when everybody may read them.
var named = [...]string{
	"shadow", "shadow-", "gshadow", "gshadow-", "sudoers", "sudoers.d", "security/opasswd", "ssl/private", "krb5.keytab",
	"devflow", "wireguard", "openvpn", "NetworkManager/system-connections", "wpa_supplicant", "docker", "kubernetes",
	"rancher", "letsencrypt", "ppp", "ssh/ssh_host_rsa_key", "ssh/ssh_host_ecdsa_key", "ssh/ssh_host_ed25519_key", "ssh/ssh_host_dsa_key",
}

// systemSecrets lists what of /etc is not for everybody: the named places, and whatever others may not read. The user
// may be one who may (root), and then the mode alone would not keep a command from it.
func systemSecrets() []string {
	var found []string
	for _, name := range named {
		found = append(found, filepath.Join("/etc", name))
	}
	_ = filepath.WalkDir("/etc", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return fs.SkipDir // not ours to read either
		}
		info, err := d.Info()
		if err != nil || info.Mode().Type() == fs.ModeSymlink || info.Mode().Perm()&0o004 != 0 {
			return nil
		}
		if unix.Access(path, unix.R_OK) != nil { // not for us, and less for a command
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		found = append(found, path)
		if d.IsDir() {
			return fs.SkipDir
		}
		return nil
	})
	return found
}

// kernelSettings lists what of /proc, beside the processes, this user may write: for root the settings of the kernel,
// core_pattern among them, which names a program that runs outside. They stay writable for the owner without any
// capability, and bwrap 0.8 protects only folders that are writable themselves.
func kernelSettings() []string {
	if os.Geteuid() != 0 {
		return nil
	}
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	var found []string
	for _, e := range entries {
		path := filepath.Join("/proc", e.Name())
		if _, err := strconv.Atoi(e.Name()); err == nil || e.Type() == fs.ModeSymlink {
			continue
		}
		if holdsWritable(path) {
			found = append(found, path)
		}
	}
	return found
}

func holdsWritable(path string) bool {
	found := false
	_ = filepath.WalkDir(path, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return fs.SkipDir
		}
		if info, err := d.Info(); err == nil && !d.IsDir() && info.Mode().Perm()&0o200 != 0 && info.Mode().Type() != fs.ModeSymlink {
			found = true
			return fs.SkipAll
		}
		return nil
	})
	return found
}
