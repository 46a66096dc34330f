"""The errors that a procedure finds in its arguments, by class, in the words that Treefold says.

What is checked follows from the kinds of the arguments (binding_c/check.c has the words, src/op/op.c those of
operators, src/msg/terms.c those of ranks that disagree).
"""

from kinds import KINDS

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


def having(arguments, error, goes_in=True):
    """The arguments of which an error is found."""
    return [a for a in arguments if error in a.row.errors and (a.direction == "in") == goes_in]


def of_handles(errors, arguments):
    for kind in KINDS.values():
        mine = [a for a in arguments if a.kind == kind.name and a.direction != "out"]
        if not mine or not kind.looked_up:
            continue
        what, null = kind.handle.word, kind.handle.null
        if "hints" in kind.errors:
            what, null = f"{what}, nor {null}", "0x5, which is no handle"
        words = f"{names(mine)} is no {what}, but a null handle, one that was freed, or one of another kind"
        errors.say(kind.handle.errclass, words, f"{mine[0].name} is {null}")
        if "uncommitted" in kind.errors:
            quote = f"{mine[0].name} is a derived datatype (vector), which is not committed: call MPI_Type_commit first"
            errors.say(kind.handle.errclass, f"{names(mine)} is not committed", quote)
    mine = having(arguments, "types")
    if mine:
        quote = f"{mine[-1].name}[2] is MPI_DATATYPE_NULL"
        errors.say("MPI_ERR_TYPE", f"An element of {names(mine)} is not a committed datatype", quote)


def of_values(errors, arguments):
    counted = having(arguments, "negative")
    if counted:
        spot = counted[-1].name + ("[2]" if counted[-1].row.fortran.dimensions else "")
        errors.say("MPI_ERR_COUNT", f"{names(counted)} is negative", f"{spot} is -3; it must be at least 0")
    for a in arguments:
        quote = f"{a.name} is 7; it must be between 0 and 3, the highest rank of MPI_COMM_WORLD"
        for error in a.row.errors:
            if error == "root":
                errors.say("MPI_ERR_ROOT", f"*{a.name}* is no rank of *comm*", quote)
            if error in ("rank", "any rank"):
                more = " or MPI_ANY_SOURCE" * (error == "any rank")
                errors.say("MPI_ERR_RANK", f"*{a.name}* is no rank of *comm*", quote + ", or MPI_PROC_NULL" + more)
            if error in ("tag", "any tag"):
                more = " or MPI_ANY_TAG" * (error == "any tag")
                errors.say("MPI_ERR_TAG", f"*{a.name}* is negative", f"{a.name} is -5; it must be at least 0{more}")
            if error == "target":
                quote = f"{a.name} is 7; it must be between 0 and 3, the highest rank of the window halo, or MPI_PROC_NULL"
                errors.say("MPI_ERR_RANK", f"*{a.name}* is no rank of *win*", quote)
        if "no partitions" in a.row.errors:
            errors.say("MPI_ERR_ARG", f"*{a.name}* is negative", f"{a.name} is -1; it must be at least 0")
        if "partition" in a.row.errors:
            words = f"*{a.name}* is no partition of the request"
            errors.say("MPI_ERR_ARG", words, "partition is 8; it must be between 0 and 7, the last of this request")
    pointed = [a for a in having(arguments, "null") if "optional" not in a.flags]
    pointed += having(arguments, "null result", False)
    if pointed:
        errors.say("MPI_ERR_ARG", f"{names(pointed)} is a null pointer", f"{pointed[0].name} is a null pointer")


def of_buffers(errors, arguments):
    buffers = [a for a in arguments if "buffer" in a.row.errors]
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
    mine = procedure.name + (" with MPI_SUM" if "op" in kinds else "")
    if "op" in kinds:
        quote = f"{WORLD}: rank 0 calls {mine}, rank 3 calls {procedure.name} with MPI_MAX"
        errors.say("MPI_ERR_OP", "Processes give different operators", quote)
    other = "MPI_Barrier" if procedure.name != "MPI_Barrier" else "MPI_Bcast"
    errors.say("MPI_ERR_OTHER", "Processes make different calls", f"{WORLD}: rank 0 calls {mine}, rank 3 calls {other}")
    if "buffer" in kinds:
        counts = "the counts differ: 2 x MPI_INT on rank 0, 1 x MPI_INT on rank 3; "
        if any("to-neighbors" in a.flags for a in procedure.arguments):
            counts = ""  # which only neighbors agree on
        quote = f"{WORLD}: ranks 0 and 3 both call {mine}, but {counts}rank 0 expects 8 bytes from rank 3, which sends 4"
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
