unit_tests += test/unit/cmd/test_tune
test_unit_cmd_test_tune_SOURCES = test/unit/cmd/test_tune.c src/cmd/tune_results.c
