package wrap

// spec describes a program that runs the program named by its later arguments.
type spec struct {
	value    string // short options that take a value
	flags    string // short options that do not
	long     string // long options that take a value as the next word, each between spaces
	bools    string // if not empty: the long options that take none; all others take a value
	operands int    // positional arguments before the program
	assigns  bool   // NAME=value words may come before the program
	chdir    string // options whose value is a directory to run in, between spaces
	user     string // options whose value is a user, between spaces
	lax      bool   // unknown short options are flags
	joined   bool   // the words are joined and given to a shell
}

// of is the table of wrappers. Options are those of GNU coreutils, findutils, util-linux, sudo 1.9, bash 5 and, for the rest, of the manual
// pages of Debian 13.
func of(name string) (spec, bool) {
	switch name {
	case "sudo":
		return spec{
			value: "ughpCrtTUDR", flags: "AbBEHknNPSseilKVv", assigns: true, chdir: " -D --chdir ", user: " -u --user ",
			long: " --user --group --host --prompt --close-from --role --type --command-timeout --other-user --chdir --chroot ",
		}, true
	case "doas":
		return spec{value: "uCa", flags: "Lns", user: " -u "}, true
	case "pkexec":
		return spec{value: "u", long: " --user ", user: " -u --user "}, true
	case "gosu", "su-exec", "chpst", "setuidgid":
		return spec{value: "uUbemdonfcrt/", flags: "vPKE012", operands: map[bool]int{true: 0, false: 1}[name == "chpst"]}, true
	case "env", "genv":
		return spec{value: "uCSa", flags: "i0v", long: " --unset --chdir --split-string --argv0 ", assigns: true, chdir: " -C --chdir "}, true
	case "cross-env", "cross-env-shell":
		return spec{assigns: true}, true
	case "nohup", "builtin", "busybox", "toybox", "unbuffer", "noglob", "nocorrect", "setarch", "linux32", "linux64", "i386", "x86_64", "fakeroot", "torsocks", "torify",
		"chronic", "catchsegv", "eatmydata", "proxychains", "proxychains4", "dbus-run-session", "tini", "dumb-init", "rlwrap", "sem", "thefuck", "gnome-terminal", "konsole", "xterm", "dbus-launch", "arch", "rtk", "run0", "systemd-inhibit", "vault-env", "env-cmd", "dotslash":
		return spec{lax: true, value: map[bool]string{true: "lofu"}[name == "fakeroot"]}, true
	case "setsid":
		return spec{flags: "cfw"}, true
	case "command":
		return spec{flags: "p"}, true
	case "exec":
		return spec{value: "a", flags: "cl"}, true
	case "time", "gtime":
		return spec{value: "fo", flags: "pvqa", long: " --format --output "}, true
	case "nice", "gnice":
		return spec{value: "n", flags: "0123456789", long: " --adjustment "}, true
	case "renice":
		return spec{}, false
	case "ionice":
		return spec{value: "cnpPu", flags: "t", long: " --class --classdata "}, true
	case "stdbuf", "gstdbuf":
		return spec{value: "ioe", long: " --input --output --error "}, true
	case "timeout", "gtimeout":
		return spec{value: "ks", flags: "fpv", long: " --kill-after --signal ", operands: 1}, true
	case "xargs", "gxargs":
		return spec{
			value: "aEdILnPsJRS", flags: "0eilprtxo",
			long: " --arg-file --delimiter --max-args --max-procs --max-chars --process-slot-var --eof ",
		}, true
	case "chroot":
		return spec{long: " --userspec --groups ", operands: 1}, true
	case "taskset":
		return spec{flags: "acp", operands: 1}, true
	case "chrt":
		return spec{value: "TPD", flags: "abdfiorRv", operands: 1}, true
	case "flock":
		return spec{value: "wE", flags: "nsxuoFe", long: " --timeout --wait --conflict-exit-code ", operands: 1}, true
	case "xvfb-run":
		return spec{value: "nesfpw", flags: "al", long: " --server-num --server-args --error-file --auth-file --xauth-protocol --wait "}, true
	case "caffeinate":
		return spec{value: "tw", flags: "disum"}, true
	case "watch", "viddy", "hwatch":
		return spec{value: "nqs", flags: "dtbexcgwpr", long: " --interval --equexit ", joined: true}, true
	case "strace", "ltrace", "dtruss":
		return spec{value: "eopsuaOSPEIbXlAnFx", flags: "fcCdDhiqrtTvVyYkzZLw", lax: true, long: " --trace --output --attach --user --env --string-limit --columns "}, true
	case "perf":
		return spec{}, false
	case "valgrind", "firejail", "heaptrack":
		return spec{lax: true}, true
	case "systemd-run":
		return spec{
			value: "pHMEtu", flags: "PtqGdrS", lax: true, user: " --uid ", chdir: " --working-directory ",
			long: " --unit --property --description --slice --uid --gid --nice --working-directory --setenv --host --machine --service-type --on-active" +
				" --on-boot --on-startup --on-unit-active --on-unit-inactive --on-calendar --timer-property --path-property --socket-property --background ",
		}, true
	case "nsenter":
		return spec{value: "tSGN", flags: "amuinpCUTrwFeZWlcv", lax: true, long: " --target --setuid --setgid --net-socket ", chdir: ""}, true
	case "unshare":
		return spec{value: "RwSG", flags: "muinpUCTfrcv", lax: true, long: " --root --wd --setuid --setgid --map-user --map-group --map-users --map-groups --propagation --setgroups --monotonic --boottime --load-interp ", chdir: " -w --wd "}, true
	case "setpriv":
		return spec{long: " --reuid --regid --groups --ambient-caps --inh-caps --bounding-set --securebits --pdeathsig --selinux-label --apparmor-profile --landlock-access --landlock-rule --seccomp-filter "}, true
	case "prlimit", "choom", "runcon", "cpulimit", "numactl", "cgexec", "trickle", "daemonize", "softlimit":
		return spec{value: "npltrucgadsoemNPCiUlIx", lax: true, long: " --limit --pid --adjust --output --cpunodebind --membind --interleave --user --role --type --range "}, true
	case "entr":
		return spec{flags: "acdnprsxz"}, true
	case "npx", "bunx", "pnpx":
		return spec{value: "pcw", flags: "yqs", lax: true, long: " --package --call --workspace --node-options --cache --userconfig --shell --registry --prefix "}, true
	case "dotenv", "dotenvx", "with-env":
		return spec{value: "efpv", lax: true}, true
	case "bwrap":
		return spec{
			long: " --args --argv0 --chdir --unsetenv --userns --userns2 --pidns --uid --gid --hostname --exec-label --file-label --proc --dev --tmpfs --mqueue --dir --remount-ro" +
				" --seccomp --add-seccomp-fd --block-fd --userns-block-fd --info-fd --json-status-fd --sync-fd --lock-file --size --perms --cap-add --cap-drop --overlay-src --tmp-overlay --ro-overlay ",
			chdir: " --chdir ",
		}, true
	}
	return spec{}, false
}

// pairs are the options of bwrap that take two values.
const pairs = " --bind --bind-try --dev-bind --dev-bind-try --ro-bind --ro-bind-try --bind-fd --ro-bind-fd --setenv --symlink --file --bind-data --ro-bind-data --chmod "

// container describes `docker run`, `docker exec` and their relatives.
var container = [...]spec{
	{ // docker, podman, nerdctl
		value: "acehlmpuvw", flags: "ditPqT", chdir: " -w --workdir ", user: " -u --user ", lax: true,
		bools: " --detach --help --init --interactive --no-healthcheck --oom-kill-disable --privileged --publish-all --read-only --rm --sig-proxy --tty --quiet" +
			" --disable-content-trust --replace --env-host --no-hosts --http-proxy --rmi --tls-verify --rootfs --passwd --no-hostname --unsetenv-all --read-only-tmpfs --latest ",
	},
	{ // compose
		value: "elnpuvw", flags: "dTitPqQ", chdir: " -w --workdir ", user: " -u --user ", lax: true,
		bools: " --build --detach --interactive --no-deps --no-tty --no-TTY --quiet-pull --quiet-build --quiet --remove-orphans --rm --service-ports --use-aliases --privileged --dry-run ",
	},
}
