// Package machine holds the rules about the machine itself: disks, processes, accounts, code that nobody has seen, and the
// spellings of Windows. It owns no table of the store and no file.
package machine

import (
	"github.com/devflow-suite/devflow/guard/destructive/rule"
	"strings"

	"github.com/devflow-suite/devflow/guard/place"
	"github.com/devflow-suite/devflow/guard/verdict"
)

// diskRules are about programs that write partitions and file systems. A regular file as image passes.
var diskRules = [...]rule.Rule{
	{
		ID: "disk.format", Decision: verdict.Deny, Match: diskFormat,
		What: "formats, partitions or erases a disk", Why: "nothing of what is stored there is left", Instead: "use a file as image: `mkfs.ext4 /tmp/disk.img`; look first: `lsblk`",
	},
}

func diskFormat(k *rule.Call) string {
	all := strings.TrimSpace(k.Name + " " + rule.Join(k.Words))
	switch name := k.Name; {
	case strings.HasPrefix(name, "mkfs"), strings.HasPrefix(name, "newfs"), strings.HasPrefix(name, "mke2fs"), rule.OneOf(name, "mkswap", "mkntfs", "mkdosfs", "wipefs", "blkdiscard", "nvme", "badblocks", "mdadm", "fsck", "debugfs", "tune2fs", "resize2fs", "e2fsck", "xfs_repair"):
		return onDevice(k, all)
	case rule.OneOf(name, "fdisk", "sfdisk", "cfdisk", "gdisk", "sgdisk", "parted", "gparted"):
		if k.Arg("-l", "--list", "print", "-p", "--print", "-v", "--dump", "-d") && !k.Arg("mklabel", "rm", "mkpart", "resizepart", "--delete", "-Z", "--zap-all", "-o") {
			return ""
		}
		return onDevice(k, all)
	case name == "hdparm":
		if k.Arg("--security-erase", "--security-erase-enhanced", "--trim-sector-ranges", "--make-bad-sector", "--write-sector") {
			return all
		}
	case name == "flashrom":
		if k.Option("-w|-E|--erase|--write") {
			return all
		}
	}
	if k.Name == "format" && len(k.Words) > 0 && strings.Contains(k.Words[0].Text, ":") { // format C:
		return "format " + k.Words[0].Text
	}
	return k.MatchLines(`cryptsetup luksformat|erase|lukserase|luksremovekey|lukskillslot|reencrypt|luksremovekey|luksterase|lukserase|lukskillslot
lvremove
vgremove
pvremove
lvreduce
lvm lvremove|vgremove|pvremove
zpool destroy|labelclear|remove|detach
zfs destroy|rollback
btrfs subvolume delete
btrfs device remove|delete
diskutil erase*|partitiondisk|secureerase|zerodisk|randomdisk|reformat|deletevolume|apfs
dmsetup remove_all|remove|wipe_table
sg_format
diskpart
fsutil
dd_rescue
ddrescue
nvme format|sanitize|delete-ns
storcli delete
mdadm --zero-superblock
`)
}

// onDevice reports the command if one of its operands is a device, or something that cannot be told.
func onDevice(k *rule.Call, all string) string {
	if k.Name == "nvme" && !k.Arg("format", "sanitize", "delete-ns", "write", "write-zeroes") || rule.OneOf(k.Name, "fsck", "e2fsck", "xfs_repair", "badblocks", "mdadm", "debugfs", "tune2fs", "resize2fs") && !k.Arg("-w", "--zero-superblock", "-n -w") {
		return ""
	}
	if k.Name == "wipefs" && (k.Option("-n|--no-act") || !k.Option("-a|-o|--all|--offset|-f|--force")) {
		return ""
	}
	for _, x := range k.Words {
		if strings.HasPrefix(x.Text, "-") || x.Text == "" {
			continue
		}
		for _, e := range k.Targets(x) {
			if e.Target.Zone == place.Device || x.Dynamic && !k.Cmd.Remote && e.Target.Zone == place.Unknown {
				return all
			}
		}
	}
	return ""
}

// processRules are about what stops the machine, the session, or everybody's programs.
var processRules = [...]rule.Rule{
	{
		ID: "process.bomb", Decision: verdict.Deny, Match: forkBomb,
		What: "starts itself without end", Why: "the function % starts copies of itself until the machine stands still", Instead: rule.AskOwner,
	},
	{
		ID: "process.kill-all", Decision: verdict.Deny, Match: killAll,
		What: "ends every process", Why: "this session ends with them", Instead: "end the one that you started: `kill %1`, `pkill -f vite`",
	},
	{
		ID: "machine.stop", Decision: verdict.Deny, Match: machineStop,
		What: "stops or restarts the machine", Why: "this session and everybody else's end with it", Instead: rule.AskOwner,
	},
	{
		ID: "machine.accounts", Decision: verdict.Deny, Lines: accountLines,
		What: "deletes or locks an account", Why: "somebody loses access, and perhaps files", Instead: rule.AskOwner,
	},
	{
		ID: "machine.firewall", Decision: verdict.Deny, Lines: firewallLines,
		What: "opens the firewall", Why: "the rules that keep others out, or let you in, are gone", Instead: "look first: `iptables -L -n`; then tell the user",
	},
	{
		ID: "machine.schedule", Decision: verdict.Deny, Match: schedule,
		What: "deletes every scheduled job", Why: "no copy of them is left", Instead: "keep a copy first: `crontab -l > crontab.bak`",
	},
	{
		ID: "machine.services", Decision: verdict.Ask, Lines: serviceLines,
		What: "stops or removes a part of the system", Why: "others may need it, this session too", Instead: "look first: `systemctl status`",
	},
}

