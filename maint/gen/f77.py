"""The arguments of mpif.h and `use mpi`: how Fortran declares each kind, and what a wrapper in C makes of it.

A wrapper is a C function with the external name that a Fortran compiler calls: all arguments are addresses, LOGICAL is
its own integer, and the lengths of CHARACTER arguments come last.  What it uses is in binding_f77/fortran.h.
"""

from api import Argument, raised_on
from bindings import aligned, degree_of, signature
from kinds import ABSENT, ADDRESS, CHOICE, COUNT, INTEGER, OFFSET, STRINGS

C_TYPES = {STRINGS: "char", ADDRESS: "MPI_Aint", COUNT: "MPI_Count", OFFSET: "MPI_Offset", CHOICE: "void"}
FUNCTIONS = {"double": "DOUBLE PRECISION", "MPI_Aint": ADDRESS}  # the Fortran type of what returns no error class


def declared(a):
    """(type, dimensions) of an argument in Fortran."""
    if a.row.fortran is ABSENT:
        raise SystemExit(f"maint/gen/kinds.py: Fortran has no arguments of the kind '{a.kind}', which that of {a.name} is")
    if "integer" in a.flags:
        return INTEGER, a.row.fortran.dimensions
    if a.kind == "pointer" and a.direction != "in" and "detached" not in a.flags:
        return ADDRESS, ""
    return a.row.fortran.type, a.row.fortran.dimensions


def arguments_of(procedure, arguments):
    """Those that Fortran has; the last is ierror, but for functions and MPI_Pcontrol."""
    mine = [a for a in arguments if "c-only" not in a.flags]
    bare = procedure.returns in FUNCTIONS or any(a.kind == "varargs" for a in arguments)
    return mine if bare else mine + [Argument("ierror", "out", "int", [])]


def procedures(chapters):
    """(entry, name, arguments) of every procedure that Fortran has: the forms without _c."""
    for chapter in chapters:
        for procedure in chapter.procedures:
            if procedure.fortran != "none":
                for _, name, arguments in procedure.variants():
                    yield procedure, name, arguments_of(procedure, arguments)


def gives_memory(arguments):
    """Whether an address comes out, which a TYPE(C_PTR) may take as well."""
    return any(a.kind == "pointer" and declared(a)[0] == ADDRESS for a in arguments)


def parameter(a):
    if a.kind == "function":
        return f"tf_function *{a.name}"
    return f"{C_TYPES.get(declared(a)[0], 'MPI_Fint')} *{a.name}"


def parameters(arguments):
    return [parameter(a) for a in arguments] + lengths(arguments)


def has_length(a):
    """Whether a compiler passes the length of an argument, a string or each element of an array of them."""
    return a.row.fortran is not ABSENT and a.row.fortran.type == STRINGS


def lengths(arguments):
    return [f"size_t {a.name}_length" for a in arguments if has_length(a)]


def external(name, prefix=""):
    return f"FC_FUNC_({(prefix + name).lower()}, {(prefix + name).upper()})"


