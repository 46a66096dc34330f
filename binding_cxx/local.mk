# C++: headers alone, over mpi.h.  Its constants are written by maint/gen from maint/api into binding_cxx/gen, which a
# release tarball ships, and so are the names that a program's macros may have, from the headers.
binding_cxx_parts = \
	binding_cxx/mpicxx/callbacks.h binding_cxx/mpicxx/comm.h binding_cxx/mpicxx/datatype.h binding_cxx/mpicxx/dynamic.h binding_cxx/mpicxx/env.h \
	binding_cxx/mpicxx/errors.h binding_cxx/mpicxx/file.h binding_cxx/mpicxx/file_access.h binding_cxx/mpicxx/group.h binding_cxx/mpicxx/handles.h binding_cxx/mpicxx/info.h \
	binding_cxx/mpicxx/intracomm.h binding_cxx/mpicxx/op.h binding_cxx/mpicxx/predefined.h \
	binding_cxx/mpicxx/request.h binding_cxx/mpicxx/seek.h binding_cxx/mpicxx/status.h binding_cxx/mpicxx/topology.h \
	binding_cxx/mpicxx/win.h
binding_cxx_constants = \
	binding_cxx/gen/constants.h binding_cxx/gen/hide_macros.inc binding_cxx/gen/predefined.inc \
	binding_cxx/gen/show_macros.inc
EXTRA_DIST += binding_cxx/README.md binding_cxx/mpicxx.h $(binding_cxx_parts) $(binding_cxx_constants) binding_cxx/gen/stamp

if ENABLE_CXX
include_HEADERS += binding_cxx/mpicxx.h
mpicxxdir = $(includedir)/mpicxx
mpicxx_HEADERS = $(binding_cxx_parts) $(binding_cxx_constants)
BUILT_SOURCES += $(binding_cxx_constants)
endif

binding_cxx/gen/stamp: $(api) $(generator) $(binding_cxx_parts)
	$(AM_V_GEN)$(MKDIR_P) binding_cxx/gen && touch $@.tmp && \
	$(PYTHON3) -B $(srcdir)/maint/gen/generate_cxx.py $(srcdir)/maint/api $(srcdir)/binding_cxx/mpicxx binding_cxx/gen && mv -f $@.tmp $@

$(binding_cxx_constants): binding_cxx/gen/stamp
	@test -f $@ || { rm -f binding_cxx/gen/stamp && $(MAKE) $(AM_MAKEFLAGS) binding_cxx/gen/stamp; }
MAINTAINERCLEANFILES += $(binding_cxx_constants) binding_cxx/gen/stamp
