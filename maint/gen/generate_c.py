#!/usr/bin/env python3
"""Writes binding_c/gen: mpi.h, and a C file for each chapter.

    generate_c.py API_DIRECTORY OUTPUT_DIRECTORY
"""

import os

import api
import bindings
import constants
import handle_types
import output


def mpi_h(data, sections, chapters):
    with open(os.path.join(data, "mpi.h.in"), encoding="utf-8") as template:
        text = template.read()
    parts = {
        "handles": handle_types.c_types(),
        "callbacks": handle_types.c_callbacks(),
        "extensions": handle_types.c_extensions(),
        "constants": constants.write_c(sections),
        "prototypes": bindings.write_prototypes(chapters),
    }
    for name, part in parts.items():
        text = text.replace(f"@{name}@", part)
    return text


def main():
    data, out = output.arguments(__doc__, 2)
    chapters = api.read(data)
    output.write(os.path.join(out, "mpi.h"), mpi_h(data, constants.read(data), chapters))
    for chapter in chapters:
        output.write(os.path.join(out, chapter.name + ".c"), bindings.write_chapter(chapter))


if __name__ == "__main__":
    main()
