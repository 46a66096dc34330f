# Fortran: mpif.h and `use mpi`, written by maint/gen from maint/api into binding_f77/gen, except for what is irregular.
fortran_sources += binding_f77/fortran.h binding_f77/special.c binding_f77/strings.c
EXTRA_DIST += binding_f77/README.md
