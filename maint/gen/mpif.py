"""Writes mpif.h and the module mpi.

Every line is right in fixed and in free form: statements lie in columns 7 to 72, and a line that goes on has an & in
column 73 and in column 6 of the next one.
"""

import f77

COMMON = [
    ("MPI_FORTRAN_ADDRESSES", "INTEGER", [("MPI_BOTTOM", ""), ("MPI_IN_PLACE", ""), ("MPI_BUFFER_AUTOMATIC", ""),
                                          ("MPI_UNWEIGHTED", "1"), ("MPI_WEIGHTS_EMPTY", "1"),
                                          ("MPI_ERRCODES_IGNORE", "1"), ("MPI_STATUS_IGNORE", "MPI_STATUS_SIZE"),
                                          ("MPI_STATUSES_IGNORE", "MPI_STATUS_SIZE,1")]),
    ("MPI_FORTRAN_CHARACTERS", "CHARACTER(LEN=1)", [("MPI_ARGV_NULL", "1"), ("MPI_ARGVS_NULL", "1,1")]),
]
KINDS = {"MPI_ADDRESS_KIND": 8, "MPI_COUNT_KIND": 8, "MPI_OFFSET_KIND": 8, "MPI_INTEGER_KIND": 4}  # as the ABI has it
LENGTHS = "Lengths of strings, the final null character included"
# What Fortran has no use for: C's view of a status, the tool interface (but not its levels of verbosity).
ABSENT = ("The Fortran status array, in C",)
CALLBACKS = [f"MPI_{kind}{what}" for kind in ("COMM_", "TYPE_", "WIN_", "") for what in ("NULL_COPY_FN", "DUP_FN",
                                                                                     "NULL_DELETE_FN")]


def statement(text):
    """The lines of one statement."""
    lines, head = [], "      "
    while len(head + text) > 72:
        cut = text.rfind(",", 0, 72 - len(head)) + 1
        lines.append(f"{head + text[:cut]:<72}&")
        head, text = "     &", text[cut:]
    return lines + [head + text]


def statements(texts):
    return [line for text in texts for line in statement(text)]


def fortran_int(section):
    """Whether a section's constants are INTEGER parameters."""
    if section.title in ABSENT or section.title.startswith("Tools:") and not section.title.endswith("verbosity"):
        return False
    return "*" not in section.ctype


def constants(sections, subarrays):
    out = ["INTEGER " + ",".join(KINDS)]
    out += [f"PARAMETER ({name}={kind})" for name, kind in KINDS.items()]
    for section in filter(fortran_int, sections):
        for name, value in section.constants:
            # Fortran's strings have no final null character (MPI-5.0 section 2.6.2).
            value -= section.title == LENGTHS
            out += [f"INTEGER {name}", f"PARAMETER ({name}={value})"]
    for name in ("MPI_SUBARRAYS_SUPPORTED", "MPI_ASYNC_PROTECTS_NONBLOCKING"):
        out += [f"LOGICAL {name}", f"PARAMETER ({name}=.{str(subarrays).upper()}.)"]
    for block, kind, members in COMMON:
        out += [f"{kind} {name}" + (f"({size})" if size else "") for name, size in members]
        out.append(f"COMMON /{block}/ {','.join(name for name, _ in members)}")
    return statements(out)


def fixed_kind(text):
    """A type in an interface body, which does not see the constants around it; without the older form of lengths, of
    which compilers warn."""
    return text.replace("MPI_ADDRESS_KIND", "8").replace("MPI_COUNT_KIND", "8").replace("CHARACTER*(*)", "CHARACTER(LEN=*)")


def unchecked(name):
    return [f"!GCC$ ATTRIBUTES NO_ARG_CHECK :: {name}", f"!DIR$ IGNORE_TKR {name}"]


def body(procedure, name, arguments, lenient, c_ptr=False):
    """One interface body.  lenient: arrays and INTEGERs are not checked either, as old programs pass what they like
    where an argument does not count, and arrays for scalars; c_ptr: an address that comes out is a TYPE(C_PTR)."""
    kind = f77.FUNCTIONS.get(procedure.returns)
    names = ",".join(a.name.upper() for a in arguments)
    what = "FUNCTION" if kind else "SUBROUTINE"
    lines = statement(f"{what} {name.upper()}({names})")
    if c_ptr:
        lines += statement("USE, INTRINSIC :: ISO_C_BINDING, ONLY : C_PTR")
    if any(a.kind == "f08status" for a in arguments):
        lines += statement("USE :: MPI_F08_TYPES, ONLY : MPI_Status")
    for a in arguments:
        base, size = f77.declared(a)
        if base == f77.CHOICE or lenient and (size or base == "INTEGER"):
            lines += unchecked(a.name.upper())
        size = "*" if lenient and size else size.replace("MPI_STATUS_SIZE", "8")
        base = "INTEGER" if base == f77.CHOICE else fixed_kind(base)
        base = "TYPE(C_PTR)" if c_ptr and a.kind == "pointer" else base
        lines += statement(f"{base} {a.name.upper()}" + (f"({size})" if size else ""))
    if kind:
        lines += statement(f"{fixed_kind(kind)} {name.upper()}")
    return lines + statement(f"END {what} {name.upper()}")


