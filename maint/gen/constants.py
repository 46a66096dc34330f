"""The constants of the MPI ABI: reads constants.api, writes their part of mpi.h."""

import os
from collections import namedtuple

Section = namedtuple("Section", "ctype cxx title constants")  # cxx: also in C++; constants: [(name, value)]


def read(directory):
    """The sections of constants.api, in order."""
    path, sections = os.path.join(directory, "constants.api"), []
    with open(path, encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            line = line.split("#")[0].strip()
            if line.startswith("["):
                ctype, title = line[1:].split("]", 1)
                ctype, _, cxx = ctype.partition(", ")
                sections.append(Section(ctype, cxx == "c++", title.strip(), []))
            elif line:
                try:
                    name, value = line.split()
                    sections[-1].constants.append((name, int(value)))
                except (ValueError, IndexError):
                    raise SystemExit(f"{path}:{number}: expected 'NAME VALUE', found '{line}'") from None
    return sections


def c_value(ctype, value):
    """The C text of a constant."""
    if ctype == "int":
        return str(value) if value >= 0 else f"({value})"
    return f"(({ctype}){value:#x})" if value > 9 else f"(({ctype}){value})"


def write_c(sections):
    """The #defines of mpi.h."""
    out, title = [], None
    for section in sections:
        if section.ctype == "fortran":
            continue
        if section.title != title:
            title = section.title
            out.append(f"\n/* {title} */")
        for name, value in section.constants:
            out.append(f"#define {name} {c_value(section.ctype, value)}")
    return "\n".join(out)
