# The tools that keep the project, and the API as data; the release tarball ships them whole.
EXTRA_DIST += maint
include maint/man/local.mk
