"""The kinds of arguments: one row each, with all that the generators know of a kind.

A row has these columns; one that lacks a column ends the generator with the names of both.

c        C declarators, by direction: of the plain form, of the _c form, of the body that both share
fortran  mpif.h and `use mpi`: type, dimensions, and the function of f77.Wrapper that converts it
f08      mpi_f08: the type, that of the large-count form where it differs, the shape of an array; here and in `fortran`
         ABSENT: there is no such argument
page     what it is in a manual page's list of arguments, or what each element is (Each); None: a number or a value
errors   the errors that its checks find, which manual pages tell: words that errors.py explains

and, where something is checked, these: `check`, what the C binding checks of an argument that goes in; `check_array`,
what it checks instead, whichever way it goes, if the entry gives a length; `check_out`, what it checks of an address
where something comes out ("" if it may be null, or if it has been followed before), and `check_inout` where that is
another.  In declarators and checks @ stands for the argument's
name; in declarators $ for what the kind names in parentheses; in checks "@" is its name in quotes, {object} the object
behind the handle, {comm} that of the entry's communicator, {of} that of the handle in parentheses, {size} the length in
parentheses: a number, or the size of a communicator.
"""

from dataclasses import dataclass

from handles import BY_TYPE, OWN

# -- the columns -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class C:
    """A declarator depends on direction; `large` is that of the _c procedures where it differs.

    body    how the body that both forms share declares it (None: like the large form)
    wrap    makes the body's value of the user's argument, (plain, large)
    """

    plain: dict
    large: dict = None
    body: dict = None
    wrap: dict = None

    def declarator(self, direction, form):
        large = self.large or self.plain
        return {"plain": self.plain, "large": large, "body": {**large, **(self.body or {})}}[form][direction]

    def pass_on(self, direction, form):
        """How MPI_X (plain) or MPI_X_c (large) hands the argument to the body."""
        return (self.wrap or {}).get(direction, {}).get(form, "@")


@dataclass(frozen=True)
class Fortran:
    type: str
    dimensions: str = ""
    word: str = ""  # the function of f77.Wrapper that makes of it what C gets; "": the value, or the address


@dataclass(frozen=True)
class F08:
    type: str
    large: str = ""  # the type in the large-count form
    shape: str = ""  # of an array; SIZED: of the length that the entry says, or "(*)"
    lasting: bool = False  # a nonblocking operation reads or writes it after the call


@dataclass(frozen=True)
class Each:
    what: str


SIZED = "({of})"
ABSENT = "absent"  # Fortran, or mpi_f08, has no such argument
REQUIRED = ("c", "fortran", "f08", "page", "errors")


@dataclass(frozen=True)
class Kind:
    name: str
    c: C
    fortran: Fortran
    f08: F08
    page: object
    errors: tuple
    check: str = ""
    check_array: str = ""
    check_out: str = 'check_out("@", @)'
    check_inout: str = None  # None: like check_out
    handle: object = None  # the class of a handle, or of each element of an array of handles
    object: str = ""  # of a handle that the binding looks up: find_<object>()

    @property
    def looked_up(self):
        return bool(self.object)


KINDS = {}


def kind(name, **columns):
    """Adds a row."""
    missing = [column for column in REQUIRED if column not in columns]
    if missing:
        raise SystemExit(f"maint/gen/kinds.py: the kind '{name}' has no column {', '.join(missing)}")
    KINDS[name] = Kind(name, **columns)


# -- what several rows have in common ----------------------------------------------------------------------------------

INTEGER = "INTEGER"
ADDRESS, COUNT, CHOICE = "INTEGER(KIND=MPI_ADDRESS_KIND)", "INTEGER(KIND=MPI_COUNT_KIND)", "<type>"
OFFSET = "INTEGER(KIND=MPI_OFFSET_KIND)"
STATUS = "MPI_STATUS_SIZE"


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
    return C(value("int"), value("MPI_Count"), NUMBER_OUT, NUMBER_WRAP)


