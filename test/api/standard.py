"""The standard's machine-readable data (mpi-standard-5.0-apis.json and -abi.json) as C prototypes and constants."""

import json
import os

# Kind of an argument -> its C type, and the one of the _c procedures where that differs.
KINDS = {
    "ATTRIBUTE_VAL": "void *",
    "ATTRIBUTE_VAL_10": "void *",
    "EXTRA_STATE": "void *",
    "EXTRA_STATE2": "void *",
    "C_BUFFER": "void *",
    "C_BUFFER2": "void *",
    "LOGICAL_VOID": "void *",
    "BUFFER": "void *",
    "STRING": "char *",
    "ARGUMENT_LIST": "char **",
    "STRING_ARRAY": "char **",
    "STRING_2DARRAY": "char ***",
    "DISPLACEMENT": "MPI_Aint",
    "LOCATION_SMALL": "MPI_Aint",
    "ALLOC_MEM_NUM_BYTES": "MPI_Aint",
    "RMA_DISPLACEMENT_NNI": "MPI_Aint",
    "WINDOW_SIZE": "MPI_Aint",
    "WIN_ATTACH_SIZE": "MPI_Aint",
    "OFFSET": "MPI_Offset",
    "XFER_NUM_ELEM": "MPI_Count",
    "XFER_NUM_ELEM_NNI": "MPI_Count",
    "NUM_BYTES": "MPI_Count",
    "GENERIC_DTYPE_COUNT": "MPI_Count",
    "COMMUNICATOR": "MPI_Comm",
    "DATATYPE": "MPI_Datatype",
    "ERRHANDLER": "MPI_Errhandler",
    "GROUP": "MPI_Group",
    "INFO": "MPI_Info",
    "MESSAGE": "MPI_Message",
    "WINDOW": "MPI_Win",
    "FILE": "MPI_File",
    "SESSION": "MPI_Session",
    "OPERATION": "MPI_Op",
    "REQUEST": "MPI_Request",
    "STATUS": "MPI_Status",
    "F08_STATUS": "MPI_F08_status",
    "F90_STATUS": "MPI_Fint",
    "WALL_TIME": "double",
    "TICK_RESOLUTION": "double",
    "POLYXFER_NUM_ELEM_NNI": ("int", "MPI_Count"),
    "POLYXFER_NUM_ELEM": ("int", "MPI_Count"),
    "POLYDTYPE_NUM_ELEM_NNI": ("int", "MPI_Count"),
    "POLYDTYPE_NUM_ELEM_PI": ("int", "MPI_Count"),
    "POLYDTYPE_NUM_ELEM": ("int", "MPI_Count"),
    "POLYNUM_BYTES_NNI": ("int", "MPI_Count"),
    "POLYNUM_BYTES": ("int", "MPI_Count"),
    "POLYNUM_PARAM_VALUES": ("int", "MPI_Count"),
    "POLYDISPLACEMENT_COUNT": ("int", "MPI_Count"),
    "POLYDISPLACEMENT": ("int", "MPI_Aint"),
    "POLYRMA_DISPLACEMENT": ("int", "MPI_Aint"),
    "POLYDISPLACEMENT_AINT_COUNT": ("MPI_Aint", "MPI_Count"),
    "POLYDISPOFFSET": ("MPI_Aint", "MPI_Count"),
    "POLYDTYPE_STRIDE_BYTES": ("MPI_Aint", "MPI_Count"),
    "POLYDTYPE_PACK_SIZE": ("MPI_Aint", "MPI_Count"),
    "POLYLOCATION": ("MPI_Aint", "MPI_Count"),
}
TOOL = {
    "TOOL_MPI_OBJ": "void *",
    "TOOLS_TICK_COUNT": "MPI_Count",
    "DISPLACEMENT_NNI": "MPI_Aint",
    "TOOLS_ENUM": "MPI_T_enum",
    "CVAR": "MPI_T_cvar_handle",
    "PVAR": "MPI_T_pvar_handle",
    "PVAR_SESSION": "MPI_T_pvar_session",
    "EVENT_REGISTRATION": "MPI_T_event_registration",
    "EVENT_INSTANCE": "MPI_T_event_instance",
    "CALLBACK_SAFETY": "MPI_T_cb_safety",
    "SOURCE_ORDERING": "MPI_T_source_order",
    "EVENT_CB_FUNCTION": "MPI_T_event_cb_function *",
    "EVENT_FREE_CB_FUNCTION": "MPI_T_event_free_cb_function *",
    "EVENT_DROP_CB_FUNCTION": "MPI_T_event_dropped_cb_function *",
}
KINDS.update(TOOL)
FORTRAN_HANDLES = ("COMM", "DATATYPE", "ERRHANDLER", "FILE", "GROUP", "INFO", "MESSAGE", "OP", "REQUEST", "SESSION", "WIN")
KINDS.update({"F90_" + kind: "MPI_Fint" for kind in FORTRAN_HANDLES})

