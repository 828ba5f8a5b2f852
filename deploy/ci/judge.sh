#!/usr/bin/env bash
# Judges everything that a branch brings, without Claude Code: builds devflow from this checkout of its source, compares the
# work tree with BASE, prints the verdict and writes judge.sarif into the present folder.
#   usage: judge.sh BASE        exit codes: 0 PASS, WARN or nothing to judge, 3 FAIL, anything else: could not judge
# DEVFLOW names a program that is built already; CGO_ENABLED and the toolchain are those of the caller.
set -uo pipefail
base=${1:?usage: judge.sh BASE}
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd) || exit 1
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
if [ -z "${DEVFLOW:-}" ]; then
	DEVFLOW=$scratch/devflow
	(cd "$source" && go build -trimpath -tags=osusergo,netgo,sqlite_omit_load_extension -o "$DEVFLOW" ./cmd/devflow) || exit 1
fi
rm -f judge.sarif # that of an earlier run is no part of the change
"$DEVFLOW" judge --base "$base"
verdict=$?
"$DEVFLOW" judge --base "$base" --sarif > "$scratch/judge.sarif" 2> /dev/null
if [ -s "$scratch/judge.sarif" ]; then
	cp "$scratch/judge.sarif" judge.sarif || exit 1
fi
exit "$verdict"
