unit_tests += test/unit/topo/test_dims test/unit/topo/test_place
test_unit_topo_test_dims_SOURCES = test/unit/topo/test_dims.c
test_unit_topo_test_place_SOURCES = test/unit/topo/test_place.c
