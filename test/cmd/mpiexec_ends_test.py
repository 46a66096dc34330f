#!/usr/bin/env python3
"""test/cmd/mpiexec_ends_test.py PREFIX [NAME] - what mpiexec promises of ends and limits: statuses, signals, time limits,
that nothing is left; the same of programs with MPI, and its PMI server."""
import glob
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile

from jobs import FOR_EVER, LIMIT, Job, compile_ends, equal, finish, here, mpiexec, prefix, require, run, sh, test, until

directory = tempfile.TemporaryDirectory()
ends = compile_ends(directory.name)

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
def limit_of_file_sizes_is_told():
    job = run("-n", 2, ends, "well", preexec_fn=limited(resource.RLIMIT_FSIZE, 0))
    require(job.status == 39 and "the limit on the size of files (ulimit -f) is lower" in job.err, job.err)


@test
def few_addresses_are_enough():
    job = run("-n", 3, ends, "well", preexec_fn=limited(resource.RLIMIT_AS, 64 << 20))
    equal((job.status, job.err), (0, ""), "the status, errors")
    job = run("-n", 30, "true", preexec_fn=limited(resource.RLIMIT_AS, 32 << 20))
    equal((job.status, job.err), (0, ""), "the status, errors")


@test
def loop_that_cannot_wait_ends():
    job = Job("-n", 4, *sh(f"echo ready; sleep {FOR_EVER}"))
    job.lines(4)
    resource.prlimit(job.process.pid, resource.RLIMIT_NOFILE, (4, 4))
    job.process.send_signal(signal.SIGCHLD)  # so that it looks, if it has not: then nothing comes of the signal
    job.wait()
    equal(job.status, 1, "the status")
    equal(job.err, "mpiexec: cannot wait for the processes: Invalid argument; ending the job\n", "the words")
    job.nothing_left()


@test
def lack_of_memory_for_output_is_told():
    job = Job("-n", 1, "python3", "-c", "input(print('ready', flush=True)); print('x' * 5000000, end='')",
              stdin=subprocess.PIPE)
    job.lines(1)
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
            process = subprocess.run([program, "-n", "10", "/bin/sleep", str(FOR_EVER)], cwd="/", capture_output=True, timeout=LIMIT,
                                     user=stranger, group=stranger, extra_groups=[],
                                     preexec_fn=limited(resource.RLIMIT_NPROC, most))
            equal(process.returncode, 1, "the status")
            text = process.stderr.decode()
            require(words in text and "Resource temporarily unavailable" in text, text)


# ---- ends ----


@test
def status_of_the_first_that_fails():
    job = run("-n", 3, *sh("[ $PMI_RANK = 1 ] && exit 42; sleep 1000"))
    equal(job.status, 42, "the status")
    require("rank 1 (pid " in job.err and "exited with status 42" in job.err, job.err)
    job.nothing_left()


@test
def status_of_a_signal():
    job = run("-n", 3, *sh("[ $PMI_RANK = 2 ] && kill -SEGV $$; sleep 1000"))
    equal(job.status, 128 + signal.SIGSEGV, "the status")
    require("rank 2 (pid " in job.err and "killed by signal 11 (Segmentation fault)" in job.err, job.err)
    job.nothing_left()


@test
def rank_that_is_killed_from_outside():
    job = Job("-n", 4, *sh(f"echo $$; exec sleep {FOR_EVER}"))
    os.kill(int(job.lines(4)[2]), signal.SIGKILL)
    job.wait()
    equal(job.status, 137, "the status")
    job.nothing_left()


@test
def ranks_that_ignore_sigterm_are_ended():
    job = run("-n", 3, *sh("trap '' TERM; [ $PMI_RANK = 1 ] && { sleep 0.2; exit 9; }; sleep 1000; sleep 1000"))
    equal(job.status, 9, "the status")
    job.nothing_left()


