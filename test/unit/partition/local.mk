unit_tests += test/unit/partition/test_marks
test_unit_partition_test_marks_SOURCES = test/unit/partition/test_marks.c
