unit_tests += test/unit/file/test_cursor
test_unit_file_test_cursor_SOURCES = test/unit/file/test_cursor.c test/unit/type/types.h
