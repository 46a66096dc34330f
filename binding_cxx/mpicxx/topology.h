/* topology.h - MPI::Cartcomm, Graphcomm and Distgraphcomm (MPI-2.2 chapter 7). */
#ifndef TREEFOLD_MPICXX_TOPOLOGY_H
#define TREEFOLD_MPICXX_TOPOLOGY_H

namespace MPI
{

class Cartcomm : public Intracomm
{
  public:
    TREEFOLD_CONSTEXPR Cartcomm(detail::number n) : Intracomm(n)
    {
    }
    Cartcomm(const Comm_Null &null) : Intracomm(null)
    {
    }
    Cartcomm(MPI_Comm c = MPI_COMM_NULL) : Intracomm(c)
    {
    }

    Cartcomm Dup() const
    {
        return dup();
    }
    virtual Cartcomm &Clone() const
    {
        return *new Cartcomm(dup());
    }
    int Get_dim() const
    {
        int ndims = MPI_UNDEFINED;
        detail::check(MPI_Cartdim_get(c(), &ndims));
        return ndims;
    }
    void Get_topo(int maxdims, int dims[], bool periods[], int coords[]) const
    {
        detail::ints wraps(maxdims);
        int error = MPI_Cart_get(c(), maxdims, dims, wraps, coords);
        detail::check(error);
        int ndims = error == MPI_SUCCESS ? Get_dim() : 0;
        wraps.give(ndims < maxdims ? ndims : maxdims, periods);
    }
    int Get_cart_rank(const int coords[]) const
    {
        int rank = MPI_UNDEFINED;
        detail::check(MPI_Cart_rank(c(), coords, &rank));
        return rank;
    }
    void Get_coords(int rank, int maxdims, int coords[]) const
    {
        detail::check(MPI_Cart_coords(c(), rank, maxdims, coords));
    }
    void Shift(int direction, int disp, int &rank_source, int &rank_dest) const
    {
        detail::check(MPI_Cart_shift(c(), direction, disp, &rank_source, &rank_dest));
    }
    Cartcomm Sub(const bool remain_dims[]) const
    {
        MPI_Comm made = MPI_COMM_NULL;
        detail::ints remain(Get_dim(), remain_dims);
        detail::check(MPI_Cart_sub(c(), remain, &made));
        return made;
    }
    int Map(int ndims, const int dims[], const bool periods[]) const
    {
        int rank = MPI_UNDEFINED;
        detail::ints wraps(ndims, periods);
        detail::check(MPI_Cart_map(c(), ndims, dims, wraps, &rank));
        return rank;
    }
};

class Graphcomm : public Intracomm
{
  public:
    TREEFOLD_CONSTEXPR Graphcomm(detail::number n) : Intracomm(n)
    {
    }
    Graphcomm(const Comm_Null &null) : Intracomm(null)
    {
    }
    Graphcomm(MPI_Comm c = MPI_COMM_NULL) : Intracomm(c)
    {
    }

    Graphcomm Dup() const
    {
        return dup();
    }
    virtual Graphcomm &Clone() const
    {
        return *new Graphcomm(dup());
    }
    void Get_dims(int nnodes[], int nedges[]) const
    {
        detail::check(MPI_Graphdims_get(c(), nnodes, nedges));
    }
    void Get_topo(int maxindex, int maxedges, int index[], int edges[]) const
    {
        detail::check(MPI_Graph_get(c(), maxindex, maxedges, index, edges));
    }
    int Get_neighbors_count(int rank) const
    {
        int n = MPI_UNDEFINED;
        detail::check(MPI_Graph_neighbors_count(c(), rank, &n));
        return n;
    }
    void Get_neighbors(int rank, int maxneighbors, int neighbors[]) const
    {
        detail::check(MPI_Graph_neighbors(c(), rank, maxneighbors, neighbors));
    }
    int Map(int nnodes, const int index[], const int edges[]) const
    {
        int rank = MPI_UNDEFINED;
        detail::check(MPI_Graph_map(c(), nnodes, index, edges, &rank));
        return rank;
    }
};

class Distgraphcomm : public Intracomm
{
  public:
    TREEFOLD_CONSTEXPR Distgraphcomm(detail::number n) : Intracomm(n)
    {
    }
    Distgraphcomm(const Comm_Null &null) : Intracomm(null)
    {
    }
    Distgraphcomm(MPI_Comm c = MPI_COMM_NULL) : Intracomm(c)
    {
    }

    Distgraphcomm Dup() const
    {
        return dup();
    }
    virtual Distgraphcomm &Clone() const
    {
        return *new Distgraphcomm(dup());
    }
    void Get_dist_neighbors_count(int &indegree, int &outdegree, bool &weighted) const
    {
        int flag = 0;
        detail::check(MPI_Dist_graph_neighbors_count(c(), &indegree, &outdegree, &flag));
        weighted = flag != 0;
    }
    void Get_dist_neighbors(int maxindegree, int sources[], int sourceweights[], int maxoutdegree, int destinations[],
                            int destweights[]) const
    {
        detail::check(MPI_Dist_graph_neighbors(c(), maxindegree, sources, sourceweights, maxoutdegree, destinations,
                                               destweights));
    }
};

inline Cartcomm Intracomm::Create_cart(int ndims, const int dims[], const bool periods[], bool reorder) const
{
    MPI_Comm made = MPI_COMM_NULL;
    detail::ints wraps(ndims, periods);
    detail::check(MPI_Cart_create(c(), ndims, dims, wraps, reorder, &made));
    return made;
}

inline Graphcomm Intracomm::Create_graph(int nnodes, const int index[], const int edges[], bool reorder) const
{
    MPI_Comm made = MPI_COMM_NULL;
    detail::check(MPI_Graph_create(c(), nnodes, index, edges, reorder, &made));
    return made;
}

inline Distgraphcomm Intracomm::Dist_graph_create(int n, const int sources[], const int degrees[],
                                                  const int destinations[], const int weights[], const Info &info,
                                                  bool reorder) const
{
    MPI_Comm made = MPI_COMM_NULL;
    detail::check(MPI_Dist_graph_create(c(), n, sources, degrees, destinations, weights, info, reorder, &made));
    return made;
}

inline Distgraphcomm Intracomm::Dist_graph_create(int n, const int sources[], const int degrees[],
                                                  const int destinations[], const Info &info, bool reorder) const
{
    return Dist_graph_create(n, sources, degrees, destinations, MPI_UNWEIGHTED, info, reorder);
}

inline Distgraphcomm Intracomm::Dist_graph_create_adjacent(int indegree, const int sources[], const int sourceweights[],
                                                           int outdegree, const int destinations[],
                                                           const int destweights[], const Info &info,
                                                           bool reorder) const
{
    MPI_Comm made = MPI_COMM_NULL;
    detail::check(MPI_Dist_graph_create_adjacent(c(), indegree, sources, sourceweights, outdegree, destinations,
                                                 destweights, info, reorder, &made));
    return made;
}

inline Distgraphcomm Intracomm::Dist_graph_create_adjacent(int indegree, const int sources[], int outdegree,
                                                           const int destinations[], const Info &info,
                                                           bool reorder) const
{
    return Dist_graph_create_adjacent(indegree, sources, MPI_UNWEIGHTED, outdegree, destinations, MPI_UNWEIGHTED, info,
                                      reorder);
}

inline void Compute_dims(int nnodes, int ndims, int dims[])
{
    detail::check(MPI_Dims_create(nnodes, ndims, dims));
}

} // namespace MPI

#endif
