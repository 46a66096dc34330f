#!/usr/bin/env python3
"""Compares the table of operators in MPI_Reduce(3) with the library's own tables.  Usage: types.py SOURCE MAN3"""

import re
import sys


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def main():
    source, pages = sys.argv[1:]
    page = read(f"{pages}/MPI_Reduce.3")
    section = re.search(r"^\.SH OPERATORS\n(.*?)^\.SH", page, flags=re.M | re.S)[1]
    named = set(re.findall(r"MPI_\w+", section))
    rows = read(f"{source}/src/type/predefined.def")
    wanted = {"MPI_" + name for name in re.findall(r"^TF_PREDEFINED(?:_PAIR)?\(\d+, (\w+)", rows, flags=re.M)}
    kernels = re.findall(r"^(?:INTEGERS|C_INTEGERS|PAIRS)\((?:\w+, )?(\w+)\)", read(f"{source}/src/op/kernels.def"), flags=re.M)
    wanted |= {"MPI_" + name for name in kernels}
    wrong = sorted(wanted - named)
    if wrong:
        raise SystemExit(f"not named in the section OPERATORS: {', '.join(wrong)}")


if __name__ == "__main__":
    main()
