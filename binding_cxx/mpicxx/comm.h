/* comm.h - MPI::Comm: what all communicators do (MPI-2.2 chapters 3, 5 and 6).
 *
 * What a communicator is, apart from what can be done with one, is the class Comm_Null.  COMM_NULL is a Comm, so that
 * it can be handed on as one, and converts to each of the classes (section 16.1.7).  A class says what one may do with
 * the handle; only Clone() looks at what the object is.
 */
#ifndef TREEFOLD_MPICXX_COMM_H
#define TREEFOLD_MPICXX_COMM_H

namespace MPI
{

class Intercomm;

class Comm_Null : public detail::handle<MPI_Comm>
{
  public:
    TREEFOLD_CONSTEXPR Comm_Null(detail::number n) : handle(n)
    {
    }
    Comm_Null(MPI_Comm c = MPI_COMM_NULL) : handle(c)
    {
    }
    bool operator==(const Comm_Null &other) const
    {
        return c() == other.c();
    }
    bool operator!=(const Comm_Null &other) const
    {
        return c() != other.c();
    }
};

class Comm : public Comm_Null
{
  public:
    TREEFOLD_CONSTEXPR Comm(detail::number n) : Comm_Null(n)
    {
    }
    Comm(const Comm_Null &null) : Comm_Null(null)
    {
    }
    Comm(MPI_Comm c = MPI_COMM_NULL) : Comm_Null(c)
    {
    }
    Comm(const Comm &other) : Comm_Null(other)
    {
    }
    Comm &operator=(const Comm &other)
    {
        set(other.c());
        return *this;
    }
    virtual ~Comm()
    {
    }

    /* ---- point-to-point ---- */

