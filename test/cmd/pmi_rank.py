#!/usr/bin/env python3
"""A rank that speaks PMI-1 itself: puts a value, meets the others in the barrier, gets everybody's value."""
import os
import socket
import sys

rank, size = int(os.environ["PMI_RANK"]), int(os.environ["PMI_SIZE"])
way = sys.argv[1] if len(sys.argv) > 1 else "well"
stream = socket.socket(fileno=int(os.environ["PMI_FD"]))
answers = stream.makefile("r")


def ask(command):
    stream.sendall((command + "\n").encode())
    return dict(word.split("=", 1) for word in answers.readline().split())


def expect(got, **wanted):
    for name, value in wanted.items():
        if got.get(name) != value:
            sys.exit(f"rank {rank}: {name} is {got.get(name)}, not {value}: {got}")


if way == "absent" and rank == 1:
    sys.exit(0)
expect(ask("cmd=init pmi_version=1 pmi_subversion=1"), cmd="response_to_init", rc="0", pmi_version="1")
expect(ask("cmd=get_maxes"), cmd="maxes", rc="0")
expect(ask("cmd=get_universe_size"), size="-1")  # without bound
expect(ask("cmd=get_appnum"), cmd="appnum", rc="0")
name = ask("cmd=get_my_kvsname")["kvsname"]
if way == "abort" and rank == 1:
    stream.sendall(b"cmd=abort exitcode=9\n")
    answers.readline()
for turn in range(3):
    expect(ask(f"cmd=put kvsname={name} key=k{turn}-{rank} value=v{rank}"), cmd="put_result", rc="0")
    expect(ask("cmd=barrier_in"), cmd="barrier_out")
    for r in range(size):
        expect(ask(f"cmd=get kvsname={name} key=k{turn}-{r}"), cmd="get_result", rc="0", value=f"v{r}")
expect(ask(f"cmd=get kvsname={name} key=nothing"), cmd="get_result", rc="-1")
expect(ask("cmd=spawn"), rc="-1")
# Two commands in one piece, one in two.
stream.sendall(b"cmd=get_maxes\ncmd=get_")
expect(dict(word.split("=", 1) for word in answers.readline().split()), cmd="maxes")
expect(ask("appnum"), cmd="appnum")
if way == "leave" and rank == 1:
    sys.exit(0)
expect(ask("cmd=finalize"), cmd="finalize_ack")
print(name)