def numbers(plain="int", large="MPI_Count"):
    """An array of such; a struct tf_counts for the core."""
    wide = "true" if plain == "MPI_Aint" else "false"
    wrap = {"in": {"plain": f"(struct tf_counts){{@, {wide}}}", "large": "(struct tf_counts){@, true}"}}
    return C(array(plain), array(large), {"in": "struct tf_counts @"}, wrap)


INT = {"c": C(value("int")), "fortran": Fortran(INTEGER), "f08": F08(INTEGER)}
NUMBER = {"c": number(), "fortran": Fortran(INTEGER), "f08": F08(INTEGER, COUNT), "check_inout": "",
          "check_out": 'check_out("@", @.pointer)'}
ARRAY = {"check_array": 'check_array("@", @, {size})', "check_out": ""}
COUNTS = {"check_array": 'check_array("@", @.array, {size})'}

# -- handles -----------------------------------------------------------------------------------------------------------


def handle(h, **columns):
    """A handle by value.  Errors in one are those of its class."""
    known = {
        "c": C(value(h.ctype)),
        "fortran": Fortran(INTEGER, "", "handle"),
        "f08": F08(f"TYPE({h.ctype})"),
        "page": h.a_word,
        "errors": (),
        "handle": h,
    }
    return {**known, **columns}


def found(h, **columns):
    """One that the binding looks up: its class's object."""
    return handle(h, **{"object": h.object, "errors": ("handle",), **columns})


def handles(h, what, errors, **columns):
    """An array of handles."""
    known = {
        "c": C(array(h.ctype)),
        "fortran": Fortran(INTEGER, "*", "handles"),
        "f08": F08(f"TYPE({h.ctype})", shape=SIZED),
        "page": Each(what),
        "errors": errors,
        "handle": h,
        "check_out": "",
    }
    return {**known, **columns}


COMM, TYPE, REQUEST, MESSAGE, INFO = (BY_TYPE["MPI_" + n] for n in ("Comm", "Datatype", "Request", "Message", "Info"))
for own in OWN:
    kind(own.object, **found(own))  # comm, group, ...; some have more to say of them:
kind("comm", **found(COMM, errors=("handle", "null result")))
kind("type", **found(TYPE, page="a committed datatype", errors=("handle", "uncommitted"),
                     check='check_committed("@", {object})'))  # committed: for communication
kind("anytype", **found(TYPE, page="a datatype, committed or not"))
kind("file", **found(BY_TYPE["MPI_File"], object="open_file", page="an open file"))
kind("anyfile", **found(BY_TYPE["MPI_File"], page="a file, or MPI_FILE_NULL: what files have that are opened from now on"))
kind("op", **found(BY_TYPE["MPI_Op"], page="an operator, predefined or made by MPI_Op_create",
                   errors=("handle", "null result"), check="tf_op_check({object}, {of})"))  # op(datatype): must fit it
kind("hints", **found(INFO, object="hints", page="hints, or MPI_INFO_NULL; none are known",
                      errors=("hints",)))  # MPI_INFO_NULL is allowed: NULL
# Handles that go to the core as they are.
kind("request", **handle(REQUEST, page="the request", errors=("null result",)))
kind("message", **handle(MESSAGE, page="a message, from a matched probe", check_inout='tf_check_message("@", @)'))
kind("peercomm", **handle(COMM, page="a communicator, where it is significant"))  # looked at by some processes only
kind("peergroup", **handle(BY_TYPE["MPI_Group"], page="a group, where it is significant"))
kind("requests", **handles(REQUEST, "requests", ("null",), **ARRAY))  # requests(count)
kind("types", **handles(TYPE, "committed datatypes", ("null", "types"),
                        f08=F08("TYPE(MPI_Datatype)", shape=SIZED, lasting=True),
                        check='tf_check_types("@", @, {counts}, {size})'))  # types(comm, counts): one for each rank, committed
kind("handles", **handles(TYPE, "datatypes", ("null",), **ARRAY))  # handles(count): the core looks at them
kind("handle", c=C(value("$")), fortran=ABSENT, f08=ABSENT, page=None, errors=())  # handle(MPI_Comm): not looked up

# -- statuses ----------------------------------------------------------------------------------------------------------

