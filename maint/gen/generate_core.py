#!/usr/bin/env python3
"""Writes src/base/gen/handles.def: the handle classes as the library itself wants them.

    generate_core.py OUTPUT_DIRECTORY
"""

import os

import handle_types
import output


def main():
    (out,) = output.arguments(__doc__, 1)
    output.write(os.path.join(out, "handles.def"), handle_types.core_def())


if __name__ == "__main__":
    main()
