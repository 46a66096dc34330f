core_sources += \
    src/msg/msg.h src/msg/wire.h src/msg/request.h \
    src/msg/fingerprint.h src/msg/fingerprint.c src/msg/id.c src/msg/out.c src/msg/match.c src/msg/progress.c src/msg/request.c src/msg/complete.c \
    src/msg/history.h src/msg/history.c src/msg/mismatch.h src/msg/mismatch.c src/msg/thread.h src/msg/thread.c src/msg/point.c src/msg/probe.c src/msg/buffered.c src/msg/cancel.c src/msg/pull.c src/msg/generalized.c
