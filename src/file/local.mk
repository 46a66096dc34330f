core_sources += \
	src/file/access.c \
	src/file/agree.c \
	src/file/begin.c \
	src/file/cursor.c \
	src/file/cursor.h \
	src/file/datarep.c \
	src/file/datarep.h \
	src/file/disk.c \
	src/file/file.h \
	src/file/hints.c \
	src/file/hints.def \
	src/file/manage.c \
	src/file/open.c \
	src/file/operation.h \
	src/file/pointer.c \
	src/file/shared.c \
	src/file/shared.h \
	src/file/stream.c \
	src/file/stream.h \
	src/file/system.c \
	src/file/system.h \
	src/file/systems.def \
	src/file/view.c \
	src/file/view.h \
	src/file/worker.c \
	src/file/worker.h
