"""The MPI libraries that are compared, and the programs that are built for each of them."""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
BENCH = ["bench.c", "calls.c", "reductions.c"]
LIMITS = "the machine"


# A benchmark that is told to end takes what it runs with it.
signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))


class Failed(Exception):
    """A build or a run that failed; the text says how."""


def ended(command, limit, directory):
    """Runs a command with a time limit in seconds and returns (what it printed, the seconds it took).

    What it prints goes to files in `directory`, so the time is that of the process alone, without a pipe to be drained.
    """
    with open(os.path.join(directory, "out"), "w+") as out, open(os.path.join(directory, "err"), "w+") as err:
        start = time.monotonic()
        process = subprocess.Popen(command, stdout=out, stderr=err, stdin=subprocess.DEVNULL, start_new_session=True)
        late, over = threading.Event(), threading.Event()

        def end():
            late.set()
            # A launcher that is asked to end takes its processes with it.
            os.killpg(process.pid, signal.SIGTERM)
            if not over.wait(5):
                os.killpg(process.pid, signal.SIGKILL)

        timer = threading.Timer(limit, end)
        timer.start()
        # wait() without a time limit blocks in the kernel; with one it polls, in steps as long as what is measured.
        try:
            status = process.wait()
        except BaseException:
            timer.cancel()
            threading.Thread(target=end).start()
            process.wait()
            over.set()
            raise
        took = time.monotonic() - start
        over.set()
        timer.cancel()
        out.seek(0)
        err.seek(0)
        printed, complaint = out.read(), err.read().strip()
    if late.is_set():
        raise Failed(f"it did not end within {limit:.0f} s")
    if status != 0:
        raise Failed(f"exit status {status}: {complaint[-500:]}")
    return printed, took


def beside_options(parser):
    parser.add_argument("--beside", type=int, default=0, metavar="N",
                        help="N processes that compute run meanwhile, each in a session of its own; no targets")
    parser.add_argument("--low", action="store_true", help="they are of this session, and of the lowest priority")


@contextlib.contextmanager
def beside(n, low):
    """So many processes compute meanwhile, as the programs of other users do, or, low, as one's own in the background."""
    command = (["nice", "-n", "19"] if low else []) + [sys.executable, "-c", "while True: pass"]
    others = [subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=not low) for _ in range(n)]
    try:
        yield
    finally:
        for other in others:
            other.kill()
            other.wait()


class Library:
    """An MPI library: its compiler, and the command that starts `n` processes."""

    def __init__(self, name, compiler, launcher, version):
        self.name = name
        self.compiler = compiler
        self.launcher = launcher
        self.version = version

    def build(self, directory):
        self.directory = os.path.join(directory, self.name.lower().replace(" ", ""))
        os.makedirs(self.directory, exist_ok=True)
        self.bench = self.compile("bench", BENCH)
        self.startup = self.compile("startup", ["startup.c"])

    def compile(self, name, sources, options=()):
        program = os.path.join(self.directory, name)
        sources = [os.path.join(HERE, s) for s in sources]
        # A user's function lies at another address in each library's program; a loop that crosses a cache line can take
        # three times as long, so all begin at one.
        aligned = ["-falign-functions=64", "-falign-loops=64"]
        ended([self.compiler, "-std=gnu11", "-O2", *aligned, *options, "-o", program] + sources, 120, self.directory)
        return program

    def run(self, np, budget, cases):
        """Measures `cases`, (collective, operator, bytes) each, and returns the lines that the benchmark printed."""
        words = [f"{collective}:{op}:{size}" for collective, op, size in cases]
        printed, _ = ended(self.launcher + ["-n", str(np), self.bench, str(budget)] + words,
                           60 + len(cases) * (10 + 10 * budget), self.directory)
        return [json.loads(line) for line in printed.splitlines() if line.startswith("{")]

    def start(self, np):
        """Starts `startup` on np processes, or by itself if np is 0: (seconds, bytes of memory a process)."""
        command = (self.launcher + ["-n", str(np)] if np else []) + [self.startup]
        printed, took = ended(command, 60, self.directory)
        return took, int(printed.split()[-1]) * 1024


class Machine:
    """What the machine can do without a library; it takes its turn like one."""

    name = LIMITS

    def build(self, directory):
        self.directory = os.path.join(directory, "limits")
        os.makedirs(self.directory, exist_ok=True)
        self.limits = os.path.join(self.directory, "limits")
        ended([os.environ.get("CC", "cc"), "-std=gnu11", "-O3", "-march=native", "-o", self.limits,
               os.path.join(HERE, "limits.c")], 120, self.directory)

    def run(self, budget, cases):
        printed, _ = ended([self.limits, str(budget)] + [f"{case}:{size}" for case, size in cases],
                           60 + len(cases) * (10 + 10 * budget), self.directory)
        return [json.loads(line) for line in printed.splitlines()]


def first_line(command):
    try:
        text = subprocess.run(command, capture_output=True, text=True, timeout=30).stdout
    except (OSError, subprocess.TimeoutExpired):
        return ""
    lines = [line.strip() for line in text.splitlines() if any(c.isdigit() for c in line)]
    return " ".join(lines[0].split()) if lines else ""


def compiles(compiler):
    """Whether its header is installed too, which is a package of its own."""
    return subprocess.run([compiler, "-fsyntax-only", "-x", "c", "-"], input=b"#include <mpi.h>\n",
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=60, check=False).returncode == 0


def find(prefix):
    """Treefold in `prefix`, then whichever of Debian's Open MPI and MPICH are installed, with what compiling needs."""
    commands = [os.path.join(prefix, "bin", command) for command in ("mpicc", "mpiexec")]
    for command in commands:
        if not os.access(command, os.X_OK):
            raise Failed(f"there is no {command}: give the prefix of a Treefold installation")
    libraries = [Library("Treefold", commands[0], [commands[1]], first_line([commands[1], "-version"]))]
    # Open MPI refuses root, and more processes than cores, unless told.
    openmpi = ["--oversubscribe"] + (["--allow-run-as-root"] if os.geteuid() == 0 else [])
    for name, suffix, options in (("Open MPI", "openmpi", openmpi), ("MPICH", "mpich", [])):
        compiler, launcher = shutil.which("mpicc." + suffix), shutil.which("mpiexec." + suffix)
        if compiler and launcher and compiles(compiler):
            libraries.append(Library(name, compiler, [launcher] + options, first_line([launcher, "--version"])))
    return libraries
