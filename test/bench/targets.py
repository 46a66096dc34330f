"""The speed that Treefold is to reach, and whether a set of measurements shows that it does."""

import math

from draw import bytes_label, seconds_label
from library import LIMITS

KIB, MIB = 1 << 10, 1 << 20
LARGE = ((32 * KIB, 0.35), (256 * KIB, 0.6), (2 * MIB, 0.6), (16 * MIB, 0.85))
LOCAL = (8 * KIB, 256 * KIB, 8 * MIB)
SMALL = ("reduce", "scan", "gather", "barrier")
OURS = "Treefold"
PEERS = ("Open MPI", "MPICH")
MOVES = ("pingpong", "bcast", "exscan", "gather", "scatter", "allgather", "alltoall")
PAIR_RATE, PAIR_LEAST = 0.8, 8 * KIB
USER_SIZE = 2 * MIB


class Target:
    """A bound, and how to compute what is held against it from a function that gives one figure of a measurement."""

    def __init__(self, text, bound, measured, show, least=False):
        self.text = text
        self.bound = bound
        self.measured = measured
        self.show = show
        self.least = least  # the bound is the least that will do, not the most

    def judge(self, figure, figure_of_best):
        """(reached or None if it was not measured, by the medians, by the least times); the medians decide."""
        median, best = self.measured(figure), self.measured(figure_of_best)
        if median is None:
            return None, None, None
        return (median >= self.bound if self.least else median <= self.bound), median, best


def ratio(over, under):
    """Measures key `over` against key `under`; None if either is missing."""
    def measured(figure):
        a, b = figure(*over), figure(*under)
        return a / b if a is not None and b else None
    return measured


def mean_ratio(pairs):
    def measured(figure):
        ratios = [ratio(over, under)(figure) for over, under in pairs]
        return sum(ratios) / len(ratios) if None not in ratios else None
    return measured


def key(library, np, collective, size, op="sum"):
    combines = collective.startswith(("allreduce", "reduce")) or collective.endswith("scan")
    return library, np, collective, op if combines else "-", size


def limit(case, size):
    return LIMITS, 0, case, "-", size


def times(value):
    return f"{value:.2f}"


def latency_targets():
    hand = limit("handover", 8)
    yield Target("2 processes, allreduce of 8 bytes, in hand-overs", 1.6,
                 ratio(key(OURS, 2, "allreduce", 8), hand), times)
    yield Target("2 processes, send/receive round trip of 8 bytes, in hand-overs", 3.5,
                 ratio(key(OURS, 2, "pingpong", 8), hand), times)


def large_targets():
    for size, bound in LARGE:
        yield Target(f"2 processes, allreduce of {bytes_label(size)}, of Open MPI's time", bound,
                     ratio(key(OURS, 2, "allreduce", size), key("Open MPI", 2, "allreduce", size)), times)
    for size, _ in LARGE:
        for other in ("Open MPI", "MPICH"):
            yield Target(f"2 processes, reduce of {bytes_label(size)}, of {other}'s time", 1.0,
                         ratio(key(OURS, 2, "reduce", size), key(other, 2, "reduce", size)), times)


def oversubscribed_targets():
    for np, bound in ((4, 0.75), (8, 0.5)):
        yield Target(f"{np} processes, allreduce of 8 bytes, of Open MPI's time", bound,
                     ratio(key(OURS, np, "allreduce", 8), key("Open MPI", np, "allreduce", 8)), times)
    for np in (4, 8):
        yield Target(f"{np} processes, mean over {', '.join(SMALL)} at 8 bytes, of Open MPI's time", 0.8,
                     mean_ratio([(key(OURS, np, c, 8), key("Open MPI", np, c, 8)) for c in SMALL]), times)


def local_targets():
    for size in LOCAL:
        yield Target(f"MPI_Reduce_local of {bytes_label(size)}, of the streaming rate", 0.9,
                     ratio(limit("stream", size), key(OURS, 1, "reduce_local", size)), times, least=True)


