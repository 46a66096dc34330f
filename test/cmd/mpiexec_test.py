#!/usr/bin/env python3
"""test/cmd/mpiexec_test.py PREFIX [NAME] - what mpiexec promises of streams and words: output and input, what it starts,
how, and what it says of options, programs and their MPI."""
import fcntl
import os
import pty
import re
import resource
import select
import signal
import stat
import subprocess
import sys
import tempfile
import termios
import time

from jobs import FOR_EVER, LIMIT, Job, compile_ends, equal, finish, mpiexec, prefix, require, run, sh, test, until

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
    job = run("-n", 3, *sh('test $PMI_RANK != 0 || printf "\\1\\2\\3"'))
    equal(job.out, "\1\2\3", "of one of three")
    job = run("-n", 3, *sh("printf 'no newline'; printf 'nor here' >&2"))
    equal((job.out, job.err), ("\n".join(["no newline"] * 3), "nor here\n" * 3), "of each of three")


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
        require(select.select([terminal], [], [], LIMIT)[0], f"the terminal shows {text!r}, not {wanted!r}")
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
    says(mpiexec.encode() + b" -n 2 sh -c '[ $PMI_RANK = 1 ] && exec sleep 1000; echo begun; exec cat' &\n", b"begun\r\n")
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
    pid, terminal = on_terminal("-n", "2", *sh(f"echo ready; sleep {FOR_EVER}"))
    read_terminal(terminal, b"ready")
    os.write(terminal, b"\x03")
    equal(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), 130, "the status")
    os.close(terminal)


def is_full(pipe):
    """Whether a writer of a page has to wait."""
    waiting = fcntl.ioctl(pipe, termios.FIONREAD, bytes(4))
    return int.from_bytes(waiting, sys.byteorder) + 4096 > fcntl.fcntl(pipe, fcntl.F_GETPIPE_SZ)


@test
def slow_reader_does_not_make_it_deaf():
    job = Job("-n", 2, "yes")
    until(lambda: is_full(job.process.stdout), lambda: "the pipe never fills")  # nobody reads
    job.process.send_signal(signal.SIGTERM)
    until(lambda: set(job.processes()) <= {job.process.pid}, lambda: "ranks run on")
    job.wait()
    equal(job.status, 143, "the status")


@test
def reader_that_goes_ends_the_job():
    process = subprocess.run(f"{mpiexec} -n 2 yes | head -n 3; echo ${{PIPESTATUS[0]}}", shell=True, timeout=LIMIT,
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
    until(lambda: len(job.processes()) <= 1, lambda: "the rank does not end")
    job.process.send_signal(signal.SIGTERM)
    status = job.process.wait(LIMIT)  # of the signal itself, or what a shell makes of it if the rank's end is not seen yet
    require(status in (-signal.SIGTERM, 128 + signal.SIGTERM), f"the status is {status}")


@test
def output_that_cannot_be_written_is_told():
    for rank in "echo hi", "yes":
        with open("/dev/full", "wb") as full:
            process = subprocess.run([mpiexec, "-n", "2", *rank.split()], stdout=full, stderr=subprocess.PIPE, timeout=LIMIT)
        equal(process.returncode, 1, "the status")
        equal(process.stderr, b"mpiexec: cannot write to standard output: No space left on device\n", "the words")
        with open("/dev/full", "wb") as full:
            process = subprocess.run([mpiexec, "-n", "2", *sh(f"{rank} >&2")], stderr=full, timeout=LIMIT)
        equal(process.returncode, 1, "the status")
    with tempfile.TemporaryFile() as file:
        process = subprocess.run([mpiexec, "-n", "2", "echo", "hi"], stdout=file, stderr=subprocess.PIPE, timeout=LIMIT,
                                 preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)))
    equal(process.returncode, 1, "the status")
    equal(process.stderr, b"mpiexec: cannot write to standard output: File too large\n", "the words")