    void Send(const void *buf, int count, const Datatype &datatype, int dest, int tag) const
    {
        detail::check(MPI_Send(buf, count, datatype, dest, tag, c()));
    }
    void Bsend(const void *buf, int count, const Datatype &datatype, int dest, int tag) const
    {
        detail::check(MPI_Bsend(buf, count, datatype, dest, tag, c()));
    }
    void Ssend(const void *buf, int count, const Datatype &datatype, int dest, int tag) const
    {
        detail::check(MPI_Ssend(buf, count, datatype, dest, tag, c()));
    }
    void Rsend(const void *buf, int count, const Datatype &datatype, int dest, int tag) const
    {
        detail::check(MPI_Rsend(buf, count, datatype, dest, tag, c()));
    }
    Request Isend(const void *buf, int count, const Datatype &datatype, int dest, int tag) const
    {
        MPI_Request request = MPI_REQUEST_NULL;
        detail::check(MPI_Isend(buf, count, datatype, dest, tag, c(), &request));
        return request;
    }
    Request Ibsend(const void *buf, int count, const Datatype &datatype, int dest, int tag) const
    {
        MPI_Request request = MPI_REQUEST_NULL;
        detail::check(MPI_Ibsend(buf, count, datatype, dest, tag, c(), &request));
        return request;
    }
    Request Issend(const void *buf, int count, const Datatype &datatype, int dest, int tag) const
    {
        MPI_Request request = MPI_REQUEST_NULL;
        detail::check(MPI_Issend(buf, count, datatype, dest, tag, c(), &request));
        return request;
    }
    Request Irsend(const void *buf, int count, const Datatype &datatype, int dest, int tag) const
    {
        MPI_Request request = MPI_REQUEST_NULL;
        detail::check(MPI_Irsend(buf, count, datatype, dest, tag, c(), &request));
        return request;
    }
    Prequest Send_init(const void *buf, int count, const Datatype &datatype, int dest, int tag) const
    {
        MPI_Request request = MPI_REQUEST_NULL;
        detail::check(MPI_Send_init(buf, count, datatype, dest, tag, c(), &request));
        return request;
    }
    Prequest Bsend_init(const void *buf, int count, const Datatype &datatype, int dest, int tag) const
    {
        MPI_Request request = MPI_REQUEST_NULL;
        detail::check(MPI_Bsend_init(buf, count, datatype, dest, tag, c(), &request));
        return request;
    }
    Prequest Ssend_init(const void *buf, int count, const Datatype &datatype, int dest, int tag) const
    {
        MPI_Request request = MPI_REQUEST_NULL;
        detail::check(MPI_Ssend_init(buf, count, datatype, dest, tag, c(), &request));
        return request;
    }
    Prequest Rsend_init(const void *buf, int count, const Datatype &datatype, int dest, int tag) const
    {
        MPI_Request request = MPI_REQUEST_NULL;
        detail::check(MPI_Rsend_init(buf, count, datatype, dest, tag, c(), &request));
        return request;
    }
    void Recv(void *buf, int count, const Datatype &datatype, int source, int tag, Status &status) const
    {
        detail::check(MPI_Recv(buf, count, datatype, source, tag, c(), status.c()));
    }
    void Recv(void *buf, int count, const Datatype &datatype, int source, int tag) const
    {
        detail::check(MPI_Recv(buf, count, datatype, source, tag, c(), MPI_STATUS_IGNORE));
    }
    Request Irecv(void *buf, int count, const Datatype &datatype, int source, int tag) const
    {
        MPI_Request request = MPI_REQUEST_NULL;
        detail::check(MPI_Irecv(buf, count, datatype, source, tag, c(), &request));
        return request;
    }
    Prequest Recv_init(void *buf, int count, const Datatype &datatype, int source, int tag) const
    {
        MPI_Request request = MPI_REQUEST_NULL;
        detail::check(MPI_Recv_init(buf, count, datatype, source, tag, c(), &request));
        return request;
    }
    void Probe(int source, int tag, Status &status) const
    {
        detail::check(MPI_Probe(source, tag, c(), status.c()));
    }
    void Probe(int source, int tag) const
    {
        detail::check(MPI_Probe(source, tag, c(), MPI_STATUS_IGNORE));
    }
    bool Iprobe(int source, int tag, Status &status) const
    {
        int flag = 0;
        detail::check(MPI_Iprobe(source, tag, c(), &flag, status.c()));
        return flag != 0;
    }
    bool Iprobe(int source, int tag) const
    {
        int flag = 0;
        detail::check(MPI_Iprobe(source, tag, c(), &flag, MPI_STATUS_IGNORE));
        return flag != 0;
    }
    void Sendrecv(const void *sendbuf, int sendcount, const Datatype &sendtype, int dest, int sendtag, void *recvbuf,
                  int recvcount, const Datatype &recvtype, int source, int recvtag, Status &status) const
    {
        detail::check(MPI_Sendrecv(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source,
                                   recvtag, c(), status.c()));
    }
    void Sendrecv(const void *sendbuf, int sendcount, const Datatype &sendtype, int dest, int sendtag, void *recvbuf,
                  int recvcount, const Datatype &recvtype, int source, int recvtag) const
    {
        detail::check(MPI_Sendrecv(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source,
                                   recvtag, c(), MPI_STATUS_IGNORE));
    }
    void Sendrecv_replace(void *buf, int count, const Datatype &datatype, int dest, int sendtag, int source,
                          int recvtag, Status &status) const
    {
        detail::check(MPI_Sendrecv_replace(buf, count, datatype, dest, sendtag, source, recvtag, c(), status.c()));
    }
    void Sendrecv_replace(void *buf, int count, const Datatype &datatype, int dest, int sendtag, int source,
                          int recvtag) const
    {
        detail::check(
            MPI_Sendrecv_replace(buf, count, datatype, dest, sendtag, source, recvtag, c(), MPI_STATUS_IGNORE));
    }

    /* ---- collective ---- */

