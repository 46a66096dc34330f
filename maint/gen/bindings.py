"""Writes the C bindings: for each procedure one body that its plain and its large-count form share.

A body looks its handles up, checks its arguments where checking is on, calls the core, and raises an error on the first
object that can have an error handler, on that which the core puts into `on`, or on none.  What it uses is in binding_c/check.h.
"""

import re

from api import raised_on
from handles import HANDLES

VERBS = {"": "do", "i": "begin", "init": "prepare"}
HEAD = """/* {name}.c - {title}
 *
 * Generated from maint/api/{name}.api.
 */
"""


def is_number_out(argument):
    return argument.row.c.declarator(argument.direction, "body").startswith("struct number_out")


def degree_of(a):
    """Which of the neighbors of a topology an array has elements for, or a buffer is of; None: it has to do with none."""
    return "indegree" if "from-neighbors" in a.flags else "outdegree" if "to-neighbors" in a.flags else None


class Body:
    """What one entry's body consists of."""

    def __init__(self, procedure):
        self.procedure = procedure
        self.arguments = {a.name: a for a in procedure.arguments}
        comms = [a.name for a in procedure.arguments if a.kind == "comm" and a.looked_up]
        self.comm = comms[0] if comms else None
        self.on = None if procedure.raises else raised_on(procedure.arguments)
        self.found_on = not self.on and "&on" in procedure.call  # the core says whose

    def object(self, name):
        """Where the object behind a handle is."""
        if self.procedure.coll:
            return f"call->{self.field(name)}"
        return "on" if self.on and name == self.on.name else f"{name}_"

    def field(self, name):
        """The member of struct tf_call that an argument becomes."""
        return self.arguments[name].flags.get("as", [name])[0]

    def converted(self, word):
        """A word of a call: an argument as the core wants it, or an expression in which handles become objects."""
        if word in self.arguments and is_number_out(self.arguments[word]):
            return f"&{word}_"
        looked_up = lambda name: name in self.arguments and self.arguments[name].looked_up
        return re.sub(r"(?<!->)\b\w+", lambda found: self.object(found[0]) if looked_up(found[0]) else found[0], word)

    def site(self):
        """Where an error is raised, as C text: struct tf_error_site."""
        if self.found_on:
            return "tf_check_site(on)"
        if self.procedure.raises:
            return f"tf_{self.procedure.raises}_site(NULL)"
        if self.on and "raises" in self.on.flags:
            return "on ? tf_errhandler_site(on) : tf_comm_site(NULL)"
        where = "call.comm" if self.procedure.coll else "on" if self.on else "NULL"
        return f"tf_{self.on.row.handle.object if self.on else 'comm'}_site({where})"

    def size(self, a):
        """The length of an array: an argument that is a number, or the size of a communicator, of an intercommunicator
        that of the remote group, or as the flags say."""
        name = a.of[0]
        if self.arguments[name].kind != "comm":
            return name
        degree = degree_of(a)
        if degree:
            return f"tf_topo_{degree}({self.object(name)})"
        return f"{self.object(name)}->{'size' if 'own-group' in a.flags else 'npeers'}"

    def number(self, a, count):
        """The elements of a buffer of one block, none where no neighbor gets or sends any."""
        degree = degree_of(a)
        return f"{count} * (tf_topo_{degree}({self.object(self.comm)}) > 0)" if degree else count

    # -- one argument's looking up and checking ----------------------------------------------------------------

    def find(self, a, found=()):
        """The looking up of a handle, an error class; `found`: arguments that have been looked up by then."""
        given = f"*{a.name}" if a.direction in ("free", "inout") else a.name
        finder, more = a.row.object, ""
        if "nothing" in a.flags:
            finder, more = finder + "_or_nothing", f", {a.flags['nothing'][0]} == 0"
        elif "or-null" in a.flags:
            finder += "_or_null"
        elif "after-fork" in a.flags:
            finder += "_after_fork"
        call = f'find_{finder}("{a.name}", {given}{more}, &{self.object(a.name)})'
        like = [other.name for other in found if other.row.object == a.row.object == "type"]
        if like:  # of two datatypes the second is mostly the first again
            return f"find_like({given}, {like[0]}, {self.object(like[0])}, &{self.object(a.name)}, {call})"
        return call

    def checks(self, a):
        """The conditions, each true after setting err, that the argument is wrong."""
        check = self.check_of(a)
        datatype = self.counted(a)
        if datatype:
            check = f'check_count_of("@", @, {self.object(datatype.name)})'
        return [f"(err = {self.filled(check, a)})"] if check else []

    def counted(self, a):
        """The datatype of which an argument counts the elements of a buffer, where both are significant; or None.  Not of
        windows, whose sizes say more."""
        if a.kind != "count" or a.direction != "in":
            return None
        counted = [self.arguments[b.of[1]] for b in self.procedure.arguments if b.kind == "buffer" and len(b.of) > 1
                   and b.of[0] == a.name and "later" not in b.flags]
        found = [t for t in counted if t.looked_up and condition(self, t) == condition(self, a)]
        return found[0] if found else None

    @staticmethod
    def check_of(a):
        """The check of an argument, in the words of kinds.py."""
        row = a.row
        if row.check_array and a.of:
            return row.check_array
        if a.direction == "in":
            needless = "optional" in a.flags or not a.of and ("{of}" in row.check or "{size}" in row.check)
            return "" if needless else row.check
        if "optional" in a.flags or a.direction != "out" and a.looked_up:
            return ""
        return row.check_out if a.direction == "out" or row.check_inout is None else row.check_inout

    def filled(self, check, a):
        words = {
            "object": lambda: self.object(a.name),
            "comm": lambda: self.object(self.comm),
            "of": lambda: self.object(a.of[0]),
            "counts": lambda: a.of[1],
            "size": lambda: self.size(a),
        }
        for word, text in words.items():
            if f"{{{word}}}" in check:
                check = check.replace(f"{{{word}}}", text())
        return check.replace("@", a.name)

    def checks_of_buffer(self, a):
        """With its count and datatype, which have been checked, and against the buffer that it must not be."""
        n, quoted = a.name, f'"{a.name}"'
        if a.kind != "buffer" or not a.of:
            return []
        if len(a.of) == 1:
            return [f"(err = check_buffer({quoted}, {n}, {a.of[0]}, tf_type_find(MPI_BYTE)))"]
        count, datatype = (self.arguments[o] for o in a.of)
        if count.kind == "counts":
            whole = f"(err = check_blocks({n}, {self.side(a)}))"
            if "own" not in a.flags:
                return [whole]
            other = self.arguments[a.flags["own"][0]]
            part = f"(err = check_buffer({quoted}, {n}, {self.own_count(count)}, {self.object(datatype.name)}))"
            return [f"({other.name} == MPI_IN_PLACE && {whole})", f"({given(other)} && {part})"]
        typed = self.object(datatype.name)
        test = f"(err = check_buffer({quoted}, {n}, {self.number(a, count.name)}, {typed}))"
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
        if any(self.displs_of(b) for b in (a, other)):
            return f"(err = check_sides({self.side(a)}, {self.side(other)}))"
        described = []
        for b in (a, other):
            count = self.arguments[b.of[0]]
            number = self.own_count(count) if count.kind == "counts" else self.number(b, count.name)
            described += [f'"{b.name}"', b.name, number, self.object(b.of[1])]
        terms = [f"{b.flags['to'][0]} != MPI_PROC_NULL" for b in (other, a) if "to" in b.flags]
        test = f"(err = check_apart({', '.join(described)}))"
        return f"({' && '.join(terms + [test])})" if terms else test

    def displs_of(self, buffer):
        """Where the blocks of a buffer lie that has several: the argument after their counts, or None."""
        arguments = self.procedure.arguments
        after = arguments[arguments.index(self.arguments[buffer.of[0]]) + 1]
        return after.name if after.kind in ("displs", "disps", "adisps") else None

    def side(self, buffer):
        """A buffer as a struct tf_side."""
        count, datatype = (self.arguments[o] for o in buffer.of)
        displs, quoted = self.displs_of(buffer) or "(struct tf_counts){0}", f'"{buffer.name}"'
        if count.kind != "counts":
            return f"one_block({quoted}, {buffer.name}, {count.name}, {self.object(datatype.name)})"
        types = f"{self.object(datatype.name)}, NULL" if datatype.kind == "type" else f"NULL, {datatype.name}"
        size = self.size(count)
        return f"blocks({quoted}, {buffer.name}, {count.name}, {displs}, {size}, {types})"

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
    """MPI_X: hands over to the body, which is compiled into it if it is the ordinary form, and called often."""
    flat = "TF_FLAT " if form == "plain" and not body.startswith(VERBS["init"]) else ""
    out.append(signature(f"{flat}{procedure.returns} P{name}", [a.declare(form) for a in arguments]))
    used = [a for a in arguments if "unused" not in a.flags]
    passed = [f'"{name}"'] + [a.row.c.pass_on(a.direction, form).replace("@", a.name) for a in used] + extra
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
    """Terms that look handles up and read numbers; first that whose error handler is told of the rest."""
    terms, found = [], []
    for a in sorted(arguments, key=lambda a: a is not body.on):
        if a.looked_up:
            if a.direction != "in":
                terms.append(f'(err = check_out("{a.name}", {a.name}))')
            terms.append(f"(err = {body.find(a, found)})")
            found.append(a)
        elif is_number_out(a) and a.direction == "inout":
            terms.append(f'(err = number_get("{a.name}", {a.name}, &{a.name}_))')
    if not body.procedure.anytime and not (body.on and body.on.name == body.comm):
        terms.insert(0, "(err = check_running())")
    return terms


