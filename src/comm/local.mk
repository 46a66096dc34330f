core_sources += \
	src/comm/attr.c \
	src/comm/attr.h \
	src/comm/comm.c \
	src/comm/comm.h \
	src/comm/errhandler.c \
	src/comm/errhandler.h \
	src/comm/error_class.c \
	src/comm/error_class.def \
	src/comm/error_class.h \
	src/comm/group.c \
	src/comm/group.h \
	src/comm/info.c \
	src/comm/info.h \
	src/comm/info_env.c
