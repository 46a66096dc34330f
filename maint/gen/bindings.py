"""Writes the C bindings: for each procedure one body that its plain and its large-count form share.

A body looks its handles up, checks its arguments where checking is on, calls the core, and hands an error to the
communicator's error handler.  What it uses is in binding_c/check.h.
"""

import re

from kinds import KINDS, Handle

VERBS = {"": "do", "i": "begin", "init": "prepare"}
HEAD = """/* {name}.c - {title}
 *
 * Generated from maint/api/{name}.api.
 */
"""


def looked_up(argument):
    return isinstance(KINDS[argument.kind], Handle) and argument.direction != "out"


def is_number_out(argument):
    return KINDS[argument.kind].declarator(argument.direction, "body").startswith("struct number_out")


class Body:
    """What one entry's body consists of."""

    def __init__(self, procedure):
        self.procedure = procedure
        self.arguments = {a.name: a for a in procedure.arguments}
        comms = [a.name for a in procedure.arguments if a.kind == "comm" and looked_up(a)]
        self.comm = comms[0] if comms else None
        self.on = "on" if self.comm or "&on" in procedure.call else "NULL"  # whose error handler applies

    def object(self, name):
        """Where the object behind a handle is."""
        if self.procedure.coll:
            return f"call->{self.field(name)}"
        return "on" if name == self.comm else f"{name}_"

    def field(self, name):
        """The member of struct tf_call that an argument becomes."""
        return self.arguments[name].flags.get("as", [name])[0]

    def converted(self, word):
        """A word of a call: an argument as the core wants it, or what it is."""
        a = self.arguments.get(word)
        if a and looked_up(a):
            return self.object(word)
        return f"&{word}_" if a and is_number_out(a) else word

    def size(self, name, own_group=False):
        """The length of an array: an argument that is a number, or the size of a communicator, of an intercommunicator
        that of the remote group unless `own_group`."""
        if self.arguments[name].kind != "comm":
            return name
        return f"{self.object(name)}->{'size' if own_group else 'npeers'}"

    # -- one argument's looking up and checking ----------------------------------------------------------------

    def find(self, a):
        """The looking up of a handle, an error class."""
        kind = KINDS[a.kind]
        given = f"*{a.name}" if a.direction in ("free", "inout") else a.name
        return f'find_{kind.finder}("{a.name}", {given}, &{self.object(a.name)})'

    def checks(self, a):
        """The conditions, each true after setting err, that the argument is wrong."""
        n, quoted = a.name, f'"{a.name}"'
        if a.kind in ("requests", "ints", "indices", "ranges", "handles") and a.of:
            found = [f"check_array({quoted}, {n}, {self.size(a.of[0])})"]
        elif a.kind in ("numbers", "displs", "disps") and a.of:
            found = [f"check_array({quoted}, {n}.array, {self.size(a.of[0])})"]
        elif a.kind == "message" and a.direction == "inout":
            found = [f"tf_check_message({quoted}, {n})"]
        elif a.direction == "in":
            found = self.checks_by_kind(a, n, quoted)
        elif self.must_point(a):
            found = [f"check_out({quoted}, {n}.pointer)" if is_number_out(a) else f"check_out({quoted}, {n})"]
        else:
            found = []
        return [f"(err = {c})" for c in found]

    @staticmethod
    def must_point(a):
        """Whether an output is an address that must not be null (and has not been followed already)."""
        if a.kind in ("buffer", "raw", "statuses", "ints", "indices", "requests", "handles", "aints", "xcounts"):
            return False
        if a.kind == "status" and a.direction == "out" or "optional" in a.flags:
            return False
        return a.direction == "out" or not (looked_up(a) or is_number_out(a))

    def checks_by_kind(self, a, n, quoted):
        on = self.comm and self.object(self.comm)
        simple = {
            "count": [f"check_count({quoted}, {n})"],
            "length": [f"check_count({quoted}, {n})"],
            "tag": [f"check_tag({quoted}, {n})"],
            "anytag": [f"check_anytag({quoted}, {n})"],
            "dest": [f"check_dest({quoted}, {n}, {on})"],
            "source": [f"check_source({quoted}, {n}, {on})"],
            "status": [f"check_out({quoted}, {n})"],
            "string": [f"check_out({quoted}, {n})"],
            "boolean": [f"check_out({quoted}, {n})"],
            "function": [] if "optional" in a.flags else [f"check_out({quoted}, {n})"],
        }
        if a.kind in simple:
            return simple[a.kind]
        if a.kind == "type":
            return [f"check_committed({quoted}, {self.object(n)})"]
        if a.kind == "op" and a.of:
            return [f"tf_op_check({self.object(n)}, {self.object(a.of[0])})"]
        if a.kind == "counts" and a.of:
            return [f"tf_check_counts({quoted}, {n}, {self.size(a.of[0], 'own-group' in a.flags)})"]
        if a.kind == "types" and a.of:
            return [f"tf_check_types({quoted}, {n}, {self.size(a.of[0])})"]
        return []

    def checks_of_buffer(self, a):
        """With its count and datatype, which have been checked, and against the buffer that it must not be."""
        n, quoted = a.name, f'"{a.name}"'
        if a.kind != "buffer" or not a.of:
            return []
        count, datatype = (self.arguments[o] for o in a.of)
        if count.kind == "counts":
            typed = self.object(datatype.name) if datatype.kind == "type" else "NULL"
            size = self.size(count.of[0], "own-group" in count.flags)
            whole = f"(err = check_buffers({quoted}, {n}, {count.name}, {size}, {typed}))"
            if "own" not in a.flags:
                return [whole]
            other = self.arguments[a.flags["own"][0]]
            part = f"(err = check_buffer({quoted}, {n}, {self.own_count(count)}, {typed}))"
            return [f"({other.name} == MPI_IN_PLACE && {whole})", f"({given(other)} && {part})"]
        typed = self.object(datatype.name)
        test = f"(err = check_buffer({quoted}, {n}, {count.name}, {typed}))"
        found = [f"({a.flags['to'][0]} != MPI_PROC_NULL && {test})" if "to" in a.flags else test]
        return found

    def own_count(self, counts):
        return f"tf_counts_at({counts.name}, call->comm->rank)"

    def checks_of_aliases(self, a):
        if a.kind != "buffer" or "apart" not in a.flags:
            return []
        return [self.check_of_alias(a, self.arguments[a.flags["apart"][0]])]

    def check_of_alias(self, a, other):
        """Two buffers that must not be one, if both count."""
        described = []
        for b in (a, other):
            count = self.arguments[b.of[0]]
            number = self.own_count(count) if count.kind == "counts" else count.name
            described += [f'"{b.name}"', b.name, number, self.object(b.of[1])]
        terms = [f"{b.flags['to'][0]} != MPI_PROC_NULL" for b in (other, a) if "to" in b.flags]
        test = f"(err = check_apart({', '.join(described)}))"
        return f"({' && '.join(terms + [test])})" if terms else test

    # -- the text ------------------------------------------------------------------------------------------------

    def parameters(self, arguments):
        return [a.declare("body") for a in arguments if "unused" not in a.flags]


