/* intracomm.h - MPI::Intracomm and MPI::Intercomm (MPI-2.2 sections 6.4 and 6.6). */
#ifndef TREEFOLD_MPICXX_INTRACOMM_H
#define TREEFOLD_MPICXX_INTRACOMM_H

namespace MPI
{

class Cartcomm;
class Graphcomm;
class Distgraphcomm;

class Intracomm : public Comm
{
  public:
    TREEFOLD_CONSTEXPR Intracomm(detail::number n) : Comm(n)
    {
    }
    Intracomm(const Comm_Null &null) : Comm(null)
    {
    }
    Intracomm(MPI_Comm c = MPI_COMM_NULL) : Comm(c)
    {
    }

    void Scan(const void *sendbuf, void *recvbuf, int count, const Datatype &datatype, const Op &op) const
    {
        detail::check(MPI_Scan(sendbuf, recvbuf, count, datatype, op, c()));
    }
    void Exscan(const void *sendbuf, void *recvbuf, int count, const Datatype &datatype, const Op &op) const
    {
        detail::check(MPI_Exscan(sendbuf, recvbuf, count, datatype, op, c()));
    }

    Intracomm Dup() const
    {
        return dup();
    }
    virtual Intracomm &Clone() const
    {
        return *new Intracomm(dup());
    }
    Intracomm Create(const Group &group) const
    {
        MPI_Comm made = MPI_COMM_NULL;
        detail::check(MPI_Comm_create(c(), group, &made));
        return made;
    }
    Intracomm Split(int color, int key) const
    {
        MPI_Comm made = MPI_COMM_NULL;
        detail::check(MPI_Comm_split(c(), color, key, &made));
        return made;
    }
    inline Intercomm Accept(const char *port_name, const Info &info, int root) const;
    inline Intercomm Connect(const char *port_name, const Info &info, int root) const;
    inline Intercomm Spawn(const char *command, const char *argv[], int maxprocs, const Info &info, int root) const;
    inline Intercomm Spawn(const char *command, const char *argv[], int maxprocs, const Info &info, int root,
                           int array_of_errcodes[]) const;
    inline Intercomm Spawn_multiple(int count, const char *array_of_commands[], const char **array_of_argv[],
                                    const int array_of_maxprocs[], const Info array_of_info[], int root) const;
    inline Intercomm Spawn_multiple(int count, const char *array_of_commands[], const char **array_of_argv[],
                                    const int array_of_maxprocs[], const Info array_of_info[], int root,
                                    int array_of_errcodes[]) const;
    inline Intercomm Create_intercomm(int local_leader, const Comm &peer_comm, int remote_leader, int tag) const;
    inline Cartcomm Create_cart(int ndims, const int dims[], const bool periods[], bool reorder) const;
    inline Graphcomm Create_graph(int nnodes, const int index[], const int edges[], bool reorder) const;
    inline Distgraphcomm Dist_graph_create(int n, const int sources[], const int degrees[], const int destinations[],
                                           const int weights[], const Info &info, bool reorder) const;
    inline Distgraphcomm Dist_graph_create(int n, const int sources[], const int degrees[], const int destinations[],
                                           const Info &info, bool reorder) const;
    inline Distgraphcomm Dist_graph_create_adjacent(int indegree, const int sources[], const int sourceweights[],
                                                    int outdegree, const int destinations[], const int destweights[],
                                                    const Info &info, bool reorder) const;
    inline Distgraphcomm Dist_graph_create_adjacent(int indegree, const int sources[], int outdegree,
                                                    const int destinations[], const Info &info, bool reorder) const;
};

class Intercomm : public Comm
{
  public:
    TREEFOLD_CONSTEXPR Intercomm(detail::number n) : Comm(n)
    {
    }
    Intercomm(const Comm_Null &null) : Comm(null)
    {
    }
    Intercomm(MPI_Comm c = MPI_COMM_NULL) : Comm(c)
    {
    }

    Intercomm Dup() const
    {
        return dup();
    }
    virtual Intercomm &Clone() const
    {
        return *new Intercomm(dup());
    }
    Intercomm Create(const Group &group) const
    {
        MPI_Comm made = MPI_COMM_NULL;
        detail::check(MPI_Comm_create(c(), group, &made));
        return made;
    }
    Intercomm Split(int color, int key) const
    {
        MPI_Comm made = MPI_COMM_NULL;
        detail::check(MPI_Comm_split(c(), color, key, &made));
        return made;
    }
    int Get_remote_size() const
    {
        int size = MPI_UNDEFINED;
        detail::check(MPI_Comm_remote_size(c(), &size));
        return size;
    }
    Group Get_remote_group() const
    {
        MPI_Group group = MPI_GROUP_NULL;
        detail::check(MPI_Comm_remote_group(c(), &group));
        return group;
    }
    Intracomm Merge(bool high) const
    {
        MPI_Comm made = MPI_COMM_NULL;
        detail::check(MPI_Intercomm_merge(c(), high, &made));
        return made;
    }
};

inline Intercomm Intracomm::Create_intercomm(int local_leader, const Comm &peer_comm, int remote_leader, int tag) const
{
    MPI_Comm made = MPI_COMM_NULL;
    detail::check(MPI_Intercomm_create(c(), local_leader, peer_comm, remote_leader, tag, &made));
    return made;
}

inline void Datatype::Pack(const void *inbuf, int incount, void *outbuf, int outsize, int &position,
                           const Comm &comm) const
{
    detail::check(MPI_Pack(inbuf, incount, c(), outbuf, outsize, &position, comm));
}

inline void Datatype::Unpack(const void *inbuf, int insize, void *outbuf, int outcount, int &position,
                             const Comm &comm) const
{
    detail::check(MPI_Unpack(inbuf, insize, &position, outbuf, outcount, c(), comm));
}

inline int Datatype::Pack_size(int incount, const Comm &comm) const
{
    int size = MPI_UNDEFINED;
    detail::check(MPI_Pack_size(incount, c(), comm, &size));
    return size;
}

} // namespace MPI

#endif