def has_choice(arguments):
    return any(f77.declared(a)[0] == f77.CHOICE for a in arguments)


def interfaces(chapters, wanted, lenient, prefixes):
    """Interface blocks of the procedures that `wanted` takes."""
    out = []
    for procedure, name, arguments in f77.procedures(chapters):
        if not wanted(arguments):
            continue
        for prefix in prefixes:
            pointer = f77.gives_memory(arguments) and not lenient
            out += statement(f"INTERFACE {(prefix + name).upper()}" if pointer else "INTERFACE")
            out += body(procedure, prefix + name, arguments, lenient)
            if pointer:
                out += body(procedure, prefix + name + "_CPTR", arguments, lenient, True)
            out += statement("END INTERFACE")
    return out


def functions(chapters):
    """The declarations of what returns a value, for mpif.h."""
    out = []
    for procedure, name, _ in f77.procedures(chapters):
        kind = f77.FUNCTIONS.get(procedure.returns)
        if kind:
            for prefix in ("", "P"):
                out += [f"{kind} {prefix}{name.upper()}", f"EXTERNAL {prefix}{name.upper()}"]
    return statements(out)


def callbacks():
    return statements([f"EXTERNAL {name}" for name in CALLBACKS])


def mpif_h(sections, chapters, unchecked_buffers):
    """unchecked_buffers: the compiler knows how to leave an argument unchecked."""
    lines = ["! mpif.h - MPI-5.0 for Fortran, in fixed and in free form.  Generated from maint/api."]
    if unchecked_buffers:
        lines += [
            "!",
            "! Procedures with choice buffers have interfaces, so that buffers of any type may be passed; the others are",
            "! external.  The module mpi has interfaces for all.",
        ]
    lines += constants(sections, False) + functions(chapters) + callbacks()
    lines += interfaces(chapters, has_choice, True, [""]) if unchecked_buffers else []
    return "\n".join(lines) + "\n"


# -- the module -----------------------------------------------------------------------------------------------------

def sizeof():
    """MPI_Sizeof: the size is in the descriptor of an argument of any type."""
    out = []
    for name in ("MPI_SIZEOF", "PMPI_SIZEOF"):
        out += ["INTERFACE", f"SUBROUTINE {name}(X,SIZE,IERROR)", "TYPE(*), DIMENSION(..), INTENT(IN) :: X",
                "INTEGER, INTENT(OUT) :: SIZE", "INTEGER, INTENT(OUT) :: IERROR", f"END SUBROUTINE {name}", "END INTERFACE"]
    return statements(out)


def callback_interfaces():
    """The predefined functions for attributes."""
    out = []
    for name in CALLBACKS:
        value = "INTEGER" if name in ("MPI_NULL_COPY_FN", "MPI_DUP_FN", "MPI_NULL_DELETE_FN") else "INTEGER(KIND=8)"
        copy = not name.endswith("DELETE_FN")
        names = "OBJECT,KEYVAL,EXTRA_STATE,VALUE_IN,VALUE_OUT,FLAG,IERROR" if copy else "OBJECT,KEYVAL,VALUE,EXTRA_STATE,IERROR"
        out += ["INTERFACE", f"SUBROUTINE {name}({names})", "INTEGER OBJECT,KEYVAL,IERROR"]
        out += [f"{value} EXTRA_STATE,VALUE_IN,VALUE_OUT", "LOGICAL FLAG"] if copy else [f"{value} VALUE,EXTRA_STATE"]
        out += [f"END SUBROUTINE {name}", "END INTERFACE"]
    return statements(out)


def module(sections, chapters, unchecked_buffers):
    lines = ["! mpi.f90 - the module mpi: an interface for every procedure.  Generated from maint/api."]
    lines += statements(["MODULE MPI", "USE :: MPI_F08_TYPES, ONLY : MPI_Status", "IMPLICIT NONE"]) + constants(sections, False)
    wanted = lambda arguments: unchecked_buffers or not has_choice(arguments)
    lines += interfaces(chapters, wanted, False, ["", "P"]) + callback_interfaces() + sizeof()
    lines += statement("END MODULE MPI")
    return "\n".join(lines) + "\n"
