core_sources += \
	src/object/attr.c \
	src/object/attr.h \
	src/object/errhandler.c \
	src/object/errhandler.h \
	src/object/error_class.c \
	src/object/error_class.def \
	src/object/error_class.h \
	src/object/info.c \
	src/object/info.h \
	src/object/info_env.c \
	src/object/name.c \
	src/object/name.h
