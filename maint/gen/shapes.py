"""What the kinds and flags of an argument say to a reader of its manual page."""

DIRECTIONS = {"in": "in", "out": "out", "inout": "in and out", "free": "in and out"}

ONE = {  # kind: what it is
    "comm": "a communicator",
    "root": "the root's rank in *comm*; the same on every process (on an intercommunicator see below)",
    "request": "the request",
    "hints": "hints, or MPI_INFO_NULL; none are known",
    "count": "a number of elements, at least 0",
    "type": "a committed datatype",
    "anytype": "a datatype, committed or not",
    "op": "an operator, predefined or made by MPI_Op_create",
    "peercomm": "a communicator, where it is significant",
    "group": "a group",
    "info": "an info object",
    "errhandler": "an error handler",
    "message": "a message, from a matched probe",
    "status": "a status",
    "dest": "a rank in *comm*, or MPI_PROC_NULL",
    "source": "a rank in *comm*, MPI_ANY_SOURCE or MPI_PROC_NULL",
    "tag": "a tag, at least 0",
    "anytag": "a tag, or MPI_ANY_TAG",
    "length": "a number, at least 0",
    "string": "a string",
    "pointer": "a pointer, which is passed on or given back as it is",
    "boolean": "a Fortran LOGICAL",
    "attribute": "a pointer, which is passed on or given back as it is",
    "attribute10": "a pointer, which is passed on or given back as it is",
    "index": "an index into the array",
    "disp": "a displacement in bytes",
    "aint": "an address or a displacement in bytes",
}
MANY = {  # kind: what each element of an array is
    "counts": "numbers of elements, each at least 0",
    "displs": "displacements in extents",
    "disps": "displacements in bytes",
    "types": "committed datatypes",
    "handles": "datatypes",
    "requests": "requests",
    "statuses": "statuses",
    "ranges": "ranges of ranks: the first, the last and the stride",
    "ints": "integers",
    "indices": "indices into the array",
    "numbers": "numbers",
    "aints": "addresses or displacements in bytes",
    "xcounts": "numbers",
}


def directions(a, arguments):
    """Which way it goes, where it counts, and MPI_IN_PLACE."""
    words = [DIRECTIONS[a.direction]]
    if "at-root" in a.flags:
        words.append("significant at the root only")
    if "past-first" in a.flags:
        words.append(f"not significant at rank 0, unless *{a.flags['past-first'][0]}* is MPI_IN_PLACE")
    if "served" in a.flags:
        words.append("not significant at the root of an intercommunicator")
    if "given" in a.flags:
        buffer = a.flags["given"][0]
        at_root = any(b.name == buffer and "in-place-at-root" in b.flags for b in arguments)
        words.append(f"ignored {'at the root ' if at_root else ''}if *{buffer}* is MPI_IN_PLACE")
    if "in-place" in a.flags:
        words.append("may be MPI_IN_PLACE")
    if "in-place-at-root" in a.flags:
        words.append("at the root it may be MPI_IN_PLACE")
    if "optional" in a.flags:
        words.append("may be a null pointer")
    return "; ".join(words)


def array(a):
    size = ", one for each process of *comm*" if a.of == ["comm"] else f", *{a.of[0]}* of them" if a.of else ""
    return f"an array of {MANY[a.kind]}{size}" + ("; or MPI_STATUSES_IGNORE" if a.kind == "statuses" else "")


def usual(a):
    """What an argument is, if its page does not say."""
    if a.kind in MANY:
        return array(a)
    if a.kind == "buffer":
        return "a buffer" + (f" of *{a.of[0]}* elements of *{a.of[1]}*" if len(a.of) == 2 else "")
    if a.kind == "function":
        return f"a function of the type {a.of[0]}"
    if a.kind == "status" and a.direction == "out":
        return "the status, or MPI_STATUS_IGNORE"
    if a.kind == "comm" and a.name == "comm":
        return "the communicator"
    return ONE.get(a.kind) or ("a number" if a.direction == "in" else "a value")
