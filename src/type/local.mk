core_sources += \
	src/type/basic.def \
	src/type/basic.h \
	src/type/build.c \
	src/type/build.h \
	src/type/construct.c \
	src/type/construct.h \
	src/type/contents.c \
	src/type/contents.h \
	src/type/count.c \
	src/type/cursor.c \
	src/type/cursor.h \
	src/type/external32.c \
	src/type/f90.c \
	src/type/foreign.c \
	src/type/foreign.h \
	src/type/grid.c \
	src/type/measure.c \
	src/type/nest.c \
	src/type/nest.h \
	src/type/pack.c \
	src/type/predefined.c \
	src/type/predefined.def \
	src/type/runs.c \
	src/type/runs.h \
	src/type/type.c \
	src/type/type.h
