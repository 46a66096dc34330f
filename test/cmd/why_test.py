#!/usr/bin/env python3
"""Tests of what stalled jobs say of themselves: SIGUSR1 to mpiexec, treefold why, the setting explain_after.

why_test.py PREFIX [TEST]

The program is why.c.  A test asks again and again until the ranks have come to a standstill and say so.
"""
import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from jobs import FOR_EVER, LIMIT, Job, equal, finish, here, prefix, require, run, test

folder = tempfile.TemporaryDirectory()
why = os.path.join(folder.name, "why")
subprocess.run([os.path.join(prefix, "bin", "mpicc"), "-pthread", "-o", why, os.path.join(here, "why.c")], check=True)
treefold = os.path.join(prefix, "bin", "treefold")
WORLD = "on MPI_COMM_WORLD"


def ask(pid):
    """What `treefold why` says, without the first line, which names the job."""
    done = subprocess.run([treefold, "why", str(pid)], capture_output=True, timeout=LIMIT, text=True, check=False)
    equal((done.returncode, done.stderr), (0, ""), "status and errors of treefold why")
    return done.stdout.partition("\n")[2]


def ask_until(pid, *patterns):
    """Until all the patterns are there; what it said then."""
    end = time.monotonic() + LIMIT
    while True:
        words = ask(pid)
        missing = [p for p in patterns if not re.search(p, words, re.M)]
        if not missing:
            return words
        require(time.monotonic() < end, f"{missing[0]!r} is missing in\n{words}")
        time.sleep(0.05)


@contextlib.contextmanager
def job_of(*args, lines, env=None):
    """A job that has written so many lines; it is ended, and nothing of it is left."""
    job = Job("-n", *args, env=env or {})
    try:
        job.lines(lines)
        yield job
    finally:
        job.process.terminate()
        job.wait()
    job.nothing_left()


def stalled(way, np, *patterns, without=("deadlock", "in the end"), env=None):
    """A job that stands still so; what of `without` is not among the patterns is not told."""
    with job_of(np, why, way, lines=np, env=env) as job:
        words = ask_until(job.process.pid, *patterns)
    for word in without:
        require(any(word in p for p in patterns) or word not in words, f"{word!r} is told in\n{words}")
    return words


def cmdline(pid):
    with open(f"/proc/{pid}/cmdline", "rb") as file:
        return file.read()


def errors(job, number):
    """So many lines of its standard error, as soon as they come."""
    return "".join(job.process.stderr.readline().decode() for _ in range(number))


@test
def two_ranks_that_receive_first():
    stalled("ring", 2, rf"ranks 0-1 have waited [0-9.]+( to [0-9.]+)? s in MPI_Recv {WORLD}:$",
            "^ +0: for a message of rank 1 with tag 5$", "^ +1: for a message of rank 0 with tag 5$",
            "^    deadlock: 0 waits for a send of 1, 1 for a send of 0$")


@test
def longer_cycles():
    stalled("ring", 4, "deadlock: 0 waits for a send of 3, 3 for a send of 2, 2 for a send of 1, 1 for a send of 0$")


@test
def over_a_network_and_by_itself_between_nodes():
    for net in ("1", "2"):
        stalled("ring", 3, "deadlock: 0 waits for a send of 2, 2 for a send of 1, 1 for a send of 0$",
                env={"TREEFOLD_NODE_SIZE": net, "TREEFOLD_NET": "tcp"})


@test
def barrier_that_somebody_keeps_away_from():
    words = stalled("barrier", 3, rf"ranks 1-2 have waited .* in MPI_Barrier {WORLD}",
                    r"rank 0 sleeps, outside MPI(; it last waited in MPI [0-9.]+ s ago, in MPI_Barrier)?$",
                    "in the end it is rank 0 that the 2 others wait for$")
    require(re.search(r"for rank 0 to send \(step \d+ of \d+ of \w+\)", words), words)


@test
def collective_on_a_communicator_with_a_name():
    stalled("named", 3, r"ranks 1-2 have waited .* in MPI_Allreduce with MPI_SUM on the solver", r"rank 2 \(0 of the job\)",
            "in the end it is rank 0")


@test
def windows():
    for env in ({}, {"TREEFOLD_SLEEP_AFTER": "0"}):
        stalled("fence", 2, "rank 1 has waited .* in MPI_Win_fence on the window the halo, for rank 0 to call it$",
                "deadlock: 0 waits for a send of 1, 1 for 0$", env=env)
    for node in ("0", "1"):
        stalled("start", 3, "in MPI_Win_start on the window the halo, for rank 0 to call MPI_Win_post$",
                "deadlock: 0 waits for a send of 1, 1 for 0$",
                env={"TREEFOLD_NODE_SIZE": node, "TREEFOLD_NET": "tcp"})


