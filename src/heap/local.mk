core_sources += \
	src/heap/blocks.c \
	src/heap/blocks.h \
	src/heap/heap.c \
	src/heap/heap.h \
	src/heap/region.c \
	src/heap/region.h
