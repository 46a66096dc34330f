"""The specific procedures of mpi_f08: their names, and how Fortran declares their arguments (MPI-5.0 annex A.4)."""

from dataclasses import dataclass

from api import Argument
from f77 import FUNCTIONS

COUNT, ADDRESS = "INTEGER(KIND=MPI_COUNT_KIND)", "INTEGER(KIND=MPI_ADDRESS_KIND)"
# kind: the Fortran type, and that in the large-count form where it differs
TYPES = {
    "comm": "TYPE(MPI_Comm)",
    "peercomm": "TYPE(MPI_Comm)",
    "group": "TYPE(MPI_Group)",
    "type": "TYPE(MPI_Datatype)",
    "anytype": "TYPE(MPI_Datatype)",
    "types": "TYPE(MPI_Datatype)",
    "handles": "TYPE(MPI_Datatype)",
    "op": "TYPE(MPI_Op)",
    "info": "TYPE(MPI_Info)",
    "hints": "TYPE(MPI_Info)",
    "errhandler": "TYPE(MPI_Errhandler)",
    "request": "TYPE(MPI_Request)",
    "requests": "TYPE(MPI_Request)",
    "message": "TYPE(MPI_Message)",
    "status": "TYPE(MPI_Status)",
    "statuses": "TYPE(MPI_Status)",
    "f08status": "TYPE(MPI_Status)",
    "buffer": "TYPE(*), DIMENSION(..)",
    "count": ("INTEGER", COUNT),
    "number": ("INTEGER", COUNT),
    "counts": ("INTEGER", COUNT),
    "numbers": ("INTEGER", COUNT),
    "displs": ("INTEGER", ADDRESS),
    "disp": (ADDRESS, COUNT),
    "disps": (ADDRESS, COUNT),
    "aint": ADDRESS,
    "aints": ADDRESS,
    "xcount": COUNT,
    "xcounts": COUNT,
    "attribute": ADDRESS,
    "logical": "LOGICAL",
    "boolean": "LOGICAL",
    "string": "CHARACTER(LEN=*)",
    **dict.fromkeys(("dest", "source", "root", "tag", "anytag", "length", "int", "index"), "INTEGER"),
    **dict.fromkeys(("ints", "indices", "ranges", "fints"), "INTEGER"),
}
ARRAYS = ("counts", "numbers", "displs", "disps", "aints", "xcounts", "types", "handles", "requests", "statuses", "ints")
ARRAYS += ("indices",)
LASTING = ("buffer", "counts", "displs", "types")  # what a nonblocking operation reads or writes after the call
INTENTS = {"in": "INTENT(IN)", "out": "INTENT(OUT)", "inout": "INTENT(INOUT)", "free": "INTENT(INOUT)"}

# Strings whose length is declared.
LENGTHS = {
    "comm_name": "MPI_MAX_OBJECT_NAME",
    "type_name": "MPI_MAX_OBJECT_NAME",
    "version": "MPI_MAX_LIBRARY_VERSION_STRING",
    "name": "MPI_MAX_PROCESSOR_NAME",
    "string": "MPI_MAX_ERROR_STRING",
}
LENGTHS_IN_CALL = {"MPI_Info_get": "valuelen"}
# Lengths of arrays that the entries leave open.
EXTENTS = {
    "array_of_integers": "max_integers",
    "array_of_addresses": "max_addresses",
    "array_of_large_counts": "max_large_counts",
    "array_of_datatypes": "max_datatypes",
    "f_status": "MPI_STATUS_SIZE",
}
# Deprecated, and in mpif.h and `use mpi` only (section 19.1.5).
NOT_HERE = ("MPI_Keyval_create", "MPI_Keyval_free", "MPI_Attr_put", "MPI_Attr_get", "MPI_Attr_delete")


def is_place(a):
    """Whether an argument is a choice buffer of which the address alone counts."""
    return a.kind == "pointer" and a.direction == "in" or a.kind == "buffer" and a.name == "location"


def is_choice(a):
    return a.kind == "buffer" or is_place(a)


