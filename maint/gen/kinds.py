"""The kinds of arguments: how C declares them and what a binding does with them.

In declarators @ stands for the argument's name and $ for what the kind names in parentheses.
"""


class Kind:
    """A kind whose declarator depends on direction; `large` is that of the _c procedures where it differs.

    body    how the body that both forms share declares it (None: like the large form)
    wrap    makes the body's value of the user's argument, (plain, large)
    """

    def __init__(self, plain, large=None, body=None, wrap=None):
        self.plain, self.large = plain, large or plain
        self.body = body or {}
        self.wrap = wrap or {}

    def declarator(self, direction, form):
        forms = {"plain": self.plain, "large": self.large, "body": {**self.large, **self.body}}[form]
        return forms[direction]

    def pass_on(self, direction, form):
        """How MPI_X (plain) or MPI_X_c (large) hands the argument to the body."""
        return self.wrap.get(direction, {}).get(form, "@")


def value(ctype, pointer=None):
    """By value when it goes in, by address when it comes out."""
    space = "" if ctype.endswith("*") else " "
    out = (pointer or f"{ctype}{space}*") + "@"
    return {"in": f"{ctype}{space}@", "out": out, "inout": out, "free": out}


def array(ctype):
    return {"in": f"const {ctype} @[]", "out": f"{ctype} @[]", "inout": f"{ctype} @[]"}


NUMBER_OUT = {d: "struct number_out @" for d in ("out", "inout")}
NUMBER_WRAP = {d: {"plain": "int_out(@)", "large": "large_out(@)"} for d in ("out", "inout")}


def number():
    """An int that is an MPI_Count in the _c procedures."""
    return Kind(value("int"), value("MPI_Count"), NUMBER_OUT, NUMBER_WRAP)


def numbers(plain="int", large="MPI_Count"):
    """An array of such; a struct tf_counts for the core."""
    wide = "true" if plain == "MPI_Aint" else "false"
    wrap = {"in": {"plain": f"(struct tf_counts){{@, {wide}}}", "large": "(struct tf_counts){@, true}"}}
    return Kind(array(plain), array(large), {"in": "struct tf_counts @"}, wrap)


class Handle(Kind):
    """An object that the binding looks up: `struct tf_<what>`, find_<finder>(); `null` replaces a freed handle."""

    def __init__(self, ctype, what, finder=None):
        super().__init__(value(ctype))
        self.what, self.finder, self.null = what, finder or what, NULLS[ctype]


NULLS = {
    "MPI_Comm": "MPI_COMM_NULL",
    "MPI_Group": "MPI_GROUP_NULL",
    "MPI_Datatype": "MPI_DATATYPE_NULL",
    "MPI_Op": "MPI_OP_NULL",
    "MPI_Info": "MPI_INFO_NULL",
    "MPI_Errhandler": "MPI_ERRHANDLER_NULL",
}

KINDS = {
    # handles that the binding turns into objects
    "comm": Handle("MPI_Comm", "comm"),
    "group": Handle("MPI_Group", "group"),
    "type": Handle("MPI_Datatype", "type"),  # committed: for communication
    "anytype": Handle("MPI_Datatype", "type"),  # committed or not
    "op": Handle("MPI_Op", "op"),  # op(datatype): must fit it
    "info": Handle("MPI_Info", "info"),
    "hints": Handle("MPI_Info", "info", "hints"),  # MPI_INFO_NULL is allowed: NULL
    "errhandler": Handle("MPI_Errhandler", "errhandler"),
    # handles and records that go to the core as they are
    "request": Kind(value("MPI_Request")),
    "requests": Kind(array("MPI_Request")),  # requests(count)
    "message": Kind(value("MPI_Message")),
    "types": Kind(array("MPI_Datatype")),  # types(comm): one for each rank, committed
    "handles": Kind(array("MPI_Datatype")),  # handles(count): the core looks at them
    "status": Kind({"in": "const MPI_Status *@", "out": "MPI_Status *@", "inout": "MPI_Status *@"}),
    "statuses": Kind({"out": "MPI_Status @[]"}),
    # data
    "buffer": Kind({"in": "const void *@", "out": "void *@", "inout": "void *@"}),  # buffer(count, datatype)
    "count": number(),  # at least 0
    "number": number(),  # any
    "counts": numbers(),  # counts(n): n of them, each at least 0; n may be a communicator: its size
    "numbers": numbers(),  # numbers(n): any
    "displs": numbers("int", "MPI_Aint"),
    "disp": Kind(value("MPI_Aint"), value("MPI_Count"), wrap={"out": {"plain": "(MPI_Count *)@"}}),  # both are 64 bits
    "disps": numbers("MPI_Aint"),
    "aint": Kind(value("MPI_Aint")),
    "xcount": Kind(value("MPI_Count")),
    "aints": Kind(array("MPI_Aint")),
    "xcounts": Kind(array("MPI_Count")),
    # ranks, tags and plain numbers
    "dest": Kind(value("int")),
    "source": Kind(value("int")),
    "root": Kind(value("int")),
    "tag": Kind(value("int")),
    "anytag": Kind(value("int")),
    "length": Kind(value("int")),  # at least 0, an int in every form
    "int": Kind(value("int")),
    "fint": Kind(value("MPI_Fint")),
    "ints": Kind(array("int")),
    "peercomm": Kind(value("MPI_Comm")),  # as it is: looked at by some processes only
    "logical": Kind(value("int")),  # LOGICAL in Fortran
    "index": Kind(value("int")),  # from 0, in Fortran from 1
    "indices": Kind(array("int")),  # indices(incount): outcount of them are set
    "ranges": Kind({"in": "int @[][3]"}),
    "handle": Kind(value("$")),  # handle(MPI_Comm): as it is, not looked up
    # the rest
    "string": Kind({"in": "const char *@", "out": "char *@"}),
    "pointer": Kind({"in": "void *@", "out": "void *@"}),  # in Fortran a choice buffer, or an address that comes out
    "attribute": Kind({"in": "void *@", "out": "void *@"}),  # INTEGER(KIND=MPI_ADDRESS_KIND) in Fortran
    "attribute10": Kind({"in": "void *@", "out": "void *@"}),  # INTEGER in Fortran
    "boolean": Kind({"in": "void *@", "out": "void *@"}),  # a LOGICAL as Fortran has it
    "function": Kind({"in": "$ *@"}),
    "fints": Kind({"in": "const MPI_Fint *@", "out": "MPI_Fint *@"}),  # a Fortran status
    "f08status": Kind({"in": "const MPI_F08_status *@", "out": "MPI_F08_status *@"}),
    "varargs": Kind({"in": "@"}),  # whose name is ...
    "raw": Kind({"in": "$@"}),  # raw(char ***)
}
