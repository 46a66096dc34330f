"""The specific procedures of mpi_f08: their names, and how Fortran declares their arguments (MPI-5.0 annex A.4)."""

from dataclasses import dataclass

from api import Argument
from f77 import FUNCTIONS
from kinds import ABSENT, ADDRESS, COUNT, KINDS, SIZED

INTENTS = {"in": "INTENT(IN)", "out": "INTENT(OUT)", "inout": "INTENT(INOUT)", "free": "INTENT(INOUT)"}


def is_place(a):
    """Whether an argument is a choice buffer of which the address alone counts."""
    return a.kind == "pointer" and a.direction == "in" or a.kind == "begun" or "place" in a.flags


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
    hand: bool = False  # in binding_f08/irregular.c
    fails: bool = True  # has ierror, if it is a subroutine
    distinct: bool = True  # a compiler can tell it from the other form by the arguments' types

    def type_of(self, a):
        row = KINDS["buffer"] if is_place(a) else a.row
        if row.f08 is ABSENT:
            raise SystemExit(f"maint/gen/kinds.py: mpi_f08 has no '{a.kind}', which {self.c_name}'s {a.name} is")
        text = self.large and row.f08.large or row.f08.type
        if "length" in a.flags:
            text = text.replace("LEN=*", f"LEN={a.flags['length'][0]}")
        return text.replace("{of}", a.of[0] if a.of else "")

    def kinds(self):
        """The types as a compiler tells them apart: both long integers have 64 bits."""
        return [self.type_of(a).replace(COUNT, ADDRESS) for a in self.arguments]

    def attributes(self, a):
        """What follows the type: [attributes]."""
        found = []
        no_intent = a.kind == "function" or a.kind in ("status", "statuses") and a.direction == "out"
        no_intent = no_intent or a.kind in ("buffer", "begun") and a.direction != "in"
        intent = a.flags.get("intent", ["none" if no_intent else a.direction])[0]
        if intent != "none":
            found.append(INTENTS[intent])
        later = a.kind == "comm" and a.direction == "out" and any(b.kind == "request" for b in self.arguments)
        lasting = (self.lasting or "until-end" in a.flags) and a.row.f08.lasting or {"whole", "later"} & set(a.flags)
        if lasting or is_place(a) or later:
            found.append("ASYNCHRONOUS")
        return found

    def extent(self, a):
        """What follows the name of an array."""
        shape = a.row.f08.shape
        if "extent" in a.flags:
            return f"({a.flags['extent'][0]})"
        if shape == SIZED and not (a.of and a.of[0] in [b.name for b in self.arguments if b.kind != "comm"]):
            return "(*)"
        return shape.replace("{of}", a.of[0] if a.of else "")

    def declarations(self):
        """Those of all dummy arguments, one a line; numbers first, since others may use them as lengths."""
        lines, later = [], []
        for a in self.arguments:
            words = ", ".join([self.type_of(a)] + self.attributes(a))
            line = f"{words} :: {a.name}{self.extent(a)}"
            (later if "(" in line.split("::")[1] or "LEN=" in words else lines).append(line)
        lines += later
        return lines + (["INTEGER, OPTIONAL, INTENT(OUT) :: ierror"] if self.fails and not self.result else [])


def here(procedure):
    """Whether mpi_f08 has it."""
    return (procedure.f08 or procedure.fortran) != "none" and not procedure.removed


def goes_on(form, arguments):
    """Whether the operation goes on after the call."""
    return form != "" or any(a.kind == "request" and a.direction == "out" for a in arguments)


def specific_of(chapter, procedure, form, name, arguments, large):
    arguments = [a for a in arguments if "c-only" not in a.flags and a.kind != "varargs"]
    suffix = "_f08ts" if any(is_choice(a) for a in arguments) else "_f08"
    c_name = name + ("_c" if large and not name.endswith("_c") else "")
    result = FUNCTIONS.get(procedure.returns, "")
    return Specific(name, c_name + suffix, c_name, arguments, large, goes_on(form, arguments), result, chapter.name,
                    procedure.f08 == "hand")


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
        found += fortrans_own(chapter)
    return found


def fortrans_own(chapter):
    """What C does not have; MPI_Sizeof is deprecated, but everybody's programs have it."""
    sizeof = [Argument("x", "inout", "buffer", []), Argument("size", "out", "int", [])]
    sync_reg = [Argument("buf", "inout", "buffer", [])]
    return [
        Specific("MPI_Sizeof", "MPI_Sizeof_f08ts", "", sizeof, False, False, "", chapter.name, True),
        Specific("MPI_F_sync_reg", "MPI_F_sync_reg_f08ts", "", sync_reg, False, True, "", chapter.name, True, fails=False),
    ]
