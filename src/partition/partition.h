/* partition.h - partitioned point-to-point communication (MPI-5.0 chapter 4): one message whose parts are said to be
 * ready one by one, by several threads, and of which the receiver can use each that has come.
 *
 *     MPI_Psend_init, ..._Precv_init   rendezvous.h: which two belong together
 *     MPI_Start, MPI_Pready...         psend.h: what is ready goes, by marks.h from threads without the big lock
 *     MPI_Start, MPI_Parrived          precv.h: where it goes to, and what has come
 *
 * Arguments are checked by the binding, but for those that only the request can judge.
 */
#ifndef TF_PARTITION_H
#define TF_PARTITION_H

#include "comm/comm.h"
#include "msg/request.h"
#include "type/type.h"

/* The buffer of one side. */
struct tf_partition {
    char *buf;
    const struct tf_type *type; /* NULL: plain bytes at buf */
    MPI_Count count;            /* of elements in all partitions */
    size_t bytes;               /* of one partition in the packed stream */
    int number;                 /* of partitions */
    struct tf_type *held;       /* the datatype, of which it has a reference */
};

/* The type is retained; MPI_ERR_COUNT if that is more than can be counted. */
int tf_partition_open(struct tf_partition *whole, const void *buf, int partitions, MPI_Count count,
                      struct tf_type *type);
void tf_partition_close(struct tf_partition *whole);
static inline size_t tf_partition_total(const struct tf_partition *whole)
{
    return whole->bytes * (size_t)whole->number;
}
/* The request of a handle, looked for without the big lock, or NULL with MPI_ERR_REQUEST recorded. */
struct tf_request *tf_partition_find(MPI_Request handle);
/* One whose initialization failed goes, and has no side yet. */
void tf_partition_forget(struct tf_request *request);
/* MPI_SUCCESS, or MPI_ERR_ARG in words. */
int tf_partition_check(const struct tf_partition *whole, int partition);

/* Kinds of messages have handlers. */
void tf_partition_setup(void);
/* What a request of this chapter that is active waits for: "for partition 3 of 8 to be marked ready". */
void tf_partition_describe(const struct tf_request *request, char *words, size_t n);

/* The procedures.  Those that take a request find it themselves; *on receives the object whose error handler is told.
 * The last four are called without the big lock. */
int tf_psend_init(const void *buf, int partitions, MPI_Count count, struct tf_type *type, int dest, int tag,
                  struct tf_comm *comm, MPI_Request *request);
int tf_precv_init(void *buf, int partitions, MPI_Count count, struct tf_type *type, int source, int tag,
                  struct tf_comm *comm, MPI_Request *request);
int tf_pready(int partition, MPI_Request request, struct tf_object **on);
int tf_pready_range(int low, int high, MPI_Request request, struct tf_object **on);
int tf_pready_list(int length, const int *partitions, MPI_Request request, struct tf_object **on);
int tf_parrived(MPI_Request request, int partition, int *flag, struct tf_object **on);

#endif
