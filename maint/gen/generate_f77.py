#!/usr/bin/env python3
"""Writes binding_f77/gen from maint/api; gen/bare/ for compilers that check every buffer.

    generate_f77.py API_DIRECTORY OUTPUT_DIRECTORY
"""

import os
import sys

import api
import constants
import f77
import mpif
from generate import write


def main():
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    data, out = sys.argv[1:]
    bare = os.path.join(out, "bare")
    os.makedirs(bare, exist_ok=True)
    sections = constants.read(os.path.join(data, "constants.api"))
    chapters = api.read(data)
    for folder in (out, bare):
        write(os.path.join(folder, "mpif.h"), mpif.mpif_h(sections, chapters, folder == out))
        write(os.path.join(folder, "mpi.f90"), mpif.module(sections, chapters, folder == out))
    for chapter in chapters:
        text = f77.write_chapter(chapter)
        if text:
            write(os.path.join(out, f"f77_{chapter.name}.c"), text)


if __name__ == "__main__":
    main()
