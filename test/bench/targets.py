"""The speed that Treefold is to reach, and whether a set of measurements shows that it does."""

from draw import bytes_label, seconds_label
from library import LIMITS

KIB, MIB = 1 << 10, 1 << 20
LARGE = ((32 * KIB, 0.35), (256 * KIB, 0.6), (2 * MIB, 0.6), (16 * MIB, 0.85))
LOCAL = (8 * KIB, 256 * KIB, 8 * MIB)
SMALL = ("reduce", "scan", "gather", "barrier")
OURS = "Treefold"


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
    combines = collective in ("allreduce", "reduce", "scan", "reduce_local")
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


def all_targets():
    for group in (latency_targets, large_targets, oversubscribed_targets, local_targets, start_targets):
        yield from group()


def needs(np, collective, op):
    """The sizes at which the targets look at a collective."""
    sizes = set()
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
