#!/usr/bin/env python3
"""Writes binding_f77/gen: mpif.h, the module mpi, and a C file for each chapter; bare/ for compilers that check every
buffer.

    generate_f77.py API_DIRECTORY OUTPUT_DIRECTORY
"""

import os

import api
import constants
import f77
import handle_types
import mpif
import output


def main():
    data, out = output.arguments(__doc__, 2)
    bare = os.path.join(out, "bare")
    os.makedirs(bare, exist_ok=True)
    sections, chapters = constants.read(data), api.read(data)
    for folder in (out, bare):
        output.write(os.path.join(folder, "mpif.h"), mpif.mpif_h(sections, chapters, folder == out))
        output.write(os.path.join(folder, "mpi.f90"), mpif.module(sections, chapters, folder == out))
    output.write(os.path.join(out, "handles.def"), handle_types.fortran_def())
    for chapter in chapters:
        output.write(os.path.join(out, f"f77_{chapter.name}.c"), f77.write_chapter(chapter))


if __name__ == "__main__":
    main()