@test
def standard_files_may_be_closed():
    for closed in "<&-", ">&-", "2>&-", "<&- >&- 2>&-":
        for rank in "cat", "echo hi", "sh -c 'echo hi >&2'":
            process = subprocess.run(f"exec {mpiexec} -n 2 {rank} {closed}", shell=True, capture_output=True, timeout=LIMIT,
                                     stdin=subprocess.DEVNULL)
            equal(process.returncode, 0, f"the status of {rank} {closed}")


@test
def there_may_be_no_dev_null():
    """As in a folder that is made a root.  Needs a namespace of its own for its /dev."""
    namespace = ["unshare", *(["-r"] if os.geteuid() else []), "-m", "sh", "-c"]
    script = "mount -t tmpfs none /dev && test ! -e /dev/null && exec "
    if subprocess.run([*namespace, script + "true"], capture_output=True, timeout=LIMIT, check=False).returncode:
        print("# there is no /dev of our own to be had")
        return
    job = subprocess.run([*namespace, f"{script} {mpiexec} -n 2 sh -c 'cat; echo $PMI_RANK'"], timeout=LIMIT,
                         capture_output=True, text=True, input="hi\n", check=False)
    equal((sorted(job.stdout.splitlines()), job.stderr, job.returncode), (["0", "1", "hi"], "", 0), "what comes of it")


# ---- what is started, and how ----


@test
def several_programs():
    job = run("-n", 1, "-env", "WHO", "first", *sh("echo $PMI_RANK $WHO $ALL"), ":", "-n", 2, "-env", "WHO", "second",
              *sh("echo $PMI_RANK $WHO $ALL $PMI_SIZE"))
    equal(sorted(job.out.splitlines()), ["0 first", "1 second 3", "2 second 3"], "the output")
    job = run("-genv", "ALL", "a b", "-n", 1, *sh("echo $ALL"), ":", *sh("echo $ALL"))
    equal(job.out.splitlines(), ["a b", "a b"], "the output")


@test
def options_of_other_launchers():
    script = sh("echo $PMI_SIZE $ALL")
    for options in (("-c", 2, "--oversubscribe"), ("--allow-run-as-root", "-np", 2, "-q"), ("-N", 2), ("--npernode", 2),
                    ("--map-by", "ppr:2:node:oversubscribe"), ("-n", 2, "-genvall", "-bind-to", "core:1"),
                    ("-n", 2, "--host", "localhost:*"), ("-n", 2, "--disable-recovery", "--leave-session-attached"),
                    ("-n", 2, "--enable-recovery"), ("-n", 2, "--bind-to-none")):
        job = run(*options, *script)
        equal((job.out, job.err), ("2\n2\n", ""), f"what {options} make")
    equal(run("-x", "ALL=a=b", "-x", "PATH", *script).out, "1 a=b\n", "the output")
    equal(run("-genv", "ALL=a b", *script).out, "1 a b\n", "the output")
    equal(run("-n", 1, "--tag-output", *script).out, "[0] 1\n", "the output")
    job = run("--mca", "btl", "self,tcp", "-map-by", "slot", *script)
    equal(job.out, "1\n", "the output")
    require("--mca btl self,tcp does nothing here, and is left out" in job.err, job.err)
    require("-map-by slot is left out" in job.err, job.err)
    for options in (("-n=2",), ("-mc",), ("-bind-to", "core:0"), ("--bind-to", "user:1"), ("--map-by", "slot:PE=x"), ("--quiet", "--oversubscribe=1"),
                    ("--map-by", "ppr:0:node"), ("--ppr", "node"), ("--cpu-bind", "map_cpu:0"), ("--with-ft", "some"),
                    ("--output", "file=x"), ("--xml",), ("--do-not-launch",), ("-debug",)):
        job = run(*options, *script)
        name = [word for word in options if word.startswith("-")][-1].split("=1")[0]
        require(job.status == 2 and job.out == "" and "mpiexec -help lists the options" in job.err and name in job.err,
                f"{options}: {job.err}")