def locals_of(body, arguments):
    """What a body declares."""
    out = [f"struct tf_{body.on.row.handle.object if body.on else 'object'} *on = NULL;"] * bool(body.on or body.found_on)
    for a in arguments:
        if a.looked_up and a is not body.on:
            out.append(f"struct tf_{a.row.handle.object} *{a.name}_ = NULL;")
        elif is_number_out(a):
            out.append(f"MPI_Count {a.name}_ = 0;")
    return out + ["int err;"]


def results(arguments):
    """What a body does when all went well."""
    out = [f"number_put({a.name}, {a.name}_);" for a in arguments if is_number_out(a)]
    return out + [f"*{a.name} = {a.row.handle.null};" for a in arguments if a.direction == "free"]


def failures(arguments):
    """What a body does before it raises an error."""
    return [f"no_comm({a.name});" for a in arguments if a.kind == "comm" and a.direction == "out"]


def around(procedure):
    """What takes the big lock and lets it go: (begin, end) of a call.  Most calls are not for every thread."""
    if procedure.anyone:
        return "    tf_lock_enter();", "    tf_lock_leave();"
    if procedure.anytime:
        return "    tf_lock_take();", "    tf_lock_drop();"
    if procedure.constant:
        return "    tf_caller_ask(procedure);", "    tf_caller_asked();"
    return "    tf_caller_enter(procedure);", "    tf_caller_leave();"


