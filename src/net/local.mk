core_sources += \
    src/net/net.h src/net/net.c src/net/peers.h src/net/peers.c src/net/regions.h src/net/counts.h src/net/counts.c src/net/failure.h src/net/failure.c src/net/dead.c src/net/between.h src/net/between.c src/net/netmods.def src/net/kinds.def src/net/handler.h src/net/handler.c src/net/poll.c src/net/process.h src/net/process.c src/net/others.h src/net/others.c src/net/pset.h src/net/pset.c \
    src/net/ring.h src/net/awake.h src/net/awake.c src/net/pause.h src/net/pause.c \
    src/net/self/self.c src/net/shm/shm.h src/net/shm/shm.c src/net/shm/heaps.h src/net/shm/heaps.c \
    src/net/shm/sharer.h src/net/shm/sharer.c src/net/shm/aside.h src/net/shm/aside.c src/net/shm/errand.h src/net/shm/errand.c src/net/beside/beside.h src/net/beside/beside.c \
    src/net/tcp/tcp.h src/net/tcp/tcp.c src/net/tcp/link.c src/net/tcp/hello.c src/net/tcp/watch.c \
    src/net/remote/remote.h src/net/remote/links.c src/net/remote/rings.c src/net/remote/frames.c src/net/remote/packets.c \
    src/net/remote/key.c src/net/remote/address.c src/net/remote/beacon.c src/net/remote/doze.c
if TF_HAVE_UCX
core_sources += \
    src/net/ucx/ucx.h src/net/ucx/ucx.c src/net/ucx/library.c src/net/ucx/rma.c src/net/ucx/link.c \
    src/net/ucx/leave.c src/net/ucx/whole.c
endif

if TF_HAVE_OFI
core_sources += \
    src/net/ofi/ofi.h src/net/ofi/ofi.c src/net/ofi/provider.c src/net/ofi/endpoint.c src/net/ofi/send.c \
    src/net/ofi/receive.c src/net/ofi/rma.c src/net/ofi/leave.c
endif
