#!/usr/bin/env python3
"""Takes the examples out of manual pages, as they are shown on a screen.

Usage: examples.py OUTPUT_DIRECTORY PAGE...

Writes NAME.c, NAME.np (the number of processes) and NAME.out (what it prints) for each page with an example, and prints
the names.
"""

import os
import re
import subprocess
import sys
import textwrap


def shown(page):
    """The page on a screen, without bold and underlined characters."""
    command = ["mandoc", "-T", "ascii", "-O", "width=100", page]
    text = subprocess.run(command, check=True, capture_output=True, text=True, timeout=100).stdout
    return re.sub(".\b", "", text)


def example(text):
    """(program, processes, output) of the section, or None."""
    section = re.search(r"^EXAMPLE\n(.*?)^[A-Z]", text, flags=re.M | re.S)
    if not section:
        return None
    parts = re.search(r"(^ *#include .*)\n *On (\d+) process(?:es)? it prints:\n(.*)", section[1], flags=re.M | re.S)
    program, processes, output = parts.groups()
    return textwrap.dedent(program), processes, textwrap.dedent(output).strip("\n")


def main():
    out, pages = sys.argv[1], sys.argv[2:]
    for page in pages:
        found = example(shown(page))
        if not found:
            continue
        name = os.path.basename(page)[: -len(".3")]
        for suffix, text in zip((".c", ".np", ".out"), found):
            with open(os.path.join(out, name + suffix), "w", encoding="utf-8") as file:
                file.write(text + "\n")
        print(name)


if __name__ == "__main__":
    main()
