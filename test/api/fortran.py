#!/usr/bin/env python3
"""Calls every procedure of the standard that the library has from Fortran: by keyword with `use mpi`, by position with
mpif.h, each as MPI_ and as PMPI_; compares the constants, those of mpi_f08 too.  Usage: fortran.py PREFIX

Arguments have the types that the standard's data give them, so the compiler tells which interface differs; the link
tells which symbol is missing.  One line a test, then "N passed, N failed[, N skipped]".
"""

import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile

import mpi_h
import standard

HERE = os.path.dirname(os.path.abspath(__file__))
ADDRESS, COUNT, OFFSET = (f"integer(MPI_{kind}_KIND)" for kind in ("ADDRESS", "COUNT", "OFFSET"))
TYPES = {
    "LOGICAL": "logical",
    "LOGICAL_VOID": "logical",
    "LOGICAL_OPTIONAL": "logical",
    "STRING": "character(64)",
    "STRING_ARRAY": "character(64)",
    "STRING_2DARRAY": "character(64)",
    "ATTRIBUTE_VAL": ADDRESS,
    "EXTRA_STATE": ADDRESS,
    "ATTRIBUTE_VAL_10": "integer",
    "EXTRA_STATE2": "integer",
    "C_BUFFER": ADDRESS,
    "OFFSET": OFFSET,
}
BUFFERS = ("BUFFER", "C_BUFFER2", "C_BUFFER3", "C_BUFFER4")
FUNCTIONS = ("FUNCTION", "POLYFUNCTION")
C_TYPES = {"MPI_Aint": ADDRESS, "MPI_Count": COUNT, "MPI_Offset": OFFSET}
RETURNS = {"WALL_TIME": "real(8)", "TICK_RESOLUTION": "real(8)", "LOCATION_SMALL": ADDRESS, "DISPLACEMENT": ADDRESS}
passed = failed = 0


def report(name, wrong):
    global passed, failed
    passed, failed = passed + (not wrong), failed + bool(wrong)
    print(f"{'not ok' if wrong else 'ok'} - {name}")
    for line in wrong[:20]:
        print("   ", line)


def fortran_type(p):
    """(declaration without a name, dimensions)"""
    kind = p["kind"]
    if kind in ("STATUS", "F90_STATUS"):
        return "integer", "(MPI_STATUS_SIZE, 9)" if p["length"] is not None else "(MPI_STATUS_SIZE)"
    if kind in BUFFERS:
        return "real(8)", "(3, 3)"
    dimensions = ""
    if p["length"] is not None and kind != "STRING":
        dimensions = "(3, 9)" if isinstance(p["length"], list) or kind == "STRING_2DARRAY" else "(9)"
    if kind == "STRING_ARRAY":
        dimensions = "(9)"
    return TYPES.get(kind) or C_TYPES.get(standard.c_type(kind, False), "integer"), dimensions


def parameters(procedure):
    return [p for p in procedure["parameters"] if "f90_parameter" not in p["suppress"] and p["kind"] != "VARARGS"
            and not p["large_only"]]


def caller(number, procedure, name, keywords):
    """A subroutine of the module that calls one procedure."""
    names, declared = [], []
    for p in parameters(procedure):
        if p["kind"] in FUNCTIONS:
            names.append((p["name"], "some_function"))
            continue
        kind, dimensions = fortran_type(p)
        names.append((p["name"], f"a_{p['name']}"))
        declared.append(f"{kind} :: a_{p['name']}{dimensions}")
    given = [f"{n}={value}" if keywords else value for n, value in names]
    returned = RETURNS.get(procedure["return_kind"])
    head, tail = [f"subroutine call{number}"], ["end subroutine"]
    body = declared + ["external :: some_function"]
    if returned:
        body += [f"{returned} :: result", f"result = {name}("]
    else:
        body += [f"call {name}("]
    return head + body[:-1] + [body[-1] + (", ".join(given) if given else "") + ")"] + tail


def broken(line):
    """A statement of several lines."""
    return re.sub(r"(.{80,100}?), ", r"\1, &\n    ", line)


def program(procedures, header, keywords):
    """The text, and which procedure each of its lines calls.  They are of one module: the compiler reads the declarations
    once, which for each of them would be minutes."""
    declarations = ["use mpi", "implicit none"] if header == "use mpi" else ["implicit none", "include 'mpif.h'"]
    lines, owner = ["module calls", *declarations, "contains"], {}
    for number, procedure in enumerate(procedures):
        for prefix in ("", "P"):
            text = caller(f"{prefix}{number}", procedure, prefix + procedure["name"], keywords)
            for line in "\n".join(broken(line) for line in text).splitlines():
                lines.append(line)
                owner[len(lines)] = prefix + procedure["name"]
    lines += ["end module", "subroutine some_function()", "end subroutine", "program main", "end program"]
    return "\n".join(lines) + "\n", owner


