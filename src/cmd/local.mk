# The commands.  mpiexec is small and starts fast: nothing of the library is in it.
bin_PROGRAMS += src/cmd/mpiexec src/cmd/treefold

src_cmd_mpiexec_SOURCES = \
	src/cmd/mpiexec.c \
	src/cmd/mpiexec.h \
	src/cmd/mpiexec_args.c \
	src/cmd/mpiexec_clean.c \
	src/cmd/mpiexec_output.c \
	src/cmd/mpiexec_pmi.c \
	src/cmd/mpiexec_spawn.c
src_cmd_mpiexec_LDADD =

src_cmd_treefold_SOURCES = \
	src/cmd/treefold.c \
	src/cmd/treefold.h \
	src/cmd/treefold_plan.c \
	src/cmd/treefold_plan_args.c
src_cmd_treefold_LDADD = libtreefold_core.la
