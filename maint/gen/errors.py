"""The errors that a procedure finds in its arguments, by class, in the words that Treefold says.

What is checked follows from the kinds of the arguments (binding_c/check.c has the words, src/op/op.c those of
operators, src/msg/fingerprint.c those of ranks that disagree).
"""

HANDLES = {
    "comm": ("MPI_ERR_COMM", "communicator", "MPI_COMM_NULL"),
    "group": ("MPI_ERR_GROUP", "group", "MPI_GROUP_NULL"),
    "type": ("MPI_ERR_TYPE", "datatype", "MPI_DATATYPE_NULL"),
    "anytype": ("MPI_ERR_TYPE", "datatype", "MPI_DATATYPE_NULL"),
    "op": ("MPI_ERR_OP", "operator", "MPI_OP_NULL"),
    "info": ("MPI_ERR_INFO", "info object", "MPI_INFO_NULL"),
    "hints": ("MPI_ERR_INFO", "info object, nor MPI_INFO_NULL", "0x5, which is no handle"),
    "errhandler": ("MPI_ERR_ERRHANDLER", "error handler", "MPI_ERRHANDLER_NULL"),
}
COUNTS = ("count", "counts", "length")
ARRAYS = ("counts", "displs", "disps", "types", "ints", "indices", "ranges", "handles", "requests")
POINTERS = ARRAYS + ("string", "status", "function")
RESULTS = ("request", "op", "int", "comm")
WORLD = "the ranks of MPI_COMM_WORLD disagree"


class Errors:
    """What has been found so far: {class: [sentences]}."""

    def __init__(self):
        self.found = {}

    def say(self, errclass, words, quote=None):
        sentence = f'{words}: "{quote}".' if quote else words + "."
        known = self.found.setdefault(errclass, [])
        if sentence not in known:
            known.append(sentence)


def names(arguments):
    words = [f"*{a.name}*" for a in arguments]
    return " or ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else words[0]


def of_handles(errors, arguments):
    for kind, (errclass, what, null) in HANDLES.items():
        mine = [a for a in arguments if a.kind == kind and a.direction != "out"]
        if not mine:
            continue
        words = f"{names(mine)} is no {what}, but a null handle, one that was freed, or one of another kind"
        errors.say(errclass, words, f"{mine[0].name} is {null}")
        if kind == "type":
            quote = f"{mine[0].name} is a derived datatype (vector), which is not committed: call MPI_Type_commit first"
            errors.say(errclass, f"{names(mine)} is not committed", quote)
    mine = [a for a in arguments if a.kind == "types"]
    if mine:
        quote = f"{mine[-1].name}[2] is MPI_DATATYPE_NULL"
        errors.say("MPI_ERR_TYPE", f"An element of {names(mine)} is not a committed datatype", quote)


def of_values(errors, arguments):
    counted = [a for a in arguments if a.kind in COUNTS and a.direction == "in"]
    if counted:
        spot = counted[-1].name + ("[2]" if counted[-1].kind == "counts" else "")
        errors.say("MPI_ERR_COUNT", f"{names(counted)} is negative", f"{spot} is -3; it must be at least 0")
    for a in arguments:
        quote = f"{a.name} is 7; it must be between 0 and 3, the highest rank of MPI_COMM_WORLD"
        if a.kind == "root":
            errors.say("MPI_ERR_ROOT", f"*{a.name}* is no rank of *comm*", quote)
        if a.kind in ("dest", "source"):
            more = " or MPI_ANY_SOURCE" if a.kind == "source" else ""
            errors.say("MPI_ERR_RANK", f"*{a.name}* is no rank of *comm*", quote + ", or MPI_PROC_NULL" + more)
        if a.kind in ("tag", "anytag"):
            more = " or MPI_ANY_TAG" if a.kind == "anytag" else ""
            errors.say("MPI_ERR_TAG", f"*{a.name}* is negative", f"{a.name} is -5; it must be at least 0{more}")
    pointed = [a for a in arguments if a.kind in POINTERS and "optional" not in a.flags and a.direction == "in"]
    pointed += [a for a in arguments if a.direction != "in" and a.kind in RESULTS]
    if pointed:
        errors.say("MPI_ERR_ARG", f"{names(pointed)} is a null pointer", f"{pointed[0].name} is a null pointer")


def of_buffers(errors, arguments):
    buffers = [a for a in arguments if a.kind == "buffer"]
    if not buffers:
        return
    quote = f"{buffers[0].name} is a null pointer, but there are 4 elements of MPI_INT"
    errors.say("MPI_ERR_BUFFER", f"{names(buffers)} is a null pointer where there are elements", quote)
    quote = f"{buffers[-1].name} is MPI_IN_PLACE, which is not allowed for this argument here"
    errors.say("MPI_ERR_BUFFER", "MPI_IN_PLACE stands where it must not", quote)
    for a in buffers:
        if "apart" in a.flags:
            quote = f"{a.name} and {a.flags['apart'][0]} are the same buffer; they must not overlap "
            quote += "(where it is allowed, MPI_IN_PLACE reuses one)"
            errors.say("MPI_ERR_BUFFER", "Both buffers are the same memory", quote)


def of_operator(errors, arguments):
    if any(a.kind == "op" and a.of for a in arguments):
        quote = "MPI_BAND is not defined on MPI_DOUBLE; bitwise operators take integers and MPI_BYTE"
        errors.say("MPI_ERR_OP", "The operator does not take the datatype", quote)


def of_disagreement(errors, procedure):
    kinds = {a.kind for a in procedure.arguments}
    mine = procedure.word + (" with MPI_SUM" if "op" in kinds else "")
    if "op" in kinds:
        quote = f"{WORLD}: rank 0 calls {mine}, rank 3 calls {procedure.word} with MPI_MAX"
        errors.say("MPI_ERR_OP", "Processes give different operators", quote)
    other = "barrier" if procedure.word != "barrier" else "bcast"
    errors.say("MPI_ERR_OTHER", "Processes make different calls", f"{WORLD}: rank 0 calls {mine}, rank 3 calls {other}")
    if "buffer" in kinds:
        quote = (f"{WORLD} in {mine}: rank 0 expects 8 bytes from rank 3, which sends 4; counts, datatypes or algorithms "
                 "(TREEFOLD_RULES, TREEFOLD_ALGORITHM, info key treefold_algorithm) differ")
        errors.say("MPI_ERR_TRUNCATE", "Processes give different amounts of data", quote)


def of(page):
    """[(class, [sentences])] of a page, in alphabetical order of the classes."""
    errors, arguments = Errors(), page.arguments()
    of_handles(errors, arguments)
    of_values(errors, arguments)
    of_buffers(errors, arguments)
    of_operator(errors, arguments)
    if page.first.coll:
        of_disagreement(errors, page.first)
        errors.say("MPI_ERR_NO_MEM", "There is no memory for scratch space or for the request")
    if not page.first.anytime:
        quote = "MPI is not initialized: call MPI_Init or MPI_Init_thread first"
        errors.say("MPI_ERR_OTHER", "The call comes before MPI_Init or after MPI_Finalize", quote)
    return sorted(errors.found.items())
