/* arrays.c - arrays of handles and of LOGICALs between Fortran and C.
 */
#include "fortran.h"

/* Another MPI library has no such function. */
#pragma weak MPIX_Request_attach_x

#define ARRAYS(name, ctype, one)                                                                                       \
    ctype *tf_##name##_c(const MPI_Fint *from, int n, ctype few[TF_FEW])                                               \
    {                                                                                                                  \
        ctype *array = few && n <= TF_FEW ? few : malloc((size_t)(n > 0 ? n : 1) * sizeof *array);                     \
        for (int i = 0; array && i < n; i++)                                                                           \
            array[i] = from ? tf_##one##_c(from[i]) : NULL;                                                            \
        return array;                                                                                                  \
    }                                                                                                                  \
    void tf_##name##_f(MPI_Fint *to, int n, const ctype *few, ctype *array)                                            \
    {                                                                                                                  \
        for (int i = 0; to && array && i < n; i++) {                                                                   \
            if (array[i])                                                                                              \
                to[i] = tf_##one##_f(array[i]);                                                                        \
        }                                                                                                              \
        if (array != few)                                                                                              \
            free(array);                                                                                               \
    }
ARRAYS(requests, MPI_Request, request)
ARRAYS(types, MPI_Datatype, type)
ARRAYS(infos, MPI_Info, info)

void tf_types_keep(MPI_Datatype *array, int err, MPI_Request request)
{
    if (err || request == MPI_REQUEST_NULL)
        free(array);
    else if (MPIX_Request_attach_x)
        MPIX_Request_attach_x(request, NULL, NULL, free, array);
}

int *tf_logicals_c(const MPI_Fint *from, int n, int few[TF_FEW])
{
    int *array = n <= TF_FEW ? few : malloc((size_t)n * sizeof *array);
    for (int i = 0; array && i < n; i++)
        array[i] = from ? tf_logical_c(from[i]) : TF_UNSET;
    return array;
}

void tf_logicals_f(MPI_Fint *to, int n, const int *few, int *array)
{
    for (int i = 0; to && array && i < n; i++)
        tf_set_logical(&to[i], array[i]);
    if (array != few)
        free(array);
}

int tf_comm_dims(const MPI_Fint *comm)
{
    int kind = MPI_UNDEFINED, dims = 0;
    /* As below. */
    if (*comm != tf_comm_f(MPI_COMM_NULL) && PMPI_Topo_test(tf_comm_c(*comm), &kind) == MPI_SUCCESS && kind == MPI_CART)
        PMPI_Cartdim_get(tf_comm_c(*comm), &dims);
    return dims;
}

int tf_comm_width(const MPI_Fint *comm)
{
    int inter = 0, size = 0;
    /* A wrong handle is for the procedure itself to report; here it means no elements. */
    if (*comm == tf_comm_f(MPI_COMM_NULL) || PMPI_Comm_test_inter(tf_comm_c(*comm), &inter))
        return 0;
    if (inter)
        PMPI_Comm_remote_size(tf_comm_c(*comm), &size);
    else
        PMPI_Comm_size(tf_comm_c(*comm), &size);
    return size;
}

/* Both are 0 where there is no topology, which the procedure itself reports. */
static void find_degrees(const MPI_Fint *comm, int *in, int *out)
{
    MPI_Comm c = tf_comm_c(*comm);
    int kind = MPI_UNDEFINED, rank = 0, weighted;
    *in = *out = 0;
    if (*comm == tf_comm_f(MPI_COMM_NULL) || PMPI_Topo_test(c, &kind))
        return;
    if (kind == MPI_DIST_GRAPH) {
        PMPI_Dist_graph_neighbors_count(c, in, out, &weighted);
        return;
    }
    if (kind == MPI_CART)
        *in = 2 * tf_comm_dims(comm);
    else if (kind == MPI_GRAPH && PMPI_Comm_rank(c, &rank) == MPI_SUCCESS)
        PMPI_Graph_neighbors_count(c, rank, in);
    *out = *in;
}

int tf_comm_indegree(const MPI_Fint *comm)
{
    int in, out;
    find_degrees(comm, &in, &out);
    return in;
}

int tf_comm_outdegree(const MPI_Fint *comm)
{
    int in, out;
    find_degrees(comm, &in, &out);
    return out;
}
