unit_tests += test/unit/topo/test_topo
test_unit_topo_test_topo_SOURCES = test/unit/topo/test_topo.c