@test
def options_with_their_value():
    script = sh("echo $PMI_SIZE $ALL")
    for options in (("--n=2",), ("--np=2", "--bind-to=none"), ("--hosts=localhost:2", "-n", 2), ("--map-by=ppr:2:node",),
                    ("--ppr=2:node",), ("--ntasks=2", "--label", "--prepend-pattern="), ("-n", 2, "--cpu-bind=none"),
                    ("-n", 2, "--with-ft=none"), ("--ntasks-per-node=2", "-n", 2), ("-n", 2, "--map-by=ppr:1:socket"),
                    ("--npersocket=1", "-n", 2), ("-n", 2, "--with-ft=ulfm"), ("-n", 2, "--soft=1:2"),
                    ("-n", 2, "--map-by", ":OVERSUBSCRIBE")):
        job = run(*options, *script)
        equal((job.out, job.err), ("2\n2\n", ""), f"what {options} make")
    equal(run("--x=ALL=a=b", "--env=OTHER", "c", *script).out, "1 a=b\n", "a variable")
    for options in ("-npersocket", 2), ("--map-by", "ppr:2:socket"), ("--ppr", "2:l3cache"):
        job = run(*options, *script)
        require(job.status == 2 and f"{options[0]} needs -n too" in job.err, job.err)
    for option, value, words in (("--output-filename", ["x"], "-outfile-pattern"), ("--xterm", ["0"], "xterm -e"),
                                 ("--preload-binary", [], "nothing is copied")):
        job = run(option, *value, *script)
        require(job.status == 2 and job.out == "" and f"{option} cannot be: " in job.err and words in job.err, job.err)
    for options in (("--display-topo",), ("--report-uri", "-"), ("--timestamp-output",), ("-profile",), ("-gpus-per-proc", 1),
                    ("-iface", "lo"), ("--rank-by=slot",), ("--output", "timestamp"), ("--gmca", "a", "b"), ("-pmi-port",)):
        job = run(*options, *script)
        equal((job.out, job.status), ("1\n", 0), f"what {options} make")
        require("is left out" in job.err or "does nothing here" in job.err, job.err)


@test
def words_before_lines():
    for options, out in ((("--prepend-pattern", "%r of %g%%: "), "0 of 0%: hi\n"), (("--output", "tag,merge"), "[0] hi\n"),
                         (("-prepend-pattern", "x" * 300), "x" * 240 + "hi\n"), (("--tag-output-fullname",), "[0] hi\n")):
        job = run(*options, *sh("echo hi"))
        equal((job.out, job.err), (out, ""), f"what {options} make")
    require("behind % there must be" in run("-prepend-pattern", "%", "true").err, "the words")


@test
def input_goes_to_whom_it_is_for():
    script = sh("echo $PMI_RANK $(cat)")
    for rank in 0, 2, "none":
        job = run("-n", 3, "--stdin", rank, *script, text=b"hi\n")
        equal(sorted(job.out.splitlines()), [f"{r} hi" if r == rank else str(r) for r in range(3)], f"with {rank}")
    pid, terminal = on_terminal("-n", "2", "-stdin", "1", *sh("[ $PMI_RANK = 1 ] || exit 0; printf 'number? '; read n; echo got $n"))
    read_terminal(terminal, b"number? ")
    os.write(terminal, b"17\n")
    read_terminal(terminal, b"got 17")
    equal(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), 0, "the status")
    os.close(terminal)
    for rank, words in ((3, "the last rank is 2"), ("all", "the one rank"), (-1, "the one rank")):
        job = run("-n", 3, "-stdin", rank, *script)
        require(job.status == 2 and words in job.err, job.err)


