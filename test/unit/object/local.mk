# Attributes and error handlers are tested on communicators, in test/unit/comm/.
unit_tests += test/unit/object/test_info
test_unit_object_test_info_SOURCES = test/unit/object/test_info.c
