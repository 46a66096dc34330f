core_sources += \
	src/env/env.c \
	src/env/env.h \
	src/env/facts.c
