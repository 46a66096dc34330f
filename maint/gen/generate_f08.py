#!/usr/bin/env python3
"""Writes binding_f08/gen, the generated part of `use mpi_f08`.

    generate_f08.py API_DIRECTORY OUTPUT_DIRECTORY

    mpi_f08_types.f90       the types of handles and their comparison
    mpi_f08_constants.f90   the constants
    mpi_f08_callbacks.f90   the functions that a program gives to MPI, from mpi_f08_callbacks.f90.in
    mpi_f08_interfaces.f90  each procedure's generic and specific interfaces, pmpi_f08_interfaces.f90 those of PMPI
    f08_CHAPTER.c           the specific procedures

A specific procedure has the name that MPI-5.0 section 19.1.5 gives it, MPI_Send_f08ts, and Fortran's own calling
convention, so that a profiling tool can replace it with a subroutine in Fortran.
"""

import os

import api
import constants
import f08_c
import f08_modules
import f08_procedures
import output


def main():
    data, out = output.arguments(__doc__, 2)
    chapters = api.read(data)
    procedures = [p for chapter in chapters for p in f08_procedures.specifics(chapter)]
    modules = {
        "types": f08_modules.write_types(),
        "constants": f08_modules.write_constants(constants.read(data)),
        "callbacks": f08_modules.write_callbacks(data),
        "interfaces": f08_modules.write_interfaces(procedures, ""),
    }
    for name, text in modules.items():
        output.write(os.path.join(out, f"mpi_f08_{name}.f90"), text)
    output.write(os.path.join(out, "pmpi_f08_interfaces.f90"), f08_modules.write_interfaces(procedures, "P"))
    for chapter in chapters:
        output.write(os.path.join(out, f"f08_{chapter.name}.c"), f08_c.write_chapter(chapter))


if __name__ == "__main__":
    main()
