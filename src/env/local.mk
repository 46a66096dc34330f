core_sources += \
	src/env/env.c \
	src/env/env.h \
	src/env/facts.c \
	src/env/fork.c \
	src/env/fork.h \
	src/env/fortran.c \
	src/env/open.c \
	src/env/open.h \
	src/env/pset.c \
	src/env/session.c \
	src/env/session.h \
	src/env/waits.c \
	src/env/waits.h \
	src/env/waits_peers.c \
	src/env/why.c \
	src/env/why.h
