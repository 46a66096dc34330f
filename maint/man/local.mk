# The manual pages: maint/gen/generate_man.py writes doc/man/gen from maint/api and the prose beside this file.  A release
# tarball ships them, as it ships doc whole, so that installing them needs no Python.

man_prose = \
	maint/man/date \
	maint/man/MPIX_Comm_agree.md \
	maint/man/MPIX_Comm_get_failed.md \
	maint/man/MPIX_Comm_revoke.md \
	maint/man/MPIX_Comm_shrink.md \
	maint/man/MPIX_Op_create_x.md \
	maint/man/MPIX_Request_attach_x.md \
	maint/man/MPIX_Type_create_binned.md \
	maint/man/MPIX_Win_attach_x.md \
	maint/man/MPI_Fetch_and_op.md \
	maint/man/MPI_Win_allocate_shared.md \
	maint/man/MPI_Win_create.md \
	maint/man/MPI_Allgather.md \
	maint/man/MPI_Allgatherv.md \
	maint/man/MPI_Alloc_mem.md \
	maint/man/MPI_Allreduce.md \
	maint/man/MPI_Alltoall.md \
	maint/man/MPI_Alltoallv.md \
	maint/man/MPI_Alltoallw.md \
	maint/man/MPI_Barrier.md \
	maint/man/MPI_Bcast.md \
	maint/man/MPI_Cart_create.md \
	maint/man/MPI_Comm_accept.md \
	maint/man/MPI_Comm_create_from_group.md \
	maint/man/MPI_Comm_disconnect.md \
	maint/man/MPI_Comm_spawn.md \
	maint/man/MPI_Dims_create.md \
	maint/man/MPI_Exscan.md \
	maint/man/MPI_File_open.md \
	maint/man/MPI_File_read_at.md \
	maint/man/MPI_File_set_view.md \
	maint/man/MPI_File_write_all.md \
	maint/man/MPI_File_write_all_begin.md \
	maint/man/MPI_File_write_ordered.md \
	maint/man/MPI_Gather.md \
	maint/man/MPI_Gatherv.md \
	maint/man/MPI_Group_from_session_pset.md \
	maint/man/MPI_Intercomm_create.md \
	maint/man/MPI_Intercomm_create_from_groups.md \
	maint/man/MPI_Intercomm_merge.md \
	maint/man/MPI_Neighbor_allgather.md \
	maint/man/MPI_Neighbor_allgatherv.md \
	maint/man/MPI_Neighbor_alltoall.md \
	maint/man/MPI_Neighbor_alltoallv.md \
	maint/man/MPI_Neighbor_alltoallw.md \
	maint/man/MPI_Op_commutative.md \
	maint/man/MPI_Op_create.md \
	maint/man/MPI_Op_free.md \
	maint/man/MPI_Pack_external.md \
	maint/man/MPI_Psend_init.md \
	maint/man/MPI_Reduce.md \
	maint/man/MPI_Reduce_local.md \
	maint/man/MPI_Reduce_scatter.md \
	maint/man/MPI_Reduce_scatter_block.md \
	maint/man/MPI_Register_datarep.md \
	maint/man/MPI_Scan.md \
	maint/man/MPI_Scatter.md \
	maint/man/MPI_Scatterv.md \
	maint/man/MPI_Session_init.md \
	maint/man/MPI_Type_struct.md \
	maint/man/parts/errors.md \
	maint/man/parts/errors-tool.md \
	maint/man/parts/form-c-displacements.md \
	maint/man/parts/form-c.md \
	maint/man/parts/form-i-arrays.md \
	maint/man/parts/form-i-buffers.md \
	maint/man/parts/form-i-order.md \
	maint/man/parts/form-i.md \
	maint/man/parts/form-init.md \
	maint/man/parts/fortran.md \
	maint/man/parts/operators.md \
	maint/man/parts/order.md
man_generator = \
	$(generator) maint/gen/errors.py maint/gen/generate_man.py maint/gen/man_pages.py maint/gen/markup.py \
	maint/gen/shapes.py

# As with binding_c/gen/stamp, the stamp is older than what it stands for.
doc/man/gen/stamp: $(api) $(man_prose) $(man_generator)
	$(AM_V_GEN)rm -rf doc/man/gen && $(MKDIR_P) doc/man/gen && touch $@.tmp && \
	$(PYTHON3) -B $(srcdir)/maint/gen/generate_man.py $(srcdir)/maint/api $(srcdir)/maint/man $(PACKAGE_VERSION) doc/man/gen && \
	mv -f $@.tmp $@

all-local: doc/man/gen/stamp
EXTRA_DIST += doc/man/gen/stamp

man3dir = $(mandir)/man3

# The pages are in the build tree, or in the source tree if that is an unpacked tarball.  A procedure that shares a page
# is a symbolic link to it, made here, since in a tarball it would become a copy.
man_pages = \
	if test -f doc/man/gen/links; then from=doc/man/gen; else from=$(srcdir)/doc/man/gen; fi; \
	to=$(DESTDIR)$(man3dir)

.PHONY: install-man-pages uninstall-man-pages clean-man-pages
install-data-local: install-man-pages
install-man-pages: doc/man/gen/stamp
	@$(man_pages); $(MKDIR_P) "$$to" && $(INSTALL_DATA) $$from/*.3 "$$to" && \
	while read -r link page; do rm -f "$$to/$$link" && $(LN_S) $$page "$$to/$$link" || exit 1; done <$$from/links

uninstall-local: uninstall-man-pages
uninstall-man-pages:
	@$(man_pages); for page in $$from/*.3; do rm -f "$$to/$${page##*/}"; done; \
	while read -r link page; do rm -f "$$to/$$link"; done <$$from/links

maintainer-clean-local: clean-man-pages
clean-man-pages:
	rm -rf doc/man/gen
