core_sources += \
	src/survive/agree.c \
	src/survive/failed.c \
	src/survive/hearing.c \
	src/survive/pact.c src/survive/pact.h src/survive/pact_state.h \
	src/survive/revoke.c src/survive/revoke.h \
	src/survive/sheet.c src/survive/sheet.h \
	src/survive/shrink.c \
	src/survive/survive.c src/survive/survive.h
