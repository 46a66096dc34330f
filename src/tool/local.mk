core_sources += \
	src/tool/categories.def \
	src/tool/category.c \
	src/tool/cvar.c \
	src/tool/enum.c \
	src/tool/tool.c \
	src/tool/tool.h
