#!/usr/bin/env python3
"""A rank that speaks PMI-1 itself, for -keep-going: says of processes that it has spawned that it cannot reach them.

Of the first ones it says so of the lower rank; they end, and others get their ranks of mpiexec's before its verdict.
Of those it says so of the higher one, which is ended alone.
"""
import os
import socket
import sys

stream = socket.socket(fileno=int(os.environ["PMI_FD"]))
answers = stream.makefile("r")


def ask(command):
    stream.sendall((command + "\n").encode())
    return dict(word.split("=", 1) for word in answers.readline().split())


def child(meeting):
    """Lives as long as the parent's end of its line, and answers there."""
    line = socket.socket(socket.AF_UNIX)
    line.connect(meeting)
    line.sendall(os.environ["PMI_RANK"].encode())
    while word := line.recv(1):
        line.sendall(word)


def spawn(meeting, listener):
    """The name of the job, and a line to each of its two processes."""
    stream.sendall((f"mcmd=spawn\nnprocs=2\nexecname={sys.argv[0]}\ntotspawns=1\nspawnssofar=1\narg1=child\n"
                    f"arg2={meeting}\nendcmd\n").encode())
    name = dict(word.split("=", 1) for word in answers.readline().split())["job"]
    lines = {}
    while len(lines) < 2:
        line = listener.accept()[0]
        lines[int(line.recv(1))] = line
    return name, lines


def cannot_reach(job, rank):
    return ask(f"cmd=apart job={job} rank={rank} reason=it+has+moved+to+{job}")["rc"] == "0"


ask("cmd=init pmi_version=1 pmi_subversion=1")
if sys.argv[1] == "child":
    child(sys.argv[2])
else:
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(sys.argv[1])
    listener.listen()
    first, ended = spawn(sys.argv[1], listener)
    if not cannot_reach(first, 0):
        sys.exit("mpiexec does not hear")
    for line in ended.values():
        line.close()
    while cannot_reach(first, 0):  # until mpiexec has forgotten that job
        pass
    second, lines = spawn(sys.argv[1], listener)
    cannot_reach(second, 1)
    if lines[1].recv(1):
        sys.exit("who cannot be reached is not ended")
    lines[0].sendall(b"?")
    if lines[0].recv(1) != b"?":
        sys.exit("who can be reached is ended")
    print("rank 0 goes on")
ask("cmd=finalize")