def fold(term, indent):
    """A condition that ends in a call, broken before and in that call where it is too long for a line."""
    room = " " * 8  # for the parentheses and || that follow
    if indent + len(term + room) <= 120:
        return term
    before, head, rest = re.fullmatch(r"(.*?)(\(err = \w+\()(.*)", term).groups()
    if before:
        indent += 1
        before = before.rstrip() + "\n" + " " * indent
    return before + aligned(" " * indent + head, rest.split(", "), room).strip()


def conjunction(terms, indent, last=""):
    """Terms joined by ||, one a line."""
    return (" ||\n" + " " * indent).join(t if "\n" in t else fold(t, indent) for t in terms) + last


def guarded(terms, indent):
    """Terms that only count where checking is on."""
    if not terms:
        return []
    return ["(checking() && (" + conjunction(terms, indent + len("(checking() && (")) + "))"]


def aligned(head, parts, tail):
    """A call or signature, folded at 120 columns, aligned at the parenthesis."""
    lines, line = [], head
    for i, part in enumerate(parts):
        part += "," if i + 1 < len(parts) else tail
        if len(line) + len(part) + 1 > 120 and line.strip() != "":
            lines.append(line.rstrip())
            line = " " * (head.rfind("(") + 1)
        line += part + (" " if i + 1 < len(parts) else "")
    if not parts:
        line += tail
    return "\n".join(lines + [line])


def signature(head, parts):
    return aligned(head + "(", parts or ["void"], ")")


def public(out, procedure, name, arguments, body, form, extra):
    """MPI_X: hands over to the body."""
    out.append(signature(f"{procedure.returns} P{name}", [a.declare(form) for a in arguments]))
    used = [a for a in arguments if "unused" not in a.flags]
    passed = [f'"{name}"'] + [KINDS[a.kind].pass_on(a.direction, form).replace("@", a.name) for a in used] + extra
    ignored = "".join(f"    (void){a.name};\n" for a in arguments if "unused" in a.flags)
    out.append("{\n" + ignored + aligned(f"    return {body}(", passed, ");") + "\n}")
    out.append(f"TF_ALIAS({name});\n")


def publish(out, procedure, name, arguments, body, extra):
    for form, suffix in (("plain", ""), ("large", "_c")):
        if not suffix or "c" in procedure.forms:
            large = [{"plain": "false", "large": "true"}[form]] if extra else []
            public(out, procedure, name + suffix, arguments, body, form, large)


