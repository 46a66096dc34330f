#!/usr/bin/env python3
"""test/cmd/hosts_test.py PREFIX - mpiexec given hosts: to which engine it hands over, and in which words.

The engines are scripts on PATH that print their arguments; MPICH's mpiexec.hydra also runs, where it is there.
"""
import os
import shutil
import socket
import subprocess
import sys
import tempfile

prefix = os.path.abspath(sys.argv[1])
here = os.path.dirname(os.path.abspath(__file__))
mpiexec = os.path.join(prefix, "bin", "mpiexec")
passed = failed = skipped = 0
folder = tempfile.TemporaryDirectory(prefix="treefold-hosts-")
ROOT = ["--allow-run-as-root"] if os.geteuid() == 0 else []
FAKE = '#!/bin/sh\nprintf "%s\\n" "${0##*/}" "$@" "A=$A B=$B"; exit 9\n'
SLURM = {"SLURM_JOB_ID": "7", "SLURM_JOB_NUM_NODES": "2", "SLURM_JOB_NODELIST": "far[1-2]"}


class Failure(Exception):
    pass


class Run:
    """mpiexec where only `engines` are installed."""

    def __init__(self, engines, *args, fake=True, **environment):
        bin_ = tempfile.mkdtemp(dir=folder.name)
        for engine in engines:
            with open(os.path.join(bin_, engine), "w", encoding="utf-8") as file:
                file.write(FAKE)
            os.chmod(file.name, 0o755)
        for tool in ("echo", "timeout", "sh"):
            os.symlink(shutil.which(tool), os.path.join(bin_, tool))
        kept = {n: v for n, v in os.environ.items() if not n.startswith(("SLURM_", "TREEFOLD_", "MPIEXEC_"))}
        ran = subprocess.run([mpiexec, *args], env=dict(kept, PATH=bin_ if fake else kept["PATH"], **environment),
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=100,
                             check=False)
        self.status, self.out, self.err = ran.returncode, ran.stdout.decode(), ran.stderr.decode()

    def gives(self, *lines, status=9):
        got = self.out.splitlines()
        if got[:-1] != list(lines) or self.status != status:
            raise Failure(f"status {self.status}\n got {got}\nwant {list(lines)}\n{self.err}")
        return self

    def refused(self, status, *words):
        if self.status != status or not all(word in self.err for word in words):
            raise Failure(f"status {self.status}, wanted {status} and {words}\n{self.out}\n{self.err}")


def test(function):
    global passed, failed, skipped
    name = function.__name__.replace("_", " ")
    try:
        why = function()
    except (Failure, subprocess.TimeoutExpired, OSError) as error:
        failed += 1
        print(f"not ok - {name}\n    " + str(error).replace("\n", "\n    "))
        return
    if why:
        skipped += 1
        print(f"skipped - {name}: {why}")
    else:
        passed += 1
        print(f"ok - {name}")


@test
def hydra_gets_its_words():
    run = Run(["mpiexec.hydra"], "-n", "3", "-hosts", "far1.invalid,far2.invalid:4", "-ppn", "2", "-genv", "A", "1 2",
              "-usize", "9", "-l", "-bind-to", "core", "-v", "prog", "-x", "y z", ":", "-n", "1", "-env", "B", "2",
              "-wd", "/a b", "other")
    run.gives("mpiexec.hydra", "-ppn", "2", "-bind-to", "core", "-hosts", "far1.invalid:2,far2.invalid:4", "-usize", "9",
              "-l", "-n", "3", "prog", "-x", "y z", ":", "-n", "1", "-wdir", "/a b", "other")
    if "A=1 2 B=2" not in run.out or "hands over to hydra" not in run.err:
        raise Failure(run.out + run.err)


@test
def several_cores_in_the_words_of_each():
    options = "-bind-to", "core:4", "-hosts", "far.invalid"
    Run(["mpiexec.hydra"], *options, "-n", "2", "prog").gives(
        "mpiexec.hydra", "-bind-to", "core:4", "-hosts", "far.invalid", "-n", "2", "prog")
    Run(["srun"], *options, "-n", "2", "prog", **SLURM).gives(
        "srun", "-K", "--mpi=pmi2", "--cpu-bind=cores", "--cpus-per-task=4", "-N", "1", "-w", "far.invalid", "-n", "2", "prog")
    Run(["mpiexec.hydra"], "-bind-to", "share", "-hosts", "far.invalid", "prog").refused(127, "core:N")


