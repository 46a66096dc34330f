"""The manual pages: one for each entry of maint/api, or for the entries that a page of maint/man names.

A page of maint/man (README.md there says how they are written) adds prose, an example and the Fortran syntax to what
the data says; an entry without one gets a short page.
"""

import os
import re
import textwrap

import api
import errors
import fortran
import markup
import shapes
from kinds import ADDRESS, COUNT


class Page:
    """What a page is made of: entries of the API, and the sections of its prose, {heading: text}."""

    def __init__(self, chapter, procedures, head=None, sections=None):
        self.chapter, self.procedures = chapter, procedures
        self.head, self.sections = head or {}, sections or {}
        self.name = procedures[0].name

    @property
    def first(self):
        return self.procedures[0]

    def names(self):
        """Every procedure on the page, as a program calls it."""
        return [name for p in self.procedures for _, name, _ in p.prototypes()]

    def arguments(self):
        """The arguments of all entries and forms, each name once."""
        found = {}
        for procedure in self.procedures:
            for _, _, arguments in procedure.variants():
                for a in arguments:
                    found.setdefault(a.name, a)
        return list(found.values())

    def standard(self):
        return self.head.get("standard") or re.search(r"\(MPI-5.0 (.*)\)", self.chapter.title)[1]


def read_prose(directory, name):
    """(head, sections) of a page of maint/man; a line `@part` stands for parts/part.md."""
    with open(os.path.join(directory, name), encoding="utf-8") as file:
        text = file.read()
    included = lambda found: read_part(directory, found[1])
    head, *parts = re.split(r"^## (.*)\n", re.sub(r"^@([\w-]+)$", included, text, flags=re.M), flags=re.M)
    fields = dict(line.split(": ", 1) for line in head.strip().splitlines())
    return fields, dict(zip(parts[::2], parts[1::2]))


def read_part(directory, name):
    with open(os.path.join(directory, "parts", name + ".md"), encoding="utf-8") as file:
        return file.read().rstrip()


# -- the sections that come from the data ----------------------------------------------------------------------------


def sentence_start(text):
    return text[0].lower() + text[1:].rstrip(".")


def name_section(page):
    names = textwrap.wrap(", ".join(page.names()) + " \\-", markup.WIDTH, break_on_hyphens=False)
    return [".SH NAME", *names, *markup.text_lines(sentence_start(page.head.get("name", page.first.sentence)))]


GLUE = "\1"  # a space at which no line is broken


def prototype(returns, name, declared):
    """Bold, the arguments' names in italics; one source line a printed line."""
    start = f"{returns} {name}("
    text = start + (", ".join(declared).replace(" ", GLUE).replace("," + GLUE, ", ") if declared else "void") + ");"
    lines = [line.replace(GLUE, " ") for line in textwrap.wrap(text, 71, subsequent_indent=" " * 8)]
    spots = [re.search(r"(\w+)(\[\]|\[\]\[3\])?$", d)[1] for d in declared if re.search(r"\w", d)]
    pattern = re.compile(r"\b(" + "|".join(spots) + r")(?=[,\[)])") if spots else None
    for i, line in enumerate(lines):
        line = markup.escape(line)
        lines[i] = "\\fB" + (pattern.sub(r"\\fI\1\\fB", line) if pattern else line) + "\\fP"
    return lines


def synopsis(page):
    out = [".SH SYNOPSIS", ".nf", "\\fB#include <mpi.h>\\fP"]
    for procedure in page.procedures:
        for returns, name, declared in procedure.prototypes():
            out += [".PP", *prototype(returns, name, declared)]
    return out + [".fi"]


def arguments_section(page):
    arguments = [a for a in page.arguments() if a.kind != "varargs"]
    if not arguments:
        return []
    items = markup.items(page.sections.get("Arguments", "").strip().splitlines())
    said = dict(item.split(": ", 1) for item in items)
    unknown = set(said) - {a.name for a in arguments}
    if unknown:
        raise SystemExit(f"{page.name}: no such argument: {', '.join(sorted(unknown))}")
    out = [".SH ARGUMENTS"]
    for a in arguments:
        what = said.get(a.name, shapes.usual(a)).rstrip(".")
        out += [".TP", f"\\fI{a.name}\\fP", *markup.text_lines(f"({shapes.directions(a, arguments)}) {what}.")]
    return out


SEPARATE = ("form-init", "form-c")  # parts that begin a paragraph


def forms_section(page, directory):
    """What the nonblocking, persistent and large-count forms do that the blocking one does not."""
    forms = [form for form in ("i", "init", "c") if form in page.first.forms]
    if not forms or not page.first.coll:
        return []
    names = {form or "plain": name for form, name, _ in page.first.variants()}
    kinds = {a.kind for a in page.arguments()}
    parts = ["form-" + form for form in forms]
    if "i" in forms:
        about = ["form-i-buffers"] * ("buffer" in kinds) + ["form-i-arrays"] * ("counts" in kinds)
        parts[1:1] = about + ["form-i-order"]
    parts += ["form-c-displacements"] * ("displs" in kinds)
    text = "".join(("\n\n" if part in SEPARATE else "\n") + read_part(directory, part) for part in parts)
    for form, name in names.items():
        text = text.replace(f"<{form}>", name)
    return [".SH FORMS", *markup.man(text)]


