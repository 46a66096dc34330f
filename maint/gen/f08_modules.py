"""Writes the modules of mpi_f08: types of handles, constants, callbacks, interfaces."""

import os

import fortran
import handle_types
import mpif
from handles import HANDLES

HEAD = "! {name} - {title}\n!\n! Generated from maint/api.\n"
NAMES = sorted(h.name for h in HANDLES)


def wrapped(text, indent):
    """One statement, continued where it is long."""
    lines = fortran.wrapped(text, indent + 4, 110)
    return [" " * indent * (not i) + line + (" &" if i + 1 < len(lines) else "") for i, line in enumerate(lines)]


# ---- types ----------------------------------------------------------------------------------------------------------


def write_types():
    out = [HEAD.format(name="mpi_f08_types", title="kinds, the types of handles and statuses, and their comparison.")]
    out += [
        "module mpi_f08_types",
        "    use, intrinsic :: iso_c_binding, only: c_int, c_intptr_t, c_int64_t, c_ptr",
        "    implicit none",
        "    private :: c_int, c_intptr_t, c_int64_t, c_ptr",
        "    integer, parameter :: MPI_ADDRESS_KIND = c_intptr_t",
        "    integer, parameter :: MPI_COUNT_KIND = c_int64_t",
        "    integer, parameter :: MPI_OFFSET_KIND = c_int64_t",
        "    integer, parameter :: MPI_INTEGER_KIND = c_int",
        "",
        "    type, bind(C) :: MPI_Status",
        "        integer(c_int) :: MPI_SOURCE, MPI_TAG, MPI_ERROR",
        "        integer(c_int), private :: MPI_internal(5)",
        "    end type",
    ]
    for name in NAMES:
        out += [f"    type, bind(C) :: MPI_{name}", "        integer(c_int) :: MPI_VAL", "    end type"]
    for operator, word in (("==", "eq"), ("/=", "ne")):
        out += ["", f"    interface operator({operator})"]
        out += [f"        module procedure {name.lower()}_{word}" for name in NAMES]
        out += ["    end interface"]
    private = [f"{name.lower()}_{word}" for name in NAMES for word in ("eq", "ne")]
    out += wrapped("private :: " + ", ".join(private), 4)
    out += ["contains"]
    for name in NAMES:
        for operator, word in (("==", "eq"), ("/=", "ne")):
            out += [
                f"    elemental logical function {name.lower()}_{word}(a, b)",
                f"        type(MPI_{name}), intent(in) :: a, b",
                f"        {name.lower()}_{word} = a%MPI_VAL {operator} b%MPI_VAL",
                "    end function",
            ]
    out += ["end module"]
    return "\n".join(out) + "\n"


# ---- constants ------------------------------------------------------------------------------------------------------

# Constants that are addresses: the library recognises them by where they are, in the common blocks of mpif.h.
PLACES = """
    ! Constants that are addresses
    integer :: MPI_BOTTOM, MPI_IN_PLACE, MPI_BUFFER_AUTOMATIC
    integer :: MPI_UNWEIGHTED(1), MPI_WEIGHTS_EMPTY(1), MPI_ERRCODES_IGNORE(1)
    type(MPI_Status) :: MPI_STATUS_IGNORE, MPI_STATUSES_IGNORE(1)
    character(len=1) :: MPI_ARGV_NULL(1), MPI_ARGVS_NULL(1, 1)
    common /MPI_FORTRAN_ADDRESSES/ MPI_BOTTOM, MPI_IN_PLACE, MPI_BUFFER_AUTOMATIC, MPI_UNWEIGHTED, &
        MPI_WEIGHTS_EMPTY, MPI_ERRCODES_IGNORE, MPI_STATUS_IGNORE, MPI_STATUSES_IGNORE
    common /MPI_FORTRAN_CHARACTERS/ MPI_ARGV_NULL, MPI_ARGVS_NULL
    save :: /MPI_FORTRAN_ADDRESSES/, /MPI_FORTRAN_CHARACTERS/"""


def constant(section, name, value):
    """A line of the module, or None of a constant that C alone has, or that is a procedure or a place."""
    if not mpif.fortran_int(section):
        return None
    kind = section.ctype[len("MPI_") :]
    if kind in NAMES:
        return f"type({section.ctype}), parameter :: {name} = {section.ctype}({value})"
    return f"{mpif.integer(section).lower()}, parameter :: {name} = {value - (section.title == mpif.LENGTHS)}"


def write_constants(sections):
    out = [HEAD.format(name="mpi_f08_constants", title="the constants of the MPI ABI.")]
    out += [
        "module mpi_f08_constants",
        "    use :: mpi_f08_types",
        "    implicit none",
        "    logical, parameter :: MPI_SUBARRAYS_SUPPORTED = .true.",
        "    logical, parameter :: MPI_ASYNC_PROTECTS_NONBLOCKING = .true.",
    ]
    title = None
    for section in sections:
        lines = [constant(section, *c) for c in section.constants]
        if any(lines) and section.title != title:
            title = section.title
            out += ["", f"    ! {title}"]
        out += [f"    {line}" for line in lines if line]
    return "\n".join(out + [PLACES, "end module"]) + "\n"


def write_callbacks(directory):
    with open(os.path.join(directory, "mpi_f08_callbacks.f90.in"), encoding="utf-8") as template:
        text = template.read()
    for place, part in handle_types.f08_callbacks().items():
        text = text.replace(f"@{place}@", part)
    return text


# ---- interfaces -----------------------------------------------------------------------------------------------------


def interface_body(procedure, prefix):
    """The interface of one specific procedure."""
    name = prefix + procedure.specific
    arguments = [a.name for a in procedure.arguments] + (["ierror"] if procedure.fails and not procedure.result else [])
    kind = "function" if procedure.result else "subroutine"
    head = f"{procedure.result + ' ' if procedure.result else ''}{kind} {name}({', '.join(arguments)})"
    lines = wrapped(head, 8) + ["            import", "            implicit none"]
    for declaration in procedure.declarations():
        lines += wrapped(declaration, 12)
    return lines + [f"        end {kind}"]


def write_interfaces(procedures, prefix):
    module = f"{prefix.lower()}mpi_f08_interfaces"
    out = [HEAD.format(name=module, title="the generic and the specific interfaces.")]
    out += [f"module {module}", "    use, intrinsic :: iso_c_binding, only: c_ptr", "    use :: mpi_f08_types"]
    out += ["    use :: mpi_f08_constants", "    use :: mpi_f08_callbacks", "    implicit none", "    private"]
    generics = {}
    for procedure in procedures:
        generics.setdefault(procedure.generic, []).append(procedure)
    for generic, members in generics.items():
        out += ["", f"    public :: {prefix}{generic}", f"    interface {prefix}{generic}"]
        out += [f"        procedure :: {prefix}{p.specific}" for p in members if p.distinct]
        out += ["    end interface", "    interface"]
        for procedure in members:
            out += interface_body(procedure, prefix)
        out += ["    end interface"]
        out += [f"    public :: {prefix}{p.specific}" for p in members]
    return "\n".join(out + ["end module"]) + "\n"
