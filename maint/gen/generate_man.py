#!/usr/bin/env python3
"""Writes doc/man/gen: the manual pages, and `links`, a line `MPI_Ireduce.3 MPI_Reduce.3` for every other name that a
page goes by.

    generate_man.py API_DIRECTORY PROSE_DIRECTORY VERSION OUTPUT_DIRECTORY
"""

import os

import man_pages
import output


def main():
    data, prose, version, out = output.arguments(__doc__, 4)
    with open(os.path.join(prose, "date"), encoding="utf-8") as file:
        date = file.read().strip()
    pages, links = man_pages.read_pages(data, prose), []
    for page in pages:
        output.write(os.path.join(out, page.name + ".3"), man_pages.render(page, pages, prose, version, date))
        links += [f"{name}.3 {page.name}.3\n" for name in page.names() if name != page.name]
    output.write(os.path.join(out, "links"), "".join(links))


if __name__ == "__main__":
    main()