# Arguments whose C type is written as a pointer although they go in.
ADDRESSES = (
    "TOOL_MPI_OBJ", "EVENT_CB_FUNCTION", "EVENT_FREE_CB_FUNCTION", "EVENT_DROP_CB_FUNCTION",
    "BUFFER", "C_BUFFER", "C_BUFFER2", "LOGICAL_VOID", "ATTRIBUTE_VAL", "ATTRIBUTE_VAL_10", "EXTRA_STATE", "EXTRA_STATE2", "STRING",
    "STRING_ARRAY", "STRING_2DARRAY",
)


# What MPI-3.0 removed and mpi.h keeps, as MPI-2.2 declares it, with what goes in being const.
REMOVED = {
    "MPI_Address": ("int", [("const void *", "location"), ("MPI_Aint *", "address")]),
    "MPI_Errhandler_create": ("int", [("MPI_Handler_function *", "function"), ("MPI_Errhandler *", "errhandler")]),
    "MPI_Errhandler_get": ("int", [("MPI_Comm", "comm"), ("MPI_Errhandler *", "errhandler")]),
    "MPI_Errhandler_set": ("int", [("MPI_Comm", "comm"), ("MPI_Errhandler", "errhandler")]),
    "MPI_Type_extent": ("int", [("MPI_Datatype", "datatype"), ("MPI_Aint *", "extent")]),
    "MPI_Type_lb": ("int", [("MPI_Datatype", "datatype"), ("MPI_Aint *", "displacement")]),
    "MPI_Type_ub": ("int", [("MPI_Datatype", "datatype"), ("MPI_Aint *", "displacement")]),
    "MPI_Type_hvector": ("int", [("int", "count"), ("int", "blocklength"), ("MPI_Aint", "stride"),
                                 ("MPI_Datatype", "oldtype"), ("MPI_Datatype *", "newtype")]),
    "MPI_Type_hindexed": ("int", [("int", "count"), ("const int *", "array_of_blocklengths"),
                                  ("const MPI_Aint *", "array_of_displacements"), ("MPI_Datatype", "oldtype"),
                                  ("MPI_Datatype *", "newtype")]),
    "MPI_Type_struct": ("int", [("int", "count"), ("const int *", "array_of_blocklengths"),
                                ("const MPI_Aint *", "array_of_displacements"),
                                ("const MPI_Datatype *", "array_of_types"), ("MPI_Datatype *", "newtype")]),
}  # fmt: skip


def c_type(kind, large):
    found = KINDS.get(kind, "int")
    return found if isinstance(found, str) else found[large]


def is_array(parameter):
    return bool(parameter["length"]) and parameter["kind"] not in ("STRING", "STRING_ARRAY", "STRING_2DARRAY", "ARGUMENT_LIST") or parameter["array_type"]


def declare(parameter, large):
    """The C type of a parameter, an array written as a pointer."""
    kind = parameter["kind"]
    if kind == "VARARGS":
        return "..."
    if kind in ("FUNCTION", "POLYFUNCTION"):
        return parameter["func_type"] + ("_c" if large and kind == "POLYFUNCTION" else "") + " *"
    text = c_type(kind, large)
    incoming = parameter["param_direction"] == "in"
    if kind == "ARGUMENT_LIST" or kind == "ARGUMENT_COUNT":
        pointers = parameter["pointer"] is not False  # MPI_Init takes addresses, MPI_Info_create_env values
        return text + (" *" if pointers else "")
    if is_array(parameter):
        text += " (*)[3]" if isinstance(parameter["length"], list) else " *"
    elif kind in ADDRESSES:
        pass
    elif not incoming or parameter["pointer"] or kind in ("STATUS", "F08_STATUS", "F90_STATUS"):
        text += " *"
    qualified = parameter["constant"] and "*" in text  # a const value is no other type
    return ("const " if qualified else "") + text


def prototypes(directory):
    """{name: (return type, [(type, name), ...])} of all procedures that C has."""
    with open(os.path.join(directory, "mpi-standard-5.0-apis.json"), encoding="utf-8") as data:
        entries = json.load(data).values()
    result = dict(REMOVED)
    for entry in entries:
        if entry["attributes"]["callback"] or not entry["attributes"]["c_expressible"]:
            continue
        parameters = [p for p in entry["parameters"] if "c_parameter" not in (p["suppress"] or "")]
        poly = any(p["kind"].startswith("POLY") for p in parameters)
        for large in (False, True) if poly else (False,):
            chosen = [p for p in parameters if large or not p["large_only"]]
            name = entry["name"] + ("_c" if large else "")
            kind = entry["return_kind"]
            returns = "int" if kind in ("ERROR_CODE", "ERROR_CLASS", "KEY_INDEX") else c_type(kind, False)
            result[name] = (returns, [(declare(p, large), p["name"]) for p in chosen])
    return result


def constants(directory):
    """{name: (C type or None, value)} of all constants that the ABI gives a number."""
    with open(os.path.join(directory, "mpi-standard-5.0-abi.json"), encoding="utf-8") as data:
        entries = json.load(data)["constants"].values()
    return {
        e["name"]: ((e["handle_types"].get("c") or {}).get("type"), e["abi_value"])
        for e in entries
        if isinstance(e.get("abi_value"), int)
    }
