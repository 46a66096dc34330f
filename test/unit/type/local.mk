unit_tests += \
	test/unit/type/test_predefined \
	test/unit/type/test_represent \
	test/unit/type/test_construct \
	test/unit/type/test_contents \
	test/unit/type/test_count \
	test/unit/type/test_external32 \
	test/unit/type/test_nest \
	test/unit/type/test_random
test_unit_type_test_predefined_SOURCES = test/unit/type/test_predefined.c test/unit/type/types.h
test_unit_type_test_represent_SOURCES = test/unit/type/test_represent.c test/unit/type/types.h
test_unit_type_test_construct_SOURCES = test/unit/type/test_construct.c test/unit/type/types.h
test_unit_type_test_contents_SOURCES = test/unit/type/test_contents.c test/unit/type/types.h
test_unit_type_test_count_SOURCES = test/unit/type/test_count.c test/unit/type/types.h
test_unit_type_test_external32_SOURCES = test/unit/type/test_external32.c test/unit/type/types.h
test_unit_type_test_nest_SOURCES = test/unit/type/test_nest.c test/unit/type/types.h test/mpi/c/scarce.h
test_unit_type_test_random_SOURCES = test/unit/type/test_random.c test/unit/type/types.h
