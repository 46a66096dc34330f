# The tests.  Programs that `make check` builds and runs are in unit/ and plan/; the others need an installation and are
# run by maint/check.
EXTRA_DIST += \
	test/built.py \
	test/compilers \
	test/dist.sh \
	test/filter.h \
	test/layers \
	test/names \
	test/numbers.h \
	test/races \
	test/unit/run

include test/unit/local.mk
include test/plan/local.mk
include test/api/local.mk
include test/mpi/local.mk
include test/clients/local.mk
include test/net/local.mk
include test/cmd/local.mk
include test/man/local.mk
include test/bench/local.mk
