# Fortran: `use mpi_f08`.
EXTRA_DIST += binding_f08/README.md
