unit_tests += test/unit/rma/test_share
test_unit_rma_test_share_SOURCES = test/unit/rma/test_share.c
unit_tests += test/unit/rma/test_share_lock
test_unit_rma_test_share_lock_SOURCES = test/unit/rma/test_share_lock.c
