core_sources += \
    src/msg/msg.h src/msg/wire.h src/msg/peer.h src/msg/peer.c src/msg/transfer.h src/msg/match.h src/msg/progress.h src/msg/request.h \
    src/msg/terms.h src/msg/terms.c src/msg/fingerprint.h src/msg/fingerprint.c src/msg/setup.c src/msg/id.c src/msg/leftover.c src/msg/credit.c src/msg/out.c src/msg/match.c src/msg/progress.c src/msg/request.c src/msg/complete.c \
    src/msg/await.h src/msg/await.c src/msg/history.h src/msg/history.c src/msg/accord.h src/msg/accord.c src/msg/thread.h src/msg/thread.c src/msg/point.c src/msg/probe.c src/msg/buffered.c src/msg/cancel.c src/msg/pull.c src/msg/generalized.c
