# The API against the standard and against the library: run by maint/check.
EXTRA_DIST += test/api/arguments.c test/api/compare.py test/api/cxx.list test/api/cxx.py test/api/f08.py test/api/fortran.py test/api/mpi_h.py \
	test/api/run test/api/standard.py
