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
	examples/expected/statistics.txt