def finish(out, procedure, site, before, after):
    """The end of a body whose condition is open."""
    raised = ["        " + line for line in before + [f"err = tf_error_raise({site}, procedure, err);"]]
    if procedure.unlocked or procedure.constant:
        raised = ["        tf_lock_enter();", *raised, "        tf_lock_leave();"]
    if procedure.unlocked:
        out[-1] += " {"
        out += [*raised, "    }", "    return err;\n}\n"]
        return
    if len(after) > 1 or len(raised) > 1:
        out[-1] += " {"
        out += raised + (["    } else {"] if after else []) + ["        " + line for line in after] + ["    }"]
    else:
        out += raised + ["    else"] * len(after) + ["        " + line for line in after]
    out.append(around(procedure)[1] + "\n    return err;\n}\n")


def one_call(out, procedure):
    """A body, and the procedures that are it: inline, lest many arguments are passed twice."""
    body = Body(procedure)
    extra = ["bool large"] if re.search(r"\blarge\b", procedure.call) else []
    for form, name, arguments in procedure.variants():
        head = VERBS[form] + "_" + procedure.word
        parameters = ["const char *procedure"] + body.parameters(arguments) + extra
        out.append(signature(f"static inline int {head}", parameters) + "\n{")
        out += ["    " + line for line in locals_of(body, arguments)]
        checks = [c for check in (body.checks, body.checks_of_buffer, body.checks_of_aliases) for a in arguments for c in check(a)]
        function, words = core_call(procedure, body, form)
        terms = lookups(body, arguments) + guarded(checks, 8) + [f"(err = {function}({', '.join(words)}))"]
        out.append(("" if procedure.unlocked else "\n" + around(procedure)[0]) + "\n    if (" + conjunction(terms, 8, ")"))
        finish(out, procedure, body.site(), failures(arguments), results(arguments))
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
        self.assigned, self.found, self.finds, self.checks, self.buffer_checks = [], [], [], [], []

    def terms(self, indent):
        return self.finds + guarded(self.checks + self.buffer_checks, indent)