@test
def time_limit():
    job = run("-timeout", "0.3", "-n", 2, "sleep", FOR_EVER)
    equal(job.status, 124, "the status")
    require("time limit" in job.err, job.err)
    equal(run("-n", 1, "sleep", FOR_EVER, env={"MPIEXEC_TIMEOUT": "0.2"}).status, 124, "the status")
    equal(run("-timeout", LIMIT, "true").status, 0, "the status")


def answers(name, words):
    """Says ready, then waits for that signal, and ends with these words.  In `wait`, as dash forgets a signal that comes
    while it starts a program."""
    return sh(f"trap 'echo {words}; kill $! 2>/dev/null; exit 0' {name}; sleep {FOR_EVER} & echo ready; wait")


@test
def signals_are_passed_on():
    for number, name in (signal.SIGINT, "INT"), (signal.SIGTERM, "TERM"), (signal.SIGHUP, "HUP"):
        job = Job("-n", 2, *answers(name, f"got {name}"), env={"MPIEXEC_GRACE": str(LIMIT)})
        equal(job.lines(2), ["ready"] * 2, "the beginning")
        job.process.send_signal(number)
        job.wait()
        equal(job.status, 128 + number, "the status")
        equal(job.out, f"got {name}\n" * 2, "what the ranks say")
        job.nothing_left()


@test
def user_signal_does_not_end_the_job():
    job = Job("-n", 2, *answers("USR1", "usr"))
    job.lines(2)
    job.process.send_signal(signal.SIGUSR1)
    job.wait()
    equal((job.status, job.out), (0, "usr\n" * 2), "status and output")


@test
def killed_mpiexec_leaves_nothing():
    # sh is the rank, sleep its child: the kernel's parent-death signal alone does not reach it.
    job = Job("-n", 3, *sh(f"sleep {FOR_EVER}; true"))
    job.wait_for_processes(8)
    job.process.kill()
    job.nothing_left()
    job.wait()


@test
def killed_process_group_leaves_nothing():
    job = Job("-n", 3, *sh(f"sleep {FOR_EVER}; true"))
    job.wait_for_processes(8)
    os.killpg(job.process.pid, signal.SIGKILL)
    job.nothing_left()
    job.wait()


@test
def what_ranks_leave_behind_is_ended():
    job = run("-n", 2, *sh("sleep 1000 & setsid sleep 1001 & sleep 0.1"))
    equal(job.status, 0, "the status")
    job.nothing_left()


@test
def jobs_do_not_disturb_each_other():
    jobs = [Job("-n", 2, *sh(f"sleep 0.{i}; echo {i}; exit {i}")) for i in range(5)]
    victim = Job("-n", 2, "sleep", FOR_EVER)
    victim.wait_for_processes(3)
    victim.process.kill()
    for i, job in enumerate(jobs):
        equal(job.wait().status, i, "the status")
        require(set(job.out.split()) <= {str(i)}, job.out)
    victim.nothing_left()
    victim.wait()


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
    require("rank 1" in job.err and "without finalizing MPI" in job.err, job.err)


@test
def pmi_barrier_that_cannot_end():
    job = run("-n", 3, *pmi_rank, "absent")
    equal(job.status, 1, "the status")
    require("waits in MPI_Init for rank 1" in job.err, job.err)


# ---- with the library ----

def shared_memory():
    return set(glob.glob("/dev/shm/*treefold*"))


def run_ends(n, way, **more):
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
    process = subprocess.run([ends], capture_output=True, timeout=LIMIT)
    equal((process.returncode, process.stdout), (0, b"1 processes\n"), "status and output")


@test
def mpi_started_with_mpirun():
    process = subprocess.run([os.path.join(prefix, "bin", "mpirun"), "-np", "2", ends], capture_output=True, timeout=LIMIT)
    equal((process.returncode, process.stdout), (0, b"2 processes\n"), "status and output")