kind("status", c=C({"in": "const MPI_Status *@", "out": "MPI_Status *@", "inout": "MPI_Status *@"}),
     fortran=Fortran(INTEGER, STATUS, "status"), f08=F08("TYPE(MPI_Status)"), page="a status", errors=("null",),
     check='check_out("@", @)', check_out="", check_inout='check_out("@", @)')
kind("statuses", c=C({"out": "MPI_Status @[]"}), fortran=Fortran(INTEGER, STATUS + ",*", "statuses"),
     f08=F08("TYPE(MPI_Status)", shape=SIZED), page=Each("statuses"), errors=(), check_out="")
kind("fints", c=C({"in": "const MPI_Fint *@", "out": "MPI_Fint *@"}), fortran=Fortran(INTEGER, STATUS),
     f08=F08(INTEGER, shape=f"({STATUS})"), page=None, errors=())  # a Fortran status
kind("f08status", c=C({"in": "const MPI_F08_status *@", "out": "MPI_F08_status *@"}),
     fortran=Fortran("TYPE(MPI_Status)"), f08=F08("TYPE(MPI_Status)"), page=None, errors=())

# -- data --------------------------------------------------------------------------------------------------------------

kind("buffer", c=C({"in": "const void *@", "out": "void *@", "inout": "void *@"}), fortran=Fortran(CHOICE, "*", "buffer"),
     f08=F08("TYPE(*), DIMENSION(..)", lasting=True), page=None, errors=("buffer",), check_out="")  # buffer(count, datatype), buffer(bytes)
kind("count", **NUMBER, page="a number of elements, at least 0", errors=("negative",), check='check_count("@", @)')
kind("bigcount", c=C(value("MPI_Count")), fortran=Fortran(COUNT), f08=F08(COUNT),
     page="a number of elements, at least 0", errors=("negative",), check='check_count("@", @)')  # in every form
kind("number", **NUMBER, page=None, errors=())  # any
kind("begun", c=C({"in": "const void *@", "out": "void *@"}), fortran=Fortran(CHOICE, "*", "buffer"),
     f08=F08("TYPE(*), DIMENSION(..)"), page="the buffer that was given when it was started", errors=())
kind("counts", c=numbers(), fortran=Fortran(INTEGER, "*"), f08=F08(INTEGER, COUNT, SIZED, lasting=True),
     page=Each("numbers of elements, each at least 0"), errors=("negative", "null"),
     check='tf_check_counts("@", @, {size})')  # counts(n): n of them; n may be a communicator: its size
kind("numbers", c=numbers(), fortran=Fortran(INTEGER, "*"), f08=F08(INTEGER, COUNT, SIZED), page=Each("numbers"),
     errors=(), **COUNTS)  # numbers(n): any
kind("displs", c=numbers("int", "MPI_Aint"), fortran=Fortran(INTEGER, "*"), f08=F08(INTEGER, ADDRESS, SIZED, lasting=True),
     page=Each("displacements in extents"), errors=("null",), **COUNTS)
kind("disp", c=C(value("MPI_Aint"), value("MPI_Count"),
                 wrap=dict.fromkeys(("out", "inout"), {"plain": "(MPI_Count *)@"})),  # both are 64 bits
     fortran=Fortran(ADDRESS), f08=F08(ADDRESS, COUNT), page="a displacement in bytes", errors=())
kind("disps", c=numbers("MPI_Aint"), fortran=Fortran(ADDRESS, "*"), f08=F08(ADDRESS, COUNT, SIZED),
     page=Each("displacements in bytes"), errors=("null",), **COUNTS)
kind("adisps", c=numbers("MPI_Aint", "MPI_Aint"), fortran=Fortran(ADDRESS, "*"),
     f08=F08(ADDRESS, shape=SIZED, lasting=True), page=Each("displacements in bytes"), errors=("null",), **COUNTS)
kind("aint", c=C(value("MPI_Aint")), fortran=Fortran(ADDRESS), f08=F08(ADDRESS),
     page="an address or a displacement in bytes", errors=())
