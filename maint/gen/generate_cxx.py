#!/usr/bin/env python3
"""Writes binding_cxx/gen: the constants of the namespace MPI.

    generate_cxx.py API_DIRECTORY HEADERS_DIRECTORY OUTPUT_DIRECTORY

constants.h has the integers; predefined.inc a row for each predefined handle.  hide_macros.inc puts aside the program's
macros that have such a name, as VERSION of a config.h, or that of anything else in the headers, as Xlib's Status, and
show_macros.inc brings them back.
"""

import glob
import os
import re

import constants
import output

# What has another name in C++: Fortran's complex types make room for C++'s (MPI-2.2 section 16.1.6), and no name begins
# with a digit.
RENAMED = {
    "COMPLEX": "F_COMPLEX",
    "DOUBLE_COMPLEX": "F_DOUBLE_COMPLEX",
    "COMPLEX4": "F_COMPLEX4",
    "COMPLEX8": "F_COMPLEX8",
    "COMPLEX16": "F_COMPLEX16",
    "COMPLEX32": "F_COMPLEX32",
    "CXX_BOOL": "BOOL",
    "CXX_FLOAT_COMPLEX": "COMPLEX",
    "CXX_DOUBLE_COMPLEX": "DOUBLE_COMPLEX",
    "CXX_LONG_DOUBLE_COMPLEX": "LONG_DOUBLE_COMPLEX",
    "2INT": "TWOINT",
    "2REAL": "TWOREAL",
    "2DOUBLE_PRECISION": "TWODOUBLE_PRECISION",
    "2INTEGER": "TWOINTEGER",
}

# What is no name of the headers' own: words of the language and of its preprocessor, what mpi.h's users define on purpose,
# and what seek.h deals with.
NO_NAMES = set("""
    auto bool break case catch char class const const_cast constexpr continue default delete do double dynamic_cast else
    enum explicit extern false float for friend goto if inline int long mutable namespace new noexcept nullptr operator
    private protected public reinterpret_cast return short signed sizeof static static_assert static_cast struct switch
    template this thread_local throw true try typedef typeid typename union unsigned using virtual void volatile wchar_t
    while
    define defined elif else endif if ifdef ifndef include pragma undef
    MPI MPICH_IGNORE_CXX_SEEK OMPI_IGNORE_CXX_SEEK SEEK_SET SEEK_CUR SEEK_END
""".split())
NOT_CODE = re.compile(r"/\*.*?\*/|//[^\n]*|\"[^\"\n]*\"|#\s*include[^\n]*", re.DOTALL)

HEAD = """/* {file} - {title}.  Generated from maint/api/constants.api. */
"""


def cxx_name(name):
    name = name.removeprefix("MPI_")
    return RENAMED.get(name, name)


def write_constants(sections):
    out = [HEAD.format(file="constants.h", title="the integers of the namespace MPI"),
           "#ifndef TREEFOLD_MPICXX_CONSTANTS_H", "#define TREEFOLD_MPICXX_CONSTANTS_H", "", "namespace MPI {"]
    for section in sections:
        if section.cxx and section.ctype == "int":
            out += ["", f"/* {section.title} */"]
            out += [f"const int {cxx_name(name)} = {value};" for name, value in section.constants]
    return "\n".join(out + ["", "} // namespace MPI", "", "#endif", ""])


def write_predefined(sections):
    out = [HEAD.format(file="predefined.inc", title="class, name and number of each predefined handle")]
    for section in sections:
        if section.cxx and section.ctype != "int":
            macro = "TREEFOLD_" + section.ctype.removeprefix("MPI_").upper()
            out += [f"{macro}({cxx_name(name)}, {value})" for name, value in section.constants]
    return "\n".join(out + [""])


def names_in(headers):
    """The names in the headers' code that a program's macro may have: those of classes and procedures, of arguments and
    variables. MPI_ and TREEFOLD_ are ours, and so is what mpi.h has defined with them."""
    names = set()
    for path in glob.glob(os.path.join(headers, "*.h")):
        with open(path, encoding="utf-8") as file:
            names.update(re.findall(r"\b[A-Za-z]\w*", NOT_CODE.sub(" ", file.read())))
    return sorted(name for name in names - NO_NAMES if not name.startswith(("MPI_", "MPIX_", "TREEFOLD_")))


def write_hidden(sections, headers, file, title, lines):
    """The lines for each name of the namespace and of the headers; {name} stands for it."""
    names = ["BOTTOM", "IN_PLACE", "ARGV_NULL", "ARGVS_NULL"] + [cxx_name(name) for s in sections if s.cxx for name, _ in s.constants]
    out = [HEAD.format(file=file, title=title)]
    return "\n".join(out + [line.format(name=name) for name in dict.fromkeys(names + names_in(headers)) for line in lines] + [""])


def main():
    data, headers, out = output.arguments(__doc__, 3)
    sections = constants.read(data)
    output.write(os.path.join(out, "constants.h"), write_constants(sections))
    output.write(os.path.join(out, "predefined.inc"), write_predefined(sections))
    output.write(os.path.join(out, "hide_macros.inc"),
                 write_hidden(sections, headers, "hide_macros.inc", "the program's macros are put aside",
                              ['#pragma push_macro("{name}")', "#undef {name}"]))
    output.write(os.path.join(out, "show_macros.inc"),
                 write_hidden(sections, headers, "show_macros.inc", "and are back", ['#pragma pop_macro("{name}")']))


if __name__ == "__main__":
    main()
