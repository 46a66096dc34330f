# Of the manual pages; maint/check runs test/man/run.
EXTRA_DIST += \
	test/man/examples.py \
	test/man/fortran.py \
	test/man/run \
	test/man/types.py \
	test/man/words.py