def compile_and_link(prefix, text, name):
    with tempfile.TemporaryDirectory() as work:
        source = os.path.join(work, name + ".f90")
        with open(source, "w", encoding="utf-8") as file:
            file.write(text)
        done = subprocess.run([os.path.join(prefix, "bin", "mpifort"), "-fmax-errors=0", "-O0", "-J" + work, source,
                               "-o", os.path.join(work, name)], capture_output=True, text=True, check=False, timeout=600)
        output = ""
        if done.returncode == 0:
            output = subprocess.run([os.path.join(work, name)], capture_output=True, text=True, check=False,
                                    timeout=100).stdout
        return done.stderr, output


def compare_calls(header, procedures, owner, errors):
    wrong = {}
    # gfortran: file:line:column: ... Error: words; the linker: undefined reference to `name_'
    for line, words in re.findall(r"calls\.f90:(\d+):\d+:\n(?:.*\n)*?(?:Error|Fatal Error): (.*)", errors):
        wrong.setdefault(owner.get(int(line), "?"), []).append(words)
    for symbol in re.findall(r"undefined reference to `(\w+?)_'", errors):
        wrong.setdefault(symbol, []).append("the library does not have it")
    if errors and not wrong and "rror" in errors:
        wrong["?"] = errors.splitlines()[:9]
    names = {(prefix + p["name"]).lower() for p in procedures for prefix in ("", "P")}
    for p in procedures:
        mine = [w for n in (p["name"], "P" + p["name"]) for key in (n, n.lower()) for w in wrong.get(key, [])]
        report(f"{header}: {p['name']}", sorted(set(mine)))
    report(f"{header}: nothing else", [w for n, ws in wrong.items() if n.lower() not in names for w in ws])


def constants(directory, header):
    """{name: value} of the INTEGER constants of Fortran."""
    dialect = "f08" if header == "use mpi_f08" else "f90"
    with open(os.path.join(directory, "mpi-standard-5.0-abi.json"), encoding="utf-8") as file:
        data = json.load(file)["constants"]
    found = {}
    for c in data.values():
        kind = (c["handle_types"].get(dialect) or {}).get("type")
        if kind == "INTEGER" and isinstance(c["abi_value"], int):
            length = re.fullmatch(r"MPI_MAX_\w+", c["name"])
            found[c["name"]] = c["abi_value"] - (1 if length else 0)
    return found


def constants_program(wanted, header):
    lines = ["program main"]
    lines += ["implicit none", "include 'mpif.h'"] if header == "mpif.h" else [header, "implicit none"]
    return "\n".join(lines + [f"print *, '{name}', {name}" for name in wanted] + ["end program"]) + "\n"


def compare_constants(header, wanted, errors, output):
    got = {line.split()[0]: int(line.split()[1]) for line in output.splitlines()}
    wrong = [f"{n} is {got.get(n)}, in the standard {v}" for n, v in wanted.items() if got.get(n) != v]
    report(f"{header}: {len(wanted)} constants", (errors.splitlines() if errors else []) + wrong)


def main():
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    prefix = sys.argv[1]
    directory = os.environ.get("MPI_STANDARD") or os.path.join(HERE, "..", "..", "..", "shared", "standard")
    if not os.path.exists(os.path.join(prefix, "bin", "mpifort")):
        print("skipped - Fortran: there is no mpifort")
        print("0 passed, 0 failed, 1 skipped")
        return
    if not os.path.isdir(directory):
        print(f"skipped - Fortran against the standard: {directory} is not there; MPI_STANDARD names another folder")
        print("0 passed, 0 failed, 1 skipped")
        return
    with open(os.path.join(prefix, "include", "mpi.h"), encoding="utf-8") as header:
        declared = mpi_h.prototypes(header.read())
    with open(os.path.join(directory, "mpi-standard-5.0-apis.json"), encoding="utf-8") as file:
        procedures = [p for p in json.load(file).values() if p["attributes"]["f90_expressible"]
                      and not p["attributes"]["callback"] and p["name"] in declared]
    procedures = [p for p in procedures if not p["attributes"]["not_with_mpif"]]
    with concurrent.futures.ThreadPoolExecutor(min(2, os.cpu_count() or 1)) as pool:
        compile_it = lambda text, name: pool.submit(compile_and_link, prefix, text, name)
        calls, values = [], []
        for header, keywords in (("use mpi", True), ("mpif.h", False)):
            text, owner = program(procedures, header, keywords)
            calls.append((header, owner, compile_it(text, "calls")))
        for header in "use mpi", "mpif.h", "use mpi_f08":
            wanted = constants(directory, header)
            values.append((header, wanted, compile_it(constants_program(wanted, header), "constants")))
        for header, owner, compiling in calls:
            compare_calls(header, procedures, owner, compiling.result()[0])
        for header, wanted, compiling in values:
            compare_constants(header, wanted, *compiling.result())
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
