# The tools that keep the project, and the API as data; the release tarball ships them whole.
EXTRA_DIST += maint

# api_chapters and the files that are written of each chapter.
include maint/api/gen/chapters.mk
$(srcdir)/maint/api/gen/chapters.mk: $(srcdir)/maint/api/chapters $(srcdir)/maint/chapters
	$(srcdir)/maint/chapters

api = $(api_chapters) maint/api/chapters maint/api/constants.api maint/api/mpi.h.in maint/api/mpi_f08_callbacks.f90.in
# What writes C and Fortran; maint/man/local.mk adds what writes manual pages.
generator = \
	maint/gen/api.py maint/gen/bindings.py maint/gen/constants.py maint/gen/f08_c.py maint/gen/f08_modules.py \
	maint/gen/f08_procedures.py maint/gen/f77.py maint/gen/fortran.py maint/gen/generate_c.py \
	maint/gen/generate_core.py maint/gen/generate_cxx.py maint/gen/generate_f08.py maint/gen/generate_f77.py \
	maint/gen/handle_types.py maint/gen/handles.py maint/gen/kinds.py maint/gen/mpif.py maint/gen/output.py

include maint/man/local.mk
