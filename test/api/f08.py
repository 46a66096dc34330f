#!/usr/bin/env python3
"""Compares mpi_f08 with the standard's machine-readable form, where that is at hand (the folder in MPI_STANDARD, or
shared/standard beside the source tree).

    f08.py SOURCE PREFIX

For every procedure of the standard that mpi.h declares: its specific procedures, their large-count and their PMPI forms
are in the library, declared with the standard's names, types and intents; a program that calls each of them with
keywords, by the generic and by the specific name, compiles.
"""

import json
import os
import re
import subprocess
import sys
import tempfile

SOURCE, PREFIX = (os.path.abspath(a) for a in sys.argv[1:3])
sys.path.insert(0, os.path.join(SOURCE, "maint", "gen"))
sys.dont_write_bytecode = True

import api  # noqa: E402  (found in the source tree)
import f08_procedures  # noqa: E402

COUNT, ADDRESS = "INTEGER(KIND=MPI_COUNT_KIND)", "INTEGER(KIND=MPI_ADDRESS_KIND)"
HANDLES = {
    "COMMUNICATOR": "Comm", "DATATYPE": "Datatype", "ERRHANDLER": "Errhandler", "FILE": "File", "GROUP": "Group",
    "INFO": "Info", "MESSAGE": "Message", "OPERATION": "Op", "REQUEST": "Request", "SESSION": "Session",
    "STATUS": "Status", "F08_STATUS": "Status", "WINDOW": "Win",
}
TYPES = {
    **{kind: f"TYPE(MPI_{name})" for kind, name in HANDLES.items()},
    **dict.fromkeys(("BUFFER",), "TYPE(*), DIMENSION(..)"),
    **dict.fromkeys(("C_BUFFER", "C_BUFFER2"), "TYPE(C_PTR)"),
    **dict.fromkeys(("LOGICAL", "LOGICAL_OPTIONAL", "LOGICAL_VOID"), "LOGICAL"),
    **dict.fromkeys(
        ("EXTRA_STATE", "ATTRIBUTE_VAL", "DISPLACEMENT", "LOCATION_SMALL", "ALLOC_MEM_NUM_BYTES", "WINDOW_SIZE",
         "RMA_DISPLACEMENT_NNI", "WIN_ATTACH_SIZE"), ADDRESS),
    **dict.fromkeys(("NUM_BYTES", "XFER_NUM_ELEM", "XFER_NUM_ELEM_NNI"), COUNT),
    "OFFSET": "INTEGER(KIND=MPI_OFFSET_KIND)",
}  # fmt: skip
# kind: (type, type in the large-count form)
POLYMORPHIC = {
    "POLYDISPLACEMENT": ("INTEGER", ADDRESS),
    "POLYRMA_DISPLACEMENT": ("INTEGER", ADDRESS),
    "POLYDISPLACEMENT_AINT_COUNT": (ADDRESS, COUNT),
    "POLYDISPOFFSET": (ADDRESS, COUNT),
    "POLYDTYPE_PACK_SIZE": (ADDRESS, COUNT),
    "POLYDTYPE_STRIDE_BYTES": (ADDRESS, COUNT),
    "POLYLOCATION": (ADDRESS, COUNT),
}
RESULTS = {"WALL_TIME": "DOUBLE PRECISION", "TICK_RESOLUTION": "DOUBLE PRECISION"}
INTENTS = {"in": "INTENT(IN)", "out": "INTENT(OUT)", "inout": "INTENT(INOUT)"}


def standard():
    """The standard's procedures by name, or None."""
    for folder in (os.environ.get("MPI_STANDARD"), os.path.join(SOURCE, "..", "shared", "standard")):
        path = os.path.join(folder or "", "mpi-standard-5.0-apis.json")
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                return {p["name"]: p for p in json.load(file).values()}
    return None


def parameters(procedure, large):
    """Those that mpi_f08 has of it, ierror left out."""
    return [
        p
        for p in procedure["parameters"]
        if "f08_parameter" not in p["suppress"]
        and p["name"] not in ("ierror", "varargs")
        and (large or not p["large_only"])
    ]


def type_of(procedure, p, large):
    kind = p["kind"]
    if kind in ("FUNCTION", "POLYFUNCTION"):
        return f"PROCEDURE({p['func_type']}{'_c' if kind == 'POLYFUNCTION' and large else ''})"
    if kind in POLYMORPHIC:
        return POLYMORPHIC[kind][large]
    if kind.startswith("POLY"):
        return COUNT if large else "INTEGER"
    if kind == "STRING":
        return f"CHARACTER(LEN={p['length'] or '*'})"
    if kind in ("STRING_ARRAY", "STRING_2DARRAY"):
        return "CHARACTER(LEN=*)"
    if kind == "GENERIC_DTYPE_COUNT":
        return COUNT
    return TYPES.get(kind, "INTEGER")