@test
def a_universe_without_bound():
    Run(["mpiexec.hydra"], "-usize", "infinite", "-hosts", "far.invalid", "prog").gives(
        "mpiexec.hydra", "-hosts", "far.invalid", "-usize", "INFINITE", "prog")


@test
def without_a_number_the_engine_decides():
    Run(["mpiexec.hydra"], "-hosts", "far.invalid:3", "prog").gives("mpiexec.hydra", "-hosts", "far.invalid:3", "prog")


@test
def a_file_of_hosts():
    path = os.path.join(folder.name, "hosts")
    with open(path, "w", encoding="utf-8") as file:
        file.write("# two\nfar1.invalid\n\n  far2.invalid:3 # three\nfar3.invalid slots=2\n[fe80::1]:2\nfe80::2\n")
    for option in "-f", "-hostfile", "--machinefile":
        Run(["mpiexec.hydra"], option, path, "-n", "2", "prog").gives(
            "mpiexec.hydra", "-hosts", "far1.invalid,far2.invalid:3,far3.invalid:2,[fe80::1]:2,fe80::2", "-n", "2",
            "prog")
    for text, words in (("", "no host in"), ("far:x", '"far:x"'), ("far:0", '"far:0"'), ("far cores=2", '"cores=2"'),
                        (":3", '":3"')):
        with open(path, "w", encoding="utf-8") as file:
            file.write(text + "\n")
        Run([], "-f", path, "prog").refused(2, words)
    Run([], "-f", path + "-none", "prog").refused(2, "cannot read", path)
    Run([], "-hosts", "a,,b", "prog").refused(2, "is no host")


@test
def within_slurm_srun_comes_first():
    all_ = ["srun", "mpiexec.hydra", "orterun", "prterun"]
    Run(all_, "-n", "4", "-ppn", "2", "-l", "-wdir", "/x", "-bind-to", "numa", "prog", **SLURM).gives(
        "srun", "-K", "--mpi=pmi2", "--ntasks-per-node=2", "--cpu-bind=ldoms", "-l", "-n", "4", "-D", "/x", "prog")
    Run(all_, "-hosts", "far1.invalid,far2.invalid", "prog", SLURM_MPI_TYPE="pmix", **SLURM).gives(
        "srun", "-K", "-N", "2", "-w", "far1.invalid,far2.invalid", "prog")
    # srun takes one program only.
    Run(all_, "-n", "1", "prog", ":", "other", **SLURM).gives("mpiexec.hydra", "-n", "1", "prog", ":", "other")
    Run(all_, "-n", "1", "prog", MPIEXEC_ENGINE="hydra", **SLURM).gives("mpiexec.hydra", "-n", "1", "prog")
    # Elsewhere it is of no use.
    Run(all_, "-hosts", "far.invalid", "prog").gives("mpiexec.hydra", "-hosts", "far.invalid", "prog")


@test
def launchers_of_pmix_get_their_words():
    run = Run(["orterun"], "-hosts", "far.invalid:2", "-env", "A", "1", "-n", "2", "prog", ":", "-n", "1", "other",
              TREEFOLD_NET="tcp")
    if "built without" in run.err:
        return "this Treefold was built without PMIx"
    run.gives("orterun", "--oversubscribe", *ROOT, "-x", "TREEFOLD_NET", "--host", "far.invalid:2", "-n", "2", "-x",
              "A", "prog", ":", "--host", "far.invalid:2", "-n", "1", "other")
    Run(["orterun", "prterun"], "-hosts", "far.invalid", "-ppn", "3", "prog").gives(
        "prterun", *ROOT, "--map-by", "ppr:3:node:oversubscribe", "--host", "far.invalid:3", "prog")
    Run(["prterun"], "-hosts", "far.invalid", "-ppn", "3", "-bind-to", "core:4", "prog").gives(
        "prterun", *ROOT, "--map-by", "ppr:3:node:oversubscribe:PE=4", "--bind-to", "core", "--host", "far.invalid:3",
        "prog")
    Run(["orterun"], "-hosts", "far.invalid", "-bind-to", "core:4", "-report-bindings", "prog").gives(
        "orterun", "--oversubscribe", *ROOT, "--bind-to", "core", "--map-by", "slot:PE=4", "--report-bindings",
        "--host", "far.invalid", "prog")
    Run(["orterun", "prterun"], "-hosts", "far.invalid", "-pset", "sea", "prog", ":", "other").gives(
        "prterun", *ROOT, "--host", "far.invalid", "--pset", "sea", "prog", ":", "--host", "far.invalid", "other")
    Run(["mpiexec.hydra"], "-hosts", "far.invalid", "prog", ":", "-pset", "sea", "other").refused(
        127, "it takes no names of process sets")
    Run(["orterun", "prterun"], "-engine", "mpirun", "prog").gives("orterun", "--oversubscribe", *ROOT, "prog")
    return None