@test
def ports():
    stalled("ports", 2, r"rank 0 has waited .* in MPI_Comm_accept, for somebody to connect$",
            r"rank 1 has waited .* in MPI_Comm_connect, for the port to accept$")


@test
def spawned_before_the_parent_has_come():
    with job_of(1, why, "spawn", lines=1) as job:
        ask_until(job.process.pid, "rank 0 is stopped")
        child = [pid for pid in job.processes() if b"\0child\0" in cmdline(pid)]
        ask_until(child[0], "rank 0 has waited .* in MPI_Init, for the processes that spawned it$")


@test
def several_requests():
    stalled("waitall", 2, rf"rank 0 has waited .* in MPI_Waitall, for 2 of 2 requests: a message of rank 1 with tag 7 {WORLD}; "
            f"a message of any rank with tag 8 {WORLD}$", "rank 1 sleeps, outside MPI")


@test
def probe():
    stalled("probe", 2, rf"rank 0 has waited .* in MPI_Probe {WORLD}, for a message of any rank with tag 9$")


@test
def long_sends():
    stalled("sends", 2, rf"in MPI_Ssend {WORLD}", "0: for rank 1 to receive 4194304 bytes with tag 3",
            "deadlock: 0 waits for 1 to receive, 1 for 0 to receive$")


@test
def any_source_is_no_deadlock_while_somebody_is_left():
    stalled("knot", 3, "deadlock: 0 waits for a send of any of 1-2, 1 for a send of any of 0, 2$")
    stalled("choice", 3, "in the end it is rank 2 that the 2 others wait for$")


@test
def different_calls():
    stalled("mixed", 2, f"deadlock: 0 waits for 1 in MPI_Barrier {WORLD}, 1 for a send of 0$")
    stalled("gone", 2, f"deadlock: 0 waits for a send of 1, 1 for 0 in MPI_Finalize {WORLD}$")
    stalled("alone", 1, "deadlock: 0 waits for a send of itself$")


@test
def nonblocking_collective_goes_on_behind_a_wait():
    stalled("background", 3, rf"rank 0 has waited .* in MPI_Wait for MPI_Ibarrier {WORLD}", "in the end it is rank 2")


@test
def other_threads_are_thought_of():
    stalled("threads", 2, "deadlock: 0 waits for a send of 1, 1 for a send of 0, unless another of their threads")
    words = stalled("two", 2, "^ +0: for a message of rank 1 with tag 1$", "^ +0: for a message of rank 1 with tag 2$")
    require("rank 1 sleeps" in words, words)


@test
def loop_of_tests():
    stalled("test", 2, f"rank 0 looks again and again, without waiting, for a message of rank 1 with tag 6 {WORLD}$")


@test
def message_that_nobody_receives_is_told():
    stalled("tag", 2, r"0: for a message of rank 1 with tag 5 \(not received: 1 message, the first of rank 1 with tag 6\)",
            "deadlock")


@test
def before_and_after_mpi():
    stalled("before", 3, "rank 1 has not called MPI_Init$", "ranks 0, 2 wait in the beginning of MPI",
            "in the end it is rank 1")
    stalled("after", 2, "ranks 0-1 have called MPI_Finalize$")


@test
def stopped_process():
    with job_of(2, "sh", "-c", 'echo $$; exec "$0" "$@"', why, "barrier", lines=4) as job:
        pids = [pid for pid in job.processes() if os.readlink(f"/proc/{pid}/exe") == why]
        for pid in pids:
            os.kill(pid, signal.SIGSTOP)
        try:
            ask_until(job.process.pid, "ranks? 0(-1)? (is|are) stopped", "ranks? (0-)?1 (is|are) stopped")
        finally:
            for pid in pids:
                os.kill(pid, signal.SIGCONT)


@test
def signal_to_mpiexec():
    with job_of(2, why, "ring", lines=2) as job:
        ask_until(job.process.pid, "deadlock")
        job.process.send_signal(signal.SIGUSR1)
        words = errors(job, 5)
    require(words.startswith("mpiexec: what the 2 processes wait for:\n"), words)
    require("mpiexec:     deadlock: 0 waits for a send of 1, 1 for a send of 0\n" in words, words)


