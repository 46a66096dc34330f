core_sources += \
	src/comm/attr_world.c \
	src/comm/comm.c \
	src/comm/comm.h \
	src/comm/group.c \
	src/comm/group.h \
	src/comm/hints.c \
	src/comm/hints.h \
	src/comm/part.c \
	src/comm/part.h
