"""jobs.py - what the tests of mpiexec share: jobs of which nothing may be left, and the tests' own small frame.

Nothing here or there fails because the machine is slow.  LIMIT is how long something may take that must come; what
is to be ended before its time sleeps for longer than that, FOR_EVER, so that a job which is not ended hits the limit.
"""
import glob
import os
import subprocess
import sys
import time
import uuid

LIMIT = 100
FOR_EVER = 1000

prefix = os.path.abspath(sys.argv[1])
here = os.path.dirname(os.path.abspath(__file__))
mpiexec = os.path.join(prefix, "bin", "mpiexec")


class Failure(Exception):
    pass


def require(condition, words):
    if not condition:
        raise Failure(words)


def equal(got, wanted, what):
    require(got == wanted, f"{what} is {got!r}, not {wanted!r}")


def until(condition, words):
    """Wait until that is so; `words` says what is wrong if it never is."""
    end = time.monotonic() + LIMIT
    while not condition():
        require(time.monotonic() < end, words())
        time.sleep(0.01)


class Job:
    """A run of mpiexec with a mark in its environment by which its processes can be found."""

    def __init__(self, *args, **more):
        self.mark = uuid.uuid4().hex
        environment = dict(os.environ, TREEFOLD_TEST_MARK=self.mark, **more.pop("env", {}))
        more.setdefault("stdin", subprocess.DEVNULL)
        self.process = subprocess.Popen([mpiexec, *map(str, args)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        env=environment, start_new_session=True, **more)

    def wait(self, text=None):
        try:
            out, err = self.process.communicate(text, timeout=LIMIT)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise Failure(f"it runs longer than {LIMIT} s")
        self.out, self.err, self.status = out.decode(), err.decode(), self.process.returncode
        return self

    def processes(self):
        found = []
        for path in glob.glob("/proc/[0-9]*/environ"):
            try:
                with open(path, "rb") as file:
                    if self.mark.encode() in file.read():
                        found.append(int(path.split("/")[2]))
            except OSError:
                pass
        return found

    def lines(self, number):
        """So many lines of its output, as soon as they come."""
        return [self.process.stdout.readline().decode().strip() for _ in range(number)]

    def wait_for_processes(self, number):
        """Wait until at least so many processes are there."""
        until(lambda: len(self.processes()) >= number, lambda: f"{len(self.processes())} processes are there, not {number}")

    def nothing_left(self):
        until(lambda: not self.processes(), lambda: f"processes are left: {self.processes()}")


def run(*args, text=None, **more):
    if text is not None:
        more["stdin"] = subprocess.PIPE
    return Job(*args, **more).wait(text)


def sh(script):
    return "sh", "-c", script


def compile_ends(directory, name="ends"):
    """The program ends.c, or another of this folder."""
    target = os.path.join(directory, name)
    subprocess.run([os.path.join(prefix, "bin", "mpicc"), "-o", target, os.path.join(here, name + ".c")], check=True)
    return target


tests = []


def test(function):
    tests.append(function)
    return function


def finish():
    """Run the tests whose names contain the second argument of the command; the status of the suite."""
    pattern = sys.argv[2] if len(sys.argv) > 2 else ""
    passed = failed = 0
    for function in tests:
        name = function.__name__.replace("_", " ")
        if pattern not in name:
            continue
        try:
            function()
            print(f"ok - {name}", flush=True)
            passed += 1
        except Exception as failure:  # a test that breaks has failed
            print(f"not ok - {name}\n    {type(failure).__name__}: {failure}", flush=True)
            failed += 1
    print(f"{passed} passed, {failed} failed")
    return failed > 0
