unit_tests += test/unit/machine/test_machine
test_unit_machine_test_machine_SOURCES = test/unit/machine/test_machine.c
