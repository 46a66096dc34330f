#!/usr/bin/env python3
"""test/cmd/mpiexec_grow_test.py PREFIX [NAME] - what mpiexec does for programs that start others: their output, how they
end, and that nothing is left."""
import os
import re
import subprocess
import sys
import tempfile

import jobs
from jobs import Job, equal, finish, here, prefix, require, run, test

directory = tempfile.TemporaryDirectory()
spawner = os.path.join(directory.name, "spawner")
subprocess.run([os.path.join(prefix, "bin", "mpicc"), "-o", spawner, os.path.join(here, "spawner.c")], check=True)


def lines(job):
    return sorted(job.out.splitlines())


@test
def children_are_parted_from():
    for what in "good", "missing", "multiple", "hinted", "named":
        job = run("-n", 2, spawner, what)
        equal((job.status, lines(job)), (0, ["child 0", "child 1", "parent 0", "parent 1"]), what)
        job.nothing_left()


@test
def nobody_disconnects():
    job = run("-n", 2, spawner, "open")
    equal((job.status, lines(job)), (0, ["child 0", "child 1", "parent 0", "parent 1"]), "status and output")
    job.nothing_left()


@test
def lines_of_children_are_tagged():
    job = run("-l", "-n", 1, spawner, "good")
    equal((job.status, lines(job)), (0, ["[0] parent 0", "[1:0] child 0", "[1:1] child 1"]), "status and output")


@test
def child_that_fails_ends_all():
    for what, status, words in ("exits", 17, "exited with status 17"), ("killed", 137, "killed by signal 9"):
        job = run("-n", 2, spawner, what)
        equal(job.status, status, f"{job.err}the status")
        require(re.search(r"mpiexec: rank 1 of spawned job 1 \(pid \d+\) (was )?" + words, job.err), job.err)
        job.nothing_left()


@test
def child_that_is_apart_ends_alone():
    job = run("-n", 2, spawner, "apart")
    equal(job.status, 3, "the status")
    require("parent 0" in job.out and "parent 1" in job.out, job.out)
    require("of spawned job 1" in job.err, job.err)
    job.nothing_left()


@test
def words_of_a_job_that_has_ended_end_nobody():
    """Of two ranks that cannot reach each other one is ended, and it is said why."""
    job = run("-keep-going", "-n", 1, os.path.join(here, "pmi_apart.py"), os.path.join(directory.name, "meeting"))
    require("rank 0 goes on" in job.out, job.out + job.err)
    equal(job.status, 137, "the status")
    said = re.findall(r"mpiexec: (rank .* cannot reach .*)", job.err)
    require(len(said) == 1 and re.fullmatch(
        r"rank 1 of spawned job 2 \(pid \d+\) and rank 0 cannot reach each other any more; the lower rank goes on, and "
        r"the other one is ended; rank 0 says: it has moved to \S+-2", said[0]), job.err)
    job.nothing_left()


@test
def child_that_never_calls_init():
    job = run("-n", 2, spawner, "waits", "true")
    equal(job.status, 1, "the status")
    require("ended without calling MPI_Init" in job.err, job.err)
    job.nothing_left()


@test
def what_is_missing_ends_the_program_in_words():
    job = run("-n", 2, spawner, "waits", "there-is-no-such-program")
    require(job.status != 0 and 'there is no program "there-is-no-such-program"' in job.err, job.err)
    job.nothing_left()


@test
def program_alone_leaves_nothing():
    """Started by no mpiexec: what it starts to be its launcher has the mark too."""
    mpiexec, jobs.mpiexec = jobs.mpiexec, "/usr/bin/env"
    try:
        for what, status in ("good", 0), ("open", 0), ("waits", 1):
            job = run(spawner, what, *["true"] * (what == "waits"))
            require((job.status == 0) == (status == 0), f"{what}: status {job.status}: {job.err}")
            job.nothing_left()
        job = Job(spawner, "waits", "sleep", jobs.FOR_EVER)
        job.wait_for_processes(4)
        job.process.kill()
        job.wait()
        job.nothing_left()
    finally:
        jobs.mpiexec = mpiexec


@test
def network_is_not_needed():
    """In a namespace whose only interface, the loopback one, is down."""
    namespace = ["unshare", *(["-r"] if os.geteuid() else []), "-n"]
    if subprocess.run([*namespace, "true"], stderr=subprocess.DEVNULL, check=False).returncode:
        print("# there is no network of our own to be had")
        return
    mpiexec, jobs.mpiexec = jobs.mpiexec, namespace[0]
    try:
        for command in ([mpiexec, "-n", 2], []):
            for settings in {}, {"TREEFOLD_SHM_BACKING": "file"}:
                job = run(*namespace[1:], *command, spawner, "good", env=settings)
                parents = ["parent 0", "parent 1"] if command else ["parent 0"]
                equal((job.status, lines(job)), (0, ["child 0", "child 1", *parents]), f"what comes of {command}")
                job.nothing_left()
    finally:
        jobs.mpiexec = mpiexec


finish()