kind("aints", c=C(array("MPI_Aint")), fortran=Fortran(ADDRESS, "*"), f08=F08(ADDRESS, shape=SIZED),
     page=Each("addresses or displacements in bytes"), errors=(), check_out="")
kind("unit", c=C(value("int"), value("MPI_Aint"), NUMBER_OUT,
                 {"out": {"plain": "int_out(@)", "large": "large_out((MPI_Count *)@)"}}),
     fortran=Fortran(INTEGER), f08=F08(INTEGER, ADDRESS), page="a number of bytes, of which displacements are counted",
     errors=(), check_out='check_out("@", @.pointer)')
kind("offset", c=C(value("MPI_Offset")), fortran=Fortran(OFFSET), f08=F08(OFFSET),
     page=None, errors=())
kind("xcount", c=C(value("MPI_Count")), fortran=Fortran(COUNT), f08=F08(COUNT), page=None, errors=())
kind("xcounts", c=C(array("MPI_Count")), fortran=Fortran(COUNT, "*"), f08=F08(COUNT, shape=SIZED), page=Each("numbers"),
     errors=(), check_out="")

# -- ranks, tags and plain numbers -------------------------------------------------------------------------------------

kind("dest", **INT, page="a rank in *comm*, or MPI_PROC_NULL", errors=("rank",), check='check_dest("@", @, {comm})')
kind("source", **INT, page="a rank in *comm*, MPI_ANY_SOURCE or MPI_PROC_NULL", errors=("any rank",),
     check='check_source("@", @, {comm})')
kind("target", **INT, page="a rank of *win*, or MPI_PROC_NULL", errors=("target",))  # the core checks it
kind("root", **INT, page="the root's rank in *comm*; the same on every process (on an intercommunicator see below)",
     errors=("root",))
kind("tag", **INT, page="a tag, at least 0", errors=("tag",), check='check_tag("@", @)')
kind("anytag", **INT, page="a tag, or MPI_ANY_TAG", errors=("any tag",), check='check_anytag("@", @, {comm})')
kind("length", **INT, page="a number, at least 0", errors=("negative",), check='check_count("@", @)')  # an int in every form
kind("partitions", **INT, page="a number of partitions, at least 0", errors=("no partitions",),
     check='check_partitions("@", @)')
kind("partition", **INT, page="a partition, from 0", errors=("partition",))  # the core knows how many there are
kind("int", **INT, page=None, errors=("null result",))
kind("fint", c=C(value("MPI_Fint")), fortran=Fortran(INTEGER), f08=ABSENT, page=None, errors=())
kind("ints", c=C(array("int")), fortran=Fortran(INTEGER, "*"), f08=F08(INTEGER, shape=SIZED), page=Each("integers"),
     errors=("null",), **ARRAY)
kind("logical", c=C(value("int")), fortran=Fortran("LOGICAL", "", "logical"), f08=F08("LOGICAL"), page=None, errors=())
kind("logicals", c=C(array("int")), fortran=Fortran("LOGICAL", "*", "logicals"), f08=F08("LOGICAL", shape=SIZED),
     page=Each("true (not 0) or false"), errors=("null",), **ARRAY)  # without a length: one for each dimension of the grid
kind("weights", c=C({"in": "const int *@", "out": "int *@"}),  # as arrays, gcc warns of those constants
     fortran=Fortran(INTEGER, "*", "weights"), f08=F08(INTEGER, shape="(*)"),
     page="an array of the edges' weights, each at least 0; or MPI_UNWEIGHTED, or, where there are no edges, "
     "MPI_WEIGHTS_EMPTY", errors=(), check_out="")
kind("index", c=C(value("int")), fortran=Fortran(INTEGER, "", "index"), f08=F08(INTEGER),
     page="an index into the array", errors=())  # from 0, in Fortran from 1
kind("indices", c=C(array("int")), fortran=Fortran(INTEGER, "*", "indices"), f08=F08(INTEGER, shape="(*)"),
     page=Each("indices into the array"), errors=("null",), **ARRAY)  # indices(incount): as `set` says
