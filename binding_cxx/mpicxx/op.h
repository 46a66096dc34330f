/* op.h - MPI::Op (MPI-2.2 section 5.9).  A user's function is C++; it must not throw, since a reduction goes on on
 * other ranks. */
#ifndef TREEFOLD_MPICXX_OP_H
#define TREEFOLD_MPICXX_OP_H

namespace MPI
{

typedef void User_function(const void *invec, void *inoutvec, int len, const Datatype &datatype);

class Op : public detail::handle<MPI_Op>
{
  public:
    TREEFOLD_CONSTEXPR Op(detail::number n) : handle(n)
    {
    }
    Op(MPI_Op c = MPI_OP_NULL) : handle(c)
    {
    }
    bool operator==(const Op &other) const
    {
        return c() == other.c();
    }
    bool operator!=(const Op &other) const
    {
        return c() != other.c();
    }

    inline void Init(User_function *function, bool commute);
    void Free()
    {
        MPI_Op op = c();
        detail::check(MPI_Op_free(&op));
        set(op);
    }
    bool Is_commutative() const
    {
        int commute = 0;
        detail::check(MPI_Op_commutative(c(), &commute));
        return commute != 0;
    }
    void Reduce_local(const void *inbuf, void *inoutbuf, int count, const Datatype &datatype) const
    {
        detail::check(MPI_Reduce_local(inbuf, inoutbuf, count, datatype, c()));
    }
};

} // namespace MPI

#endif
