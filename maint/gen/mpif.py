"""Writes mpif.h and the module mpi.

Every line of mpif.h is right in fixed and in free form, however long a program's lines may be: each statement is one
line, in columns 7 to 72.  A line that went on would need an & in column 73, which is text where lines are longer.
"""

import string

import f77
from handles import HANDLES

COMMON = [
    ("MPI_FORTRAN_ADDRESSES", "INTEGER", [("MPI_BOTTOM", ""), ("MPI_IN_PLACE", ""), ("MPI_BUFFER_AUTOMATIC", ""),
                                          ("MPI_UNWEIGHTED", "1"), ("MPI_WEIGHTS_EMPTY", "1"),
                                          ("MPI_ERRCODES_IGNORE", "1"), ("MPI_STATUS_IGNORE", "MPI_STATUS_SIZE"),
                                          ("MPI_STATUSES_IGNORE", "MPI_STATUS_SIZE,1")]),
    ("MPI_FORTRAN_CHARACTERS", "CHARACTER(LEN=1)", [("MPI_ARGV_NULL", "1"), ("MPI_ARGVS_NULL", "1,1")]),
]
KINDS = {"MPI_ADDRESS_KIND": 8, "MPI_COUNT_KIND": 8, "MPI_OFFSET_KIND": 8, "MPI_INTEGER_KIND": 4}  # as the ABI has it
LENGTHS = "Lengths of strings, the final null character included"
OFFSETS = "File displacement"  # INTEGER (KIND=MPI_OFFSET_KIND), as programs hand it on (MPI-5.0 annex A.1.1)
# What Fortran has no use for: C's view of a status, the tool interface (but not its levels of verbosity).
ABSENT = ("The Fortran status array, in C",)
WIDTH = 72 - 6  # of a statement
STEMS = [h.stem.upper() + "_" for h in HANDLES if h.attributes] + [""]
CALLBACKS = [f"MPI_{stem}{what}" for stem in STEMS for what in ("NULL_COPY_FN", "DUP_FN", "NULL_DELETE_FN")]
CONVERSIONS = ["MPI_CONVERSION_FN_NULL"]


def fits(text):
    """Whether a statement is one line of the fixed form."""
    return len(text) <= WIDTH


def statement(text):
    """The lines of one statement; only the module's, in free form, may be several."""
    lines = []
    while not fits(text):
        cut = text.rfind(",", 0, WIDTH) + 1
        lines.append(f"      {text[:cut]} &")
        text = text[cut:]
    return lines + ["      " + text]


def statements(texts):
    return [line for text in texts for line in statement(text)]


def fortran_int(section):
    """Whether a section's constants are INTEGER parameters."""
    if section.title in ABSENT or section.title.startswith("Tools:") and not section.title.endswith("verbosity"):
        return False
    return "*" not in section.ctype


def integer(section):
    """The type of its constants, for which fortran_int() is true."""
    return "INTEGER (KIND=MPI_OFFSET_KIND)" if section.title == OFFSETS else "INTEGER"


def constants(sections, subarrays):
    out = [line for name, kind in KINDS.items() for line in (f"INTEGER {name}", f"PARAMETER ({name}={kind})")]
    for section in filter(fortran_int, sections):
        for name, value in section.constants:
            # Fortran's strings have no final null character (MPI-5.0 section 2.6.2).
            value -= section.title == LENGTHS
            out += [f"{integer(section)} {name}", f"PARAMETER ({name}={value})"]
    for name in ("MPI_SUBARRAYS_SUPPORTED", "MPI_ASYNC_PROTECTS_NONBLOCKING"):
        out += [f"LOGICAL {name}", f"PARAMETER ({name}=.{str(subarrays).upper()}.)"]
    for block, kind, members in COMMON:
        out += [f"{kind} {name}" + (f"({size})" if size else "") for name, size in members]
        out += [f"COMMON /{block}/ {name}" for name, _ in members]
    return statements(out)


def fixed_kind(text):
    """A type in an interface body, which does not see the constants around it; without the older form of lengths, of
    which compilers warn."""
    return text.replace("MPI_ADDRESS_KIND", "8").replace("MPI_COUNT_KIND", "8").replace("MPI_OFFSET_KIND", "8").replace("CHARACTER*(*)", "CHARACTER(LEN=*)")


def unchecked(name):
    return [f"!GCC$ ATTRIBUTES NO_ARG_CHECK :: {name}", f"!DIR$ IGNORE_TKR {name}"]


def head_of(what, name, arguments, short):
    """The first statement of an interface body, and the names of its arguments: one letter each if `short` is wanted
    and they do not fit a line, but for the one that programs forget and compilers tell the name of, IERROR or IERR."""
    names = [a.name.upper() for a in arguments]
    if short and not fits(f"{what} {name}({','.join(names)})"):
        names = [n if n == "IERROR" else letter for n, letter in zip(names, string.ascii_uppercase)]
    if short and not fits(f"{what} {name}({','.join(names)})"):
        names = [n if n != "IERROR" else "IERR" for n in names]
    return f"{what} {name}({','.join(names)})", names