def start_targets():
    yield Target("mpiexec -n 8 of a program that initialises, reduces and ends", 0.1,
                 lambda figure: figure(OURS, 8, "start", "-", 0), seconds_label)
    yield Target("the same program without mpiexec", 0.01, lambda figure: figure(OURS, 0, "start", "-", 0),
                 seconds_label)
    yield Target("resident memory of one of 8 processes, peak", 8e6, lambda figure: figure(OURS, 8, "memory", "-", 0),
                 lambda size: f"{size / 1e6:.2f} MB")


def better_peer(case):
    """Of what was measured (np, collective, op, bytes), Treefold's figure by that of the better peer, or None."""
    def measured(figure):
        ratios = [ratio((OURS,) + case, (peer,) + case)(figure) for peer in PEERS]
        return max((r for r in ratios if r is not None), default=None)
    return measured


def worst(cases):
    def measured(figure):
        ratios = [better_peer(case)(figure) for case in cases]
        return max((r for r in ratios if r is not None), default=None)
    return measured


def geometric_mean(cases):
    def measured(figure):
        ratios = [r for r in (better_peer(case)(figure) for case in cases) if r is not None]
        return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else None
    return measured


def cell_targets(measured):
    """The cells of the comparison, which are whatever was measured."""
    cells = [key[1:] for key in measured if key[0] == OURS and key[2] not in ("start", "memory")]
    promised = [cell for cell in cells if cell[2] not in ("fixed", "exact")]
    for np, collective, op in dict.fromkeys(cell[:3] for cell in promised):
        ops = "" if op == "-" else f", {op}"
        bound = 1.0 if op.startswith("user") or np == 2 and collective in MOVES else 1.05
        yield Target(f"{np} processes, {collective}{ops}, worst size, of the better peer's time", bound,
                     worst([cell for cell in promised if cell[:3] == (np, collective, op)]), times)
    yield Target("all of these, of the better peer's time, geometric mean", 0.42, geometric_mean(promised), times)


def pair_targets(measured):
    """Pairs beside a sum of as many bytes."""
    pairs = [key for key in measured if key[:3] == (OURS, 1, "reduce_local") and key[3][:6] in ("minloc", "maxloc")]
    for pair in pairs:
        if pair[4] >= PAIR_LEAST:
            yield Target(f"MPI_Reduce_local of {bytes_label(pair[4])}, {pair[3]}, of the rate of a sum of as many bytes",
                         PAIR_RATE, ratio(key(OURS, 1, "reduce_local", pair[4]), pair), times, least=True)


def user_targets():
    """A user's operator costs what the built-in one does, and what its function takes for the half that a rank sees."""
    def measured(figure):
        parts = [figure(*key(OURS, 2, "allreduce", USER_SIZE, "usersum")), figure(*key(OURS, 2, "allreduce", USER_SIZE)),
                 figure(*key(OURS, 1, "reduce_local", USER_SIZE // 2, "usersum"))]
        return None if None in parts else parts[0] / (parts[1] + parts[2])
    yield Target(f"2 processes, allreduce of {bytes_label(USER_SIZE)}, a user's sum, of the built-in's time and its "
                 "function's", 1.25, measured, times)


def all_targets(measured):
    """`measured`: the keys of all measurements."""
    for group in (latency_targets, large_targets, oversubscribed_targets, local_targets, start_targets, user_targets):
        yield from group()
    yield from pair_targets(measured)
    yield from cell_targets(measured)


def needs(np, collective, op):
    """The sizes at which the targets look at a collective."""
    sizes = set()
    if op == "usersum" and (np, collective) == (2, "allreduce"):
        sizes.add(USER_SIZE)
    if op == "usersum" and collective == "reduce_local":
        sizes.add(USER_SIZE // 2)
    if op == "sum" or op == "-":
        if np == 2 and collective in ("allreduce", "pingpong"):
            sizes.add(8)
        if np == 2 and collective in ("allreduce", "reduce"):
            sizes.update(size for size, _ in LARGE)
        if np in (4, 8) and collective in ("allreduce",) + SMALL:
            sizes.add(8)
        if np == 1 and collective == "reduce_local":
            sizes.update(LOCAL)
    return sizes
