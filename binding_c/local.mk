# The C binding: written by maint/gen from maint/api into binding_c/gen, except for what is irregular or shared.
# A release tarball ships binding_c/gen, so that building it needs no Python.

binding_c_generated = \
	binding_c/gen/attr.c binding_c/gen/coll.c binding_c/gen/comm.c binding_c/gen/env.c binding_c/gen/error.c \
	binding_c/gen/group.c binding_c/gen/info.c binding_c/gen/op.c binding_c/gen/pt2pt.c binding_c/gen/request.c \
	binding_c/gen/type.c
binding_sources += $(binding_c_generated) binding_c/check.c binding_c/small_convert.c binding_c/small_env.c \
	binding_c/small_status.c
binding_headers += binding_c/call.h binding_c/check.h
include_HEADERS += binding_c/gen/mpi.h
BUILT_SOURCES += binding_c/gen/mpi.h $(binding_c_generated)

binding_c_api = \
	maint/api/attr.api maint/api/chapters maint/api/coll.api maint/api/comm.api maint/api/constants.api \
	maint/api/convert.api maint/api/env.api maint/api/error.api maint/api/group.api maint/api/info.api \
	maint/api/mpi.h.in maint/api/op.api maint/api/pt2pt.api maint/api/request.api maint/api/type.api
binding_c_generator = \
	maint/gen/api.py maint/gen/bindings.py maint/gen/constants.py maint/gen/generate.py maint/gen/kinds.py

# The stamp is older than what it stands for, so that the files count as up to date wherever they are found.
binding_c/gen/stamp: $(binding_c_api) $(binding_c_generator)
	$(AM_V_GEN)$(MKDIR_P) binding_c/gen && touch $@.tmp && \
	$(PYTHON3) -B $(srcdir)/maint/gen/generate.py $(srcdir)/maint/api binding_c/gen && mv -f $@.tmp $@

$(binding_c_generated) binding_c/gen/mpi.h: binding_c/gen/stamp
	@test -f $@ || { rm -f binding_c/gen/stamp && $(MAKE) $(AM_MAKEFLAGS) binding_c/gen/stamp; }

EXTRA_DIST += binding_c/gen/stamp
MAINTAINERCLEANFILES += $(binding_c_generated) binding_c/gen/mpi.h binding_c/gen/stamp
