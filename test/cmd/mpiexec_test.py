#!/usr/bin/env python3
"""test/cmd/mpiexec_test.py PREFIX - what mpiexec promises: output, input, statuses, and that nothing is left."""
import glob
import os
import pty
import re
import resource
import select
import shutil
import signal
import stat
import statistics
import subprocess
import sys
import tempfile
import time
import uuid

prefix = os.path.abspath(sys.argv[1])
here = os.path.dirname(os.path.abspath(__file__))
mpiexec = os.path.join(prefix, "bin", "mpiexec")
passed = failed = 0


class Failure(Exception):
    pass


def require(condition, words):
    if not condition:
        raise Failure(words)


def equal(got, wanted, what):
    require(got == wanted, f"{what} is {got!r}, not {wanted!r}")


class Job:
    """A run of mpiexec with a mark in its environment by which its processes can be found."""

    def __init__(self, *args, limit=20, **more):
        self.mark = uuid.uuid4().hex
        self.start = time.monotonic()
        self.limit = limit
        environment = dict(os.environ, TREEFOLD_TEST_MARK=self.mark, **more.pop("env", {}))
        more.setdefault("stdin", subprocess.DEVNULL)
        self.process = subprocess.Popen([mpiexec, *map(str, args)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        env=environment, start_new_session=True, **more)

    def wait(self, text=None):
        try:
            out, err = self.process.communicate(text, timeout=self.limit)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise Failure(f"it runs longer than {self.limit} s")
        self.seconds = time.monotonic() - self.start
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

    def wait_for_processes(self, number, limit=5):
        """Wait until at least so many processes are there."""
        end = time.monotonic() + limit
        while len(self.processes()) < number:
            require(time.monotonic() < end, f"{len(self.processes())} processes are there, not {number}")
            time.sleep(0.01)

    def nothing_left(self, limit=1.0):
        end = time.monotonic() + limit
        while self.processes():
            require(time.monotonic() < end, f"processes are left: {self.processes()}")
            time.sleep(0.01)


def run(*args, text=None, **more):
    if text is not None:
        more["stdin"] = subprocess.PIPE
    return Job(*args, **more).wait(text)


def sh(script):
    return "sh", "-c", script


tests = []


def test(function):
    tests.append(function)
    return function


# ---- output and input ----


@test
def programs_without_mpi_run():
    job = run("-n", 3, *sh("echo $PMI_RANK of $PMI_SIZE"))
    equal(sorted(job.out.splitlines()), ["0 of 3", "1 of 3", "2 of 3"], "the output")
    equal((job.status, job.err), (0, ""), "status and errors")


@test
def lines_are_tagged():
    for option in "-l", "-prepend-rank", "--prepend-rank":
        job = run("-n", 2, option, *sh("echo out; echo more; echo err >&2"))
        equal(sorted(job.out.splitlines()), ["[0] more", "[0] out", "[1] more", "[1] out"], "the output")
        equal(sorted(job.err.splitlines()), ["[0] err", "[1] err"], "the errors")


@test
def lines_stay_whole():
    script = """
import os
for i in range(400):
    for part in range(5):
        os.write(1, os.environ["PMI_RANK"].encode() * 30)
    os.write(1, b"\\n")
"""
    job = run("-np", 4, "python3", "-c", script)
    lines = job.out.splitlines()
    equal(len(lines), 1600, "the number of lines")
    require(all(len(line) == 150 and len(set(line)) == 1 for line in lines), "a line is mixed")


@test
def long_lines_and_much_output_pass():
    job = run("-n", 2, "python3", "-c", "print('x' * 300000)\nfor i in range(100000): print('line', i)")
    equal(len(job.out), 2 * len("x" * 300000 + "\n" + "".join(f"line {i}\n" for i in range(100000))), "the length")


@test
def last_line_without_newline_is_kept():
    equal(run("-n", 1, *sh("printf 'no newline'")).out, "no newline", "the output")
    equal(sorted(run("-n", 2, *sh("printf part$PMI_RANK")).out.split()), ["part0", "part1"], "the output")


@test
def input_goes_to_rank_0_only():
    text = os.urandom(300000).hex().encode()
    job = run("-n", 3, *sh("wc -c"), text=text)
    equal(sorted(job.out.split()), sorted(["0", "0", str(len(text))]), "what the ranks read")


@test
def input_that_nobody_reads_is_no_trouble():
    equal(run("-n", 2, "true", text=b"x" * 1000000).status, 0, "the status")


def read_terminal(terminal, wanted):
    text = b""
    while wanted not in text:
        require(select.select([terminal], [], [], 5)[0], f"the terminal shows {text!r}, not {wanted!r}")
        text += os.read(terminal, 1000)


def on_terminal(*args):
    """mpiexec in the foreground of a terminal of its own."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.execv(mpiexec, [mpiexec, *args])
    return pid, terminal


@test
def terminal_input_reaches_rank_0_and_prompts_show():
    script = "[ $PMI_RANK = 0 ] || exit 0; printf 'number? '; read n; echo got $n; cat"
    pid, terminal = on_terminal("-n", "2", *sh(script))
    read_terminal(terminal, b"number? ")
    os.write(terminal, b"17\n")
    read_terminal(terminal, b"got 17")
    os.write(terminal, b"\x04")
    equal(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), 0, "the status")
    os.close(terminal)


@test
def jobs_of_a_shell_move_between_background_and_foreground():
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ["PS1"] = "ready> "
        os.execv("/bin/bash", ["bash", "--norc", "--noediting", "-i"])

    def says(text, wanted):
        os.write(terminal, text)
        read_terminal(terminal, wanted)

    read_terminal(terminal, b"ready> ")
    says(mpiexec.encode() + b" -n 2 sh -c '[ $PMI_RANK = 1 ] && exec sleep 60; echo begun; exec cat' &\n", b"begun\r\n")
    for word, way in (b"first", ()), (b"second", (b"\x1a",)), (b"third", (b"\x1a", b"bg\n")):
        for step in way:
            says(step, b"ready> ")
        says(b"fg\n", b"exec cat'\r\n")
        says(word + b"\n", word + b"\r\n" + word + b"\r\n")
    says(b"\x03", b"ready> ")
    says(b"echo status $?; exit\n", b"status 130")
    os.waitpid(pid, 0)
    os.close(terminal)


@test
def interrupt_key_ends_the_job():
    pid, terminal = on_terminal("-n", "2", *sh("echo ready; sleep 30"))
    read_terminal(terminal, b"ready")
    os.write(terminal, b"\x03")
    equal(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), 130, "the status")
    os.close(terminal)


@test
def slow_reader_does_not_make_it_deaf():
    job = Job("-n", 2, "yes")
    time.sleep(0.5)  # nobody reads: all pipes fill
    job.process.send_signal(signal.SIGTERM)
    time.sleep(0.8)
    require(set(job.processes()) <= {job.process.pid}, "ranks run on")
    job.wait()
    equal(job.status, 143, "the status")


@test
def reader_that_goes_ends_the_job():
    process = subprocess.run(f"{mpiexec} -n 2 yes | head -n 3; echo ${{PIPESTATUS[0]}}", shell=True, timeout=10,
                             executable="/bin/bash", capture_output=True)
    equal(process.stdout.decode().splitlines(), ["y", "y", "y", "141"], "the output")


@test
def slow_reader_takes_no_memory():
    job = Job("-n", 2, "yes", "x" * 100)
    for _ in range(4000):
        os.read(job.process.stdout.fileno(), 16384)
        time.sleep(0.0002)
    with open(f"/proc/{job.process.pid}/status") as file:
        most = int(re.search(r"VmHWM:\s+(\d+) kB", file.read()).group(1))
    job.process.send_signal(signal.SIGTERM)
    job.wait()
    require(most < 16 << 10, f"{most} KiB of memory for a reader that is slow")


@test
def reader_that_never_reads_can_be_left():
    job = Job("-n", 1, "python3", "-c", "print('x' * 150000)")
    job.wait_for_processes(1)
    end = time.monotonic() + 10
    while len(job.processes()) > 1:
        require(time.monotonic() < end, "the rank does not end")
        time.sleep(0.01)
    job.process.send_signal(signal.SIGTERM)
    equal(job.process.wait(5), -signal.SIGTERM, "the status")


@test
def output_that_cannot_be_written_is_told():
    for rank in "echo hi", "yes":
        with open("/dev/full", "wb") as full:
            process = subprocess.run([mpiexec, "-n", "2", *rank.split()], stdout=full, stderr=subprocess.PIPE, timeout=10)
        equal(process.returncode, 1, "the status")
        equal(process.stderr, b"mpiexec: cannot write to standard output: No space left on device\n", "the words")
        with open("/dev/full", "wb") as full:
            process = subprocess.run([mpiexec, "-n", "2", *sh(f"{rank} >&2")], stderr=full, timeout=10)
        equal(process.returncode, 1, "the status")
    with tempfile.TemporaryFile() as file:
        process = subprocess.run([mpiexec, "-n", "2", "echo", "hi"], stdout=file, stderr=subprocess.PIPE, timeout=10,
                                 preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)))
    equal(process.returncode, 1, "the status")
    equal(process.stderr, b"mpiexec: cannot write to standard output: File too large\n", "the words")


@test
def standard_files_may_be_closed():
    for closed in "<&-", ">&-", "2>&-", "<&- >&- 2>&-":
        for rank in "cat", "echo hi", "sh -c 'echo hi >&2'":
            process = subprocess.run(f"exec {mpiexec} -n 2 {rank} {closed}", shell=True, capture_output=True, timeout=10,
                                     stdin=subprocess.DEVNULL)
            equal(process.returncode, 0, f"the status of {rank} {closed}")


# ---- limits ----


def limited(what, number):
    return lambda: resource.setrlimit(what, (number, number))


@test
def open_files_are_counted_before_the_start():
    job = run("-n", 100, "true", preexec_fn=limited(resource.RLIMIT_NOFILE, 256))
    equal(job.status, 1, "the status")
    told = re.fullmatch(r"mpiexec: 100 processes take (\d+) open files here, and the hard limit is 256; have it raised "
                        r"\(ulimit -n \1, by root\), or start fewer\n", job.err)
    require(told, job.err)
    need = int(told.group(1))
    job = run("-n", 100, *sh("ulimit -n"), preexec_fn=limited(resource.RLIMIT_NOFILE, need))
    equal((job.status, job.out, job.err), (0, f"{need}\n" * 100, ""), "with so many: status, output, errors")
    equal(run("-n", 100, "true", preexec_fn=limited(resource.RLIMIT_NOFILE, need - 1)).status, 1, "the status")


@test
def ranks_keep_the_limit_of_open_files():
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    job = run("-n", 30, *sh("ulimit -Sn; ulimit -Hn"),
              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (50, hard)))
    equal(job.status, 0, "the status")
    equal(set(job.out.split()), {"50", "unlimited" if hard == resource.RLIM_INFINITY else str(hard)}, "the limits")


@test
def loop_that_cannot_wait_ends():
    job = Job("-n", 4, *sh("echo ready; sleep 30"))
    [job.process.stdout.readline() for _ in range(4)]
    resource.prlimit(job.process.pid, resource.RLIMIT_NOFILE, (4, 4))
    job.process.send_signal(signal.SIGCHLD)  # so that it looks, if it has not: then nothing comes of the signal
    job.wait()
    equal(job.status, 1, "the status")
    equal(job.err, "mpiexec: cannot wait for the processes: Invalid argument; ending the job\n", "the words")
    job.nothing_left()


@test
def lack_of_memory_for_output_is_told():
    job = Job("-n", 1, "python3", "-c", "input(); print('x' * 5000000, end='')", stdin=subprocess.PIPE)
    job.wait_for_processes(2)
    with open(f"/proc/{job.process.pid}/statm") as file:
        pages = int(file.read().split()[0])
    resource.prlimit(job.process.pid, resource.RLIMIT_AS, (pages * 4096, pages * 4096))
    job.wait(b"\n")
    equal(job.status, 1, "the status")
    require(re.fullmatch(r"mpiexec: cannot allocate \d+ bytes for the output; ending the job\n", job.err), job.err)
    job.nothing_left()


@test
def processes_that_cannot_be_started_are_told():
    if os.getuid() != 0:
        return  # only root can become a user who has no processes yet
    stranger = 100000 + os.getpid()
    with tempfile.TemporaryDirectory() as directory:
        os.chmod(directory, 0o755)
        program = shutil.copy(mpiexec, directory)
        for most, words in (1, "watches over the job"), (4, "cannot start rank 2"):
            process = subprocess.run([program, "-n", "10", "/bin/sleep", "0.1"], cwd="/", capture_output=True, timeout=10,
                                     user=stranger, group=stranger, extra_groups=[],
                                     preexec_fn=limited(resource.RLIMIT_NPROC, most))
            equal(process.returncode, 1, "the status")
            text = process.stderr.decode()
            require(words in text and "Resource temporarily unavailable" in text, text)


# ---- what is started, and how ----


@test
def several_programs():
    job = run("-n", 1, "-env", "WHO", "first", *sh("echo $PMI_RANK $WHO $ALL"), ":", "-n", 2, "-env", "WHO", "second",
              *sh("echo $PMI_RANK $WHO $ALL $PMI_SIZE"))
    equal(sorted(job.out.splitlines()), ["0 first", "1 second 3", "2 second 3"], "the output")
    job = run("-genv", "ALL", "a b", "-n", 1, *sh("echo $ALL"), ":", *sh("echo $ALL"))
    equal(job.out.splitlines(), ["a b", "a b"], "the output")


@test
def working_directory():
    with tempfile.TemporaryDirectory() as directory:
        equal(run("-wdir", directory, "pwd").out.strip(), os.path.realpath(directory), "the directory")
    job = run("-n", 2, "-wd", "/no/such", "pwd")
    require(job.status != 0 and "/no/such" in job.err, job.err)


@test
def program_in_the_working_directory_is_found():
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "here")
        with open(path, "w") as file:
            file.write("#!/bin/sh\necho found\n")
        os.chmod(path, 0o755)
        equal(run("here", cwd=directory).out, "found\n", "the output")


@test
def program_that_cannot_run():
    job = run("-n", 4, "/no/such/program")
    equal(job.status, 127, "the status")
    require("/no/such/program" in job.err and "No such file" in job.err, job.err)
    equal(run("no-such-program-anywhere").status, 127, "the status")
    with tempfile.NamedTemporaryFile("w") as file:
        equal(run(file.name).status, 126, "the status of a file that is not executable")
        equal(run("/tmp").status, 126, "the status of a directory")
        file.write("#!/no/such/interpreter\n")
        file.flush()
        os.chmod(file.name, stat.S_IRWXU)
        with open(file.name):
            pass
        copy = file.name + ".x"
        subprocess.run(["cp", "-p", file.name, copy], check=True)
        job = run("-n", 2, copy)
        os.unlink(copy)
        equal(job.status, 127, "the status of a script whose interpreter is missing")
        require(copy in job.err, job.err)


@test
def wrong_options_are_explained():
    for args, words in (
        (["-n", "0", "true"], "at least 1"),
        (["-n", "two", "true"], '"two"'),
        (["-n"], "-n needs"),
        (["-n", "2"], "no program"),
        ([], "no program"),
        (["-n", "1", "true", ":"], "no program"),
        (["--frobnicate", "true"], "--frobnicate"),
        (["-timeout", "x", "true"], '"x"'),
        (["-bind-to", "board", "true"], "core, numa or none"),
        (["-hosts", "a,,b", "true"], "is no host"),
    ):
        job = run(*args)
        require(job.status == 2 and words in job.err, f"{args}: status {job.status}, {job.err!r}")
    require("-prepend-rank" in run("-help").out, "the help lacks an option")
    require("Treefold" in run("--version").out, "the version lacks the name")


@test
def numbers_of_processes():
    for n in 1, 2, 50:
        equal(len(run("-n", n, "echo").out), n, "the number of lines")


# ---- ends ----


@test
def status_of_the_first_that_fails():
    job = run("-n", 3, *sh("[ $PMI_RANK = 1 ] && exit 42; sleep 30"))
    equal(job.status, 42, "the status")
    require(job.seconds < 1.5, f"it took {job.seconds} s")
    require("rank 1 (pid " in job.err and "exited with status 42" in job.err, job.err)
    job.nothing_left()


@test
def status_of_a_signal():
    job = run("-n", 3, *sh("[ $PMI_RANK = 2 ] && kill -SEGV $$; sleep 30"))
    equal(job.status, 128 + signal.SIGSEGV, "the status")
    require("rank 2 (pid " in job.err and "killed by signal 11 (Segmentation fault)" in job.err, job.err)
    job.nothing_left()


@test
def rank_that_is_killed_from_outside():
    job = Job("-n", 4, "sleep", 30)
    job.wait_for_processes(5)
    os.kill(next(pid for pid in job.processes() if pid != job.process.pid
                 and open(f"/proc/{pid}/comm").read().strip() == "sleep"), signal.SIGKILL)
    job.wait()
    equal(job.status, 137, "the status")
    job.nothing_left()


@test
def ranks_that_ignore_sigterm_are_ended_within_a_second():
    job = run("-n", 3, *sh("trap '' TERM; [ $PMI_RANK = 1 ] && { sleep 0.2; exit 9; }; sleep 30; sleep 30"))
    equal(job.status, 9, "the status")
    require(job.seconds < 1.5, f"it took {job.seconds} s")
    job.nothing_left()


@test
def time_limit():
    job = run("-timeout", "0.3", "-n", 2, "sleep", 30)
    equal(job.status, 124, "the status")
    require(job.seconds < 1.5 and "time limit" in job.err, job.err)
    equal(run("-n", 1, "sleep", 30, env={"MPIEXEC_TIMEOUT": "0.2"}).status, 124, "the status")
    equal(run("-timeout", 10, "true").status, 0, "the status")


@test
def ranks_are_bound():
    mine = os.sched_getaffinity(0)
    show = [sys.executable, "-c", "import os; print(sorted(os.sched_getaffinity(0)))"]
    for what in "none", "numa", "core":
        job = run("-bind-to", what, "-n", 2, *show)
        equal(job.status, 0, "the status")
        sets = [frozenset(eval(line)) for line in job.out.splitlines()]
        equal(len(sets), 2, "the ranks")
        require(all(s and s <= mine for s in sets), f"{what}: {sets} of {mine}")
        require(what != "none" or all(s == mine for s in sets), f"{what}: {sets}")
        require(what != "core" or sets[0] == sets[1] or not sets[0] & sets[1], f"{what}: {sets}")


@test
def signals_are_passed_on():
    for number, name in (signal.SIGINT, "INT"), (signal.SIGTERM, "TERM"), (signal.SIGHUP, "HUP"):
        job = Job("-n", 2, *sh(f"trap 'echo got {name}; exit 0' {name}; echo ready; while :; do sleep 0.02; done"))
        equal([job.process.stdout.readline() for _ in range(2)], [b"ready\n"] * 2, "the beginning")
        job.start = time.monotonic()
        job.process.send_signal(number)
        job.wait()
        equal(job.status, 128 + number, "the status")
        equal(job.out, f"got {name}\n" * 2, "what the ranks say")
        require(job.seconds < 1, f"it took {job.seconds} s")
        job.nothing_left()


@test
def user_signal_does_not_end_the_job():
    job = Job("-n", 2, *sh("trap 'echo usr; exit 0' USR1; echo ready; while :; do sleep 0.02; done"))
    [job.process.stdout.readline() for _ in range(2)]
    job.process.send_signal(signal.SIGUSR1)
    job.wait()
    equal((job.status, job.out), (0, "usr\n" * 2), "status and output")


@test
def killed_mpiexec_leaves_nothing():
    # sh is the rank, sleep its child: the kernel's parent-death signal alone does not reach it.
    job = Job("-n", 3, *sh("sleep 60; true"))
    job.wait_for_processes(8)
    job.process.kill()
    job.nothing_left()
    job.wait()


@test
def killed_process_group_leaves_nothing():
    job = Job("-n", 3, *sh("sleep 60; true"))
    job.wait_for_processes(8)
    os.killpg(job.process.pid, signal.SIGKILL)
    job.nothing_left()
    job.wait()


@test
def what_ranks_leave_behind_is_ended():
    job = run("-n", 2, *sh("sleep 60 & setsid sleep 61 & sleep 0.1"))
    equal(job.status, 0, "the status")
    require(job.seconds < 3, f"it took {job.seconds} s")
    job.nothing_left()


@test
def jobs_do_not_disturb_each_other():
    jobs = [Job("-n", 2, *sh(f"sleep 0.{i}; echo {i}; exit {i}")) for i in range(5)]
    victim = Job("-n", 2, "sleep", 60)
    victim.wait_for_processes(3)
    victim.process.kill()
    for i, job in enumerate(jobs):
        equal(job.wait().status, i, "the status")
        require(set(job.out.split()) <= {str(i)}, job.out)
    victim.nothing_left()
    victim.wait()


# ---- programs of another MPI ----


def compile_c(directory, name, text, *flags):
    path = os.path.join(directory, name)
    subprocess.run(["gcc", "-o", path, "-x", "c", "-", "-x", "none", *flags], input=text.encode(), check=True)
    return path


OTHER = "none of the {} processes has called MPI_Init of Treefold: \"{}\" {} {}, which is another MPI's. "


@test
def program_of_another_mpi_is_told():
    with tempfile.TemporaryDirectory() as directory:
        for library in "libmpi.so.40", "libmpich.so.12", "libmpi_mpifh.so.40":
            at = compile_c(directory, library, "void other(void) {}", "-shared", f"-Wl,-soname,{library}")
            program = compile_c(directory, "other", "void other(void); int main(void) { other(); return 0; }", at,
                                f"-Wl,-rpath,{directory}")
            for words, args, more in (program, [program], {}), ("./other", ["-wdir", directory, "./other"], {}):
                job = run("-n", 3, *args, **more)
                equal(job.status, 0, "the status")
                require(OTHER.format(3, words, "is linked with", library) in job.err, job.err)
            equal(run("-n", 1, program).err, "", "the words about one process")
        # A script that loads it: seen when it writes.
        job = Job("-n", 2, "python3", "-c", "import ctypes, sys; ctypes.CDLL(sys.argv[1]); print(1, flush=True); sys.stdin.readline()",
                  at, stdin=subprocess.PIPE)
        equal([job.process.stdout.readline() for _ in range(2)], [b"1\n"] * 2, "the beginning")
        job.wait(b"\n")
        require(OTHER.format(2, "python3", "has loaded", "libmpi_mpifh.so.40") in job.err, job.err)


@test
def program_of_no_other_mpi_is_left_alone():
    with tempfile.TemporaryDirectory() as directory:
        for library in "libmpi_abi.so.1", "libmpir.so.23", "libmpiP.so":
            at = compile_c(directory, library, "void other(void) {}", "-shared", f"-Wl,-soname,{library}")
            program = compile_c(directory, "other", "void other(void); int main(void) { other(); return 0; }", at,
                                f"-Wl,-rpath,{directory}")
            equal(run("-n", 2, program).err, "", f"the words about {library}")
        for text in b"", b"\x7fELF", b"\x7fELF\x02" + bytes(59), b"\x7fELF\x02" + b"\x7f" * 200:
            broken = os.path.join(directory, "broken")
            with open(broken, "wb") as file:
                file.write(text)
            os.chmod(broken, 0o755)
            job = run("-n", 2, broken)
            require(job.status >= 0 and "another MPI" not in job.err, f"status {job.status}: {job.err}")


# ---- the PMI server ----

pmi_rank = "python3", os.path.join(here, "pmi_rank.py")


@test
def pmi_conversation():
    for n in 1, 2, 7:
        job = run("-n", n, *pmi_rank)
        equal((job.status, job.err), (0, ""), "status and errors")
        equal((len(job.out.split()), len(set(job.out.split()))), (n, 1), "the names of the job")


@test
def pmi_programs_one_after_another():
    command = " ".join(pmi_rank)
    equal(run("-n", 2, *sh(f"{command} && {command}")).status, 0, "the status")


@test
def pmi_abort():
    job = run("-n", 3, *pmi_rank, "abort")
    equal(job.status, 9, "the status")
    require("called MPI_Abort with code 9" in job.err, job.err)


@test
def pmi_end_without_finalize():
    job = run("-n", 2, *pmi_rank, "leave")
    equal(job.status, 1, "the status")
    require("rank 1" in job.err and "without calling MPI_Finalize" in job.err, job.err)


@test
def pmi_barrier_that_cannot_end():
    job = run("-n", 3, *pmi_rank, "absent")
    equal(job.status, 1, "the status")
    require("waits in MPI_Init for rank 1" in job.err, job.err)


# ---- with the library ----

ends = None


def shared_memory():
    return set(glob.glob("/dev/shm/*treefold*"))


def run_ends(n, way, **more):
    require(ends, "test/cmd/ends.c did not compile")
    before = shared_memory()
    job = run("-n", n, ends, way, **more)
    job.nothing_left()
    equal(shared_memory() - before, set(), "what is left in /dev/shm")
    return job


@test
def mpi_program_ends_well():
    for n in 1, 2, 4, 8:
        job = run_ends(n, "well")
        equal((job.status, job.out, job.err), (0, f"{n} processes\n", ""), "status and output")


@test
def mpi_singleton():
    require(ends, "test/cmd/ends.c did not compile")
    process = subprocess.run([ends], capture_output=True, timeout=10)
    equal((process.returncode, process.stdout), (0, b"1 processes\n"), "status and output")


@test
def mpi_started_with_mpirun():
    require(ends, "test/cmd/ends.c did not compile")
    process = subprocess.run([os.path.join(prefix, "bin", "mpirun"), "-np", "2", ends], capture_output=True, timeout=10)
    equal((process.returncode, process.stdout), (0, b"2 processes\n"), "status and output")


@test
def mpi_ranks_that_fail_end_the_job():
    for way, status, words in (
        ("abort", 7, "called MPI_Abort with code 7"),
        ("abort256", 1, "called MPI_Abort with code 256"),
        ("kill", 137, "killed by signal 9"),
        ("segv", 139, "killed by signal 11"),
        ("exit", 3, "exited with status 3"),
        ("leave", 1, "without calling MPI_Finalize"),
        ("late", 5, "exited with status 5"),
    ):
        job = run_ends(3, way)
        equal(job.status, status, f"the status of {way}")
        require("rank 1 (pid " in job.err and words in job.err, f"{way}: {job.err!r}")
        require(job.seconds < 1.5, f"{way} took {job.seconds} s")


@test
def mpi_error_is_told_and_ends_the_job():
    job = run_ends(2, "error")
    require(job.status != 0, "the status is 0")
    require("count" in job.err and "-3" in job.err and "fatal error" in job.err, job.err)


@test
def mpi_second_init_is_an_error():
    job = run_ends(2, "twice")
    equal((job.status, job.out.count("second init: 1")), (0, 2), "status and errors")


@test
def mpi_killed_mpiexec_leaves_nothing():
    require(ends, "test/cmd/ends.c did not compile")
    before = shared_memory()
    for backing in "memfd", "file":
        job = Job("-n", 3, *sh(f"{ends} well && sleep 60"), env={"TREEFOLD_SHM_BACKING": backing})
        job.wait_for_processes(7)
        job.process.kill()
        job.nothing_left()
        job.wait()
    equal(shared_memory() - before, set(), "what is left in /dev/shm")


@test
def mpi_rank_killed_while_others_wait():
    for backing in "memfd", "file":
        job = run_ends(4, "kill", env={"TREEFOLD_SHM_BACKING": backing})
        equal(job.status, 137, "the status")


@test
def mpi_start_is_fast():
    run_ends(8, "well")
    seconds = statistics.median(run_ends(8, "well").seconds for _ in range(5))
    require(seconds < 0.1, f"8 processes took {seconds:.3f} s")


@test
def mpi_under_another_launcher():
    hydra = "/usr/bin/mpiexec.hydra"
    require(ends, "test/cmd/ends.c did not compile")
    if not os.path.exists(hydra):
        return
    process = subprocess.run([hydra, "-n", "3", ends], capture_output=True, timeout=20, stdin=subprocess.DEVNULL)
    equal((process.returncode, process.stdout), (0, b"3 processes\n"), "status and output")


@test
def mpi_start_takes_few_requests():
    """In each round of 16 ranks that meet, one makes 15 look-ups; all else is the same for any number of processes."""
    require(ends, "test/cmd/ends.c did not compile")
    for settings, connections in ({}, 0), ({"TREEFOLD_NET": "tcp", "TREEFOLD_NODE_SIZE": "4"}, 1):
        for n in 2, 15, 40:
            job = run("-v", "-n", n, ends, "well", limit=60, env=settings)
            equal(job.status, 0, "the status")
            asked = {int(r): int(k) for r, k in re.findall(r"rank (\d+) has ended, after (\d+) requests", job.err)}
            equal(len(asked), n, "the number of ranks that have told")
            rounds = 1 if n <= 16 else 2
            # Two reductions where there are several nodes; who talks by TCP looks up whom it connects.
            most = 16 + 2 * rounds + connections * (4 * rounds + n.bit_length() * 2)
            gathers = (1 + connections) * 16
            for rank, k in asked.items():
                limit = most + gathers * (0 if rank % 16 else 1 if rank else rounds)
                require(k <= limit, f"{n} processes, {settings}: rank {rank} made {k} requests, at most {limit} do")


@test
def mpi_ranks_with_different_transports_are_told():
    require(ends, "test/cmd/ends.c did not compile")
    for n in 1, 16, 18:  # the second program's ranks are compared by rank 0, by rank 16, and at the end
        job = run("-n", n, ends, "well", ":", "-n", 2, "-env", "TREEFOLD_NET", "tcp", ends, "well", limit=60,
                  env={"TREEFOLD_NODE_SIZE": "1", "TREEFOLD_NET": "auto"})
        require(job.status != 0, f"the status is {job.status}")
        words = f"rank {n} on host .* has TREEFOLD_NET=tcp and rank 0 has auto"
        require(re.search(words, job.err), job.err)
        job.nothing_left()


@test
def mpi_ranks_that_cannot_open_connections_say_so():
    require(ends, "test/cmd/ends.c did not compile")
    for most in 8, 10, 12:
        job = run("-n", 10, *sh(f"ulimit -n {most}; exec {ends} talk"),
                  env={"TREEFOLD_NET": "tcp", "TREEFOLD_NODE_SIZE": "1"})
        require(job.status != 0, f"the status with {most} files is 0")
        # Who is told first is who has no file left, or who has tried in vain to reach that one.
        words = f"all of the {most} files that this process may have open are", "has all the files open that it may (ulimit -n)"
        require(any(w in job.err for w in words), job.err)
        job.nothing_left()


def compile_ends(directory):
    target = os.path.join(directory, "ends")
    process = subprocess.run([os.path.join(prefix, "bin", "mpicc"), "-o", target, os.path.join(here, "ends.c")],
                             capture_output=True)
    if process.returncode != 0:
        print(process.stdout.decode() + process.stderr.decode())
        return None
    return target


with tempfile.TemporaryDirectory() as directory:
    pattern = sys.argv[2] if len(sys.argv) > 2 else ""
    try:
        ends = compile_ends(directory)
    except OSError as error:
        print(error)
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
sys.exit(failed > 0)