def blocks_of(procedure, body):
    """{condition: Block}, the unconditional one first."""
    blocks = {None: Block()}
    for when, a in sorted(((condition(body, a), a) for a in procedure.arguments), key=lambda pair: pair[0] is not None):
        if a.name == body.comm or a.kind == "root":
            continue
        block = blocks.setdefault(when, Block())
        if a.looked_up:
            block.finds.append(f"(err = {body.find(a, blocks[None].found + block.found)})")
            block.found.append(a)
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
    out.append(signature(f"static inline int fill_{procedure.word}", parameters) + "\n{\n    int err;\n")
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
        out.append("    int err;\n\n" + around(procedure)[0] + "\n    if (" + conjunction(terms, 8, ")"))
        finish(out, procedure, body.site(), [], [])
        publish(out, procedure, name, arguments, head, False)


# -- procedures of the tool interface: their error codes are returned, and nobody is told of them -------------------------


def tool_call(out, procedure):
    must = [a for a in procedure.arguments if a.direction != "in" or a.kind in ("string", "buffer")]
    tests = [f"tf_tool_check(TF_TOOL_{procedure.tool.upper()})"]
    tests += [f'tf_tool_given("{a.name}", {a.name})' for a in must if "optional" not in a.flags]
    condition = (" &&" + "\n" + " " * 8).join(f"!(err = {test})" for test in tests)
    out.append(signature(f"int P{procedure.name}", [a.declare("plain") for a in procedure.arguments]))
    out.append(f"{{\n    int err;\n\n    tf_lock_enter();\n    if ({condition})")
    out.append(aligned(f"        err = tf_{procedure.word}(", [a.name for a in procedure.arguments], ");"))
    out.append(f"    tf_lock_leave();\n    return err;\n}}\nTF_ALIAS({procedure.name});\n")


# -- procedures that return a value ----------------------------------------------------------------------------------


def value(out, procedure):
    out.append(signature(f"{procedure.returns} P{procedure.name}", [a.declare("plain") for a in procedure.arguments]))
    out.append(f"{{\n    return {procedure.value};\n}}\nTF_ALIAS({procedure.name});\n")


def write_chapter(chapter):
    """The C file of a chapter."""
    out = [HEAD.format(name=chapter.name, title=chapter.title) + '#include "check.h"\n']
    looked_up = [a.row.handle for p in chapter.procedures for a in p.arguments if a.looked_up]
    headers = chapter.includes + [f'"{h.header}"' for h in HANDLES if h in looked_up]
    out[0] += "".join(f"#include {header}\n" for header in dict.fromkeys(headers))
    for procedure in chapter.procedures:
        if procedure.hand:
            continue
        out.append(f"/* {procedure.name}: {procedure.sentence} */")
        write = tool_call if procedure.tool else value if procedure.value else collective if procedure.coll else one_call
        write(out, procedure)
    return "\n".join(out)


def write_prototypes(chapters):
    """The declarations in mpi.h."""
    out = []
    for chapter in chapters:
        out.append(f"\n/* {chapter.title} */")
        for prefix in ("", "P"):
            for procedure in chapter.procedures:
                tail = f" TREEFOLD_INSTEAD({procedure.instead});" if procedure.instead else ";"
                for returns, name, declared in procedure.prototypes():
                    out.append(signature(f"{returns} {prefix}{name}", declared) + tail)
    return "\n".join(out)
