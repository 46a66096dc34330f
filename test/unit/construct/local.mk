unit_tests += test/unit/construct/test_newcomm
test_unit_construct_test_newcomm_SOURCES = test/unit/construct/test_newcomm.c $(fakes)
