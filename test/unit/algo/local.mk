unit_tests += test/unit/algo/test_levels test/unit/algo/test_algo
test_unit_algo_test_algo_SOURCES = test/unit/algo/test_algo.c
test_unit_algo_test_levels_SOURCES = test/unit/algo/test_levels.c
