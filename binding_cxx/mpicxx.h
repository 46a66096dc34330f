/* mpicxx.h - the C++ interface of MPI-2.2 (namespace MPI), for the programs that were written for it.
 *
 * MPI-3.0 removed it from the standard, so that it changes no more; MPI-2.2 says in each section what it is. Everything
 * is inline: a call costs what the C call costs.  mpi.h includes this file for C++ compilers, unless one of the names
 * TREEFOLD_SKIP_MPICXX, MPICH_SKIP_MPICXX and OMPI_SKIP_MPICXX is defined, or MPI is a macro, with which there can be
 * no such namespace, or exceptions are switched off.
 */
#ifndef TREEFOLD_MPICXX_H
#define TREEFOLD_MPICXX_H

/* What a program's compiler is asked to tell is about the program; the tests ask about this too. */
#if defined(__GNUC__) && !defined(TREEFOLD_CXX_WARNINGS)
#pragma GCC system_header
#endif
#ifdef __GNUC__
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast" /* within C's constants, which stand in mpi.h */
#endif

/* Programs have macros with names of the namespace, as VERSION of Autoconf's config.h, or of anything else below. */
#include "mpicxx/hide_macros.inc"

/* Programs include mpi.h within extern "C". */
extern "C++" {
/* From the lowest to the highest. */
/* clang-format off */
#include "mpicxx/seek.h"
#include "mpicxx/errors.h"
#include "mpicxx/constants.h"
#include "mpicxx/handles.h"
#include "mpicxx/status.h"
#include "mpicxx/datatype.h"
#include "mpicxx/op.h"
#include "mpicxx/info.h"
#include "mpicxx/group.h"
#include "mpicxx/request.h"
#include "mpicxx/comm.h"
#include "mpicxx/intracomm.h"
#include "mpicxx/topology.h"
#include "mpicxx/dynamic.h"
#include "mpicxx/callbacks.h"
#include "mpicxx/win.h"
#include "mpicxx/file_access.h"
#include "mpicxx/file.h"
#include "mpicxx/env.h"
#include "mpicxx/predefined.h"
/* clang-format on */
}

#include "mpicxx/show_macros.inc"

#ifdef __GNUC__
#pragma GCC diagnostic pop
#endif

#endif