def body(procedure, name, arguments, lenient, c_ptr=False):
    """One interface body.  lenient: of mpif.h, where arrays and INTEGERs are not checked either, as old programs pass
    what they like where an argument does not count, and arrays for scalars; c_ptr: an address that comes out is a
    TYPE(C_PTR)."""
    kind = f77.FUNCTIONS.get(procedure.returns)
    what = "FUNCTION" if kind else "SUBROUTINE"
    head, names = head_of(what, name.upper(), arguments, lenient)
    lines = statement(head)
    if c_ptr:
        lines += statement("USE, INTRINSIC :: ISO_C_BINDING, ONLY : C_PTR")
    if any(a.kind == "f08status" for a in arguments):
        lines += statement("USE :: MPI_F08_TYPES, ONLY : MPI_Status")
    for a, dummy in zip(arguments, names):
        base, size = f77.declared(a)
        kept = "kept" in a.flags
        if base == f77.CHOICE or lenient and (size or base == "INTEGER" or kept):
            lines += unchecked(dummy)
        size = "*" if lenient and size else size.replace("MPI_STATUS_SIZE", "8")
        if base == f77.CHOICE:  # a scalar, as flang takes no element of an array of assumed shape for an array
            size = ""
        base = "INTEGER" if base == f77.CHOICE else fixed_kind(base)
        base = "TYPE(C_PTR)" if c_ptr and a.kind == "pointer" else base
        # A compiler takes it that another variable does not change once the call has returned.
        lines += statement(base + (", TARGET :: " if kept else " ") + dummy + (f"({size})" if size else ""))
    if kind:
        lines += statement(f"{fixed_kind(kind)} {name.upper()}")
    return lines + statement(f"END {what} {name.upper()}")


def has_choice(arguments):
    return any(f77.declared(a)[0] == f77.CHOICE for a in arguments)


def needs_interface(arguments):
    """Whether calls without one are not right."""
    return has_choice(arguments) or any("kept" in a.flags for a in arguments)


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


def sync_reg(prefixes):
    """MPI_F_sync_reg, which Fortran alone has."""
    out = []
    for prefix in prefixes:
        name = prefix + "MPI_F_SYNC_REG"
        out += statements(["INTERFACE", f"SUBROUTINE {name}(BUF)"]) + unchecked("BUF")
        out += statements(["INTEGER BUF", f"END SUBROUTINE {name}", "END INTERFACE"])
    return out


def integers_of_4_bytes():
    """What no compiler takes where its INTEGERs have 8 bytes, naming what is wrong: two subroutines of one generic name
    whose arguments are of the same type then.  Calls could not tell, as their arguments are not checked."""
    out = ["INTERFACE MPI_INTEGER_MUST_HAVE_4_BYTES"]
    for name, kind in (("MPI_INTEGER_AS_COMPILED", "INTEGER"), ("MPI_INTEGER_OF_8_BYTES", "INTEGER(KIND=8)")):
        out += [f"SUBROUTINE {name}(I)", f"{kind} I", f"END SUBROUTINE {name}"]
    return statements(out + ["END INTERFACE"])


def callbacks():
    return statements([f"EXTERNAL {name}" for name in CALLBACKS + CONVERSIONS])


def mpif_h(sections, chapters, unchecked_buffers):
    """unchecked_buffers: the compiler knows how to leave an argument unchecked."""
    lines = ["! mpif.h - MPI-5.0 for Fortran, in fixed and in free form, with lines of", "! any length.  Generated from maint/api."]
    if unchecked_buffers:
        lines += [
            "!",
            "! Procedures with choice buffers have interfaces, so that buffers of any",
            "! type may be passed; most others are external.  The module mpi has",
            "! interfaces for all.  Where a program defines such a procedure itself,",
            "! as tools for profiling do, or declares it EXTERNAL,",
            "! mpifort -mpif-external finds an mpif.h without interfaces.",
        ]
    lines += integers_of_4_bytes() + constants(sections, False) + functions(chapters) + callbacks()
    lines += interfaces(chapters, needs_interface, True, [""]) + sync_reg([""]) if unchecked_buffers else []
    long = [line for line in lines if len(line) > 72 or line.endswith("&")]
    if long:
        raise SystemExit(f"maint/gen/mpif.py: a statement of mpif.h does not fit a line: {long[0].strip()}")
    return "\n".join(lines) + "\n"


# -- the module -----------------------------------------------------------------------------------------------------

def sizeof():
    """MPI_Sizeof: the size is in the descriptor of an argument of any type.  It is that of mpi_f08."""
    out = []
    for generic in ("MPI_SIZEOF", "PMPI_SIZEOF"):
        name = generic + "_F08TS"
        out += [f"INTERFACE {generic}", f"SUBROUTINE {name}(X,SIZE,IERROR)", "TYPE(*), DIMENSION(..), INTENT(IN) :: X",
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


def conversions():
    """The function that a data representation names where it does not convert."""
    out = []
    for name in CONVERSIONS:
        out += ["INTERFACE", f"SUBROUTINE {name}(USERBUF,DATATYPE,COUNT,FILEBUF,POSITION,EXTRA_STATE,IERROR)"]
        out += ["INTEGER USERBUF(*),DATATYPE,COUNT,FILEBUF(*),IERROR", "INTEGER(KIND=8) POSITION,EXTRA_STATE"]
        out += [f"END SUBROUTINE {name}", "END INTERFACE"]
    return statements(out)


def module(sections, chapters, unchecked_buffers):
    lines = ["! mpi.f90 - the module mpi: an interface for every procedure.  Generated from maint/api."]
    types = ["MPI_Status"] + [f"MPI_{h.name}" for h in HANDLES if h.own] + ["OPERATOR(==)", "OPERATOR(/=)"]
    lines += statements(["MODULE MPI", "USE :: MPI_F08_TYPES, ONLY : " + ",".join(types), "IMPLICIT NONE"])
    lines += constants(sections, False)
    wanted = lambda arguments: unchecked_buffers or not has_choice(arguments)
    lines += interfaces(chapters, wanted, False, ["", "P"]) + callback_interfaces() + conversions() + sizeof()
    lines += sync_reg(["", "P"]) if unchecked_buffers else []
    lines += statement("END MODULE MPI")
    return "\n".join(lines) + "\n"
