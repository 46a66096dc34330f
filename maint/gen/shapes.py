"""What the kinds and flags of an argument say to a reader of its manual page."""

from bindings import degree_of
from kinds import Each

DIRECTIONS = {"in": "in", "out": "out", "inout": "in and out", "free": "in and out"}


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
    degree = degree_of(a)
    size = ", one for each neighbor that it comes from" if degree == "indegree" else ", one for each neighbor that it goes to" if degree \
        else ", one for each process of *comm*" if a.of == ["comm"] else f", *{a.of[0]}* of them" if a.of else ""
    return f"an array of {a.row.page.what}{size}" + ("; or MPI_STATUSES_IGNORE" if a.kind == "statuses" else "")


def usual(a):
    """What an argument is, if its page does not say."""
    if isinstance(a.row.page, Each):
        return array(a)
    if a.kind == "buffer":
        return "a buffer" + (f" of *{a.of[0]}* elements of *{a.of[1]}*" if len(a.of) == 2 else "")
    if a.kind == "function":
        return f"a function of the type {a.of[0]}"
    if a.kind == "status" and a.direction == "out":
        return "the status, or MPI_STATUS_IGNORE"
    if a.kind == "comm" and a.name == "comm":
        return "the communicator"
    return a.row.page or ("a number" if a.direction == "in" else "a value")
