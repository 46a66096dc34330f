core_sources += \
	src/msg/absent.c \
	src/msg/absent.h \
	src/msg/accord.c \
	src/msg/accord.h \
	src/msg/await.c \
	src/msg/await.h \
	src/msg/buffered.c \
	src/msg/cancel.c \
	src/msg/complete.c \
	src/msg/credit.c \
	src/msg/fingerprint.c \
	src/msg/fingerprint.h \
	src/msg/fetch.c \
	src/msg/fetch.h \
	src/msg/gauge.c \
	src/msg/gauge.h \
	src/msg/habit.c \
	src/msg/habit.h \
	src/msg/generalized.c \
	src/msg/history.c \
	src/msg/history.h \
	src/msg/id.c \
	src/msg/index.c \
	src/msg/index.h \
	src/msg/lead.c src/msg/lead.h \
	src/msg/leftover.c src/msg/leave.h src/msg/leave.c \
	src/msg/lost.c src/msg/lost.h \
	src/msg/match.c \
	src/msg/match.h \
	src/msg/meet.c \
	src/msg/meet.h \
	src/msg/msg.h \
	src/msg/out.c \
	src/msg/peer.c \
	src/msg/peer.h \
	src/msg/point.c \
	src/msg/probe.c \
	src/msg/progress.c \
	src/msg/progress.h \
	src/msg/pull.c \
	src/msg/queue.c \
	src/msg/queue.h \
	src/msg/request.c \
	src/msg/request.h \
	src/msg/revoked.c src/msg/revoked.h \
	src/msg/send.c \
	src/msg/setup.c \
	src/msg/share.c \
	src/msg/share.h \
	src/msg/spare.c \
	src/msg/spare.h \
	src/msg/terms.c \
	src/msg/terms.h \
	src/msg/thread.c \
	src/msg/thread.h \
	src/msg/transfer.h \
	src/msg/unwanted.c \
	src/msg/unwanted.h \
	src/msg/wire.h
