unit_tests += test/unit/base/test_base test/unit/base/test_descriptors test/unit/base/test_handle test/unit/base/test_lock test/unit/base/test_settings test/unit/base/test_stacked test/unit/base/test_yield
test_unit_base_test_base_SOURCES = test/unit/base/test_base.c
test_unit_base_test_descriptors_SOURCES = test/unit/base/test_descriptors.c
test_unit_base_test_handle_SOURCES = test/unit/base/test_handle.c
test_unit_base_test_lock_SOURCES = test/unit/base/test_lock.c
test_unit_base_test_settings_SOURCES = test/unit/base/test_settings.c
test_unit_base_test_stacked_SOURCES = test/unit/base/test_stacked.c
test_unit_base_test_yield_SOURCES = test/unit/base/test_yield.c
