"""What an mpi.h declares: its prototypes and its constants, by reading its text."""

import re


def normal(text):
    """A C type with single spaces and none around its stars."""
    return re.sub(r"\s*\*\s*", "*", re.sub(r"\s+", " ", text)).strip()


def parameter(text):
    """(type, name) of one declared parameter; an array becomes a pointer."""
    text = text.strip()
    if text == "...":
        return "...", "varargs"
    ranges = re.fullmatch(r"(.*?)(\w+)\[\]\[(\d+)\]", text)
    if ranges:
        return normal(ranges[1] + f"(*)[{ranges[3]}]"), ranges[2]
    match = re.fullmatch(r"(.*?)(\w+)(\[\])?", text, re.S)
    return normal(match[1] + ("*" if match[3] else "")), match[2]


def prototypes(text):
    """{name: (return type, [(type, name), ...])}"""
    text = re.sub(r"\) TREEFOLD_INSTEAD\(\w+\);", ");", text)
    found = re.findall(r"^([\w ]+?)\b(P?MPIX?_\w+)\(([^;]*)\);", text, re.M)
    result = {}
    for returns, name, parameters in found:
        if returns.startswith("typedef"):
            continue
        listed = [] if parameters.strip() == "void" else [parameter(p) for p in parameters.split(",")]
        result[name] = (normal(returns), listed)
    return result


def constants(text):
    """{name: (type, value)}; the type is int where there is no cast."""
    result = {}
    for name, value in re.findall(r"^#define (MPI_\w+) (.+)$", text, re.M):
        match = re.fullmatch(r"\(?(?:\((.*?)\))?(-?(?:0x)?[0-9a-f]+)\)?", value.strip())
        if match:
            result[name] = (normal(match[1] or "int"), int(match[2], 0))
    return result
