core_sources += \
	src/base/base.c \
	src/base/base.h \
	src/base/handle.c \
	src/base/handle.h \
	src/base/library.c \
	src/base/library.h \
	src/base/memory.h \
	src/base/lock.c \
	src/base/settings.c \
	src/base/settings.def \
	src/base/settings.h \
	src/base/status.h
