"""What C and Fortran declare of the handle classes (handles.py): types, callbacks, and lists for the preprocessor."""

from bindings import aligned
from handles import HANDLES, OWN

CALLERS = tuple(h for h in HANDLES if h.errhandler)
HOLDERS = tuple(h for h in HANDLES if h.attributes)


def each(handles, text):
    """A text for each class, with <stem> and the like filled in."""
    return "\n".join(h.fill(text) for h in handles)


# -- mpi.h -------------------------------------------------------------------------------------------------------------

COPIED = "<ctype> old<object>, int <object>_keyval, void *extra_state, void *attribute_val_in, void *attribute_val_out, "
COPIED += "int *flag"
DELETED = "<ctype> <argument>, int <object>_keyval, void *attribute_val, void *extra_state"


def c_types():
    return each(HANDLES, "typedef struct MPI_ABI_<name> *<ctype>;")


def function_type(h, returns, name, parameters):
    return aligned(h.fill(f"typedef {returns} {name}("), h.fill(parameters).split(", "), ");")


def c_callbacks():
    found = [function_type(h, "void", "MPI_<stem>_errhandler_function", "<ctype> *<argument>, int *error_code, ...")
             for h in CALLERS]
    for h in HOLDERS:
        found.append(function_type(h, "int", "MPI_<stem>_copy_attr_function", COPIED))
        found.append(function_type(h, "int", "MPI_<stem>_delete_attr_function", DELETED))
    return "\n".join(found)


def c_extensions():
    own = [h for h in CALLERS if h.own]
    text = "typedef void MPIX_<stem>_errhandler_function_x(<ctype> <argument>, int error_code, void *extra_state);"
    return each(own, text)


# -- mpi_f08 -----------------------------------------------------------------------------------------------------------

F08_ATTRIBUTES = """\
        subroutine MPI_<stem>_copy_attr_function(old<object>, <object>_keyval, extra_state, attribute_val_in, &
                attribute_val_out, flag, ierror)
            use :: mpi_f08_types, only: <ctype>, MPI_ADDRESS_KIND
            implicit none
            type(<ctype>) :: old<object>
            integer :: <object>_keyval, ierror
            integer(kind=MPI_ADDRESS_KIND) :: extra_state, attribute_val_in, attribute_val_out
            logical :: flag
        end subroutine

        subroutine MPI_<stem>_delete_attr_function(<argument>, <object>_keyval, attribute_val, extra_state, ierror)
            use :: mpi_f08_types, only: <ctype>, MPI_ADDRESS_KIND
            implicit none
            type(<ctype>) :: <argument>
            integer :: <object>_keyval, ierror
            integer(kind=MPI_ADDRESS_KIND) :: attribute_val, extra_state
        end subroutine
"""
F08_ERRHANDLER = """\
        subroutine MPI_<stem>_errhandler_function(<argument>, error_code)
            use :: mpi_f08_types, only: <ctype>
            implicit none
            type(<ctype>) :: <argument>
            integer :: error_code
        end subroutine
"""
F08_PREDEFINED = """\
    procedure(MPI_<stem>_copy_attr_function) :: MPI_<STEM>_NULL_COPY_FN, MPI_<STEM>_DUP_FN
    procedure(MPI_<stem>_delete_attr_function) :: MPI_<STEM>_NULL_DELETE_FN"""


def f08_callbacks():
    """{name of a place in mpi_f08_callbacks.f90.in: what stands there}."""
    return {
        "attributes": each(HOLDERS, F08_ATTRIBUTES).rstrip("\n"),
        "errhandlers": each(CALLERS, F08_ERRHANDLER).rstrip("\n"),
        "predefined": each(HOLDERS, F08_PREDEFINED),
    }


# -- lists for the preprocessor ----------------------------------------------------------------------------------------


def rows(macro, handles, row):
    return f"#ifdef {macro}\n" + each(handles, f"{macro}({row})") + f"\n#undef {macro}\n#endif\n"


CORE = """\
/* handles.def - the classes of handles, from maint/gen/handles.py.  Whoever includes it defines some of these:
 *
 * TF_HANDLE(object, KIND, ctype, a_word, null, first, last, errclass)
 *                                  a class that Treefold has; the ABI gives its predefined handles that range
 * TF_FOREIGN(ctype, a_word, null, first, last)   one that it does not have
 * TF_ATTRIBUTES(object, KIND, Stem, ctype, words)   of those that it has, one whose objects cache attributes
 * TF_ERRHANDLER(object, KIND, Stem, ctype, word)   on whose objects errors are raised
 */
"""
FORTRAN = """\
/* handles.def - the classes of handles, from maint/gen/handles.py.  Whoever includes it defines some of these:
 *
 * TF_HANDLE(Stem, ctype, object)
 * TF_ATTRIBUTES(Stem, stem, STEM, ctype, argument)   a class whose objects cache attributes
 * TF_ERRHANDLER(Stem, stem, STEM, ctype)   one on whose objects errors are raised
 * TF_PREDEFINED(STEM, stem)   one whose predefined functions mpif.h has, though the library may not have the class
 */
"""


def core_def():
    own = lambda handles: [h for h in handles if h.own]
    ranged = '<a_word>", "<null>", <range>'
    return CORE + "\n".join([
        rows("TF_HANDLE", OWN, f'<object>, <OBJECT>, <ctype>, "{ranged}, <errclass>'),
        rows("TF_FOREIGN", [h for h in HANDLES if not h.own], f'<ctype>, "{ranged}'),
        rows("TF_ATTRIBUTES", own(HOLDERS), '<object>, <OBJECT>, <stem>, <ctype>, "<words>"'),
        rows("TF_ERRHANDLER", own(CALLERS), '<object>, <OBJECT>, <stem>, <ctype>, "<word>"'),
    ])


def fortran_def():
    own = lambda handles: [h for h in handles if h.own]
    return FORTRAN + "\n".join([
        rows("TF_HANDLE", OWN, "<stem>, <ctype>, <object>"),
        rows("TF_ATTRIBUTES", own(HOLDERS), "<stem>, <object>, <STEM>, <ctype>, <argument>"),
        rows("TF_ERRHANDLER", own(CALLERS), "<stem>, <object>, <STEM>, <ctype>"),
        rows("TF_PREDEFINED", HOLDERS, "<STEM>, <object>"),
    ])
