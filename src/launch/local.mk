core_sources += \
	src/launch/board.h src/launch/bytes.c \
	src/launch/client.h src/launch/deaths.h src/launch/deaths.c \
	src/launch/combine.c \
	src/launch/combine.h \
	src/launch/launch.c \
	src/launch/launch.h \
	src/launch/nodes.c \
	src/launch/nodes.h \
	src/launch/pmi1.h src/launch/pmi1.c src/launch/pmi1_grow.c src/launch/pmi1_psets.c \
	src/launch/pmix.h src/launch/pmix.c \
	src/launch/program.h src/launch/program.c src/launch/psets.h src/launch/psets.c \
	src/launch/singleton.c \
	src/launch/soft.h src/launch/soft.c
if TF_HAVE_PMIX
core_sources += src/launch/pmix_grow.c src/launch/pmix_psets.c
endif
