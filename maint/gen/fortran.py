"""How Fortran declares the procedures of maint/api: the syntax that manual pages show, for mpi_f08 and for mpif.h."""

import textwrap

import f77 as f77_kinds
from api import Argument
from f08_procedures import Specific, goes_on


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


def f08(name, arguments, large=False, form=""):
    """The lines of the mpi_f08 syntax."""
    s = Specific(name, name, name, arguments, large, goes_on(form, arguments), "", "")
    lines = wrapped(f"{name}({', '.join([a.name for a in arguments] + ['ierror'])})", 8)
    declared = [(", ".join([s.type_of(a)] + s.attributes(a)), a.name + s.extent(a)) for a in arguments]
    declared.append(("INTEGER, OPTIONAL, INTENT(OUT)", "ierror"))
    for kind, names in group(declared):
        lines += wrapped(f"    {kind} :: {', '.join(names)}", 8)
    return lines


def f77(name, arguments):
    """The lines of the syntax for `use mpi` and mpif.h."""
    arguments = [*arguments, Argument("ierror", "out", "int", [])]
    lines = wrapped(f"{name.upper()}({', '.join(a.name.upper() for a in arguments)})", 8)
    declared = []
    for a in arguments:
        kind, dimensions = f77_kinds.declared(a)
        declared.append((kind, a.name.upper() + (f"({dimensions})" if dimensions else "")))
    for kind, names in group(declared):
        lines += wrapped(f"    {kind} {', '.join(names)}", 8)
    return lines
