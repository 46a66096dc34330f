unit_tests += test/unit/cmd/test_tune
test_unit_cmd_test_tune_SOURCES = test/unit/cmd/test_tune.c src/cmd/tune_results.c
unit_tests += test/unit/cmd/test_why
test_unit_cmd_test_why_SOURCES = test/unit/cmd/test_why.c src/cmd/why_graph.c src/cmd/why_read.c src/cmd/why_report.c \
	src/cmd/why_verdict.c