def errors_section(page, directory):
    if page.first.hand or page.first.value or page.first.returns != "int":
        return []
    if page.first.tool:
        return [".SH ERRORS", *markup.man(read_part(directory, "errors-tool")), *markup.man(page.sections.get("Errors", ""))]
    out = [".SH ERRORS", *markup.man(read_part(directory, "errors"))]
    for errclass, sentences in errors.of(page):
        out += [".TP", f"\\fB{errclass}\\fP"]
        for i, sentence in enumerate(sentences):
            out += [".br"] * (i > 0) + markup.text_lines(sentence)
    if "Errors" in page.sections:
        out += [".PP", *markup.man(page.sections["Errors"])]
    return out


def fortran_section(page, directory):
    if page.head.get("fortran") == "no" or not page.sections:
        return []
    forms = [variant for p in page.procedures for variant in p.variants()]
    new = [fortran.f08(name, arguments, name.endswith("_c"), form) for form, name, arguments in forms]
    old = [fortran.f77(name, arguments) for _, name, arguments in forms if not name.endswith("_c")]
    out = [".SH FORTRAN SYNTAX", *markup.man(read_part(directory, "fortran")), ".SS use mpi_f08", *unfilled(new)]
    if "c" in page.first.forms:
        large = sorted({a.name for a in page.arguments() if a.kind in ("count", "counts")})
        far = sorted({a.name for a in page.arguments() if a.kind in ("displs", "unit")})
        kinds = [f"{listed(names)} {be(names)} {kind}" for names, kind in ((large, COUNT), (far, ADDRESS)) if names]
        words = f"The same names stand for the large-count forms, in which {' and '.join(kinds)}"
        out += [".PP", *markup.text_lines(words + ".")]
    return out + [".SS use mpi, mpif.h", *unfilled(old)]


def unfilled(groups):
    """Groups of lines as they stand, a gap between two."""
    lines = [line for group in groups for line in [".PP", *map(markup.escape, group)]]
    return [".nf", *lines[1:], ".fi"]


def be(names):
    return "is" if len(names) == 1 else "are"


def listed(names):
    names = [f"*{name}*" for name in names]
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else names[0]


def see_also(page, pages):
    others = page.head.get("see", "").split()
    if not page.sections:
        near = [p for p in pages if p.chapter is page.chapter]
        here = near.index(page)
        others = [p.name for p in near[max(0, here - 4) : here + 5] if p is not page]
    if not others:
        return []
    known = {name for p in pages for name in p.names()}
    missing = [name for name in others if name not in known]
    if missing:
        raise SystemExit(f"{page.name}: see also names no procedure: {', '.join(missing)}")
    lines = [f".BR {name} (3){',' if name != others[-1] else ''}" for name in others]
    return [".SH SEE ALSO", *lines]


# -- a whole page ----------------------------------------------------------------------------------------------------

LATER = ("Arguments", "Errors", "Notes", "Example")  # the sections that have a place of their own


def prose_section(page, heading):
    text = page.sections.get(heading)
    return [".SH " + heading.upper(), *markup.man(text)] if text else []


def render(page, pages, directory, version, date):
    title = f'.TH {page.name.upper()} 3 {date} "Treefold {version}" "MPI"'
    lines = ["'\\\" t", f".\\\" Generated from maint/api/{page.chapter.name}.api and maint/man.", title]
    lines += [".nh", ".ad l"]
    lines += name_section(page) + synopsis(page)
    if not page.sections:
        lines += [".SH DESCRIPTION", *markup.text_lines(page.first.sentence)]
    lines += arguments_section(page)
    for heading, text in page.sections.items():
        if heading not in LATER:
            lines += prose_section(page, heading)
    lines += forms_section(page, directory) + errors_section(page, directory) + prose_section(page, "Notes")
    lines += fortran_section(page, directory) + prose_section(page, "Example")
    lines += see_also(page, pages) + [".SH STANDARDS", *markup.text_lines(f"MPI-5.0, {page.standard()}.")]
    if page.name.startswith("MPIX_"):
        lines[-1:] = markup.text_lines("An extension of Treefold, whose mpi.h defines TREEFOLD.")
    return "\n".join(lines) + "\n"


def read_pages(data, directory):
    """All pages, in the order of the API."""
    chapters = api.read(data)
    known = {p.name: p for chapter in chapters for p in chapter.procedures}
    written, taken = {}, {}
    for name in sorted(os.listdir(directory)):
        if name.endswith(".md") and name != "README.md":
            head, sections = read_prose(directory, name)
            names = head.get("entries", name[: -len(".md")]).split()
            written[names[0]] = ([known[n] for n in names], head, sections)
            taken.update(dict.fromkeys(names[1:]))
    pages = []
    for chapter in chapters:
        for procedure in chapter.procedures:
            if procedure.name in written:
                pages.append(Page(chapter, *written[procedure.name]))
            elif procedure.name not in taken:
                pages.append(Page(chapter, [procedure]))
    return pages
