unit_tests += test/unit/survive/test_revoke
test_unit_survive_test_revoke_SOURCES = test/unit/survive/test_revoke.c $(fake_net)
