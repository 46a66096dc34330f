# The commands.  mpiexec is small and starts fast: nothing of the library but a few short files is in it.
bin_PROGRAMS += src/cmd/mpiexec src/cmd/treefold

src_cmd_mpiexec_SOURCES = \
	src/base/descriptors.c \
	src/base/quota.c \
	src/cmd/installed.c \
	src/cmd/installed.h \
	src/cmd/mpiexec.c \
	src/cmd/mpiexec.h \
	src/cmd/mpiexec_apart.c \
	src/cmd/mpiexec_args.c \
	src/cmd/mpiexec_bind.c \
	src/cmd/mpiexec_clean.c \
	src/cmd/mpiexec_config.c \
	src/cmd/mpiexec_deaths.c \
	src/cmd/mpiexec_debug.c \
	src/cmd/mpiexec_engine.c \
	src/cmd/mpiexec_foreign.c \
	src/cmd/mpiexec_grow.c \
	src/cmd/mpiexec_hosts.c \
	src/cmd/mpiexec_limits.c \
	src/cmd/mpiexec_names.c \
	src/cmd/mpiexec_other.c \
	src/cmd/mpiexec_output.c \
	src/cmd/mpiexec_pmi.c \
	src/cmd/mpiexec_psets.c \
	src/cmd/mpiexec_spawn.c \
	src/cmd/mpiexec_why.c \
	src/cmd/mpiexec_world.c \
	src/cmd/why.h \
	src/cmd/why_ask.c \
	src/cmd/why_graph.c \
	src/cmd/why_read.c \
	src/cmd/why_report.c \
	src/cmd/why_verdict.c \
	src/launch/soft.h \
	src/launch/soft.c
src_cmd_mpiexec_CPPFLAGS = $(AM_CPPFLAGS) -DTF_PKGLIBDIR='"$(pkglibdir)"'
# Debuggers look for names in mpiexec, also where it is stripped, and else for a type.
src_cmd_mpiexec_CFLAGS = $(AM_CFLAGS) -g
src_cmd_mpiexec_LDFLAGS = $(AM_LDFLAGS) -export-dynamic
src_cmd_mpiexec_LDADD =
dist_man_MANS += src/cmd/mpiexec.1 src/cmd/mpirun.1

src_cmd_treefold_SOURCES = \
	src/cmd/installed.c \
	src/cmd/installed.h \
	src/cmd/treefold.c \
	src/cmd/treefold.h \
	src/cmd/treefold_plan.c \
	src/cmd/treefold_plan_args.c \
	src/cmd/treefold_plan_grid.c \
	src/cmd/treefold_plan_machine.c \
	src/cmd/treefold_plan_memory.c \
	src/cmd/treefold_rules.c \
	src/cmd/treefold_tune.c \
	src/cmd/treefold_why.c \
	src/cmd/tune.h \
	src/cmd/tune_results.c \
	src/cmd/why.h \
	src/cmd/why_ask.c \
	src/cmd/why_graph.c \
	src/cmd/why_read.c \
	src/cmd/why_report.c \
	src/cmd/why_verdict.c
src_cmd_treefold_CPPFLAGS = $(AM_CPPFLAGS) -DTF_BINDIR='"$(bindir)"' -DTF_LIBEXECDIR='"$(libexecdir)"'
src_cmd_treefold_LDADD = libtreefold_core.la

EXTRA_DIST += src/cmd/machines.txt
BUILT_SOURCES += src/cmd/gen/machines.inc
CLEANFILES += src/cmd/gen/machines.inc

# The machines of `treefold plan --network` as a string.
src/cmd/gen/machines.inc: src/cmd/machines.txt
	$(AM_V_GEN)$(MKDIR_P) src/cmd/gen && \
	$(SED) -e 's/[\\"]/\\&/g' -e 's/.*/"&\\n"/' $(srcdir)/src/cmd/machines.txt >$@.tmp && mv $@.tmp $@

# What `treefold tune` starts as an MPI job: the benchmark's calls, the registry of the core, MPI from the library.
tunedir = $(libexecdir)/treefold
tune_PROGRAMS = src/cmd/tune_ranks
src_cmd_tune_ranks_SOURCES = \
	src/cmd/tune_ranks.c \
	test/bench/calls.c \
	test/bench/calls.h \
	test/bench/common.h \
	test/bench/reductions.c
src_cmd_tune_ranks_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/test/bench
src_cmd_tune_ranks_LDADD = libmpi_abi.la libtreefold_core.la
src_cmd_tune_ranks_LDFLAGS = $(AM_LDFLAGS) -Wl,-rpath,'$$ORIGIN/../../$(LIB_IN_PREFIX)'
