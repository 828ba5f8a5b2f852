#!/usr/bin/env bash
# Judges everything that a branch brings, without Claude Code: builds devflow from this checkout of its source, compares the
# work tree with BASE, prints the verdict and writes judge.sarif beside it.
#   usage: judge.sh BASE        exit codes: 0 PASS or WARN, 3 FAIL, anything else: could not judge
# DEVFLOW names a program that is built already; CGO_ENABLED and the toolchain are those of the caller.
set -uo pipefail
base=${1:?usage: judge.sh BASE}
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
if [ -z "${DEVFLOW:-}" ]; then
	DEVFLOW=$(mktemp -d)/devflow
	(cd "$source" && go build -trimpath -tags=osusergo,netgo,sqlite_omit_load_extension -o "$DEVFLOW" ./cmd/devflow) || exit 1
fi
"$DEVFLOW" judge --base "$base" --sarif > judge.sarif
"$DEVFLOW" judge --base "$base"
