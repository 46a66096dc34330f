unit_tests += \
	test/unit/op/test_binned \
	test/unit/op/test_kernels \
	test/unit/op/test_op \
	test/unit/op/test_extremes

test_unit_op_test_binned_SOURCES = test/unit/op/test_binned.c
test_unit_op_test_kernels_SOURCES = test/unit/op/test_kernels.c test/unit/op/reference.c test/unit/op/reference.h
test_unit_op_test_op_SOURCES = test/unit/op/test_op.c
test_unit_op_test_extremes_SOURCES = test/unit/op/test_extremes.c test/unit/op/reference.c test/unit/op/reference.h
