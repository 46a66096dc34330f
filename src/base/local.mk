# The handle classes: written by maint/gen, which a release tarball need not do.
src/base/gen/handles.def: $(generator)
	$(AM_V_GEN)$(PYTHON3) -B $(srcdir)/maint/gen/generate_core.py src/base/gen
BUILT_SOURCES += src/base/gen/handles.def
MAINTAINERCLEANFILES += src/base/gen/handles.def

core_sources += \
	src/base/gen/handles.def \
	src/base/base.c \
	src/base/base.h \
	src/base/caller.c \
	src/base/caller.h \
	src/base/descriptors.c \
	src/base/descriptors.h \
	src/base/fatal.c \
	src/base/handle.c \
	src/base/handle.h \
	src/base/library.c \
	src/base/limit.c \
	src/base/limit.h \
	src/base/listen.c \
	src/base/listen.h \
	src/base/library.h \
	src/base/lines.c \
	src/base/lines.h \
	src/base/memory.h \
	src/base/lock.c \
	src/base/other.c \
	src/base/other.h \
	src/base/own.c \
	src/base/own.h \
	src/base/pages.c \
	src/base/pages.h \
	src/base/quota.c \
	src/base/quota.h \
	src/base/settings.c \
	src/base/settings.def \
	src/base/settings.h \
	src/base/status.h \
	src/base/stacked.c \
	src/base/stacked.h \
	src/base/yield.c \
	src/base/yield.h
