core_sources += \
	src/dynamic/connect.c \
	src/dynamic/connect.h \
	src/dynamic/dynamic.h \
	src/dynamic/join.c \
	src/dynamic/line.c \
	src/dynamic/line.h \
	src/dynamic/names.c \
	src/dynamic/order.c \
	src/dynamic/order.h \
	src/dynamic/port.c \
	src/dynamic/port.h \
	src/dynamic/spawn.c
