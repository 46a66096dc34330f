# The compiler wrappers and pkg-config files: templates in which the installed paths stand.

bin_SCRIPTS += src/cmd/mpicc src/cmd/mpicxx
pkgconfig_DATA += src/cmd/treefold.pc src/cmd/mpi-c.pc
CLEANFILES += src/cmd/mpicc src/cmd/mpicxx src/cmd/treefold.pc src/cmd/mpi-c.pc
EXTRA_DIST += src/cmd/mpicc.in src/cmd/treefold.pc.in src/cmd/mpi-c.pc.in

fill_template = $(AM_V_GEN)$(MKDIR_P) $(@D) && $(SED) \
	-e 's|@prefix[@]|$(prefix)|g' -e 's|@bindir[@]|$(bindir)|g' -e 's|@libdir[@]|$(libdir)|g' -e 's|@includedir[@]|$(includedir)|g' \
	-e 's|@wrapper_cflags[@]|$(WRAPPER_CFLAGS)|g' -e 's|@version[@]|$(PACKAGE_VERSION)|g' -e 's|@libs[@]|$(LIBS)|g'

# As the above; an installation that is moved is found where it is.
fill_pc = $(fill_template) -e 's|^prefix=.*|prefix=$(PC_PREFIX)|' -e 's|^\([a-z]*\)=$(prefix)/|\1=$${prefix}/|'

src/cmd/mpicc: src/cmd/mpicc.in Makefile
	$(fill_template) -e 's|@command[@]|mpicc|g' -e 's|@language[@]|C|g' -e 's|@compiler[@]|$(CC)|g' \
		-e 's|@variable[@]|CC|g' -e 's|@mpi_libs[@]|-lmpi_abi|g' -e 's|@headers[@]|mpi.h|g' \
		$(srcdir)/src/cmd/mpicc.in >$@.tmp
	$(AM_V_at)chmod +x $@.tmp && mv $@.tmp $@

src/cmd/mpicxx: src/cmd/mpicc.in Makefile
	$(fill_template) -e 's|@command[@]|mpicxx|g' -e 's|@language[@]|C++|g' -e 's|@compiler[@]|$(CXX)|g' \
		-e 's|@variable[@]|CXX|g' -e 's|@mpi_libs[@]|-lmpi_abi|g' -e 's|@headers[@]|mpi.h|g' \
		$(srcdir)/src/cmd/mpicc.in >$@.tmp
	$(AM_V_at)chmod +x $@.tmp && mv $@.tmp $@

if HAVE_FORTRAN
bin_SCRIPTS += src/cmd/mpifort
pkgconfig_DATA += src/cmd/mpi-fort.pc
endif
CLEANFILES += src/cmd/mpifort src/cmd/mpi-fort.pc
EXTRA_DIST += src/cmd/mpi-fort.pc.in

src/cmd/mpifort: src/cmd/mpicc.in Makefile
	$(fill_template) -e 's|@command[@]|mpifort|g' -e 's|@language[@]|Fortran|g' -e 's|@compiler[@]|$(FC)|g' \
		-e 's|@variable[@]|FC|g' -e 's|@mpi_libs[@]|-lmpifort_abi -lmpi_abi|g' \
		-e 's|@headers[@]|mpif.h and the modules|g' $(srcdir)/src/cmd/mpicc.in >$@.tmp
	$(AM_V_at)chmod +x $@.tmp && mv $@.tmp $@

src/cmd/mpi-fort.pc: src/cmd/mpi-fort.pc.in Makefile
	$(fill_pc) $(srcdir)/src/cmd/mpi-fort.pc.in >$@.tmp && mv $@.tmp $@

src/cmd/treefold.pc: src/cmd/treefold.pc.in Makefile
	$(fill_pc) $(srcdir)/src/cmd/treefold.pc.in >$@.tmp && mv $@.tmp $@

src/cmd/mpi-c.pc: src/cmd/mpi-c.pc.in Makefile
	$(fill_template) $(srcdir)/src/cmd/mpi-c.pc.in >$@.tmp && mv $@.tmp $@

# No .la files: they name the folder of the installation, and libtool writes that into what is linked with them, also where
# the installation was copied.  So what they would tell `make uninstall` is told here.
# Names that scripts know: mpirun is mpiexec; mpic++ and mpiCC are mpicxx; mpif77 and mpif90 are mpifort; for
# pkg-config, mpi and mpi-cxx are mpi-c.
install-exec-hook:
	cd $(DESTDIR)$(libdir) && rm -f libmpi_abi.la libpmpi_abi.la libmpifort_abi.la treefold/libtreefold_malloc.la
	cd $(DESTDIR)$(bindir) && rm -f mpirun mpic++ mpiCC && $(LN_S) mpiexec mpirun && \
	$(LN_S) mpicxx mpic++ && $(LN_S) mpicxx mpiCC
if HAVE_FORTRAN
	cd $(DESTDIR)$(bindir) && rm -f mpif77 mpif90 && $(LN_S) mpifort mpif77 && $(LN_S) mpifort mpif90
endif
install-data-hook:
	cd $(DESTDIR)$(pkgconfigdir) && for name in mpi mpi-cxx; do rm -f $$name.pc && $(LN_S) mpi-c.pc $$name.pc; done
uninstall-hook:
	cd $(DESTDIR)$(bindir) && rm -f mpirun mpic++ mpiCC mpif77 mpif90
	cd $(DESTDIR)$(libdir) && rm -f libmpi.so libmpi.a libmpifort.so libmpifort.a \
		libmpi_abi.* libpmpi_abi.* libmpifort_abi.* treefold/libtreefold_malloc.*
	cd $(DESTDIR)$(pkgconfigdir) && rm -f mpi.pc mpi-cxx.pc
