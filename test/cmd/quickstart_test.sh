#!/usr/bin/env bash
# test/cmd/quickstart_test.sh PREFIX - the README's first command, once more on what is built: it runs every example, and
# ends well.
set -u
prefix=$(cd "${1:?usage: test/cmd/quickstart_test.sh PREFIX}" && pwd)
. "$(dirname "$0")/lib.sh"
cd "$(dirname "$0")/../.." || exit 1

export PREFIX=$prefix
LIMIT=300 check 'maint/quickstart' maint/quickstart
finish