@test
def its_process_number():
    with tempfile.TemporaryDirectory() as directory:
        job = Job("-report-pid", f"{directory}/pid", "-n", 1, "cat", stdin=subprocess.PIPE)
        until(lambda: os.path.exists(f"{directory}/pid") and os.path.getsize(f"{directory}/pid"), lambda: "no number")
        with open(f"{directory}/pid", encoding="utf-8") as file:
            equal(int(file.read()), job.process.pid, "the number")
        job.wait(b"")
        job = Job("--report-pid", "-", "true")
        job.wait()
        equal((job.out, job.err), (f"{job.process.pid}\n", ""), "on standard output")
        job = Job("--report-pid=+", "true")
        job.wait()
        equal((job.out, job.err), ("", f"{job.process.pid}\n"), "on standard error")
        job = run("-report-pid", f"{directory}/no/such", "echo", "hi")
        require(job.status == 1 and job.out == "" and "cannot write its process number" in job.err, job.err)


@test
def numbers_that_will_do():
    script = sh("echo $PMI_SIZE")
    for options, n in ((("-n", 5, "-soft", "1:4"), 4), (("-soft", "2:10000:2", "-n", 3), 2), (("-soft", "1:8"), 1),
                       (("-n", 3, "-soft", "9:1:-4,-5"), 1), (("-n", 3, "-soft", "0:99999999999999999999"), 3)):
        job = run(*options, *script)
        equal((job.out, job.err), (f"{n}\n" * n, ""), f"what {options} make")
    job = run("-n", 4, "-soft", "2:3", *script, ":", "-n", 2, *script)
    equal(job.out, "5\n" * 5, "of two programs")
    for options, words in ((("-n", 2, "-soft", "many"), '-soft is "many"; it must be numbers a, ranges a:b'),
                           (("-n", 2, "-soft", "3:9"), "no number from 1 to the 2 of -n"),
                           (("-n", 2, "-soft", "0"), "no number from 1 to the 2 of -n"),
                           (("-soft", "2"), "no number from 1 to the 1 of a program without -n"),
                           (("-soft",), "-soft needs numbers of processes behind it")):
        job = run(*options, *([] if options == ("-soft",) else script))
        require(job.status == 2 and words in job.err, f"{options}: status {job.status}, {job.err!r}")


@test
def output_to_files():
    with tempfile.TemporaryDirectory() as directory:
        def written(rank, name="out"):
            with open(f"{directory}/{name}.0.{rank}", encoding="utf-8") as file:
                return file.read()

        script = sh("echo out $PMI_RANK; echo err $PMI_RANK >&2")
        job = run("-n", 2, "-outfile-pattern", f"{directory}/out.%g.%r", *script)
        equal((job.out, sorted(job.err.splitlines())), ("", ["err 0", "err 1"]), "without standard output")
        equal([written(0), written(1)], ["out 0\n", "out 1\n"], "the files")
        job = run("-n", 1, "-errfile-pattern", f"{directory}/err.%g.%r", *script)
        equal((job.out, job.err, written(0, "err")), ("out 0\n", "", "err 0\n"), "without standard error")
        job = run("-n", 1, "--merge-stderr-to-stdout", *script)
        equal((job.out, job.err), ("out 0\nerr 0\n", ""), "together")
        job = run("-n", 1, "-merge-stderr-to-stdout", "-outfile-pattern", f"{directory}/out.%g.%r", *script)
        equal((job.out, job.err, written(0)), ("", "", "out 0\nerr 0\n"), "together in a file")
        job = run("-n", 2, "-outfile-pattern", f"{directory}/none/%r", *script)
        require(job.status == 127 and "cannot open the file of -outfile-pattern for" in job.err, job.err)
    job = run("-outfile-pattern", "out.%h", *script)
    require(job.status == 2 and '-outfile-pattern is "out.%h"; behind % there must be r, g or %' in job.err, job.err)


@test
def nothing_of_the_environment():
    job = run("-genvnone", "-env", "WHO", "me", "/usr/bin/env")
    names = {line.split("=")[0] for line in job.out.splitlines()}
    equal(sorted(run("-genv", "WHO", "me", "-envnone", *sh("echo $WHO $SOME"), ":", *sh("echo $WHO $SOME"),
                     env={"SOME": "thing"}).out.splitlines()), ["me", "me thing"], "of one program")
    require("WHO" in names and "PMI_RANK" in names and not names & {"HOME", "USER", "PATH"}, job.out)