const accountLines = `userdel
deluser
groupdel
delgroup
passwd -d|-l|--delete|--lock
usermod -L|--lock
chage -E0
dscl delete
net user /delete
sysadminctl -deleteUser
pwck
faillock --reset`

const firewallLines = `iptables|ip6tables -F|--flush|-X
iptables|ip6tables -P accept
nft flush
nft delete table
ufw disable|reset
pfctl -d|-F
firewall-cmd --panic-on
netsh advfirewall reset|set
setenforce 0
ebtables -F
ip link|route|addr|address flush
ip link delete`

const serviceLines = `systemctl stop|disable|mask|kill ssh*|network*|dbus*|systemd*|docker*|containerd*|cron*|firewalld*|ufw*|networkmanager*|networkmanager*
launchctl remove|bootout|unload|disable
apt|apt-get|aptitude remove|purge sudo|libc*|systemd*|linux-image*|coreutils|bash|openssh*|python3|init*|apt|dpkg|git
apt|apt-get --allow-remove-essential
dpkg --force-all|--force-remove-essential
dpkg -P|--purge -r|--remove
rpm -e --nodeps
pacman -Rdd|-Rcns
dnf|yum remove kernel*|systemd*|glibc*|sudo|openssh*
modprobe -r
rmmod
sysctl -w kernel.panic*|kernel.sysrq*
history -c
journalctl --vacuum-time|--vacuum-size|--vacuum-files
timedatectl set-time
update-initramfs -d
grub-install
efibootmgr -B|-b
brew uninstall --force --ignore-dependencies
tmutil delete|deletelocalsnapshots
snapper delete
timeshift --delete-all|--delete
restic forget|prune|unlock
borg delete|prune
rclone sync
iscsiadm --op=delete`

func forkBomb(k *rule.Call) string {
	if k.Script == nil || k.Cmd.Name == "" {
		return ""
	}
	for _, f := range k.Script.Forks {
		if f == k.Cmd.Name {
			return f
		}
	}
	return ""
}

func killAll(k *rule.Call) string {
	all := strings.TrimSpace(k.Name + " " + rule.Join(k.Words))
	switch k.Name {
	case "kill":
		signal := false
		for i, x := range k.Words {
			t := x.Text
			switch {
			case t == "-l" || t == "-L" || t == "--list":
				return ""
			case t == "--":
				signal = true
			case t == "-1" && (signal || i > 0 || len(k.Words) == 1), t == "-0" && i > 0, t == "1" && !k.Cmd.Remote:
				return all
			case rule.OneOf(t, "-s", "-n", "--signal"):
				signal = true
			case strings.HasPrefix(t, "-"):
				signal = true
			}
		}
	case "killall5":
		return all
	case "pkill", "killall":
		o := rule.Parse(k.Words, map[bool]string{true: "uUgGPst", false: "usy"}[k.Name == "pkill"], " --signal --uid --euid --user --group --parent --session --terminal --older-than --younger-than ")
		broad := len(o.Operands) == 0 && o.Has("u", "U", "--uid", "--euid", "--user", "g", "G", "--group", "s", "t")
		for _, p := range o.Texts() {
			broad = broad || strings.Trim(p, ".*^$?+") == "" || rule.OneOf(p, "systemd", "init", "sshd", "launchd", "dbus-daemon", "Xorg", "WindowServer", "loginwindow", "containerd", "dockerd") || len(p) == 1
		}
		if broad {
			return all
		}
	case "skill", "slay":
		return all
	case "loginctl":
		if k.Arg("terminate-user", "kill-user", "terminate-session", "kill-session") {
			return all
		}
	case "taskkill":
		for i, x := range k.Words {
			if strings.EqualFold(x.Text, "/im") && i+1 < len(k.Words) && strings.Contains(k.Words[i+1].Text, "*") {
				return all
			}
		}
	}
	return ""
}

func machineStop(k *rule.Call) string {
	all := strings.TrimSpace(k.Name + " " + rule.Join(k.Words))
	switch k.Name {
	case "shutdown", "reboot", "halt", "poweroff", "telinit", "init", "kexec":
		if k.Arg("-c", "-a", "/a", "/?", "--show") || rule.OneOf(k.Name, "init", "telinit") && !k.Arg("0", "6", "1", "s", "S") || k.Name == "kexec" && !k.Option("-e|-l|--exec|--load") {
			return ""
		}
		return all
	case "restart-computer", "stop-computer":
		return all
	case "systemctl":
		if k.Arg("poweroff", "reboot", "halt", "kexec", "rescue", "emergency", "soft-reboot", "suspend", "hibernate") || k.Arg("isolate") {
			return all
		}
	}
	for _, r := range k.Cmd.Redirs {
		if r.Writes() && strings.HasSuffix(r.Target.Text, "/sysrq-trigger") {
			return "> " + r.Target.Text
		}
	}
	if k.Name == "tee" && k.Arg("/proc/sysrq-trigger") {
		return all
	}
	return ""
}

// schedule: crontab -r, and a crontab that is replaced by nothing.
func schedule(k *rule.Call) string {
	if k.Name == "crontab" && (k.Option("-r") || k.Arg("/dev/null")) {
		return "crontab " + rule.Join(k.Words)
	}
	if k.Name == "atrm" || k.Name == "schtasks" && k.Option("/delete") {
		return k.Name + " " + rule.Join(k.Words)
	}
	return ""
}

// Tables lists the tables.
func Tables() [][]rule.Rule {
	return [][]rule.Rule{diskRules[:], processRules[:], codeRules[:], windowsRules[:]}
}
