"""How Fortran declares the procedures of maint/api: the syntax that manual pages show, for mpi_f08 and for mpif.h.

Only the kinds that the documented procedures have are here: a kind without a row stops the generator.
"""

import textwrap

from api import Argument

HANDLES = {
    "comm": "MPI_Comm",
    "type": "MPI_Datatype",
    "types": "MPI_Datatype",
    "anytype": "MPI_Datatype",
    "op": "MPI_Op",
    "info": "MPI_Info",
    "hints": "MPI_Info",
    "request": "MPI_Request",
}
COUNT, ADDRESS = "INTEGER(KIND=MPI_COUNT_KIND)", "INTEGER(KIND=MPI_ADDRESS_KIND)"
INTEGERS = {  # the kinds that are INTEGER, and what they are in the large-count forms
    "count": COUNT,
    "counts": COUNT,
    "displs": ADDRESS,
    "root": "INTEGER",
    "int": "INTEGER",
}
ARRAYS = ("counts", "displs", "types")
# C's int stands for Fortran's INTEGER and LOGICAL alike.
LOGICALS = ("commute", "flag")
LASTING = ("buffer", "counts", "displs", "types")  # what a nonblocking operation reads or writes after the call
INTENTS = {"in": "INTENT(IN)", "out": "INTENT(OUT)", "inout": "INTENT(INOUT)", "free": "INTENT(INOUT)"}


def f08_type(a, large):
    if a.kind == "buffer":
        return "TYPE(*), DIMENSION(..)"
    if a.kind in HANDLES:
        return f"TYPE({HANDLES[a.kind]})"
    if a.kind == "function":
        return f"PROCEDURE({a.of[0]})"
    if a.name in LOGICALS:
        return "LOGICAL"
    return INTEGERS[a.kind] if large else "INTEGER"


def f08_attributes(a, lasting):
    """What follows the type: [attributes]."""
    attributes = []
    if a.kind != "function" and not (a.kind == "buffer" and a.direction != "in"):
        attributes.append(INTENTS[a.direction])
    if lasting and a.kind in LASTING:
        attributes.append("ASYNCHRONOUS")
    return attributes


def group(declared):
    """[(type, [names])] of [(type, name)], neighbours of the same type joined."""
    groups = []
    for kind, name in declared:
        if not (groups and groups[-1][0] == kind):
            groups.append((kind, []))
        groups[-1][1].append(name)
    return groups


def wrapped(text, indent, width=71):
    return textwrap.wrap(text, width, subsequent_indent=" " * indent, break_long_words=False, break_on_hyphens=False)


def f08(name, arguments, large=False, lasting=False):
    """The lines of the mpi_f08 syntax; `lasting`: the operation goes on after the call."""
    lines = wrapped(f"{name}({', '.join([a.name for a in arguments] + ['ierror'])})", 8)
    declared = []
    for a in arguments:
        kind = ", ".join([f08_type(a, large)] + f08_attributes(a, lasting))
        declared.append((kind, a.name + ("(*)" if a.kind in ARRAYS else "")))
    declared.append(("INTEGER, OPTIONAL, INTENT(OUT)", "ierror"))
    for kind, names in group(declared):
        lines += wrapped(f"    {kind} :: {', '.join(names)}", 8)
    return lines


def f77_type(a):
    if a.kind == "buffer":
        return "<type>"
    if a.kind == "function":
        return "EXTERNAL"
    if a.name in LOGICALS:
        return "LOGICAL"
    if a.kind in HANDLES or a.kind in INTEGERS:
        return "INTEGER"
    raise SystemExit(f"maint/gen/fortran.py has no row for the kind {a.kind} of {a.name}")


def f77(name, arguments):
    """The lines of the syntax for `use mpi` and mpif.h."""
    arguments = [*arguments, Argument("ierror", "out", "int", [])]
    lines = wrapped(f"{name.upper()}({', '.join(a.name.upper() for a in arguments)})", 8)
    declared = [(f77_type(a), a.name.upper() + ("(*)" if a.kind in ("buffer", *ARRAYS) else "")) for a in arguments]
    for kind, names in group(declared):
        lines += wrapped(f"    {kind} {', '.join(names)}", 8)
    return lines
