unit_tests += test/unit/coll/test_call test/unit/coll/test_rules test/unit/coll/test_select
test_unit_coll_test_call_SOURCES = test/unit/coll/test_call.c
test_unit_coll_test_rules_SOURCES = test/unit/coll/test_rules.c
test_unit_coll_test_select_SOURCES = test/unit/coll/test_select.c