@test
def universe():
    script = """
import os
with os.fdopen(int(os.environ["PMI_FD"]), "r+b", buffering=0) as pmi:
    pmi.write(b"cmd=get_universe_size\\n")
    print(pmi.readline().split()[1].decode())
"""
    for options, size in ((), -1), (("-usize", 7), 7), (("-usize", "INFINITE"), -1), (("--usize", "system"), -1):
        job = run("-n", 2, *options, "python3", "-c", script)
        equal((job.out, job.err), (f"size={size}\n" * 2, ""), f"what {options} make")
    job = run("-usize", "many", "true")
    require(job.status == 2 and '-usize is "many"; it must be a number of processes' in job.err, job.err)


@test
def error_handlers_at_first():
    script = sh("echo $PMI_RANK $TREEFOLD_INITIAL_ERRHANDLER")
    job = run("-initial-errhandler", "mpi_errors_return", *script, ":", *script)
    equal(sorted(job.out.splitlines()), ["0 mpi_errors_return", "1"], "the first program's alone")
    job = run("--initial-errhandler", "none", *script)
    require(job.status == 2 and "mpi_errors_abort" in job.err, job.err)


@test
def programs_are_process_sets():
    with tempfile.TemporaryDirectory() as directory:
        program = compile_ends(directory, "psets")
        job = run("-pset", "all", program)
        equal((job.out, job.err), ("rank 0: all=1\n", ""), "one process")
        equal(run("-n", 1, program).out, "rank 0:\n", "no name")
        # Two of four programs have the name of the first, one of them none; capitals do not count.
        sea, air = ("-pset", "app://sea", "-n"), ("--pset", "air:2", "-n")
        job = run(*sea, 2, program, "app://sea", "air:2", ":", *sea, 1, program, "APP://SEA", "AIR:2", ":",
                  *air, 2, program, "air:2", "app://sea", ":", "-pset", "APP://sea", "-n", 4, program, "app://sea", "air:2")
        equal(sorted(job.out.splitlines()),
              [f"rank {r}: air:2=2 of 7 29" if r in (3, 4) else f"rank {r}: app://sea=7 of 29 7" for r in range(9)],
              "nine processes " + job.err)
    for name in "", "a b", "a,b", "mpi://own", "MPIX://own", "x" * 256:
        job = run("-pset", name, "true")
        require(job.status == 2 and "printable characters" in job.err, f"{name}: {job.status} {job.err}")


@test
def options_in_a_file():
    with tempfile.NamedTemporaryFile("w") as file:
        file.write("# two programs\n-env A 'a b' sh -c 'echo $PMI_RANK \"$A\"'\n\n -n 2 echo \"x  y\"z # the end")
        file.flush()
        equal(sorted(run("-configfile", file.name).out.splitlines()), ["0 a b", "x  yz", "x  yz"], "the output")
        file.write("\necho 'open\n")
        file.flush()
        require("a quote is not closed" in run("--app", file.name).err, "the words")
    with tempfile.NamedTemporaryFile("w") as file:
        file.write("-n 2 \\\n  -memory-alloc-kinds mpi,system \\\r\necho goes on\n# a comment\n-n 1 echo e\\\nnd")
        file.flush()
        equal(sorted(run("-configfile", file.name).out.splitlines()), ["end", "goes on", "goes on"], "lines that go on")
    require("No such file" in run("-configfile", "/no/such").err, "the words")


@test
def how_many_were_asked_for():
    job = run("-n", 1, "sh", "-c", "echo $PMI_SIZE $MPIEXEC_MAXPROCS", ":", "-n", 2, "sh", "-c", "echo $PMI_SIZE $MPIEXEC_MAXPROCS")
    equal(sorted(job.out.splitlines()), ["3 1", "3 2", "3 2"], "the size of the job and of the program")


