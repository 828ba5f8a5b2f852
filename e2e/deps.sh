#!/usr/bin/env bash
# Installs what building and testing need. Quick when everything is there. System packages come from apt and need root;
# without root the script says what is missing and ends with status 1.
set -euo pipefail
cd "$(dirname "$0")/.."

declare -A package=(
	[git]=git [gcc]=gcc [musl-gcc]=musl-tools [tmux]=tmux [valgrind]=valgrind [python3]=python3
	[node]=nodejs [npm]=npm [losetup]=mount [mkfs.ext4]=e2fsprogs [unshare]=util-linux [ldd]=libc-bin
)
missing=()
for tool in "${!package[@]}"; do
	PATH="$PATH:/usr/sbin:/sbin" command -v "$tool" >/dev/null || missing+=("${package[$tool]}")
done
if ((${#missing[@]})); then
	if ((EUID != 0)) || ! command -v apt-get >/dev/null; then
		echo "deps: install these first: ${missing[*]}" >&2
		exit 1
	fi
	echo "deps: installing ${missing[*]}"
	export DEBIAN_FRONTEND=noninteractive
	apt-get update -qq
	apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
fi
./e2e/client/install.sh