class Wrapper:
    """The body of one wrapper: what comes before the call, the words of the call, and what comes after it."""

    error = "*ierror"

    def __init__(self, arguments):
        self.arguments = {a.name: a for a in arguments}
        self.request = next((a for a in arguments if a.kind == "request" and a.direction == "out"), None)
        self.before, self.words, self.checked = [], [], []  # checked: what is NULL without memory
        self.after, self.success = [], []  # in any case, and without an error
        for a in arguments:
            self.words.append("0" if "c-only" in a.flags else self.word(a))

    def fail(self, procedure, errclass, words):
        """Raise an error of the binding's own where C raises the procedure's others, as C text."""
        on = raised_on(self.arguments.values())
        on = on if on and on.row.handle.errhandler else None
        word = on.row.handle.object if on else "comm"
        where = f"tf_{word}_c(*{on.name})" if on else "MPI_COMM_SELF"
        return f'tf_{word}_fail({where}, "{procedure}", {errclass}, {words})'

    def fail_for_memory(self, procedure):
        return self.fail(procedure, "MPI_ERR_NO_MEM", "tf_no_room")

    def size(self, a):
        """How many elements an array has, as C text."""
        of = self.arguments[a.of[0]]
        degree = degree_of(a)
        if degree:
            return f"tf_comm_{degree}({of.name})"
        return f"tf_comm_width({of.name})" if of.kind == "comm" else f"*{of.name}"

    def word(self, a):
        """What C gets for an argument."""
        if a.row.fortran.word:
            return getattr(self, a.row.fortran.word)(a)
        return a.name if a.direction != "in" or declared(a)[1] else f"*{a.name}"

    def address(self, a):
        return a.name

    def handle(self, a):
        ctype, word = a.row.handle.ctype, a.row.handle.object
        if a.direction == "in":
            return f"tf_{word}_c(*{a.name})"
        made = a.kind == "comm" and a.direction == "out"  # which is null after an error
        unset = " = MPI_REQUEST_NULL" if a is self.request and self.checked else ""  # without room it is not begun
        value = " = MPI_COMM_NULL" if made else unset if a.direction == "out" else f" = tf_{word}_c(*{a.name})"
        self.before.append(f"{ctype} {a.name}_c{value};")
        back = f"*{a.name} = tf_{word}_f({a.name}_c);"
        (self.success if a.direction == "out" and not made else self.after).append(back)
        return f"&{a.name}_c"

    def handles(self, a):
        ctype, word = a.row.handle.ctype, a.row.handle.object + "s"
        n, size = a.name, f"{a.name}_n"
        few = "NULL" if self.request else f"{n}_few"  # which an operation that goes on would outlive
        self.before.append(f"int {size} = {self.size(a)};")
        self.before += [f"{ctype} {n}_few[TF_FEW];"] * (not self.request)
        if "given" in a.flags:
            self.before.append(f"if ({self.buffer(self.arguments[a.flags['given'][0]])} == MPI_IN_PLACE)\n        {size} = 0;")
        source = "NULL" if a.direction == "out" else n
        self.before.append(f"{ctype} *{n}_c = tf_{word}_c({source}, {size}, {few});")
        self.checked.append(f"{n}_c")
        back = "NULL" if a.direction == "in" else n
        if self.request:
            self.after.append(f"tf_{word}_keep({n}_c, {self.error}, {self.request.name}_c);")
        else:
            self.after.append(f"tf_{word}_f({back}, {size}, {few}, {n}_c);")
        return f"{n}_c"

    def buffer(self, a):
        return f"tf_buffer({a.name})"

    def pointer(self, a):
        # What comes out of MPI_Buffer_detach has no place in a Fortran buffer (MPI-5.0 section 3.6).
        return f"tf_buffer({a.name})" if a.direction == "in" else "&(void *){0}" if "detached" in a.flags else a.name

    def status(self, a):
        return f"(MPI_Status *){a.name}" if a.direction == "in" else f"tf_status({a.name})"

    def statuses(self, a):
        return f"tf_statuses({a.name})"

    def ranges(self, a):
        return f"(int(*)[3]){a.name}"

    def logical(self, a):
        if a.direction == "in":
            return f"tf_logical_c(*{a.name})"
        return self.when_set(a, "logical")

    def logicals(self, a):
        n, size = a.name, f"{a.name}_n"
        comm = next((b.name for b in self.arguments.values() if b.kind == "comm"), "")
        source, back = (n, "NULL") if a.direction == "in" else ("NULL", n)
        self.before += [f"int {size} = {self.size(a) if a.of else f'tf_comm_dims({comm})'};", f"int {n}_few[TF_FEW];"]
        self.before.append(f"int *{n}_c = tf_logicals_c({source}, {size}, {n}_few);")
        self.checked.append(f"{n}_c")
        self.after.append(f"tf_logicals_f({back}, {size}, {n}_few, {n}_c);")
        return f"{n}_c"

    def strings(self, a, kind, *more):
        """An array of strings, at the root alone; elsewhere it may be anything."""
        n = a.name
        words = ", ".join(["tf_at_root(comm, root)", n, f"{n}_length", *more])
        self.before.append(f"{'char ***' if kind == 'argvs' else 'char **'}{n}_c = tf_{kind}_c({words});")
        self.after.append(f"free({n}_c);")
        self.checked.append(f"{n}_c")
        return f"{n}_c"

    def argv(self, a):
        return self.strings(a, "argv")

    def argvs(self, a):
        return self.strings(a, "argvs", f"*{a.of[0]}")

    def commands(self, a):
        return self.strings(a, "commands", f"*{a.of[0]}")

    def rootinfos(self, a):
        n = a.name
        self.before.append(f"int {n}_n = tf_at_root(comm, root) ? *{a.of[0]} : 0;")
        self.before.append(f"MPI_Info {n}_few[TF_FEW];")
        self.before.append(f"MPI_Info *{n}_c = tf_infos_c({n}, {n}_n, {n}_few);")
        self.checked.append(f"{n}_c")
        self.after.append(f"tf_infos_f(NULL, {n}_n, {n}_few, {n}_c);")
        return f"{n}_c"

    def errcodes(self, a):
        return f"tf_errcodes({a.name})"

    def weights(self, a):
        return f"tf_weights({a.name})"

    def index(self, a):
        return self.when_set(a, "index")

    def indices(self, a):
        count = a.flags["set"][0]
        self.before.append(f"*{count} = 0;")
        self.after.append(f"for (int i = 0; i < *{count}; i++)\n        {a.name}[i]++;")
        return a.name

    def when_set(self, a, word):
        """A result that C may set although it reports an error, that of one of the operations."""
        self.before.append(f"int {a.name}_c = TF_UNSET;")
        self.after.append(f"tf_set_{word}({a.name}, {a.name}_c);")
        return f"&{a.name}_c"

    def string(self, a):
        n = a.name
        if a.direction == "in":
            trimmed = str("trimmed" in a.flags).lower()
            self.before.append(f"char *{n}_c = tf_string_c({n}, {n}_length, {trimmed});")
            self.after.append(f"free({n}_c);")
            self.checked.append(f"{n}_c")
            return f"{n}_c"
        self.before.append(f"char {n}_c[TF_LONGEST_STRING];")
        self.success.append(f"tf_string_f({n}, {n}_length, {n}_c);")
        return f"{n}_c"