@test
def working_directory():
    with tempfile.TemporaryDirectory() as directory:
        equal(run("-wdir", directory, "pwd").out.strip(), os.path.realpath(directory), "the directory")
        path = os.path.join(directory, "here")
        with open(path, "w") as file:
            file.write("#!/bin/sh\necho found\n")
        os.chmod(path, 0o755)
        equal(run("-path", f"/no/such:{directory}", "here").out, "found\n", "what is found in -path")
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
        require(copy in job.err and 'there is no "/no/such/interpreter"' in job.err, job.err)


def sets_of(*options):
    """The processors of each rank, in order."""
    show = [sys.executable, "-c", "import os; print(sorted(os.sched_getaffinity(0)))"]
    job = run("-prepend-rank", *options, *show)
    equal((job.status, job.err), (0, ""), f"the status with {options}")
    lines = sorted(job.out.splitlines(), key=lambda line: int(line[1:line.index("]")]))
    return [frozenset(eval(line[line.index("]") + 1:])) for line in lines]


@test
def ranks_are_bound():
    mine = os.sched_getaffinity(0)
    for what in "none", "numa", "core":
        sets = sets_of("-bind-to", what, "-n", 2)
        equal(len(sets), 2, "the ranks")
        require(all(s and s <= mine for s in sets), f"{what}: {sets} of {mine}")
        require(what != "none" or all(s == mine for s in sets), f"{what}: {sets}")
        require(what != "core" or sets[0] == sets[1] or not sets[0] & sets[1], f"{what}: {sets}")


@test
def ranks_are_bound_to_several_cores():
    mine = os.sched_getaffinity(0)
    cores = sorted(set(sets_of("-bind-to", "core", "-n", len(mine))), key=min)
    one, two = [cores[0]], [cores[0] | cores[1 % len(cores)]]
    equal(sets_of("-bind-to", "core:1", "-n", 1), one, "one core")
    for options in (("-bind-to", "core:2"), ("--map-by", "slot:PE=2"), ("--map-by", "ppr:1:node:pe=2:oversubscribe"),
                    ("--map-by", "socket:PE=2", "--bind-to", "core"), ("--cpus-per-rank", 2), ("--cpus-per-task=2",)):
        equal(sets_of(*options, "-n", 1), two, f"two cores by {options}")
    equal(sets_of("-bind-to", "core:1000", "-n", 2), [mine] * 2, "more cores than there are")
    for n in 1, len(cores), len(cores) + 1:
        sets = sets_of("-bind-to", "share", "-n", n)
        equal(frozenset().union(*sets), mine, "all that share")
        require(n > len(cores) or sum(map(len, sets)) == len(mine), f"no core is shared by {n}: {sets}")


@test
def bindings_are_reported():
    mine = sorted(os.sched_getaffinity(0))
    first, last = mine[0], mine[-1]
    if mine == list(range(first, last + 1)):
        job = run("--report-bindings", "-bind-to", "share", "-n", 1, "true")
        equal(job.err, f"mpiexec: rank 0 is bound to processors {first}{f'-{last}' if last > first else ''}\n", "words")
    equal(run("-report-bindings", "-n", 1, "true").err, "mpiexec: rank 0 is not bound\n", "the words")


@test
def where_openmp_binds_ranks_have_cores_of_their_own():
    mine = os.sched_getaffinity(0)
    shares = sets_of("-bind-to", "share", "-n", 2)
    for name, value, expected in (("OMP_PROC_BIND", "close", shares), ("OMP_PROC_BIND", "False", [mine] * 2),
                                  ("OMP_PLACES", "cores", shares), ("OMP_PLACES", "{0}", [mine] * 2)):
        equal(sets_of("-genv", name, value, "-n", 2), expected, f"{name}={value}")
    equal(sets_of("-genv", "OMP_PROC_BIND", "true", "-bind-to", "none", "-n", 2), [mine] * 2, "what is said goes first")
    equal(sets_of("-genv", "OMP_PROC_BIND", "true", "-n", 1), [mine], "one rank alone")


