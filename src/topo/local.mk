core_sources += \
	src/topo/topo.c \
	src/topo/topo.h
