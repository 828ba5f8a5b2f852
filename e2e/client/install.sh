#!/bin/sh
# Installs the pinned Claude Code clients that the end-to-end tests and the demo drive: `install.sh [VERSION…]`, default all
# folders beside this file. Needs npm, once; a second call only looks. Prints nothing when there is nothing to do.
#
# Install scripts stay off: they would only copy the native program over a launcher, and the tests start the native program
# (node_modules/@anthropic-ai/claude-code-<platform>/claude) themselves, so the client needs no Node at run time.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
[ $# -gt 0 ] || set -- $(cd "$here" && ls -d [0-9]*/ | tr -d /)

installed() { # installed VERSION: is a native program of exactly this version there?
	for manifest in "$here/$1"/node_modules/@anthropic-ai/claude-code-*/package.json; do
		[ -x "${manifest%/*}/claude" ] && grep -q "\"version\": *\"$1\"" "$manifest" && return 0
	done
	return 1
}

for version; do
	[ -f "$here/$version/package-lock.json" ] || { echo "install client: $version is not pinned under $here" >&2; exit 2; }
	installed "$version" && continue
	command -v npm >/dev/null || { echo "install client: npm is missing; install Node (apt-get install nodejs npm)" >&2; exit 1; }
	echo "installing Claude Code $version for the end-to-end tests" >&2
	log=$(mktemp)
	(cd "$here/$version" && npm ci --ignore-scripts --no-audit --no-fund) >"$log" 2>&1 || { cat "$log" >&2; rm -f "$log"; exit 1; }
	rm -f "$log"
	installed "$version" || { echo "install client: $version has no native program for this platform" >&2; exit 1; }
done
