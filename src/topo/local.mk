core_sources += \
	src/topo/cart.c \
	src/topo/dims.c \
	src/topo/dist_graph.c \
	src/topo/graph.c \
	src/topo/neighbors.c \
	src/topo/grid.h \
	src/topo/levels.c \
	src/topo/make.c \
	src/topo/make.h \
	src/topo/place.h \
	src/topo/place_graph.c \
	src/topo/place_grid.c \
	src/topo/topo.c \
	src/topo/topo.h
