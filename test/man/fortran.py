#!/usr/bin/env python3
"""Compares the Fortran syntax of the manual pages with the standard's machine-readable form, where that is at hand (the
folder in MPI_STANDARD, or shared/standard beside the source tree).  Usage: fortran.py SOURCE
"""

import json
import os
import re
import sys

SOURCE = os.path.abspath(sys.argv[1])
sys.path.insert(0, os.path.join(SOURCE, "maint", "gen"))

import fortran  # noqa: E402  (found in the source tree)
import man_pages  # noqa: E402

# kind of the standard: (mpi_f08 type, type in the large-count forms, type for mpif.h)
INTEGER = ("INTEGER", "INTEGER", "INTEGER")
PLACE = ("INTEGER(KIND=MPI_ADDRESS_KIND)", "INTEGER(KIND=MPI_COUNT_KIND)", "INTEGER(KIND=MPI_ADDRESS_KIND)")
KINDS = {
    "BUFFER": ("TYPE(*), DIMENSION(..)",) * 2 + ("<type>",),
    "C_BUFFER": ("TYPE(C_PTR)",) * 2 + ("INTEGER(KIND=MPI_ADDRESS_KIND)",),
    "ALLOC_MEM_NUM_BYTES": ("INTEGER(KIND=MPI_ADDRESS_KIND)",) * 3,
    "COMMUNICATOR": ("TYPE(MPI_Comm)",) * 2 + ("INTEGER",),
    "DATATYPE": ("TYPE(MPI_Datatype)",) * 2 + ("INTEGER",),
    "DISPLACEMENT": ("INTEGER(KIND=MPI_ADDRESS_KIND)",) * 3,
    "ERRHANDLER": ("TYPE(MPI_Errhandler)",) * 2 + ("INTEGER",),
    "GROUP": ("TYPE(MPI_Group)",) * 2 + ("INTEGER",),
    "INFO": ("TYPE(MPI_Info)",) * 2 + ("INTEGER",),
    "LOGICAL": ("LOGICAL",) * 3,
    "OPERATION": ("TYPE(MPI_Op)",) * 2 + ("INTEGER",),
    "POLYDISPLACEMENT": ("INTEGER", "INTEGER(KIND=MPI_ADDRESS_KIND)", "INTEGER"),
    "POLYDTYPE_NUM_ELEM": ("INTEGER", "INTEGER(KIND=MPI_COUNT_KIND)", "INTEGER"),
    "POLYDTYPE_PACK_SIZE": PLACE,
    "POLYLOCATION": PLACE,
    "POLYXFER_NUM_ELEM_NNI": ("INTEGER", "INTEGER(KIND=MPI_COUNT_KIND)", "INTEGER"),
    "WINDOW": ("TYPE(MPI_Win)",) * 2 + ("INTEGER",),
    "RMA_DISPLACEMENT_NNI": ("INTEGER(KIND=MPI_ADDRESS_KIND)",) * 3,
    "WINDOW_SIZE": ("INTEGER(KIND=MPI_ADDRESS_KIND)",) * 3,
    "WIN_ATTACH_SIZE": ("INTEGER(KIND=MPI_ADDRESS_KIND)",) * 3,
    "POLYRMA_DISPLACEMENT": ("INTEGER", "INTEGER(KIND=MPI_ADDRESS_KIND)", "INTEGER"),
    "SESSION": ("TYPE(MPI_Session)",) * 2 + ("INTEGER",),
    "ARRAY_LENGTH": INTEGER,
    "ACCESS_MODE": INTEGER,
    "EXTRA_STATE": ("INTEGER(KIND=MPI_ADDRESS_KIND)",) * 3,
    "FILE": ("TYPE(MPI_File)",) * 2 + ("INTEGER",),
    "OFFSET": ("INTEGER(KIND=MPI_OFFSET_KIND)",) * 3,
    "POLYDISPOFFSET": PLACE,
    "POLYXFER_NUM_ELEM": ("INTEGER", "INTEGER(KIND=MPI_COUNT_KIND)", "INTEGER"),
    "STATUS": ("TYPE(MPI_Status)",) * 2 + ("INTEGER",),
    "ARRAY_LENGTH_NNI": INTEGER,
    "COMM_SIZE": INTEGER,
    "INDEX": INTEGER,
    "STRING_LENGTH": INTEGER,
    "DIMENSION": INTEGER,
    "NUM_DIMS": INTEGER,
    "PARTITION": INTEGER,
    "RANK": INTEGER,
    "RANK_NNI": INTEGER,
    "TAG": INTEGER,
    "XFER_NUM_ELEM_NNI": ("INTEGER(KIND=MPI_COUNT_KIND)",) * 3,
    "STRING": ("CHARACTER(LEN=*)",) * 2 + ("CHARACTER*(*)",),
    "STRING_ARRAY": ("CHARACTER(LEN=*)",) * 2 + ("CHARACTER*(*)",),
    "STRING_2DARRAY": ("CHARACTER(LEN=*)",) * 2 + ("CHARACTER*(*)",),
    "ARRAY_LENGTH_PI": INTEGER,
    "ERROR_CODE": INTEGER,
    "REQUEST": ("TYPE(MPI_Request)",) * 2 + ("INTEGER",),
}


