"""Turns the prose of maint/man into man(7) source, with tbl(1) tables.

The prose is a small part of Markdown: paragraphs; `### headings`; `- item` lists; `term` lines that a line `: text`
follows; tables of `| cell | cell |` lines, the first of which is the head; fenced code.  In text, `word` is bold and
*word* is italic; names that begin with MPI_, MPIX_ or TREEFOLD_ are bold without being asked.
"""

import re
import textwrap

WIDTH = 78
NAMES = re.compile(r"(?<![\w`])((?:P?MPIX?|TREEFOLD)_\w+)(?![\w`])")
INLINE = re.compile(r"`([^`]+)`|\*([^*\s][^*]*)\*")


def escape(text):
    """Text that is printed as it stands, on a terminal and when it is copied from there."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    for character, name in (("'", "aq"), ("`", "ga"), ("^", "ha"), ("~", "ti"), ('"', "dq")):
        text = text.replace(character, f"\\({name}")
    return text


def guard(line):
    """A line of text that might be taken for a request."""
    return "\\&" + line if line.startswith((".", "'")) else line


def inline(text):
    """A run of text with its fonts.  Hyphens in words stay hyphens."""
    text = NAMES.sub(r"`\1`", text)
    out, end = [], 0
    for found in INLINE.finditer(text):
        out.append(plain(text[end : found.start()]))
        out.append(f"\\fB{escape(found[1])}\\fP" if found[1] else f"\\fI{escape(found[2])}\\fP")
        end = found.end()
    return "".join(out + [plain(text[end:])])


def plain(text):
    return re.sub(r"\\-(?=\w)(?<=\w\\-)", "-", escape(text))


def text_lines(text):
    """A paragraph as source lines: each sentence begins one."""
    lines = []
    for sentence in re.split(r"(?<=[.?!:;]) +(?=[A-Z\"*`(])", " ".join(text.split())):
        lines += textwrap.wrap(inline(sentence), WIDTH, break_long_words=False, break_on_hyphens=False)
    return [guard(line) for line in lines]


def code(lines):
    # groff hyphenates again after .EE.
    return [".PP", ".EX", *[guard(escape(line)) for line in lines], ".EE", ".nh"]


def table(rows):
    """The first row is the head; a row has to fit a line."""
    columns = len(rows[0])
    out = [".PP", ".TS", "tab(|);", " ".join(["lb"] * columns), " ".join(["l"] * columns) + "."]
    for row in rows:
        if len(row) != columns:
            raise SystemExit(f"a row of {len(row)} cells in a table of {columns} columns: {row}")
        out.append("|".join(inline(cell) for cell in row))
    return out + [".TE"]


def cells(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def is_rule(line):
    return set(line) <= set("|-: ")


def blocks(text):
    """The blocks of the text, each a list of lines: what blank lines part, and fenced code with its fences."""
    block, fenced = [], False
    for line in text.splitlines():
        fence = line.startswith("```")
        if fence and not fenced and block:
            yield block
            block = []
        if line.strip() or fenced:
            block.append(line)
        if (fence and fenced) or (not fenced and not line.strip()):
            if block:
                yield block
            block = []
        fenced ^= fence
    if fenced:
        raise SystemExit("fenced code that does not end: " + block[0])
    if block:
        yield block


def items(block):
    """The items of a list, each its lines joined."""
    found = []
    for line in block:
        if line.startswith("- "):
            found.append(line[2:])
        else:
            found[-1] += " " + line.strip()
    return found


def block_lines(block):
    if block[0].startswith("```"):
        return code(block[1:-1])
    if block[0].startswith("|"):
        return table([cells(line) for line in block if not is_rule(line)])
    if block[0].startswith("- "):
        return [line for item in items(block) for line in [".IP \\(bu 3", *text_lines(item)]]
    if len(block) > 1 and block[1].startswith(": "):
        body = " ".join([block[1][2:], *block[2:]])
        return [".TP", *text_lines(block[0]), *text_lines(body)]
    if block[0].startswith("### "):
        return [".SS " + inline(block[0][4:]), *text_lines(" ".join(block[1:]))]
    return [".PP", *text_lines(" ".join(block))]


def man(text):
    """The source lines of a section's text, without a .PP right after its heading."""
    lines = []
    for block in blocks(text):
        new = block_lines(block)
        if new[0] == ".PP" and (not lines or lines[-1].startswith(".SS")):
            new = new[1:]
        lines += new
    return lines
