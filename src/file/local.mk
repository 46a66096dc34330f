core_sources += \
	src/file/cursor.c \
	src/file/cursor.h \
	src/file/file.h \
	src/file/shared.h \
	src/file/stream.h \
	src/file/worker.h
