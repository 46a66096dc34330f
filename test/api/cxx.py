#!/usr/bin/env python3
"""The namespace MPI of mpicxx.h against the names of MPI-2.2's C++ interface, cxx.list, which a compiler looks up.

    cxx.py PREFIX
"""
import collections
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
MPICXX = os.path.join(sys.argv[1], "bin/mpicxx")


def read_list():
    """{class: [name]}, and [(derived, base)]."""
    names, bases = collections.defaultdict(list), []
    with open(os.path.join(HERE, "cxx.list"), encoding="utf-8") as file:
        for line in file:
            words = line.split("#")[0].split()
            if words[:1] == ["derived"]:
                bases.append(tuple(words[1:]))
            elif words:
                names[words[0]] += words[1:]
    return names, bases


def program(lines):
    return "\n".join(["#include <mpi.h>",
                      "template <class D, class B> struct derives { static int of(const B *); static long long of(...);",
                      "    enum { it = sizeof(of((const D *)0)) == sizeof(int) }; };", *lines, ""])


def lookups(names, bases):
    """A line of C++ for each name, which compiles if it is there."""
    out = []
    for owner, members in names.items():
        for name in members:
            if owner == "namespace":
                out.append(f"namespace look_{name} {{ using MPI::{name}; }}")
            else:
                out.append(f"struct look_{owner}_{name} : MPI::{owner} {{ using MPI::{owner}::{name}; }};")
    return out + [f"typedef char look_{d}_{b}[derives<MPI::{d}, MPI::{b}>::it ? 1 : -1];" for d, b in bases]


def complaints(lines, folder):
    """The lines of those that do not compile."""
    path = os.path.join(folder, "names.cc")
    with open(path, "w", encoding="utf-8") as file:
        file.write(program(lines))
    run = subprocess.run([MPICXX, "-fsyntax-only", "-fmax-errors=0", path], stderr=subprocess.PIPE, text=True, timeout=600,
                         check=False)
    wrong = sorted({int(n) for n in re.findall(r"^[^\n:]*names\.cc:(\d+):\d+: error", run.stderr, re.M)})
    found = [program(lines).splitlines()[n - 1] for n in wrong]
    return found or ([run.stderr.strip()] if run.returncode else [])


def main():
    names, bases = read_list()
    count = sum(map(len, names.values())) + len(bases)
    header = os.path.join(sys.argv[1], "include/mpicxx.h")
    compiler = subprocess.run([MPICXX, "-showme:command"], stdout=subprocess.PIPE, text=True, check=True).stdout
    missing = [what for what in (compiler.split()[0], header) if not shutil.which(what) and not os.path.exists(what)]
    if missing:
        print("skipped - the names of C++: there is no " + missing[0])
        print("0 passed, 0 failed, 1 skipped")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        missing = complaints(lookups(names, bases), folder)
        bogus = lookups({"namespace": ["No_such_name"], "Comm": ["Send", "No_such_member"]}, [("Info", "Comm")])
        noticed = len(complaints(bogus, folder)) == 3
    for good, what in ((not missing, f"the {count} names of MPI-2.2's C++ interface are there"),
                       (noticed, "names that are not there are noticed")):
        print(("ok - " if good else "not ok - ") + what)
    for line in missing:
        print("    " + line)
    failed = (len(missing) > 0) + (not noticed)
    print(f"{2 - failed} passed, {failed} failed")
    return failed > 0


sys.exit(main())
