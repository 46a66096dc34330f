# test_abandon plays the other ranks with the fake network of test/unit/msg.
unit_tests += test/unit/exec/test_abandon test/unit/exec/test_cache test/unit/exec/test_resolve
test_unit_exec_test_abandon_SOURCES = test/unit/exec/test_abandon.c $(fake_net)
test_unit_exec_test_cache_SOURCES = test/unit/exec/test_cache.c
test_unit_exec_test_resolve_SOURCES = test/unit/exec/test_resolve.c
