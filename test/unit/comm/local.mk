# test_group needs nothing but the core; the others play ranks with fake.c.
unit_tests += \
	test/unit/comm/test_attr \
	test/unit/comm/test_comm \
	test/unit/comm/test_errors \
	test/unit/comm/test_group \
	test/unit/comm/test_part

fakes = test/unit/comm/fake.c test/unit/comm/fake.h test/unit/comm/fake_others.h

test_unit_comm_test_attr_SOURCES = test/unit/comm/test_attr.c $(fakes)
test_unit_comm_test_comm_SOURCES = test/unit/comm/test_comm.c $(fakes)
test_unit_comm_test_errors_SOURCES = test/unit/comm/test_errors.c $(fakes)
test_unit_comm_test_group_SOURCES = test/unit/comm/test_group.c
test_unit_comm_test_part_SOURCES = test/unit/comm/test_part.c $(fakes)