@test
def mpi_ranks_that_fail_end_the_job():
    for way, status, words in (
        ("abort", 7, "called MPI_Abort with code 7"),
        ("abort256", 1, "called MPI_Abort with code 256"),
        ("kill", 137, "killed by signal 9"),
        ("segv", 139, "killed by signal 11"),
        ("exit", 3, "exited with status 3"),
        ("leave", 1, "without finalizing MPI"),
        ("late", 5, "exited with status 5"),
    ):
        job = run_ends(3, way)
        equal(job.status, status, f"the status of {way}")
        require("rank 1 (pid " in job.err and words in job.err, f"{way}: {job.err!r}")


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
    before = shared_memory()
    for backing in "memfd", "file":
        job = Job("-n", 3, *sh(f"{ends} well && sleep {FOR_EVER}"), env={"TREEFOLD_SHM_BACKING": backing})
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
def mpi_under_another_launcher():
    hydra = "/usr/bin/mpiexec.hydra"
    if not os.path.exists(hydra):
        return
    process = subprocess.run([hydra, "-n", "3", ends], capture_output=True, timeout=LIMIT, stdin=subprocess.DEVNULL)
    equal((process.returncode, process.stdout), (0, b"3 processes\n"), "status and output")


@test
def mpi_start_takes_few_requests():
    """In each round of 16 ranks that meet, one makes 15 look-ups; all else is the same for any number of processes."""
    for settings, connections in ({}, 0), ({"TREEFOLD_NET": "tcp", "TREEFOLD_NODE_SIZE": "4"}, 1):
        for n in 2, 15, 40:
            job = run("-v", "-n", n, ends, "well", env=settings)
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
    for n in 1, 16, 18:  # the second program's ranks are compared by rank 0, by rank 16, and at the end
        job = run("-n", n, ends, "well", ":", "-n", 2, "-env", "TREEFOLD_NET", "tcp", ends, "well",
                  env={"TREEFOLD_NODE_SIZE": "1", "TREEFOLD_NET": "auto"})
        require(job.status != 0, f"the status is {job.status}")
        words = f"rank {n} on host .* has TREEFOLD_NET=tcp and rank 0 has auto"
        require(re.search(words, job.err), job.err)
        job.nothing_left()


@test
def mpi_ranks_that_cannot_open_connections_say_so():
    for most in 8, 10, 12:
        job = run("-n", 10, *sh(f"ulimit -n {most}; exec {ends} talk"),
                  env={"TREEFOLD_NET": "tcp", "TREEFOLD_NODE_SIZE": "1"})
        require(job.status != 0, f"the status with {most} files is 0")
        # Who is told first is who has no file left, or who has tried in vain to reach that one.
        words = f"all of the {most} files that this process may have open are", "has all the files open that it may (ulimit -n)"
        require(any(w in job.err for w in words), job.err)
        job.nothing_left()


def rank_processes(job):
    """The processes of a job's ranks, by rank."""
    found = {}
    for pid in job.processes():
        with open(f"/proc/{pid}/environ", "rb") as file:
            rank = re.search(rb"(?:^|\0)PMI_RANK=(\d+)\0", file.read())
        if rank:
            found[int(rank[1])] = pid
    return found


def is_over(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        return file.read().rpartition(")")[2].split()[0] == "Z"


@test
def who_was_killed_comes_before_who_found_him_gone():
    """mpiexec, which has no processor meanwhile, finds both ended, and the words of the one that was not killed."""
    job = Job("-n", 2, ends, "stand", env={"TREEFOLD_NODE_SIZE": "1"})
    equal(job.lines(1), ["standing"], "its output")
    pids = rank_processes(job)
    os.kill(job.process.pid, signal.SIGSTOP)
    os.kill(pids[1], signal.SIGKILL)
    until(lambda: is_over(pids[0]), lambda: "rank 0 goes on")
    os.kill(job.process.pid, signal.SIGCONT)
    job.wait()
    equal(job.status, 137, f"{job.err}the status")
    job.nothing_left()


sys.exit(finish())
