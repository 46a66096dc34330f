core_sources += \
	src/rma/active.c \
	src/rma/apply.c \
	src/rma/apply.h \
	src/rma/call.c \
	src/rma/call.h \
	src/rma/create.c \
	src/rma/direct.c \
	src/rma/direct.h \
	src/rma/dynamic.c \
	src/rma/dynamic.h \
	src/rma/epoch.c \
	src/rma/epoch.h \
	src/rma/lock.c \
	src/rma/lock.h \
	src/rma/memory.c \
	src/rma/memory.h \
	src/rma/op.c \
	src/rma/op.h \
	src/rma/serve.c \
	src/rma/serve.h \
	src/rma/share.c \
	src/rma/share.h \
	src/rma/watch.c \
	src/rma/watch.h \
	src/rma/win.c \
	src/rma/win.h \
	src/rma/wire.h
