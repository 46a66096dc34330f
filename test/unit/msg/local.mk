# All of them play a job of several ranks with fake_net.c.
unit_tests += \
	test/unit/msg/test_absent \
	test/unit/msg/test_await \
	test/unit/msg/test_buffered \
	test/unit/msg/test_credit \
	test/unit/msg/test_fetch \
	test/unit/msg/test_fingerprint \
	test/unit/msg/test_gauge \
	test/unit/msg/test_habit \
	test/unit/msg/test_lead \
	test/unit/msg/test_match \
	test/unit/msg/test_protocol \
	test/unit/msg/test_pull \
	test/unit/msg/test_queue \
	test/unit/msg/test_request \
	test/unit/msg/test_share \
	test/unit/msg/test_spare \
	test/unit/msg/test_terms

fake_net = test/unit/msg/fake_net.c test/unit/msg/fake_net.h test/unit/net/empty_ring.h

test_unit_msg_test_absent_SOURCES = test/unit/msg/test_absent.c
test_unit_msg_test_await_SOURCES = test/unit/msg/test_await.c $(fake_net)
test_unit_msg_test_buffered_SOURCES = test/unit/msg/test_buffered.c $(fake_net)
test_unit_msg_test_credit_SOURCES = test/unit/msg/test_credit.c $(fake_net)
test_unit_msg_test_fingerprint_SOURCES = test/unit/msg/test_fingerprint.c $(fake_net)
test_unit_msg_test_gauge_SOURCES = test/unit/msg/test_gauge.c $(fake_net)
test_unit_msg_test_habit_SOURCES = test/unit/msg/test_habit.c
test_unit_msg_test_lead_SOURCES = test/unit/msg/test_lead.c $(fake_net)
test_unit_msg_test_match_SOURCES = test/unit/msg/test_match.c $(fake_net)
test_unit_msg_test_protocol_SOURCES = test/unit/msg/test_protocol.c $(fake_net)
test_unit_msg_test_fetch_SOURCES = test/unit/msg/test_fetch.c $(fake_net)
test_unit_msg_test_pull_SOURCES = test/unit/msg/test_pull.c $(fake_net)
test_unit_msg_test_queue_SOURCES = test/unit/msg/test_queue.c test/mpi/c/scarce.h
test_unit_msg_test_request_SOURCES = test/unit/msg/test_request.c $(fake_net)
test_unit_msg_test_share_SOURCES = test/unit/msg/test_share.c $(fake_net)
test_unit_msg_test_spare_SOURCES = test/unit/msg/test_spare.c
test_unit_msg_test_terms_SOURCES = test/unit/msg/test_terms.c $(fake_net)
