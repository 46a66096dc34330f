# Fortran: mpif.h and `use mpi`, written by maint/gen from maint/api into binding_f77/gen, except for what no rule makes.
# A release tarball ships binding_f77/gen.

# The interfaces are for compilers that can leave an argument unchecked, and for those that cannot.
binding_f77_interfaces = \
	binding_f77/gen/mpi.f90 binding_f77/gen/mpif.h binding_f77/gen/bare/mpi.f90 binding_f77/gen/bare/mpif.h \
	binding_f77/gen/handles.def
fortran_sources += $(binding_f77_chapters) binding_f77/arrays.c binding_f77/attributes.c binding_f77/boxes.c \
	binding_f77/boxes.h binding_f77/callbacks.c binding_f77/datarep.c binding_f77/fortran.h binding_f77/names.h \
	binding_f77/slots.c binding_f77/slots.h binding_f77/removed.c binding_f77/small.c binding_f77/special.c binding_f77/argv.c binding_f77/strings.c binding_f77/threads.c
EXTRA_DIST += binding_f77/README.md $(binding_f77_interfaces) binding_f77/gen/stamp

if HAVE_FORTRAN
if FORTRAN_UNCHECKED
fortran_sources += binding_f77/gen/mpi.f90
include_HEADERS += binding_f77/gen/mpif.h
mpifexternaldir = $(includedir)/treefold/external
mpifexternal_HEADERS = binding_f77/gen/bare/mpif.h
f77_module_object = binding_f77/gen/libmpifort_abi_la-mpi.lo
else
fortran_sources += binding_f77/gen/bare/mpi.f90
include_HEADERS += binding_f77/gen/bare/mpif.h
f77_module_object = binding_f77/gen/bare/libmpifort_abi_la-mpi.lo
endif
# The module is a by-product of its source.
nodist_include_HEADERS += binding_f77/gen/mpi.$(FC_MODEXT)
binding_f77/gen/mpi.$(FC_MODEXT): $(f77_module_object)
	@test -f $@ || { rm -f $< && $(MAKE) $(AM_MAKEFLAGS) $<; }
CLEANFILES += binding_f77/gen/mpi.$(FC_MODEXT)
BUILT_SOURCES += $(binding_f77_chapters) $(binding_f77_interfaces)
endif

binding_f77/gen/stamp: $(api) $(generator)
	$(AM_V_GEN)$(MKDIR_P) binding_f77/gen && touch $@.tmp && \
	$(PYTHON3) -B $(srcdir)/maint/gen/generate_f77.py $(srcdir)/maint/api binding_f77/gen && mv -f $@.tmp $@

$(binding_f77_chapters) $(binding_f77_interfaces): binding_f77/gen/stamp
	@test -f $@ || { rm -f binding_f77/gen/stamp && $(MAKE) $(AM_MAKEFLAGS) binding_f77/gen/stamp; }
MAINTAINERCLEANFILES += $(binding_f77_chapters) $(binding_f77_interfaces) binding_f77/gen/stamp
