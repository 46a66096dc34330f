unit_tests += test/unit/launch/test_launch
test_unit_launch_test_launch_SOURCES = test/unit/launch/test_launch.c

unit_tests += test/unit/launch/test_bytes
test_unit_launch_test_bytes_SOURCES = test/unit/launch/test_bytes.c

unit_tests += test/unit/launch/test_deaths
test_unit_launch_test_deaths_SOURCES = test/unit/launch/test_deaths.c

unit_tests += test/unit/launch/test_program
test_unit_launch_test_program_SOURCES = test/unit/launch/test_program.c

unit_tests += test/unit/launch/test_combine
test_unit_launch_test_combine_SOURCES = test/unit/launch/test_combine.c

unit_tests += test/unit/launch/test_psets
test_unit_launch_test_psets_SOURCES = test/unit/launch/test_psets.c

unit_tests += test/unit/launch/test_soft
test_unit_launch_test_soft_SOURCES = test/unit/launch/test_soft.c
