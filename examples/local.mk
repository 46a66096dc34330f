# The programs that the README walks through; maint/quickstart compiles and runs them with an installed Treefold.
EXTRA_DIST += \
	examples/README.md \
	examples/check \
	examples/run.list \
	examples/complex_product.c \
	examples/dot_product.c \
	examples/gather.c \
	examples/matrix_vector.c \
	examples/maxloc.c \
	examples/minloc.c \
	examples/reduce_local.c \
	examples/reduce_scatter.c \
	examples/statistics.c \
	examples/temperatures.csv \
	examples/temperatures.py \
	examples/expected/complex_product.txt \
	examples/expected/dot_product.txt \
	examples/expected/gather.txt \
	examples/expected/matrix_vector.txt \
	examples/expected/maxloc.txt \
	examples/expected/minloc.txt \
	examples/expected/reduce_local.txt \
	examples/expected/reduce_scatter.txt \
	examples/expected/statistics.txt \
	examples/par_blas1.f \
	examples/expected/par_blas1.f.txt \
	examples/par_blas2.f \
	examples/expected/par_blas2.f.txt \
	examples/maxloc.f \
	examples/expected/maxloc.f.txt \
	examples/user_operator.f \
	examples/expected/user_operator.f.txt \
	examples/gather.f90 \
	examples/expected/gather.f90.txt \
	examples/reduce_scatter.f90 \
	examples/expected/reduce_scatter.f90.txt
