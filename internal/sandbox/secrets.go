package sandbox

import (
	"io/fs"
	"path/filepath"
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
		found = append(found, path)
		if d.IsDir() {
			return fs.SkipDir
		}
		return nil
	})
	return found
}
