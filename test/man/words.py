#!/usr/bin/env python3
"""Finds each message that the sections ERRORS quote in the sources.  Usage: words.py SOURCE MAN3"""

import glob
import os
import re
import sys

PLACES = ("binding_c/check.c", "src/op/*.c", "src/type/type.c", "src/msg/terms.c")
LITERAL = r'"(?:[^"\\]|\\.)*"'
FORMAT = re.compile(rf'tf_error\([^"]*({LITERAL}(?:\s*(?:{LITERAL}|PRI\w+))*)')
CONVERSION = re.compile(r"%[-0-9.]*(?:l|ll|z)?[a-z]|%(?=\0)")


def formats(source):
    """The formats of tf_error() as regular expressions."""
    for place in PLACES:
        for path in glob.glob(os.path.join(source, place)):
            with open(path, encoding="utf-8") as file:
                for found in FORMAT.finditer(file.read()):
                    text = re.sub(r"PRI\w+", '"\0"', found[1])
                    text = "".join(literal[1:-1] for literal in re.findall(LITERAL, text))
                    parts = CONVERSION.split(text)
                    yield re.compile(".*".join(re.escape(part.replace("\0", "")) for part in parts))


def quotes(pages):
    """{message: a page that quotes it}; what begins with ... is only the end of one."""
    found = {}
    for path in sorted(glob.glob(os.path.join(pages, "*.3"))):
        with open(path, encoding="utf-8") as file:
            section = re.search(r"^\.SH ERRORS\n(.*?)^\.SH", file.read(), flags=re.M | re.S)
        text = re.sub(r"\\f[BIP]", "", section[1]).replace("\\-", "-").replace("\\(aq", "'") if section else ""
        for quote in re.findall(r"\\\(dq(.*?)\\\(dq", text, flags=re.S):
            if not quote.startswith("..."):
                found.setdefault(" ".join(quote.split()), os.path.basename(path))
    return found


def main():
    source, pages = sys.argv[1:]
    known, said = list(formats(source)), quotes(pages)
    wrong = [f"{page}: {quote}" for quote, page in said.items() if not any(k.fullmatch(quote) for k in known)]
    print("\n".join(wrong))
    if wrong or not said:
        raise SystemExit(f"{len(wrong)} of {len(said)} messages that the pages quote are not in the sources")


if __name__ == "__main__":
    main()
