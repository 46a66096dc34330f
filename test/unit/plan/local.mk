unit_tests += test/unit/plan/test_build test/unit/plan/test_depend test/unit/plan/test_price test/unit/plan/test_costs \
	test/unit/plan/test_value test/unit/plan/test_network test/unit/plan/test_price_network
test_unit_plan_test_build_SOURCES = test/unit/plan/test_build.c
test_unit_plan_test_depend_SOURCES = test/unit/plan/test_depend.c
test_unit_plan_test_costs_SOURCES = test/unit/plan/test_costs.c
test_unit_plan_test_value_SOURCES = test/unit/plan/test_value.c
test_unit_plan_test_price_SOURCES = test/unit/plan/test_price.c
test_unit_plan_test_network_SOURCES = test/unit/plan/test_network.c
test_unit_plan_test_price_network_SOURCES = test/unit/plan/test_price_network.c
