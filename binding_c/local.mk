# The C binding: written by maint/gen from maint/api into binding_c/gen, except for what is irregular or shared.
# A release tarball ships binding_c/gen, so that building it needs no Python.

binding_sources += $(binding_c_chapters) binding_c/check.c binding_c/small_convert.c binding_c/small_env.c \
	binding_c/small_status.c
binding_headers += binding_c/call.h binding_c/check.h
include_HEADERS += binding_c/gen/mpi.h binding_c/mpi-ext.h
BUILT_SOURCES += binding_c/gen/mpi.h $(binding_c_chapters)

# The stamp is older than what it stands for, so that the files count as up to date wherever they are found.
binding_c/gen/stamp: $(api) $(generator)
	$(AM_V_GEN)$(MKDIR_P) binding_c/gen && touch $@.tmp && \
	$(PYTHON3) -B $(srcdir)/maint/gen/generate_c.py $(srcdir)/maint/api binding_c/gen && mv -f $@.tmp $@

$(binding_c_chapters) binding_c/gen/mpi.h: binding_c/gen/stamp
	@test -f $@ || { rm -f binding_c/gen/stamp && $(MAKE) $(AM_MAKEFLAGS) binding_c/gen/stamp; }

EXTRA_DIST += binding_c/gen/stamp
MAINTAINERCLEANFILES += $(binding_c_chapters) binding_c/gen/mpi.h binding_c/gen/stamp
