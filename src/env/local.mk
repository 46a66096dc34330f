core_sources += \
	src/env/env.c \
	src/env/env.h \
	src/env/facts.c \
	src/env/fortran.c \
	src/env/open.c \
	src/env/open.h \
	src/env/report.c \
	src/env/pset.c \
	src/env/report.h \
	src/env/session.c \
	src/env/session.h
