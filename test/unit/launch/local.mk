unit_tests += test/unit/launch/test_launch
test_unit_launch_test_launch_SOURCES = test/unit/launch/test_launch.c