kind("ranges", c=C({"in": "int @[][3]"}), fortran=Fortran(INTEGER, "3,*", "ranges"), f08=F08(INTEGER, shape="(3, {of})"),
     page=Each("ranges of ranks: the first, the last and the stride"), errors=("null",), **ARRAY)

# -- the rest ----------------------------------------------------------------------------------------------------------

kind("string", c=C({"in": "const char *@", "out": "char *@"}), fortran=Fortran("CHARACTER*(*)", "", "string"),
     f08=F08("CHARACTER(LEN=*)"), page="a string", errors=("null",), check='check_out("@", @)')
# Of MPI_Comm_spawn, looked at at the root alone: by the core, and in Fortran by the wrapper.
STRINGS = "CHARACTER*(*)"
kind("argv", c=C({"in": "char *@[]"}), fortran=Fortran(STRINGS, "*", "argv"), f08=F08("CHARACTER(LEN=*)", shape="(*)"),
     page="an array of strings, the last of which is NULL (in Fortran: blank); or MPI_ARGV_NULL", errors=())
kind("argvs", c=C({"in": "char **@[]"}), fortran=Fortran(STRINGS, "COUNT,*", "argvs"),  # argvs(count)
     f08=F08("CHARACTER(LEN=*)", shape="({of}, *)"),
     page="an array of such arrays (in Fortran: its rows); or MPI_ARGVS_NULL", errors=())
kind("commands", c=C({"in": "char *@[]"}), fortran=Fortran(STRINGS, "*", "commands"),  # commands(count)
     f08=F08("CHARACTER(LEN=*)", shape="(*)"), page=Each("strings"), errors=())
kind("rootints", c=C({"in": "const int @[]"}), fortran=Fortran(INTEGER, "*"), f08=F08(INTEGER, shape="(*)"),
     page=Each("integers"), errors=())
kind("rootinfo", **handle(INFO, page="hints, or MPI_INFO_NULL"))
kind("rootinfos", c=C(array("MPI_Info")), fortran=Fortran(INTEGER, "*", "rootinfos"),  # rootinfos(count)
     f08=F08("TYPE(MPI_Info)", shape="(*)"), page=Each("hints, or MPI_INFO_NULL"), errors=(), handle=INFO)
kind("errcodes", c=C({"out": "int @[]"}), fortran=Fortran(INTEGER, "*", "errcodes"), f08=F08(INTEGER, shape="(*)"),
     page="an array of one error class for each process; or MPI_ERRCODES_IGNORE", errors=(), check_out="")
OPAQUE = "a pointer, which is passed on or given back as it is"
VOID = C({"in": "void *@", "out": "void *@"})
# In Fortran a choice buffer, or an address that comes out.
kind("pointer", c=VOID, fortran=Fortran(CHOICE, "*", "pointer"), f08=F08("TYPE(C_PTR)"), page=OPAQUE, errors=())
kind("attribute", c=VOID, fortran=Fortran(ADDRESS), f08=F08(ADDRESS), page=OPAQUE, errors=())
kind("attribute10", c=VOID, fortran=Fortran(INTEGER), f08=ABSENT, page=OPAQUE, errors=())
kind("boolean", c=VOID, fortran=Fortran("LOGICAL", "", "address"), f08=F08("LOGICAL"), page="a Fortran LOGICAL", errors=(),
     check='check_out("@", @)')  # a LOGICAL as Fortran has it
kind("function", c=C({"in": "$ *@"}), fortran=Fortran("EXTERNAL", "", "address"), f08=F08("PROCEDURE({of})"), page=None,
     errors=("null",), check='check_out("@", @)')
kind("tool", c=C(value("$")), fortran=ABSENT, f08=ABSENT, page=None, errors=())  # tool(MPI_T_enum): not looked up
kind("tools", c=C(array("$")), fortran=ABSENT, f08=ABSENT, page=None, errors=())
kind("varargs", c=C({"in": "@"}), fortran=ABSENT, f08=ABSENT, page=None, errors=())  # whose name is ...
kind("raw", c=C({"in": "$@"}), fortran=ABSENT, f08=ABSENT, page=None, errors=(), check_out="")  # raw(char ***)
