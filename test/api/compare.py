#!/usr/bin/env python3
"""Compares mpi.h with the MPI standard's data, and the library with mpi.h.

Usage: compare.py MPI_H [LIBRARY]

The standard's data is looked for in $MPI_STANDARD, then in ../shared/standard beside the checkout; without it those
tests are skipped.  One line a test, then "N passed, N failed[, N skipped]".
"""

import os
import subprocess
import sys

import mpi_h
import standard

HERE = os.path.dirname(os.path.abspath(__file__))
counts = {"passed": 0, "failed": 0, "skipped": 0}


def report(name, wrong):
    """One test: `wrong` lists what is not as it should be."""
    counts["failed" if wrong else "passed"] += 1
    print(f"{'not ok' if wrong else 'ok'} - {name}")
    for line in wrong[:20]:
        print("   ", line)


def skip(name, reason):
    counts["skipped"] += 1
    print(f"ok - {name} # skipped: {reason}")


def same_prototype(declared, expected):
    returns, parameters = expected
    wanted = (mpi_h.normal(returns), [(mpi_h.normal(t), n) for t, n in parameters])
    return declared == wanted


def words(name, prototype):
    returns, parameters = prototype
    return f"{returns} {name}({', '.join(f'{t} {n}' for t, n in parameters)})"


def compare_prototypes(declared, expected):
    """Each declared MPI_ procedure is the standard's, or was; each has its PMPI_ twin; each standard form is whole."""
    extensions = [n for n in declared if n.startswith("MPIX_")]
    for name in sorted(n for n in declared if n.startswith("MPI_")):
        if name not in expected:
            report(f"prototype {name}", ["the standard has no such procedure"])
            continue
        wrong = []
        if not same_prototype(declared[name], expected[name]):
            wrong = [f"mpi.h:    {words(name, declared[name])}", f"standard: {words(name, expected[name])}"]
        if name + "_c" in expected and name + "_c" not in declared:
            wrong.append(f"{name}_c is missing")
        report(f"prototype {name}", wrong)
    print(f"# extensions: {', '.join(sorted(extensions))}")


def compare_constants(declared, expected):
    for name, (ctype, value) in sorted(expected.items()):
        if ctype is None:  # Fortran only
            continue
        found = declared.get(name)
        wanted = (mpi_h.normal(ctype), value)
        report(f"constant {name}", [] if found == wanted else [f"mpi.h: {found}, standard: {wanted}"])


def compare_removed(declared, values, expected):
    """All that MPI-3.0 removed is there; its numbers are no others' of their kind."""
    wrong = [f"{n} is missing" for n in standard.REMOVED if n not in declared]
    removed = ("MPI_LB", "MPI_UB", "MPI_COMBINER_HVECTOR_INTEGER", "MPI_COMBINER_HINDEXED_INTEGER",
               "MPI_COMBINER_STRUCT_INTEGER")  # fmt: skip
    taken = {(mpi_h.normal(ctype), value) for ctype, value in expected.values() if ctype}
    wrong += [f"{n} is {values.get(n)}" for n in removed if n not in values or values[n] in taken]
    report("what was removed is there, with numbers that are free", wrong)


def compare_twins(declared):
    names = {n for n in declared if not n.startswith("P")}
    wrong = [f"P{n} is missing or differs" for n in names if declared.get("P" + n) != declared[n]]
    wrong += [f"{n[1:]} is missing" for n in declared if n.startswith("P") and n[1:] not in names]
    report("every MPI_ procedure has its PMPI_ twin", sorted(wrong))


def compare_library(declared, library):
    """The library shows what mpi.h declares and nothing else; MPI_ names are weak, PMPI_ names are not."""
    output = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True).stdout
    shown = {line.split()[-1].split("@")[0]: line.split()[-2] for line in output.splitlines()}
    report("the library has every procedure of mpi.h", sorted(n for n in declared if n not in shown))
    report("the library shows nothing else", sorted(n for n in shown if n not in declared))
    weak = [n for n in declared if n in shown and (shown[n] == "W") != (not n.startswith("P"))]
    report("MPI_ names are weak and PMPI_ names are strong", sorted(weak))


def main():
    if len(sys.argv) not in (2, 3):
        raise SystemExit(__doc__)
    with open(sys.argv[1], encoding="utf-8") as header:
        text = header.read()
    declared = mpi_h.prototypes(text)
    directory = os.environ.get("MPI_STANDARD") or os.path.join(HERE, "..", "..", "..", "shared", "standard")
    if os.path.isdir(directory):
        compare_prototypes(declared, standard.prototypes(directory))
        compare_constants(mpi_h.constants(text), standard.constants(directory))
        compare_removed(declared, mpi_h.constants(text), standard.constants(directory))
    else:
        skip("mpi.h against the standard", f"{directory} is not there; MPI_STANDARD names another folder")
    compare_twins(declared)
    if len(sys.argv) == 3:
        compare_library(declared, sys.argv[2])
    tail = f", {counts['skipped']} skipped" if counts["skipped"] else ""
    print(f"{counts['passed']} passed, {counts['failed']} failed{tail}")
    sys.exit(1 if counts["failed"] else 0)


if __name__ == "__main__":
    main()
