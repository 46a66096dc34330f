"""Reads the procedures of maint/api (see maint/api/README.md): Procedure and Argument objects that generators walk."""

import os
import re
from dataclasses import dataclass, field

from handles import HANDLES
from kinds import KINDS

FLAGS = {  # README.md says what each means
    "after-fork", "apart", "as", "at-root", "blocking", "c-only", "detached", "ends", "extent", "from-neighbors", "given",
    "in-place", "in-place-at-root", "integer", "intent", "kept", "later", "length", "nothing", "optional", "or-null",
    "own", "own-group", "past-first", "place", "raises", "served", "set", "to", "to-neighbors", "trimmed", "until-end",
    "unused", "whole",
}
WORD = re.compile(r"([\w-]+)(?:\(([^)]*)\))?")


@dataclass
class Argument:
    name: str
    direction: str  # in, out, inout, free (a handle that becomes null)
    kind: str
    of: list  # what the kind names in parentheses: buffer(count, datatype)
    flags: dict = field(default_factory=dict)  # at-root, in-place, given(sendbuf), ...

    @property
    def row(self):
        return KINDS[self.kind]

    @property
    def looked_up(self):
        """Whether it is a handle that the binding turns into an object."""
        return self.row.looked_up and self.direction != "out"

    def declare(self, form):
        """Its C declaration in form "plain" or "large" (the _c procedures)."""
        text = self.row.c.declarator(self.direction, form)
        return text.replace("$", self.of[0] if self.of else "").replace("@", self.name)


@dataclass
class Procedure:
    name: str  # MPI_Send
    forms: list  # of i, init, c
    sentence: str = ""
    arguments: list = field(default_factory=list)
    call: str = ""  # the core's function and its arguments
    coll: str = ""  # the enum tf_coll of a collective, which a struct tf_call describes
    returns: str = "int"
    fortran: str = ""  # none: Fortran has no such procedure; hand: its Fortran wrapper is in binding_f77/
    f08: str = ""  # none: mpi_f08 has no such procedure; hand: it is in binding_f08/, whatever the others have
    value: str = ""  # a C expression: all that the procedure does is to return it
    hand: bool = False  # written by hand in binding_c: only declared by the generator
    unlocked: bool = False  # called without the big lock
    anytime: bool = False  # may be called before MPI_Init and after MPI_Finalize, and by threads at once
    anyone: bool = False  # may be called by any thread
    constant: bool = False  # needs of objects only what never changes: called without the big lock
    raises: str = ""  # file: errors are raised on the null handle of that class, whatever the arguments are
    tool: str = ""  # of the tool interface: plain, restricted (callbacks may call it) or begins (it starts that)

    @property
    def instead(self):
        """What replaces it, of a deprecated or removed procedure; otherwise ""."""
        found = re.search(r"\((?:deprecated|removed): use (\w+)\)", self.sentence)
        return found[1] if found else ""

    @property
    def removed(self):
        """Whether the standard has it no longer."""
        return "(removed: " in self.sentence

    @property
    def word(self):
        """send, for names of C functions."""
        return self.name.split("_", 1)[1].lower()

    def variants(self):
        """(form, name, arguments) of the blocking, nonblocking and persistent procedure; form is "", "i" or "init"."""
        prefix, rest = self.name.split("_", 1)
        request = Argument("request", "out", "request", [])
        info = Argument("info", "in", "hints", [])
        lasting = [a for a in self.arguments if "blocking" not in a.flags]
        yield "", self.name, self.arguments
        if "i" in self.forms:
            yield "i", f"{prefix}_I{rest[0].lower()}{rest[1:]}", lasting + [request]
        if "init" in self.forms:
            yield "init", self.name + "_init", lasting + ([info] if self.coll else []) + [request]

    def prototypes(self):
        """(C return type, name, [C declarations]) of every procedure that the entry stands for."""
        for _, name, arguments in self.variants():
            yield self.returns, name, [a.declare("plain") for a in arguments]
            if "c" in self.forms:
                yield self.returns, name + "_c", [a.declare("large") for a in arguments]


