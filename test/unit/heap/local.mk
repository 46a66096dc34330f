unit_tests += test/unit/heap/test_blocks test/unit/heap/test_heap
test_unit_heap_test_blocks_SOURCES = test/unit/heap/test_blocks.c
test_unit_heap_test_heap_SOURCES = test/unit/heap/test_heap.c
