# test_shm, test_tcp, test_beacon, test_packets and test_between include sources whose functions are static; the others
# use the ring, the waiting and the handlers alone.
unit_tests += test/unit/net/test_aside test/unit/net/test_beacon test/unit/net/test_beside test/unit/net/test_between test/unit/net/test_failure test/unit/net/test_frames test/unit/net/test_handler test/unit/net/test_packets test/unit/net/test_pause test/unit/net/test_peers test/unit/net/test_ring test/unit/net/test_shm test/unit/net/test_tcp
test_unit_net_test_aside_SOURCES = test/unit/net/test_aside.c
test_unit_net_test_beacon_SOURCES = test/unit/net/test_beacon.c
test_unit_net_test_beside_SOURCES = test/unit/net/test_beside.c
test_unit_net_test_between_SOURCES = test/unit/net/test_between.c
test_unit_net_test_failure_SOURCES = test/unit/net/test_failure.c
test_unit_net_test_frames_SOURCES = test/unit/net/test_frames.c test/unit/net/empty_ring.h
test_unit_net_test_handler_SOURCES = test/unit/net/test_handler.c
test_unit_net_test_packets_SOURCES = test/unit/net/test_packets.c test/unit/net/empty_ring.h
test_unit_net_test_peers_SOURCES = test/unit/net/test_peers.c
test_unit_net_test_ring_SOURCES = test/unit/net/test_ring.c test/unit/net/empty_ring.h
test_unit_net_test_shm_SOURCES = test/unit/net/test_shm.c
test_unit_net_test_tcp_SOURCES = test/unit/net/test_tcp.c test/unit/net/empty_ring.h
test_unit_net_test_pause_SOURCES = test/unit/net/test_pause.c
if TF_HAVE_OFI
unit_tests += test/unit/net/test_ofi
test_unit_net_test_ofi_SOURCES = test/unit/net/test_ofi.c
endif
if TF_HAVE_UCX
unit_tests += test/unit/net/test_ucx
test_unit_net_test_ucx_SOURCES = test/unit/net/test_ucx.c
endif
