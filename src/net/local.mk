core_sources += \
    src/net/net.h src/net/net.c src/net/poll.c src/net/netmods.def src/net/ring.h src/net/wait.c src/net/waiting.h \
    src/net/self/self.c src/net/shm/shm.c src/net/shm/quota.h src/net/shm/quota.c \
    src/net/tcp/tcp.h src/net/tcp/tcp.c src/net/tcp/link.c src/net/tcp/hello.c src/net/tcp/address.c \
    src/net/tcp/prove.c src/net/tcp/watch.c