def raised_on(arguments):
    """The one of a procedure's arguments whose error handler its errors go to, if any."""
    return next((a for a in arguments if a.looked_up and (a.row.handle.errhandler or "raises" in a.flags)), None)


@dataclass
class Chapter:
    name: str  # of the file, without .api
    title: str
    includes: list
    procedures: list


def read_argument(words, where):
    direction, name, rest = words[0], words[1], words[2] if len(words) > 2 else ""
    parts = [(m[1], [w.strip() for w in m[2].split(",")] if m[2] else []) for m in WORD.finditer(rest)]
    if not parts or parts[0][0] not in KINDS:
        raise SystemExit(f"{where}: '{rest}' does not begin with a kind of argument (maint/gen/kinds.py has them)")
    unknown = [flag for flag, _ in parts[1:] if flag not in FLAGS]
    if unknown:
        raise SystemExit(f"{where}: no flag is called {', '.join(unknown)} (maint/api/README.md has them)")
    return Argument(name, direction, parts[0][0], parts[0][1], dict(parts[1:]))


def read_line(procedure, line, where):
    """One line of an entry, after its first."""
    words = line.split(None, 2)
    if words[0] in ("in", "out", "inout", "free"):
        procedure.arguments.append(read_argument(words, where))
    elif words[0] in ("call", "coll", "raises", "returns", "value", "fortran", "f08"):
        setattr(procedure, words[0], line.split(None, 1)[1])
    elif words[0] == "tool":
        procedure.tool, procedure.anytime = (words + ["plain"])[1], True
    elif line in ("hand", "anytime", "anyone", "constant", "unlocked"):
        setattr(procedure, line, True)
    elif line[0].isupper():
        procedure.sentence = line
    else:
        raise SystemExit(f"{where}: cannot read '{line}'")


EACH = {  # of which handle classes a block of entries speaks
    "handle": lambda h: h.own,
    "attributes": lambda h: h.own and h.attributes,
    "errhandler": lambda h: h.own and h.errhandler,
    "name": lambda h: h.own and h.name_in,
    "info": lambda h: h.own and h.info,
    "hints": lambda h: h.own and h.hints,
}


def lines_of(path):
    """(where, line) of a chapter.  A block from `each WHAT` to `end` comes once for each such handle class."""
    with open(path, encoding="utf-8") as file:
        lines = [(f"{path}:{number}", line) for number, line in enumerate(file, 1)]
    block, handles = None, []
    for where, line in lines:
        words = line.split()
        if words[:1] == ["each"]:
            if words[1:] == [] or words[1] not in EACH:
                raise SystemExit(f"{where}: 'each' takes one of {', '.join(EACH)}")
            block, handles = [], filter(EACH[words[1]], HANDLES)
        elif words == ["end"]:
            yield from ((w, h.fill(text)) for h in handles for w, text in block)
            block = None
        elif block is not None:
            block.append((where, line))
        else:
            yield where, line


def read_chapter(path):
    chapter = Chapter(os.path.basename(path)[: -len(".api")], "", [], [])
    for where, line in lines_of(path):
        text = line.strip()
        if not text or text.startswith("#"):
            chapter.title = chapter.title or text.lstrip("# ")
        elif text.startswith("include "):
            chapter.includes.append(text.split()[1])
        elif not line[0].isspace():
            name, *forms = text.split()
            chapter.procedures.append(Procedure(name, forms))
        else:
            read_line(chapter.procedures[-1], text, where)
    for procedure in chapter.procedures:
        if not (procedure.call or procedure.coll or procedure.hand or procedure.value):
            names = ", ".join(a.name for a in procedure.arguments)
            procedure.call = f"tf_{procedure.word}({names})"
    return chapter


def read(directory):
    """The chapters, in the order that the file `chapters` gives."""
    with open(os.path.join(directory, "chapters"), encoding="utf-8") as names:
        return [read_chapter(os.path.join(directory, name + ".api")) for name in names.read().split()]
