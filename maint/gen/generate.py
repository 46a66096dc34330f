#!/usr/bin/env python3
"""Writes binding_c/gen from maint/api.  Usage: generate.py API_DIRECTORY OUTPUT_DIRECTORY"""

import os
import sys

import api
import bindings
import constants


def write(path, text):
    """Write a file whole or not at all."""
    with open(path + ".tmp", "w", encoding="utf-8") as new:
        new.write(text)
    os.replace(path + ".tmp", path)


def mpi_h(data, sections, chapters):
    with open(os.path.join(data, "mpi.h.in"), encoding="utf-8") as template:
        text = template.read()
    lines = []
    constants.write_c(sections, lines)
    return text.replace("@constants@", "\n".join(lines)).replace("@prototypes@", bindings.write_prototypes(chapters))


def main():
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    data, out = sys.argv[1:]
    os.makedirs(out, exist_ok=True)
    sections = constants.read(os.path.join(data, "constants.api"))
    chapters = api.read(data)
    write(os.path.join(out, "mpi.h"), mpi_h(data, sections, chapters))
    for chapter in chapters:
        text = bindings.write_chapter(chapter)
        if text:
            write(os.path.join(out, chapter.name + ".c"), text)


if __name__ == "__main__":
    main()
