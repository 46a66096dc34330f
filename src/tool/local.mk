core_sources += \
	src/tool/categories.def \
	src/tool/category.c \
	src/tool/cvar.c \
	src/tool/enum.c \
	src/tool/event.c \
	src/tool/event.h \
	src/tool/events.def \
	src/tool/pvar.c \
	src/tool/pvar.h \
	src/tool/pvars.def \
	src/tool/session.c \
	src/tool/source.c \
	src/tool/tool.c \
	src/tool/tool.h
