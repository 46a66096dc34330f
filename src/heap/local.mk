core_sources += \
	src/heap/arena.c \
	src/heap/arena.h \
	src/heap/blocks.c \
	src/heap/blocks.h \
	src/heap/heap.c \
	src/heap/heap.h \
	src/heap/region.c \
	src/heap/region.h

# What mpiexec -share-heap preloads: a malloc, which must not be taken for the compiler's own.
if SHARE_MALLOC
pkglib_LTLIBRARIES += libtreefold_malloc.la
libtreefold_malloc_la_SOURCES = \
	src/base/settings.c \
	src/heap/arena.c \
	src/heap/blocks.c \
	src/heap/preload.c \
	src/heap/region.c
libtreefold_malloc_la_CFLAGS = $(AM_CFLAGS) -fno-builtin
libtreefold_malloc_la_LDFLAGS = $(AM_LDFLAGS) -module -shared -avoid-version
endif