@test
def ranks_that_share_processors_lie_alike():
    """Their addresses are not random, unless that is asked for or the system does not allow to leave it."""
    show = [sys.executable, "-c", "print(open('/proc/self/personality').read().strip())"]
    many = len(os.sched_getaffinity(0)) + 1
    mine = run(*show).out.strip()
    allowed = subprocess.run(["setarch", "-R", "true"], stderr=subprocess.DEVNULL, check=False).returncode == 0
    alike = f"{int(mine, 16) | 0x40000:08x}" if allowed else mine  # ADDR_NO_RANDOMIZE
    for options, expected in ((["-n", many], alike), (["-aslr", "-n", many], mine), (["-n", 1], mine)):
        job = run(*options, *show)
        require(job.status == 0 and job.out.split() == [expected] * int(options[-1]), (options, job.out, job.err))


@test
def threads_of_ranks_that_share_processors_spin_briefly():
    """OpenMP is told so where those of all ranks are more than the processors, unless the user says otherwise."""
    names = "OMP_WAIT_POLICY", "GOMP_SPINCOUNT"
    show = [sys.executable, "-c", f"import os; print(*(os.environ.get(name, '-') for name in {names}))"]
    there = len(os.sched_getaffinity(0))
    usual, briefly, not_at_all = "- -", "- 1000", "passive 100"
    for n, said, expected in (
        (there, {}, not_at_all),
        (2, {}, not_at_all if there < 4 else briefly),  # as many threads each as processors, or fewer
        (1, {}, usual if there > 1 else not_at_all),
        (there, {"OMP_NUM_THREADS": "1"}, usual),
        (there, {"OMP_NUM_THREADS": "2,1"}, not_at_all),
        (there + 1, {"OMP_NUM_THREADS": "1,2"}, not_at_all),
        (there, {"OMP_WAIT_POLICY": "active"}, "active -"),
        (there, {"GOMP_SPINCOUNT": "7"}, "passive 7"),
    ):
        options = [word for pair in said.items() for word in ("-genv", *pair)]
        job = run(*options, "-n", n, *show)
        require(job.status == 0 and job.out.splitlines() == [expected] * n, (n, said, job.out, job.err))
    few, many = ("OMP_NUM_THREADS", "1"), ("OMP_NUM_THREADS", there + 1)
    job = run("-env", *few, "-n", 1, *show, ":", "-env", *many, "-n", 1, *show)
    equal(sorted(job.out.splitlines()), [usual if there > 1 else not_at_all, not_at_all], "each program's own")


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
        (["-bind-to", "elephant", "true"], "core, core:N, share, numa or none"),
        (["-hosts", "a,,b", "true"], "is no host"),
    ):
        job = run(*args)
        require(job.status == 2 and words in job.err, f"{args}: status {job.status}, {job.err!r}")
    require("-prepend-rank" in run("-help").out, "the help lacks an option")
    require("Treefold" in run("--version").out, "the version lacks the name")