@dataclass
class Specific:
    generic: str  # MPI_Send
    specific: str  # MPI_Send_c_f08ts
    c_name: str  # MPI_Send_c
    arguments: list
    large: bool
    lasting: bool  # the operation goes on after the call
    result: str  # the type of a function, "" of a subroutine
    chapter: str
    distinct: bool = True  # a compiler can tell it from the other form by the arguments' types

    def type_of(self, a):
        if a.kind == "function":
            return f"PROCEDURE({a.of[0]})"
        if is_place(a):
            return TYPES["buffer"]
        if a.kind == "pointer":
            return "TYPE(C_PTR)"
        if a.kind == "string" and a.direction == "out":
            length = LENGTHS_IN_CALL.get(self.c_name, "") or LENGTHS.get(a.name, "*")
            return f"CHARACTER(LEN={length})"
        if a.kind not in TYPES:
            raise SystemExit(f"maint/gen/f08_procedures.py has no row for the kind {a.kind} of {self.c_name}'s {a.name}")
        known = TYPES[a.kind]
        return known if isinstance(known, str) else known[self.large]

    def kinds(self):
        """The types as a compiler tells them apart: both long integers have 64 bits."""
        return [self.type_of(a).replace(COUNT, ADDRESS) for a in self.arguments]

    def attributes(self, a):
        """What follows the type: [attributes]."""
        found = []
        no_intent = a.kind == "function" or a.kind in ("status", "statuses") and a.direction == "out"
        no_intent = no_intent or a.kind == "buffer" and a.direction != "in"
        if not no_intent and not (is_place(a) and a.name != "base"):
            # C changes nothing that the pointer points to, as Fortran can say.
            found.append(INTENTS["in" if self.c_name == "MPI_Cancel" else a.direction])
        later = a.kind == "comm" and a.direction == "out" and any(b.kind == "request" for b in self.arguments)
        if self.lasting and a.kind in LASTING or is_place(a) or later:
            found.append("ASYNCHRONOUS")
        return found

    def extent(self, a):
        """What follows the name of an array."""
        if a.kind == "ranges":
            return f"(3, {a.of[0]})"
        if a.kind == "fints":
            return "(MPI_STATUS_SIZE)"
        if a.kind not in ARRAYS:
            return ""
        if a.name in EXTENTS:
            return f"({EXTENTS[a.name]})"
        known = a.of and a.kind != "indices" and a.of[0] in [b.name for b in self.arguments if b.kind != "comm"]
        return f"({a.of[0]})" if known else "(*)"

    def declarations(self):
        """Those of all dummy arguments, one a line; numbers first, since others may use them as lengths."""
        lines, later = [], []
        for a in self.arguments:
            words = ", ".join([self.type_of(a)] + self.attributes(a))
            line = f"{words} :: {a.name}{self.extent(a)}"
            (later if "(" in line.split("::")[1] or "LEN=" in words else lines).append(line)
        lines += later
        return lines + ([] if self.result else ["INTEGER, OPTIONAL, INTENT(OUT) :: ierror"])


def here(procedure):
    """Whether mpi_f08 has it."""
    user_c = procedure.name.endswith("_c") and not procedure.name.startswith("MPIX_")  # mpif.h has no large counts
    return (procedure.fortran != "none" or user_c) and procedure.name not in NOT_HERE


def specific_of(chapter, procedure, form, name, arguments, large):
    arguments = [a for a in arguments if "c-only" not in a.flags and a.kind != "varargs"]
    suffix = "_f08ts" if any(is_choice(a) for a in arguments) else "_f08"
    c_name = name + ("_c" if large and not name.endswith("_c") else "")
    result = FUNCTIONS.get(procedure.returns, "")
    return Specific(name, c_name + suffix, c_name, arguments, large, form != "", result, chapter.name)


def specifics(chapter):
    """All specific procedures of a chapter, the large-count form behind the other."""
    found, by_name = [], {}
    for procedure in filter(here, chapter.procedures):
        for form, name, arguments in procedure.variants():
            # A large-count form with an entry of its own; a user function's type alone makes no generic's forms differ.
            own = name.endswith("_c") and not any(a.kind == "function" for a in arguments)
            generic = name[: -len("_c")] if own else name
            for large in [name.endswith("_c")] + [True] * ("c" in procedure.forms):
                s = specific_of(chapter, procedure, form, name, arguments, large)
                s.generic = generic
                twin = by_name.get(generic)
                s.distinct = not twin or twin.kinds() != s.kinds()
                by_name.setdefault(generic, s)
                found.append(s)
    if chapter.name == "env":
        found.append(sizeof(chapter))
    return found


def sizeof(chapter):
    """Fortran's own: deprecated, but everybody's programs have it."""
    arguments = [Argument("x", "inout", "buffer", []), Argument("size", "out", "int", [])]
    return Specific("MPI_Sizeof", "MPI_Sizeof_f08ts", "", arguments, False, False, "", chapter.name)
