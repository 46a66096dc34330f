"""Files that are written by generators, and the arguments of their commands."""

import os
import sys


def write(path, text):
    """Write a file whole or not at all."""
    with open(path + ".tmp", "w", encoding="utf-8") as new:
        new.write(text)
    os.replace(path + ".tmp", path)


def arguments(usage, n):
    """The n arguments of a generator; the last is the folder that it writes, which is made."""
    if len(sys.argv) != n + 1:
        raise SystemExit(usage)
    os.makedirs(sys.argv[-1], exist_ok=True)
    return sys.argv[1:]
