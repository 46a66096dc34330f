"""The handle classes of MPI: a row each, of which finders, conversions, error classes, the procedures for attributes,
error handlers, names and hints, callbacks, and the types of mpi_f08 are made (README.md beside this file says where).

A class that Treefold has (`header`) needs besides its row a chapter in maint/api and a folder or file in src/ with
`struct tf_<object>` and `struct tf_pool tf_<object>_pool`; of the others only the names and the predefined handles are
known, which tell what a wrong handle is.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Handle:
    name: str  # Datatype: of the C type MPI_Datatype and the Fortran type TYPE(MPI_Datatype)
    word: str  # "datatype", in messages and manual pages
    first: int  # the range that the ABI gives its predefined handles (MPI-5.0 chapter 20); the first is the null handle
    last: int
    stem: str = ""  # Type: of procedures, MPI_Type_dup; the name if not said
    header: str = ""  # of src/, which says what an object is: Treefold has this class
    kind: str = ""  # of an argument that may be any such object (kinds.py); `object` if not said
    errclass: str = ""  # MPI_ERR_ and the stem if not said
    attributes: bool = False  # it caches attributes: MPI_<stem>_create_keyval, ..., MPI_<STEM>_DUP_FN
    errhandler: bool = False  # errors can be raised on it: MPI_<stem>_create_errhandler, ...
    name_in: str = ""  # its objects have names, in this member: MPI_<stem>_set_name, MPI_<stem>_get_name
    info: bool = False  # it tells the hints in force, its member `info`: MPI_<stem>_get_info
    hints: bool = False  # it takes hints: MPI_<stem>_set_info
    called: str = ""  # fh: what the standard calls an argument of it there; `argument` if not said

    def __post_init__(self):
        object.__setattr__(self, "stem", self.stem or self.name)
        object.__setattr__(self, "errclass", self.errclass or f"MPI_ERR_{self.stem.upper()}")
        object.__setattr__(self, "kind", self.kind or self.object)
        object.__setattr__(self, "called", self.called or self.argument)

    @property
    def own(self):
        return self.header != ""

    @property
    def ctype(self):
        return "MPI_" + self.name

    @property
    def object(self):
        """type: of struct tf_type, tf_type_pool, find_type() and of the kind of arguments."""
        return self.stem.lower()

    @property
    def argument(self):
        """datatype: what the standard calls an argument of this class."""
        return self.name.lower()

    @property
    def null(self):
        return f"MPI_{self.name.upper()}_NULL"

    @property
    def a_word(self):
        return ("an " if self.word[0] in "aeio" else "a ") + self.word

    @property
    def words(self):
        return self.word + "s"

    @property
    def range(self):
        return f"{self.first:#x}, {self.last:#x}"

    def fill(self, text):
        """A text with <stem>, <words> and the like filled in, and with <STEM> in upper case: MPI_<STEM>_DUP_FN."""
        for field in ("ctype", "name", "stem", "object", "argument", "called", "null", "word", "a_word", "words", "range",
                      "errclass", "kind", "name_in"):
            value = getattr(self, field)
            text = text.replace(f"<{field}>", value).replace(f"<{field.upper()}>", value.upper())
        return text


HANDLES = (
    Handle("Comm", "communicator", 0x100, 0x107, header="comm/comm.h", attributes=True, errhandler=True, name_in="name",
           info=True, hints=True),
    Handle("Group", "group", 0x108, 0x10F, header="comm/comm.h"),
    Handle("Datatype", "datatype", 0x200, 0x3FF, header="type/type.h", stem="Type", kind="anytype", attributes=True,
           name_in="contents->name"),
    Handle("Op", "operator", 0x020, 0x03F, header="op/op.h"),
    Handle("Request", "request", 0x180, 0x187, header="msg/msg.h"),
    Handle("Errhandler", "error handler", 0x140, 0x147, header="object/errhandler.h"),
    Handle("Info", "info object", 0x130, 0x137, header="object/info.h"),
    Handle("Message", "message", 0x128, 0x12F, header="msg/msg.h", errclass="MPI_ERR_REQUEST"),
    Handle("Win", "window", 0x110, 0x117, header="rma/win.h", attributes=True, errhandler=True, name_in="name", info=True, hints=True),
    Handle("File", "file", 0x118, 0x11F, header="file/file.h", kind="anyfile", errhandler=True, info=True, hints=True,
           called="fh"),
    Handle("Session", "session", 0x120, 0x127, header="env/session.h", errhandler=True),
)
BY_TYPE = {h.ctype: h for h in HANDLES}
OWN = tuple(h for h in HANDLES if h.own)