@test
def extreme_values():
    big, long = "99999999999999999999", "./" * 3000
    for args, words in (
        (["-n", "2147483647"], "at least 1 and at most 1073741823"),
        (["-n", big], f'"{big}"; it must be at least 1 and at most'),
        (["-n", "1e3"], '"1e3"'),
        (["--n="], 'of --n is ""'),
        (["-ppn", "0"], "of -ppn is"),
        (["-n", "200000"], "more than one machine can run"),
        (["-n", "1000000000", "true", ":", "-n", "1000000000", "true", ":", "-n", "1000000000"], "are too many"),
        (["-npernode", "1000000000", "-hosts", "localhost,localhost,localhost"], "on each of 3 hosts are too many"),
        (["--ppr", big + ":node"], "the number of processes of each"),
        (["-usize", big], "it must be a number of processes, INFINITE or SYSTEM"),
        (["-timeout", "nan"], "above 0"),
        (["-timeout", "-1e308"], "above 0"),
        (["-hosts", ""], "is no host"),
        (["-hosts", f"a:{big}"], "is no host"),
        (["-hosts", ":4"], "is no host"),
        (["-f", "/dev/null"], "there is no host in"),
        (["-f", "/"], "Is a directory"),
        (["-engine", ""], 'the engine is ""'),
        (["-stdin", big], "the one rank"),
        (["-env", "", "x"], '"" is no name of a variable'),
        (["-env", "=x"], '"=x" is no name of a variable'),
        (["-configfile", "x"], "-configfile FILE stands alone"),
        (["-n", "2", "--app", "x"], "--app FILE stands alone"),
        (["-"], "there is no option -"),
        (["--=3"], "there is no option --"),
        (["-x" * 100], "there is no option -x-x"),
    ):
        job = run(*args, "true")
        require(job.status == 2 and job.out == "" and words in job.err, f"{args}: status {job.status}, {job.err!r}")
    require("Is a directory" in run("-configfile", "/").err, "the words about a directory of options")
    for args, words in ((["-outfile-pattern", long + "x"], "File name too long"), (["-wdir", long + "x"], "File name too long"),
                        (["-wdir", ""], "cannot enter"), (["-outfile-pattern", ""], "No such file")):
        job = run(*args, "true")
        require(job.status in (126, 127) and words in job.err, f"{args[0]}: status {job.status}, {job.err[-300:]!r}")
    for program, words in ("x" * 5000, "in PATH or in the working directory"), (long + "x", "File name too long"):
        job = run(program)
        require(job.status in (126, 127) and words in job.err, f"status {job.status}, {job.err[-300:]!r}")
    for args in ["-timeout", "1e308"], ["-timeout", "inf"], ["-hosts", "[::1]:2,127.0.0.1"], ["-path", ""], ["-usize", "1"]:
        job = run(*args, "echo", "hi")
        equal((job.out, job.err, job.status), ("hi\n", "", 0), f"what {args} make")
    job = run("echo", "hi", env={"MPIEXEC_TIMEOUT": "", "MPIEXEC_GRACE": "", "MPIEXEC_ENGINE": ""})
    equal((job.out, job.err), ("hi\n", ""), "variables that are empty")
    equal(run("-timeout", "1e-300", "sleep", "100").status, 124, "the status after no time")


@test
def numbers_of_processes():
    for n in 1, 2, 50:
        equal(len(run("-n", n, "echo").out), n, "the number of lines")


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
def library_of_another_mpi_is_told():
    """A program of ours with a library that was compiled for another: its handles are none."""
    text = """#include <mpi.h>
        void other(void);
        int main(void) {
            int rank, no;
            MPI_Init(0, 0); other();
            MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
            MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
            char words[2][MPI_MAX_ERROR_STRING];
            MPI_Error_string(MPI_Comm_rank((MPI_Comm)0x7f0011223344, &rank), words[0], &no);
            MPI_Error_string(MPI_Comm_rank(MPI_COMM_NULL, &rank), words[1], &no);
            puts(words[0]); puts(words[1]);
            MPI_Finalize();
        }"""
    with tempfile.TemporaryDirectory() as directory:
        for library, is_other in ("libmpi.so.40", True), ("libmpich.so.12", True), ("libmpi_abi.so.7", False):
            at = compile_c(directory, library, "void other(void) {}", "-shared", f"-Wl,-soname,{library}")
            program = os.path.join(directory, "program")
            subprocess.run([os.path.join(prefix, "bin", "mpicc"), "-o", program, "-include", "stdio.h", "-x", "c", "-", "-x",
                            "none", at, f"-Wl,-rpath,{directory}"], input=text.encode(), check=True)
            handle, null = run("-n", 1, program).out.splitlines()
            words = f"which is no handle ({library} of another MPI is loaded in this process, too"
            equal(words in handle, is_other, f"whether \"{handle}\" tells of {library}")
            require("another MPI" not in null, null)


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


sys.exit(finish())