# The data leave ASYNCHRONOUS out here alone, although the operation uses it later like that of all others.
LASTING = {("MPI_Neighbor_allgatherv_init", "displs"), ("MPI_Psend_init", "buf"), ("MPI_Precv_init", "buf")}


def standard():
    """The standard's procedures by name, or None."""
    for folder in (os.environ.get("MPI_STANDARD"), os.path.join(SOURCE, "..", "shared", "standard")):
        path = os.path.join(folder or "", "mpi-standard-5.0-apis.json")
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                return {p["name"]: p for p in json.load(file).values()}
    return None


def f08_line(p, names, large, function_suffix):
    """The declaration of a parameter of the standard in mpi_f08; `names`: those of all parameters of its procedure."""
    if p["kind"] == "POLYFUNCTION":
        return f"PROCEDURE({p['func_type']}{function_suffix}) :: {p['name']}"
    if p["kind"] == "FUNCTION":
        return f"PROCEDURE({p['func_type']}) :: {p['name']}"
    words = [KINDS[p["kind"]][large]]
    given = p["kind"] not in ("BUFFER", "STATUS") or p["kind"] == "BUFFER" and p["param_direction"] == "in"
    if given and "f08_intent" not in p["suppress"]:
        words.append({"in": "INTENT(IN)", "out": "INTENT(OUT)", "inout": "INTENT(INOUT)"}[p["param_direction"]])
    if p["asynchronous"]:
        words.append("ASYNCHRONOUS")
    array = ""
    if p["length"] is not None and p["kind"] != "STRING":
        array = f"({p['length']})" if p["length"] in names and p["array_type"] != "hidden" else "(*)"
    if p["kind"] in ("STRING_ARRAY", "STRING_2DARRAY"):
        array = f"({p['length']}, *)" if p["length"] else "(*)"
    return f"{', '.join(words)} :: {p['name']}{array}"


def declarations(lines):
    """The declarations of a syntax, one a name."""
    text = "\n".join(lines).replace("\n        ", " ")
    found = []
    for line in text.splitlines()[1:]:
        kind, names = line.strip().split(" :: ")
        found += [f"{kind} :: {name}" for name in re.split(r", (?![^(]*\))", names)]
    return found


def compare(name, mine, wanted):
    return [f"{name}: {a}, in the standard {b}" for a, b in zip(mine, wanted) if a != b] + (
        [f"{name}: {len(mine)} arguments, in the standard {len(wanted)}"] if len(mine) != len(wanted) else []
    )


def check(procedures, form, name, arguments):
    plain = name[: -len("_c")] if name.endswith("_c") else name
    parameters = [{**p, "asynchronous": p["asynchronous"] or (plain, p["name"]) in LASTING}
                  for p in procedures[plain]["parameters"] if p["name"] != "ierror"]
    names, wrong = [p["name"] for p in parameters], []
    for large in (False, True):
        suffix = "_c" if name.endswith("_c") else ""
        mine = declarations(fortran.f08(name, arguments, large, form))
        wanted = [f08_line(p, names, large, suffix) for p in parameters] + ["INTEGER, OPTIONAL, INTENT(OUT) :: ierror"]
        wrong += compare(name, mine, wanted)
    return wrong


def main():
    procedures = standard()
    if procedures is None:
        print("the standard's data are not at hand")
        return
    wrong, checked = [], 0
    for page in man_pages.read_pages(os.path.join(SOURCE, "maint", "api"), os.path.join(SOURCE, "maint", "man")):
        if page.sections and page.head.get("fortran") != "no":
            for procedure in page.procedures:
                for form, name, arguments in procedure.variants():
                    if name.startswith("MPIX_"):
                        continue
                    wrong += check(procedures, form, name, arguments)
                    checked += 1
    print("\n".join(wrong))
    if wrong or not checked:
        raise SystemExit(f"{len(wrong)} of the declarations differ")


if __name__ == "__main__":
    main()