# -- procedures that call one function of the core --------------------------------------------------------------


def core_call(procedure, body, form):
    """The core's function, or its nonblocking or persistent sibling, and its arguments, converted."""
    function, given = re.fullmatch(r"(\w+)\((.*)\)", procedure.call).groups()
    words = [w.strip() for w in given.split(",") if w.strip()]
    words = [w for w in words if not (form and w in body.arguments and "blocking" in body.arguments[w].flags)]
    if form:
        function = function.replace("tf_", "tf_i", 1) if form == "i" else function + "_init"
        words.append("request")
    return function, [body.converted(w) for w in words]


def lookups(body, arguments):
    """Terms that look handles up and read numbers; the communicator first: its error handler is told of the rest."""
    terms = []
    for a in sorted(arguments, key=lambda a: a.name != body.comm):
        if looked_up(a):
            if a.direction != "in":
                terms.append(f'(err = check_out("{a.name}", {a.name}))')
            terms.append(f"(err = {body.find(a)})")
        elif is_number_out(a) and a.direction == "inout":
            terms.append(f'(err = number_get("{a.name}", {a.name}, &{a.name}_))')
    if not body.procedure.anytime and not body.comm:
        terms.insert(0, "(err = check_running())")
    return terms


def locals_of(body, arguments):
    """What a body declares."""
    out = ["struct tf_comm *on = NULL;"] if body.on != "NULL" else []
    for a in arguments:
        if looked_up(a) and a.name != body.comm:
            out.append(f"struct tf_{KINDS[a.kind].what} *{a.name}_ = NULL;")
        elif is_number_out(a):
            out.append(f"MPI_Count {a.name}_ = 0;")
    return out + ["int err;"]


def results(arguments):
    """What a body does when all went well."""
    out = [f"number_put({a.name}, {a.name}_);" for a in arguments if is_number_out(a)]
    return out + [f"*{a.name} = {KINDS[a.kind].null};" for a in arguments if a.direction == "free"]


def finish(out, on, after):
    """The end of a body whose condition is open."""
    raised = f"        err = tf_errhandler_raise({on}, procedure, err);"
    if len(after) > 1:
        out[-1] += " {"
        out += [raised, "    } else {"] + ["        " + line for line in after] + ["    }"]
    else:
        out += [raised] + ["    else"] * len(after) + ["        " + line for line in after]
    out.append("    tf_leave();\n    return err;\n}\n")


def one_call(out, procedure):
    body = Body(procedure)
    extra = ["bool large"] if re.search(r"\blarge\b", procedure.call) else []
    for form, name, arguments in procedure.variants():
        head = VERBS[form] + "_" + procedure.word
        parameters = ["const char *procedure"] + body.parameters(arguments) + extra
        out.append(signature(f"static int {head}", parameters) + "\n{")
        out += ["    " + line for line in locals_of(body, arguments)]
        checks = [c for check in (body.checks, body.checks_of_buffer, body.checks_of_aliases) for a in arguments for c in check(a)]
        function, words = core_call(procedure, body, form)
        terms = lookups(body, arguments) + guarded(checks, 8) + [f"(err = {function}({', '.join(words)}))"]
        out.append("\n    tf_enter();\n    if (" + conjunction(terms, 8, ")"))
        finish(out, body.on, results(arguments))
        publish(out, procedure, name, arguments, head, bool(extra))


# -- collectives: a struct tf_call and one of three ways to run it -------------------------------------------------

ENTRIES = {"": "run(&call)", "i": "begin(&call, request)", "init": "prepare(&call, info_, request)"}


def given(buffer):
    """The C condition that a buffer is not MPI_IN_PLACE where that is allowed."""
    if "in-place-at-root" in buffer.flags:
        return f"!(at_root && {buffer.name} == MPI_IN_PLACE)"
    return f"{buffer.name} != MPI_IN_PLACE"


def condition(body, a):
    """When an argument of a collective is significant, as C text; None: always."""
    terms = ["at_root"] if "at-root" in a.flags else ["served"] if "served" in a.flags else []
    if "past-first" in a.flags:
        buffer = body.arguments[a.flags["past-first"][0]]
        terms.append(f"(call->comm->rank > 0 || {buffer.name} == MPI_IN_PLACE)")
    if "given" in a.flags:
        terms.append(given(body.arguments[a.flags["given"][0]]))
    return " && ".join(terms) or None


class Block:
    """The arguments of a collective that are significant under one condition."""

    def __init__(self):
        self.assigned, self.finds, self.checks, self.buffer_checks = [], [], [], []

    def terms(self, indent):
        return self.finds + guarded(self.checks + self.buffer_checks, indent)