    void Barrier() const
    {
        detail::check(MPI_Barrier(c()));
    }
    void Bcast(void *buffer, int count, const Datatype &datatype, int root) const
    {
        detail::check(MPI_Bcast(buffer, count, datatype, root, c()));
    }
    void Gather(const void *sendbuf, int sendcount, const Datatype &sendtype, void *recvbuf, int recvcount,
                const Datatype &recvtype, int root) const
    {
        detail::check(MPI_Gather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, c()));
    }
    void Gatherv(const void *sendbuf, int sendcount, const Datatype &sendtype, void *recvbuf, const int recvcounts[],
                 const int displs[], const Datatype &recvtype, int root) const
    {
        detail::check(MPI_Gatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, c()));
    }
    void Scatter(const void *sendbuf, int sendcount, const Datatype &sendtype, void *recvbuf, int recvcount,
                 const Datatype &recvtype, int root) const
    {
        detail::check(MPI_Scatter(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, c()));
    }
    void Scatterv(const void *sendbuf, const int sendcounts[], const int displs[], const Datatype &sendtype,
                  void *recvbuf, int recvcount, const Datatype &recvtype, int root) const
    {
        detail::check(MPI_Scatterv(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, c()));
    }
    void Allgather(const void *sendbuf, int sendcount, const Datatype &sendtype, void *recvbuf, int recvcount,
                   const Datatype &recvtype) const
    {
        detail::check(MPI_Allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, c()));
    }
    void Allgatherv(const void *sendbuf, int sendcount, const Datatype &sendtype, void *recvbuf, const int recvcounts[],
                    const int displs[], const Datatype &recvtype) const
    {
        detail::check(MPI_Allgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, c()));
    }
    void Alltoall(const void *sendbuf, int sendcount, const Datatype &sendtype, void *recvbuf, int recvcount,
                  const Datatype &recvtype) const
    {
        detail::check(MPI_Alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, c()));
    }
    void Alltoallv(const void *sendbuf, const int sendcounts[], const int sdispls[], const Datatype &sendtype,
                   void *recvbuf, const int recvcounts[], const int rdispls[], const Datatype &recvtype) const
    {
        detail::check(
            MPI_Alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, c()));
    }
    void Alltoallw(const void *sendbuf, const int sendcounts[], const int sdispls[], const Datatype sendtypes[],
                   void *recvbuf, const int recvcounts[], const int rdispls[], const Datatype recvtypes[]) const
    {
        detail::check(MPI_Alltoallw(sendbuf, sendcounts, sdispls, detail::array<MPI_Datatype>(sendtypes), recvbuf,
                                    recvcounts, rdispls, detail::array<MPI_Datatype>(recvtypes), c()));
    }
    void Reduce(const void *sendbuf, void *recvbuf, int count, const Datatype &datatype, const Op &op, int root) const
    {
        detail::check(MPI_Reduce(sendbuf, recvbuf, count, datatype, op, root, c()));
    }
    void Allreduce(const void *sendbuf, void *recvbuf, int count, const Datatype &datatype, const Op &op) const
    {
        detail::check(MPI_Allreduce(sendbuf, recvbuf, count, datatype, op, c()));
    }
    void Reduce_scatter(const void *sendbuf, void *recvbuf, const int recvcounts[], const Datatype &datatype,
                        const Op &op) const
    {
        detail::check(MPI_Reduce_scatter(sendbuf, recvbuf, recvcounts, datatype, op, c()));
    }
    void Reduce_scatter_block(const void *sendbuf, void *recvbuf, int recvcount, const Datatype &datatype,
                              const Op &op) const
    {
        detail::check(MPI_Reduce_scatter_block(sendbuf, recvbuf, recvcount, datatype, op, c()));
    }

    /* ---- communicators ---- */

    int Get_size() const
    {
        int size = MPI_UNDEFINED;
        detail::check(MPI_Comm_size(c(), &size));
        return size;
    }
    int Get_rank() const
    {
        int rank = MPI_UNDEFINED;
        detail::check(MPI_Comm_rank(c(), &rank));
        return rank;
    }
    Group Get_group() const
    {
        MPI_Group group = MPI_GROUP_NULL;
        detail::check(MPI_Comm_group(c(), &group));
        return group;
    }
    static int Compare(const Comm &comm1, const Comm &comm2)
    {
        int result = MPI_UNEQUAL;
        detail::check(MPI_Comm_compare(comm1, comm2, &result));
        return result;
    }
    bool Is_inter() const
    {
        int flag = 0;
        detail::check(MPI_Comm_test_inter(c(), &flag));
        return flag != 0;
    }
    int Get_topology() const
    {
        int topology = MPI_UNDEFINED;
        detail::check(MPI_Topo_test(c(), &topology));
        return topology;
    }
    /* A duplicate, as an object of its own that belongs to the caller. */
    virtual Comm &Clone() const = 0;
    void Free()
    {
        MPI_Comm comm = c();
        detail::check(MPI_Comm_free(&comm));
        set(comm);
    }
    void Disconnect()
    {
        MPI_Comm comm = c();
        detail::check(MPI_Comm_disconnect(&comm));
        set(comm);
    }
    static inline Intercomm Get_parent();
    static inline Intercomm Join(int fd);
    void Abort(int error_code) const
    {
        MPI_Abort(c(), error_code);
    }
    void Get_name(char *name, int &length) const
    {
        detail::check(MPI_Comm_get_name(c(), name, &length));
    }
    void Set_name(const char *name) const
    {
        detail::check(MPI_Comm_set_name(c(), name));
    }

    /* ---- attributes and error handlers: section 6.7 and 8.3, see callbacks.h ---- */

    typedef int Copy_attr_function(const Comm &oldcomm, int comm_keyval, void *extra_state, void *attribute_val_in,
                                   void *attribute_val_out, bool &flag);
    typedef int Delete_attr_function(Comm &comm, int comm_keyval, void *attribute_val, void *extra_state);
    static inline int Create_keyval(Copy_attr_function *copy, Delete_attr_function *free, void *extra_state);
    static void Free_keyval(int &keyval)
    {
        detail::check(MPI_Comm_free_keyval(&keyval));
    }
    void Set_attr(int keyval, const void *value) const
    {
        detail::check(MPI_Comm_set_attr(c(), keyval, const_cast<void *>(value)));
    }
    bool Get_attr(int keyval, void *value) const
    {
        int flag = 0;
        detail::check(MPI_Comm_get_attr(c(), keyval, value, &flag));
        return flag != 0;
    }
    void Delete_attr(int keyval)
    {
        detail::check(MPI_Comm_delete_attr(c(), keyval));
    }
    static int NULL_COPY_FN(const Comm &, int, void *, void *, void *, bool &flag)
    {
        flag = false;
        return MPI_SUCCESS;
    }
    static int DUP_FN(const Comm &, int, void *, void *in, void *out, bool &flag)
    {
        *static_cast<void **>(out) = in;
        flag = true;
        return MPI_SUCCESS;
    }
    static int NULL_DELETE_FN(Comm &, int, void *, void *)
    {
        return MPI_SUCCESS;
    }

    typedef void Errhandler_function(Comm &comm, int *error_code, ...);
    typedef Errhandler_function Errhandler_fn;
    static inline Errhandler Create_errhandler(Errhandler_function *function);
    void Set_errhandler(const Errhandler &errhandler)
    {
        detail::check(MPI_Comm_set_errhandler(c(), errhandler));
    }
    Errhandler Get_errhandler() const
    {
        MPI_Errhandler errhandler = MPI_ERRHANDLER_NULL;
        detail::check(MPI_Comm_get_errhandler(c(), &errhandler));
        return errhandler;
    }
    void Call_errhandler(int error_code) const
    {
        MPI_Comm_call_errhandler(c(), error_code);
        detail::throw_kept();
    }

  protected:
    MPI_Comm dup() const
    {
        MPI_Comm made = MPI_COMM_NULL;
        detail::check(MPI_Comm_dup(c(), &made));
        return made;
    }
};

/* The class of COMM_NULL. */
class Nullcomm : public Comm
{
  public:
    TREEFOLD_CONSTEXPR Nullcomm(detail::number n) : Comm(n)
    {
    }
    explicit Nullcomm(MPI_Comm c = MPI_COMM_NULL) : Comm(c)
    {
    }
    virtual Nullcomm &Clone() const
    {
        return *new Nullcomm(dup());
    }
};

} // namespace MPI

#endif
