"""Where a build has the objects of the library, for test/names and test/layers."""
import os


def object_of(build, source):
    """The object that is made for the shared library of a source, both relative to the top; None: not in this build."""
    folder, name = os.path.split(source)
    made = os.path.join(build, folder, ".libs", "libtreefold_core_la-" + name[:-1] + "o")
    return made if os.path.exists(made) else None
