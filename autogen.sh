#!/bin/sh
# autogen.sh - makes `configure` in a checkout of git (a release tarball has it).
cd "$(dirname "$0")" && mkdir -p m4 && maint/chapters && exec autoreconf --install --force