@test
def this_machine_needs_no_engine():
    for name in "localhost", "127.0.0.1", socket.gethostname():
        for environment in {}, dict(SLURM, SLURM_JOB_NODELIST=socket.gethostname(), SLURM_JOB_NUM_NODES="1"):
            options = ["-hosts", name + ":4"] if not environment else []
            run = Run(["srun", "mpiexec.hydra"], *options, "-n", "2", "echo", "here", **environment)
            if run.status != 0 or run.out != "here\nhere\n":
                raise Failure(f"{name}: {run.status} {run.out} {run.err}")
    run = Run(["srun"], "-engine", "none", "-n", "1", "echo", "here", **SLURM)
    if run.out != "here\n":
        raise Failure(run.out + run.err)
    Run(["srun"], "-engine", "none", "-hosts", "far.invalid", "echo").refused(2, "far.invalid is not this machine")


@test
def an_allocation_of_one_node_may_be_elsewhere():
    one = dict(SLURM, SLURM_JOB_NUM_NODES="1", SLURM_JOB_NODELIST="far1.invalid")
    Run(["srun"], "-n", "1", "prog", **one).gives("srun", "-K", "--mpi=pmi2", "-n", "1", "prog")
    run = Run(["srun"], "-n", "1", "echo", "here", SLURMD_NODENAME="far1.invalid", **one)
    if run.out != "here\n":
        raise Failure(run.out + run.err)


@test
def without_an_engine_it_says_what_to_install():
    Run([], "-hosts", "far.invalid", "prog").refused(127, "far.invalid", "mpich", "openmpi-bin", "no allocation")
    Run([], "prog", **SLURM).refused(127, "allocation of Slurm", "slurm-client", "it is not installed")
    Run([], "-engine", "hydra", "-hosts", "far.invalid", "prog").refused(127, "hydra", "not installed")
    Run([], "-engine", "ssh", "prog").refused(2, '"ssh"', "none, srun, hydra, prterun, mpirun")


@test
def a_time_limit_is_kept():
    bin_ = tempfile.mkdtemp(dir=folder.name)
    with open(os.path.join(bin_, "mpiexec.hydra"), "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\nexec sleep 1000\n")
    os.chmod(file.name, 0o755)
    run = subprocess.run([mpiexec, "-timeout", "0.5", "-hosts", "far.invalid", "prog"], stderr=subprocess.PIPE,
                         env=dict(os.environ, PATH=bin_ + ":" + os.environ["PATH"]), timeout=100, check=False)
    if run.returncode != 124:
        raise Failure(f"the status is {run.returncode}")


@test
def hydra_runs_treefold():
    if not shutil.which("mpiexec.hydra"):
        return "mpiexec.hydra is not installed (Debian: mpich)"
    program = os.path.join(folder.name, "ends")
    subprocess.run([os.path.join(prefix, "bin/mpicc"), "-o", program, os.path.join(here, "ends.c")], check=True)
    # Hydra forks what it takes for other hosts.
    for options in (["-hosts", "far1.invalid,far2.invalid", "-ppn", "2"], ["-engine", "hydra"]):
        run = Run([], *options, "-n", "4", program, fake=False, HYDRA_LAUNCHER="fork")
        if run.status != 0 or run.out != "4 processes\n":
            raise Failure(f"{options}: {run.status} {run.out} {run.err}")
    return None


words = f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else "")
print(words)
sys.exit(failed > 0)