def dimensions(p):
    if p["kind"] == "F90_STATUS":
        return "(MPI_STATUS_SIZE)"
    if p["kind"] == "STRING_2DARRAY":
        return f"({p['length']}, *)"
    if p["kind"] == "STRING_ARRAY" or p["length"] == "":
        return "(*)"
    if p["length"] is None or p["kind"] == "STRING":
        return ""
    if isinstance(p["length"], list):
        return "(" + ", ".join(reversed(p["length"])) + ")"
    return f"({p['length']})"


def declaration(procedure, p, large):
    """What the standard has of a parameter: TYPE, ATTRIBUTES :: NAME."""
    words = [type_of(procedure, p, large)]
    no_intent = "f08_intent" in p["suppress"] or "PROCEDURE" in words[0]
    no_intent = no_intent or p["kind"] == "STATUS" and p["param_direction"] == "out"
    no_intent = no_intent or p["kind"] == "BUFFER" and p["param_direction"] != "in"
    if not no_intent:
        words.append(INTENTS[p["param_direction"]])
    if p["asynchronous"]:
        words.append("ASYNCHRONOUS")
    return f"{', '.join(words)} :: {p['name']}{dimensions(p)}"


def loosely(line):
    """A declaration without what the data say of it in more ways than one: lengths of arrays, and those of asynchronous
    arguments of persistent operations, whose data lack the attribute in places."""
    line = re.sub(r" :: (\w+)\(.*\)$", r" :: \1(:)", line.replace(" ", "").replace("::", " :: "))
    return line.replace(",ASYNCHRONOUS", "")


def check_declarations(mine, procedures):
    wrong = []
    for s in mine:
        procedure = procedures.get(s.generic) or procedures.get(s.generic.removesuffix("_c"))
        if s.generic == "MPI_Sizeof" or s.generic.startswith("MPIX_"):
            continue
        if procedure is None:
            wrong.append(f"{s.specific} is not in the standard")
            continue
        found = {d.split(" :: ")[1].split("(")[0]: d for d in s.declarations()}
        for p in parameters(procedure, s.large):
            wanted, got = declaration(procedure, p, s.large), found.pop(p["name"], "nothing")
            if loosely(got) != loosely(wanted):
                wrong.append(f"{s.specific}: {got}; in the standard {wanted}")
            elif p["asynchronous"] and "ASYNCHRONOUS" not in got:
                wrong.append(f"{s.specific}: {p['name']} is not ASYNCHRONOUS")
        names = [p["name"] for p in parameters(procedure, s.large)]
        if [a.name for a in s.arguments] != names:
            wrong.append(f"{s.specific}: arguments {[a.name for a in s.arguments]}, in the standard {names}")
        found.pop("ierror", None)
        wrong += [f"{s.specific}: {name} is not in the standard" for name in found]
    return wrong


def wanted_names(procedures):
    """(standard's entry, specific name, large) of all that mpi_f08 has to have, by what mpi.h declares."""
    with open(os.path.join(PREFIX, "include", "mpi.h"), encoding="utf-8") as header:
        declared = set(re.findall(r"\b(MPI_\w+)\(", header.read()))
    for name, procedure in sorted(procedures.items()):
        attributes = procedure["attributes"]
        if not attributes["f08_expressible"] or attributes["callback"] or attributes["predefined_function"]:
            continue
        suffix = "_f08ts" if any(p["kind"] == "BUFFER" for p in procedure["parameters"]) else "_f08"
        if name in declared or name in ("MPI_Sizeof", "MPI_F_sync_reg"):
            yield procedure, name + suffix, False
        if name + "_c" in declared:
            yield procedure, f"{name}_c{suffix}", True


def check_symbols(wanted):
    library = os.path.join(PREFIX, "lib", "libmpifort_abi.so")
    listed = subprocess.run(["nm", "-D", "--defined-only", library], stdout=subprocess.PIPE, encoding="utf-8", check=True)
    kinds = {line.split()[-1]: line.split()[-2] for line in listed.stdout.splitlines()}
    wrong = []
    for _, name, _ in wanted:
        if kinds.get(f"{name.lower()}_") != "W":
            wrong.append(f"{name} is not a weak symbol of the library")
        if kinds.get(f"p{name.lower()}_") != "T":
            wrong.append(f"P{name} is not a symbol of the library")
    return wrong


