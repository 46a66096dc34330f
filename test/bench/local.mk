# The benchmark: test/bench/compare builds its programs itself, for each MPI library that is installed.
EXTRA_DIST += \
	test/bench/compare \
	test/bench/library.py \
	test/bench/targets.py \
	test/bench/draw.py \
	test/bench/bench.c \
	test/bench/calls.c \
	test/bench/calls.h \
	test/bench/reductions.c \
	test/bench/common.h \
	test/bench/limits.c \
	test/bench/startup.c \
	test/bench/starts \
	test/bench/network \
	test/bench/network.c \
	test/bench/operators \
	test/bench/operators.c \
	test/bench/heap \
	test/bench/settings \
	test/bench/overlap.c \
	test/bench/packing \
	test/bench/packing.c \
	test/bench/rates \
	test/bench/rates.c \
	test/bench/threads \
	test/bench/threads.c \
	test/bench/instructions \
	test/bench/instructions.c \
	test/bench/instructions_cxx.cc \
	test/bench/windows \
	test/bench/windows.c \
	test/bench/files \
	test/bench/files.c \
	test/bench/fortran \
	test/bench/fortran_calls.c \
	test/bench/fortran_f08.f90 \
	test/bench/fortran_mpif.f

# A program without suffix beside a source of its name: make's own rule would compile the one to the other.
test/bench/files test/bench/network test/bench/instructions test/bench/operators test/bench/packing test/bench/rates test/bench/threads test/bench/windows test/mpi/noop: ;
