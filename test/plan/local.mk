# All algorithms proved; broken plans rejected.
plain_tests += test/plan/prove test/plan/reject
test_plan_prove_SOURCES = test/plan/graphs.c test/plan/graphs.h test/plan/prove.c
test_plan_reject_SOURCES = test/plan/reject.c
