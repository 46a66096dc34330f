# Fortran: `use mpi_f08`, written by maint/gen from maint/api into binding_f08/gen, except for what is irregular.
# A release tarball ships binding_f08/gen.

f08_generated = $(binding_f08_chapters) \
	binding_f08/gen/mpi_f08_types.f90 binding_f08/gen/mpi_f08_constants.f90 binding_f08/gen/mpi_f08_callbacks.f90 \
	binding_f08/gen/mpi_f08_interfaces.f90 binding_f08/gen/pmpi_f08_interfaces.f90
fortran_sources += $(f08_generated) binding_f08/section.h binding_f08/section.c binding_f08/irregular.c \
	binding_f08/mpi_f08.f90

binding_f08/gen/stamp: $(api) $(generator)
	$(AM_V_GEN)$(MKDIR_P) binding_f08/gen && touch $@.tmp && \
	$(PYTHON3) -B $(srcdir)/maint/gen/generate_f08.py $(srcdir)/maint/api binding_f08/gen && mv -f $@.tmp $@

$(f08_generated): binding_f08/gen/stamp
	@test -f $@ || { rm -f binding_f08/gen/stamp && $(MAKE) $(AM_MAKEFLAGS) binding_f08/gen/stamp; }

EXTRA_DIST += binding_f08/README.md binding_f08/gen/stamp
MAINTAINERCLEANFILES += $(f08_generated) binding_f08/gen/stamp

if HAVE_FORTRAN
BUILT_SOURCES += $(f08_generated)

# The modules are by-products of their sources, where those of binding_f77/ lie too.
f08_module_files = \
	binding_f77/gen/mpi_f08_types.$(FC_MODEXT) binding_f77/gen/mpi_f08_constants.$(FC_MODEXT) \
	binding_f77/gen/mpi_f08_callbacks.$(FC_MODEXT) binding_f77/gen/mpi_f08_interfaces.$(FC_MODEXT) \
	binding_f77/gen/pmpi_f08_interfaces.$(FC_MODEXT) binding_f77/gen/mpi_f08.$(FC_MODEXT)
nodist_include_HEADERS += $(f08_module_files)
CLEANFILES += $(f08_module_files)
$(f08_module_files): libmpifort_abi.la
	@test -f $@ || { rm -f $(f08_object)*mpi_f08*.lo $(f08_plain_object)mpi_f08*.lo libmpifort_abi.la && \
		$(MAKE) $(AM_MAKEFLAGS) libmpifort_abi.la; }

# A module can be compiled when those that it uses have been.  (Automake leaves its own rule out where it finds the
# target's name, hence the variables.)
f08_object = binding_f08/gen/libmpifort_abi_la-
f08_plain_object = binding_f08/libmpifort_abi_la-
$(f08_object)mpi_f08_types.lo: binding_f77/gen/$(am__dirstamp)
$(f77_module_object): $(f08_object)mpi_f08_types.lo
$(f08_object)mpi_f08_constants.lo: $(f08_object)mpi_f08_types.lo
$(f08_object)mpi_f08_callbacks.lo: $(f08_object)mpi_f08_types.lo
$(f08_object)mpi_f08_interfaces.lo $(f08_object)pmpi_f08_interfaces.lo: \
	$(f08_object)mpi_f08_constants.lo $(f08_object)mpi_f08_callbacks.lo
$(f08_plain_object)mpi_f08.lo: $(f08_object)mpi_f08_interfaces.lo $(f08_object)pmpi_f08_interfaces.lo
endif
