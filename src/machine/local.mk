core_sources += \
	src/machine/machine.c \
	src/machine/machine.h
