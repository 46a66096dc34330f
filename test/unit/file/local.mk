unit_tests += \
	test/unit/file/test_cursor \
	test/unit/file/test_rounds \
	test/unit/file/test_spread \
	test/unit/file/test_stretch
test_unit_file_test_cursor_SOURCES = test/unit/file/test_cursor.c test/unit/type/types.h
test_unit_file_test_rounds_SOURCES = test/unit/file/test_rounds.c
test_unit_file_test_spread_SOURCES = test/unit/file/test_spread.c
test_unit_file_test_stretch_SOURCES = test/unit/file/test_stretch.c test/unit/type/types.h