# ---- the program of keyword calls --------------------------------------------------------------------------------


def variable(procedure, p, large):
    """(declaration, name) of what is passed."""
    kind = type_of(procedure, p, large)
    name = f"{p['name']}_"
    if kind.startswith("PROCEDURE"):
        return f"{kind}, POINTER :: {name}", name
    kind = "INTEGER" if kind.startswith("TYPE(*)") else re.sub(r"LEN=.*\)", "LEN=10000)", kind)
    shape = {"": "", "(": "(9)"}[dimensions(p)[:1]]
    shape = "(3, 9)" if isinstance(p["length"], list) or p["kind"] == "STRING_2DARRAY" else shape
    return f"{kind} :: {name}{shape}", name


def call(procedure, name, large):
    """A subroutine that calls it with keywords; what goes in is an expression, which INTENT(OUT) would not take."""
    declared, words = [], []
    for p in parameters(procedure, large):
        line, value = variable(procedure, p, large)
        declared.append(line)
        plain = p["param_direction"] == "in" and "PROCEDURE" not in line and p["kind"] != "BUFFER"
        words.append(f"{p['name']}={f'({value})' if plain else value}")
    lines = ["subroutine keywords()"] + declared + ["integer :: ierror_"]
    fails = any(p["name"] == "ierror" for p in procedure["parameters"])
    if procedure["return_kind"] != "ERROR_CODE":
        lines += [f"print *, {name}({', '.join(words)})"]
    else:
        for passed in [words + ["ierror=ierror_"]] * fails + [words]:
            lines.append(f"call {name}(" + ", &\n    ".join(passed) + ")")
    return "\n".join(lines + ["end subroutine", ""])


def compiles(folder, name, text):
    """The compiler's words if it does not."""
    path = os.path.join(folder, name + ".f90")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    compiler = os.path.join(PREFIX, "bin", "mpifort")
    command = [compiler, "-c", "-O0", "-ffree-line-length-none", path, "-o", os.path.join(folder, "out.o")]
    done = subprocess.run(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", check=False, timeout=600
    )
    return done.stdout if done.returncode else None


def check_keywords(wanted, mine):
    distinct = {s.specific: s.distinct for s in mine}
    texts = []
    for procedure, specific, large in wanted:
        generic = procedure["name"] + ("_c" if procedure["name"] in ("MPI_Op_create", "MPI_Register_datarep") and large else "")
        names = [specific] + ([generic] if distinct.get(specific, True) else [])
        texts += [call(procedure, prefix + n, large) for n in names for prefix in ("", "P")]
    together = "module keywords\nuse, intrinsic :: iso_c_binding, only: C_PTR\nuse :: mpi_f08\nimplicit none\ncontains\n"
    together += "".join(t.replace("keywords()", f"keywords_{i}()") for i, t in enumerate(texts)) + "end module\n"
    with tempfile.TemporaryDirectory() as folder:
        words = compiles(folder, "keywords", together)
        wrong = [words] if words else []
        # The test is tested: a wrong keyword, and an expression where something comes out.
        for bad in ("call MPI_Comm_rank(comm=MPI_COMM_WORLD, place=i)", "call MPI_Comm_rank(MPI_COMM_WORLD, (i))"):
            text = f"program bad\nuse mpi_f08\ninteger :: i\n{bad}\nend program\n"
            if not compiles(folder, "bad", text):
                wrong.append(f"this compiles: {bad}")
    return wrong, len(texts)


def main():
    procedures = standard()
    if procedures is None:
        print("skipped - mpi_f08 (the standard's data are not at hand)\n0 passed, 0 failed, 1 skipped")
        return 0
    mine = [s for chapter in api.read(os.path.join(SOURCE, "maint", "api")) for s in f08_procedures.specifics(chapter)]
    wanted = list(wanted_names(procedures))
    keywords, calls = check_keywords(wanted, mine)
    failed = 0
    for name, wrong in (
        (f"mpi_f08: names, types and intents of {len(mine)} specific procedures", check_declarations(mine, procedures)),
        (f"mpi_f08: {len(wanted)} specific procedures and their PMPI forms in the library", check_symbols(wanted)),
        (f"mpi_f08: {calls} ways of calling them with keywords compile", keywords),
    ):
        print(f"not ok - {name}\n    " + "\n    ".join("\n".join(wrong).splitlines()[:60]) if wrong else f"ok - {name}")
        failed += bool(wrong)
    print(f"{3 - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
