/* seek.h - SEEK_SET, SEEK_CUR and SEEK_END are names of the namespace MPI, and macros of C's library, which would be
 * replaced in MPI::SEEK_SET too.
 *
 * They become constants of the same values here, unless one of the names TREEFOLD_IGNORE_CXX_SEEK,
 * MPICH_IGNORE_CXX_SEEK and OMPI_IGNORE_CXX_SEEK is defined: the macros then stay, and MPI_SEEK_SET is what there is.
 */
#ifndef TREEFOLD_MPICXX_SEEK_H
#define TREEFOLD_MPICXX_SEEK_H

#if defined(MPICH_IGNORE_CXX_SEEK) || defined(OMPI_IGNORE_CXX_SEEK)
#define TREEFOLD_IGNORE_CXX_SEEK
#endif

#ifndef TREEFOLD_IGNORE_CXX_SEEK
/* All that define them, so that nobody does so later. */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

namespace MPI
{
namespace detail
{
enum { c_seek_set = SEEK_SET, c_seek_cur = SEEK_CUR, c_seek_end = SEEK_END };
}
} // namespace MPI

#undef SEEK_SET
#undef SEEK_CUR
#undef SEEK_END
const int SEEK_SET = MPI::detail::c_seek_set;
const int SEEK_CUR = MPI::detail::c_seek_cur;
const int SEEK_END = MPI::detail::c_seek_end;
#endif

#endif
