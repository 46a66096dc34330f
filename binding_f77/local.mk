# Nothing is built here yet: see README.md beside this file.
EXTRA_DIST += binding_f77/README.md
