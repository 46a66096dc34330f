#!/usr/bin/env bash
# test/dist.sh BUILD - `make dist` in a configured build; the tarball then configures, builds and installs without
# Python and autotools.
set -u
build=${1:?usage: test/dist.sh BUILD}
build=$(cd "$build" && pwd)
top=$(cd "$(dirname "$0")/.." && pwd)
. "$(dirname "$0")/cmd/lib.sh"
cd "$work" || exit 1

LIMIT=600 check "make dist" make -C "$build" dist distdir=treefold-dist DIST_TARGETS=dist-xz
mv "$build/treefold-dist.tar.xz" . && tar -xf treefold-dist.tar.xz || finish
if files=$(git -C "$top" ls-files 2>/dev/null); then
    equal "the tarball holds what the repository does" "" \
        "$(grep -v '^\.ci/\|^\.gitignore$' <<<"$files" | while read -r file; do [ -e "treefold-dist/$file" ] || echo "$file"; done)"
else
    skip "the tarball holds what the repository does" "this is no repository of git"
fi
check "the tarball holds the generated binding" test -f treefold-dist/binding_c/gen/mpi.h
check "and that of C++" test -f treefold-dist/binding_cxx/gen/predefined.inc
check "and nothing that Python left" test -z "$(find treefold-dist -name __pycache__)"
mkdir build
cd build || exit 1
# Missing tools, as they are for a user: had make to generate anything again, it would fail.  And
# flags with which reductions would lose NaNs: those of configure are left out, and the kernels refuse others.
check "configure" env CONFIG_SHELL=/bin/sh ../treefold-dist/configure --prefix="$work/install" --disable-static --quiet \
    CFLAGS="-O0 -ffast-math" FCFLAGS=-O0 PYTHON3=no ACLOCAL=false AUTOMAKE=false AUTOCONF=false AUTOHEADER=false
LIMIT=600 check "make" make -s -j2
check "make install" make -s install
check "make uninstall" make -s uninstall
equal "uninstall leaves nothing" "" "$(find "$work/install" ! -type d)"
finish