def blocks_of(procedure, body):
    """{condition: Block}, the unconditional one first."""
    blocks = {None: Block()}
    for a in procedure.arguments:
        if a.name == body.comm or a.kind == "root":
            continue
        when = condition(body, a)
        block = blocks.setdefault(when, Block())
        if looked_up(a):
            block.finds.append(f"(err = {body.find(a)})")
        else:
            block.assigned.append(f"call->{body.field(a.name)} = {a.name};")
        block.checks += body.checks(a)
        if "in-place" in a.flags or "in-place-at-root" in a.flags:
            when = " && ".join(filter(None, [when, given(a)]))
        checks = body.checks_of_buffer(a)
        if checks:
            blocks.setdefault(when, Block()).buffer_checks += checks
    for a in procedure.arguments:  # once both buffers' datatypes are known
        for check in body.checks_of_aliases(a):
            both = [condition(body, a), condition(body, body.arguments[body.arguments[a.flags["apart"][0]].of[1]])]
            when = " && ".join(w for i, w in enumerate(both) if w and w not in both[:i]) or None
            blocks.setdefault(when, Block()).buffer_checks.append(check)
    return blocks


def fill(out, procedure, body):
    """The function that makes a struct tf_call of the arguments."""
    blocks = blocks_of(procedure, body)
    always = blocks.pop(None)
    roots = [a.name for a in procedure.arguments if a.kind == "root"]
    parameters = ["struct tf_call *call"] + body.parameters(procedure.arguments)
    out.append(signature(f"static int fill_{procedure.word}", parameters) + "\n{\n    int err;\n")
    out.append(f"    clear_call(call);\n    call->coll = {procedure.coll};")
    out += ["    " + line for line in always.assigned] + [f"    call->root = {r};" for r in roots]
    first = [f"(err = {body.find(body.arguments[body.comm])})"]
    first += [f'(err = check_root("{r}", {r}, call->comm))' for r in roots]
    if roots:
        out.append("    if (" + conjunction(first, 8, ")") + "\n        return err;")
        out.append(f"    if (TF_UNLIKELY({roots[0]} == MPI_PROC_NULL))\n        return MPI_SUCCESS;")
        first = []
    if first or always.terms(8):
        out.append("    if (" + conjunction(first + always.terms(8), 8, ")") + "\n        return err;")
    for what, call in (("at_root", "is_root"), ("served", "is_served")):
        if any(what in when for when in blocks):
            out.append(f"    bool {what} = {call}(call->comm, {roots[0]});")
    for when, block in blocks.items():
        out.append(f"    if ({when}) {{")
        out += ["        " + line for line in block.assigned]
        terms = block.terms(12)
        if terms:
            out.append("        if (" + conjunction(terms, 12, ")") + "\n            return err;")
        out.append("    }")
    out.append("    return MPI_SUCCESS;\n}\n")


def collective(out, procedure):
    body = Body(procedure)
    fill(out, procedure, body)
    names = ["&call"] + [a.name for a in procedure.arguments]
    for form, name, arguments in procedure.variants():
        head = VERBS[form] + "_" + procedure.word
        parameters = ["const char *procedure"] + body.parameters(arguments)
        out.append(signature(f"static int {head}", parameters) + "\n{\n    struct tf_call call;")
        terms = [f"(err = fill_{procedure.word}({', '.join(names)}))"]
        if form == "init":
            out.append("    struct tf_info *info_ = NULL;")
            terms.append('(err = find_hints("info", info, &info_))')
        if form:
            terms.append('(err = check_out("request", request))')
        terms.append(f"(err = tf_coll_{ENTRIES[form]})")
        out.append("    int err;\n\n    tf_enter();\n    if (" + conjunction(terms, 8, ")"))
        finish(out, "call.comm", [])
        publish(out, procedure, name, arguments, head, False)


def write_chapter(chapter):
    """The C file of a chapter, or None if all of it is written by hand."""
    procedures = [p for p in chapter.procedures if not p.hand]
    if not procedures:
        return None
    out = [HEAD.format(name=chapter.name, title=chapter.title) + '#include "check.h"\n']
    out[0] += "".join(f"#include {i}\n" for i in chapter.includes)
    for procedure in procedures:
        out.append(f"/* {procedure.name}: {procedure.sentence} */")
        (collective if procedure.coll else one_call)(out, procedure)
    return "\n".join(out)


def write_prototypes(chapters):
    """The declarations in mpi.h."""
    out = []
    for chapter in chapters:
        out.append(f"\n/* {chapter.title} */")
        for prefix in ("", "P"):
            for procedure in chapter.procedures:
                for returns, name, declared in procedure.prototypes():
                    out.append(signature(f"{returns} {prefix}{name}", declared) + ";")
    return "\n".join(out)
