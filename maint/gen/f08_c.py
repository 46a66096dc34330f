"""Writes the specific procedures of mpi_f08 in C.

One without choice buffers and large counts is the procedure of `use mpi`, with the same arguments at run time: a handle
is an INTEGER, a status eight of them.  Only ierror may be missing.  The others are wrappers of their own, made like those
of `use mpi` (f77.py).  What they use is in binding_f77/fortran.h and binding_f08/section.h.
"""

import f08_procedures
import f77
from bindings import aligned, signature
from kinds import ADDRESS, COUNT, OFFSET

HEAD = """/* f08_{name}.c - mpi_f08: {title}
 *
 * Generated from maint/api/{name}.api.
 */
#include "section.h"

#include <stdlib.h>
"""
C_TYPES = {COUNT: "MPI_Count", ADDRESS: "MPI_Aint", OFFSET: "MPI_Offset"}
RESULTS = {"": "void", "DOUBLE PRECISION": "double", ADDRESS: "MPI_Aint"}


def external(name):
    return f77.external(name, "P")


def ending(specific):
    return [f"TF_ALIAS({specific.specific.lower()}, {specific.specific.upper()})", ""]


def forwarder(s):
    """One that is the procedure of `use mpi`."""
    parameters = [f"tf_function *{a.name}" if a.kind == "function" else f"void *{a.name}" for a in s.arguments]
    words = [a.name for a in s.arguments] + ([] if s.result else ["ierror ? ierror : &ignored"])
    words += [f"{a.name}_length" for a in s.arguments if f77.has_length(a)]
    theirs = parameters + ([] if s.result else ["MPI_Fint *ierror"]) + f77.lengths(s.arguments)
    result = RESULTS[s.result]
    out = [signature(f"{result} {external(s.c_name)}", theirs) + ";"]
    out += [signature(f"TF_PUBLIC {result} {external(s.specific)}", theirs), "{"]
    out += ["    MPI_Fint ignored;", ""] if not s.result else []
    out.append(aligned(f"    {'return ' if s.result else ''}{external(s.c_name)}(", words, ");"))
    return out + ["}"] + ending(s)


class Wrapper(f77.Wrapper):
    """The body of a wrapper with choice buffers or large counts."""

    error = "err"

    def __init__(self, specific):
        later = any("later" in a.flags for a in specific.arguments)
        self.specific, self.lasting = specific, str(specific.lasting or later).lower()
        self.sections, self.opened = False, []
        super().__init__(specific.arguments)

    def buffer(self, a):
        if f08_procedures.is_place(a) and "whole" not in a.flags:
            return self.pointer(a)
        self.sections = True
        if f"{a.name}_c" in self.opened:
            return f"{a.name}_c"
        self.opened.append(f"{a.name}_c")
        if "whole" in a.flags:
            self.before.append(f'void *{a.name}_c = tf_section_whole("{a.name}", {a.name}, &sections);')
            return f"{a.name}_c"
        out = str(a.direction != "in").lower()
        lasting = self.lasting if "until-end" not in a.flags else "false"  # it is this binding that keeps it
        self.before.append(f"void *{a.name}_c = tf_section_open({a.name}, {out}, {lasting}, &sections);")
        return f"{a.name}_c"

    def pointer(self, a):
        if "whole" in a.flags:
            return self.buffer(a)
        return f"tf_buffer({a.name}->base)" if a.direction == "in" or a.kind == "begun" else a.name

    def parameter(self, a):
        if f08_procedures.is_choice(a):
            return f"const struct tf_array *{a.name}"
        if a.kind == "pointer":
            return f"void **{a.name}"
        if f77.has_length(a):
            return f"char *{a.name}"
        return f"{C_TYPES.get(self.specific.type_of(a), 'MPI_Fint')} *{a.name}"

    def parameters(self):
        return [self.parameter(a) for a in self.specific.arguments] + ["MPI_Fint *ierror"] + f77.lengths(self.specific.arguments)

    def call(self):
        """The lines of the call, which sets err."""
        name = self.specific.c_name
        checks = [("sections.error", self.fail(name, "sections.error", "sections.words"))] * self.sections
        checks += [(" || ".join(f"!{c}" for c in self.checked), self.fail_for_memory(name))] * bool(self.checked)
        out = []
        for condition, error in checks:
            out += [f"    if ({condition})", f"        err = {error};", "    else"]
        return out + [aligned(f"{'        ' if checks else '    '}err = {self.specific.c_name}(", self.words, ");")]

    def text(self):
        out = [signature(f"TF_PUBLIC void {external(self.specific.specific)}", self.parameters()), "{", "    int err;"]
        out += ["    struct tf_sections sections = {0};"] * self.sections
        out += ["    " + line for line in self.before] + [""] + self.call()
        if self.sections:
            last = "tf_sections_close(&sections)"
            if any("until-end" in a.flags for a in self.specific.arguments):
                last = "tf_sections_hold(&sections, err, *fh)"
            elif self.lasting == "true" and not self.request:
                last = "tf_sections_keep(&sections, err, tf_win_c(*win), *target_rank)"
            elif self.lasting == "true":
                last = f"tf_sections_attach(&sections, err, {self.request.name}_c)"
            out += ["    if (__builtin_expect(sections.first != NULL, 0))", f"        {last};"]
        if any("ends" in a.flags for a in self.specific.arguments):
            out += ["    tf_sections_end(err, *fh);"]
        if self.success:
            out += ["    if (err == MPI_SUCCESS) {"] + ["        " + line for line in self.success] + ["    }"]
        out += ["    " + line for line in self.after]
        return out + ["    if (ierror)", "        *ierror = err;", "}"] + ending(self.specific)


def is_forwarded(s):
    return not s.large and not any(f08_procedures.is_choice(a) or "detached" in a.flags for a in s.arguments)


def write_chapter(chapter):
    """The C file of a chapter."""
    out = []
    for s in f08_procedures.specifics(chapter):
        if not s.hand:
            out += forwarder(s) if is_forwarded(s) else Wrapper(s).text()
    return HEAD.format(name=chapter.name, title=chapter.title) + "\n" + "\n".join(out)