def write_wrapper(out, procedure, name, arguments):
    mine = arguments_of(procedure, arguments)
    body = Wrapper(arguments)
    out.append(signature(f"TF_PUBLIC void {external(name, 'P')}", parameters(mine)))
    out.append("{")
    out += [f"    (void){a.name};" for a in mine if "detached" in a.flags]
    out += ["    " + line for line in body.before]
    if body.before:
        out.append("")
    if body.checked:
        missing = " || ".join(f"!{c}" for c in body.checked)
        out.append(f"    if ({missing})\n        *ierror = {body.fail_for_memory(name)};\n    else")
    indent = "        " if body.checked else "    "
    out.append(aligned(f"{indent}*ierror = {name}(", body.words, ");"))
    if body.success:
        braces = len(body.success) > 1
        out.append("    if (*ierror == MPI_SUCCESS)" + " {" * braces)
        out += ["        " + line for line in body.success] + ["    }"] * braces
    out += ["    " + line for line in body.after]
    out.append("}")
    out.append(f"TF_ALIAS({name.lower()}, {name.upper()})\n")
    if gives_memory(arguments):
        out[-1] += f"TF_CPTR({name.lower()}, {name.upper()})\n"


def write_chapter(chapter):
    """The C file of a chapter."""
    out = [f"/* {chapter.name}.c - Fortran: {chapter.title}\n *\n * Generated from maint/api/{chapter.name}.api.\n */"]
    out.append('#include "fortran.h"\n')
    wanted = [p for p in chapter.procedures if not p.fortran]
    for procedure in wanted:
        for _, name, arguments in procedure.variants():
            write_wrapper(out, procedure, name, arguments)
    return "\n".join(out)
