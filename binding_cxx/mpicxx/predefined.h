/* predefined.h - what the names of the namespace MPI stand for: the predefined handles.
 *
 * Communicators have functions that a class chooses, so there is one object of each in a program, wherever this is
 * included; the others are their numbers.
 */
#ifndef TREEFOLD_MPICXX_PREDEFINED_H
#define TREEFOLD_MPICXX_PREDEFINED_H

namespace MPI
{

static void *const BOTTOM = MPI_BOTTOM;
static void *const IN_PLACE = MPI_IN_PLACE;

#if __cplusplus >= 201103L
#define TREEFOLD_NUMBER(n) (detail::number{n})
#define TREEFOLD_PREDEFINED(type, name, n) constexpr type name = detail::number{n};
#else
namespace detail
{
inline number make_number(intptr_t value)
{
    number n = {value};
    return n;
}
} // namespace detail
#define TREEFOLD_NUMBER(n) (detail::make_number(n))
#define TREEFOLD_PREDEFINED(type, name, n) static const type name = detail::make_number(n);
#endif

#define TREEFOLD_COMM(name, n)                                                                                         \
    namespace detail                                                                                                   \
    {                                                                                                                  \
    const intptr_t name = n;                                                                                           \
    }
#define TREEFOLD_DATATYPE(name, n) TREEFOLD_PREDEFINED(Datatype, name, n)
#define TREEFOLD_ERRHANDLER(name, n) TREEFOLD_PREDEFINED(Errhandler, name, n)
#define TREEFOLD_FILE(name, n) TREEFOLD_PREDEFINED(File, name, n)
#define TREEFOLD_GROUP(name, n) TREEFOLD_PREDEFINED(Group, name, n)
#define TREEFOLD_INFO(name, n) TREEFOLD_PREDEFINED(Info, name, n)
#define TREEFOLD_OP(name, n) TREEFOLD_PREDEFINED(Op, name, n)
#define TREEFOLD_REQUEST(name, n) TREEFOLD_PREDEFINED(Request, name, n)
#define TREEFOLD_WIN(name, n) TREEFOLD_PREDEFINED(Win, name, n)
#include "predefined.inc"
TREEFOLD_PREDEFINED(Errhandler, ERRORS_THROW_EXCEPTIONS, detail::throws)

namespace detail
{
template <class Nothing> struct world {
    static const Nullcomm comm_null;
    static Intracomm comm_world, comm_self;
};
template <class Nothing> const Nullcomm world<Nothing>::comm_null TREEFOLD_NUMBER(COMM_NULL);
template <class Nothing> Intracomm world<Nothing>::comm_world TREEFOLD_NUMBER(COMM_WORLD);
template <class Nothing> Intracomm world<Nothing>::comm_self TREEFOLD_NUMBER(COMM_SELF);
} // namespace detail

__attribute__((unused)) static const Nullcomm &COMM_NULL = detail::world<void>::comm_null;
__attribute__((unused)) static Intracomm &COMM_WORLD = detail::world<void>::comm_world;
__attribute__((unused)) static Intracomm &COMM_SELF = detail::world<void>::comm_self;

#undef TREEFOLD_COMM
#undef TREEFOLD_DATATYPE
#undef TREEFOLD_ERRHANDLER
#undef TREEFOLD_FILE
#undef TREEFOLD_GROUP
#undef TREEFOLD_INFO
#undef TREEFOLD_OP
#undef TREEFOLD_REQUEST
#undef TREEFOLD_WIN
#undef TREEFOLD_PREDEFINED
#undef TREEFOLD_NUMBER

} // namespace MPI

#endif