@test
def program_that_handles_the_signal_keeps_it():
    with job_of(3, why, "handler", lines=3) as job:
        words = ask_until(job.process.pid, "deadlock")
        require("SIGUSR1" not in words, words)
        job.process.send_signal(signal.SIGUSR1)
        equal(job.lines(2), ["caught"] * 2, "what ranks 1 and 2 say")
        while "handle" not in words:
            words = errors(job, 1)
    equal(words, "mpiexec:     ranks 1-2 handle SIGUSR1, so the signal was passed on there\n", "the line")


@test
def signal_ends_no_program_without_mpi():
    with job_of(2, "sleep", FOR_EVER, lines=0) as job:
        job.wait_for_processes(3)
        ask_until(job.process.pid, "ranks 0-1 have not called MPI_Init")
        job.process.send_signal(signal.SIGUSR1)
        words = errors(job, 2)
        require("ranks 0-1 have not called MPI_Init" in words, words)
        require(job.process.poll() is None, "mpiexec has ended")


@test
def asking_wakes_nobody():
    with job_of(2, why, "sleep", lines=2) as job:
        ask(job.process.pid)
        job.process.send_signal(signal.SIGUSR1)
        words = errors(job, 2)
    require("ranks 0-1 sleep, outside MPI" in words, words)
    equal(job.out, "", "what the ranks say")


@test
def by_the_process_of_a_rank():
    with job_of(2, why, "ring", lines=2) as job:
        pids = [pid for pid in job.processes() if os.readlink(f"/proc/{pid}/exe") == why]
        equal(len(pids), 2, "the number of ranks")
        ask_until(pids[0], "deadlock: 0 waits for a send of 1")


@test
def process_alone():
    with subprocess.Popen([why, "alone"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        process.stdout.readline()
        ask_until(process.pid, "deadlock: 0 waits for a send of itself")
        process.send_signal(signal.SIGUSR1)
        words = process.stderr.readline()
        process.kill()
    require(re.fullmatch(r"treefold\[0\]: has waited for [0-9.]+ s in MPI_Recv on MPI_COMM_SELF, for a message of any rank with "
                         r"tag 4\n", words), words)
    with subprocess.Popen([why, "sleep"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        process.stdout.readline()
        process.send_signal(signal.SIGUSR1)
        words = process.stderr.readline()
        process.kill()
    equal(words, "treefold[0]: does not wait in MPI\n", "what it says")


@test
def other_launchers():
    hydra = shutil.which("mpiexec.hydra")
    if not hydra:
        return
    with subprocess.Popen([hydra, "-n", "3", why, "ring"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        for _ in range(3):
            process.stdout.readline()
        ask_until(process.pid, "ranks 0-2 have waited", "deadlock: 0 waits for a send of 2, 2 for a send of 1")
        process.send_signal(signal.SIGUSR1)
        words = process.stderr.readline()
        process.terminate()
        process.communicate(timeout=LIMIT)
    require(re.fullmatch(rf"treefold\[\d\]: has waited for [0-9.]+ s in MPI_Recv {WORLD}, for a message of rank \d with tag 5\n",
                         words), words)


@test
def setting_explain_after():
    with job_of(2, why, "ring", lines=2, env={"TREEFOLD_EXPLAIN_AFTER": "1"}) as job:
        words = errors(job, 5)
        require("deadlock: 0 waits for a send of 1" in words, words)
    require("deadlock" not in job.err, job.err)  # once
    with subprocess.Popen([why, "alone"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          env=dict(os.environ, TREEFOLD_EXPLAIN_AFTER="1")) as process:
        words = process.stderr.readline()
        process.kill()
    require("in MPI_Recv on MPI_COMM_SELF, for a message of any rank with tag 4" in words, words)


@test
def time_limit_explains():
    job = run("-timeout", "2", "-n", 2, why, "ring")
    equal(job.status, 124, "the status")
    require("mpiexec: the job has run for 2 seconds, its time limit; ending it\nmpiexec: what the 2 processes wait for:\n" in
            job.err, job.err)
    job.nothing_left()


@test
def what_cannot_be_asked():
    for pid, words in ((os.getpid(), "has not started MPI"), (2 ** 30, "there is none"), ("x", "Usage")):
        done = subprocess.run([treefold, "why", str(pid)], capture_output=True, timeout=LIMIT, text=True, check=False)
        require(done.returncode == 1 and words in done.stderr, done.stderr)
    done = subprocess.run([treefold, "why", "--help"], capture_output=True, timeout=LIMIT, text=True, check=False)
    require(done.returncode == 0 and "treefold why PID" in done.stdout, done.stdout)


sys.exit(finish())
