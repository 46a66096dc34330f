/* collective.h - collective access to files (MPI-5.0 sections 14.4.2 to 14.4.5).
 *
 *     facts       what each rank wants: an allgather
 *     access      by rounds of an exchange, or each rank for itself (rounds.h)
 *     agreement   whether it went well everywhere: a reduction
 *
 * Blocking, nonblocking and split calls are this; ordered ones find their place first.  A rank without data takes part,
 * and so does one that has failed, before or on the way: in all that others wait for.
 */
#ifndef TF_FILE_COLLECTIVE_H
#define TF_FILE_COLLECTIVE_H

#include "file/exchange.h"

struct tf_info;

/* An access as it was called for. */
struct tf_collective_call {
    struct tf_file *file;
    bool write;
    MPI_Offset position; /* in etypes of the view */
    void *buf;
    MPI_Count count;
    struct tf_type *type;
    int error; /* recorded, of what went before: this rank only takes part in what others wait for */
};

/* Fill in the position, and the error, which may be of the call itself: an explicit offset; the individual pointer,
 * which goes on; the shared one, behind what the ranks before this one access, which is collective by itself. */
void tf_collective_at(struct tf_collective_call *call, MPI_Offset offset);
void tf_collective_next(struct tf_collective_call *call);
void tf_collective_order(struct tf_collective_call *call);

int tf_collective_run(const struct tf_collective_call *call, MPI_Status *status);
int tf_collective_begin(const struct tf_collective_call *call, MPI_Request *request); /* begin_all.c */

/* One access under way. */
struct tf_collective {
    struct tf_file *file;
    struct tf_view *view; /* references, of the type too */
    struct tf_type *type;
    MPI_Offset position; /* in etypes */
    struct tf_stream stream;
    bool write, streaming;
    struct tf_facts mine, *facts;
    struct tf_rounds rounds;
    struct tf_exchange exchange;
    int error; /* of this rank; its words: */
    char words[320];
    size_t moved;
    MPI_Count native; /* bytes of the program's elements that were moved, once it has ended */
};

/* An error only where this rank cannot even tell that it has failed; whatever else is wrong the facts tell. */
int tf_collective_open(struct tf_collective *c, const struct tf_collective_call *call);
/* All facts are there; then comes tf_exchange_advance(), if there is an exchange, or tf_collective_alone(), on any
 * thread; or, if some rank has failed, neither. */
void tf_collective_decide(struct tf_collective *c, bool working);
void tf_collective_alone(struct tf_collective *c);
/* The allgather of the facts has ended with an error: where it was a death, others may have got all of them, and wait
 * for what this rank has to exchange, which it does not know. */
void tf_collective_leave(struct tf_collective *c, int err);
/* The access is over: what this rank got is in its buffer.  Its error, recorded. */
int tf_collective_end(struct tf_collective *c);
void tf_collective_close(struct tf_collective *c);

/* ---- the procedures of MPI ---- */

int tf_file_read_all(struct tf_file *file, void *buf, MPI_Count count, struct tf_type *type, MPI_Status *status);
int tf_file_write_all(struct tf_file *file, const void *buf, MPI_Count count, struct tf_type *type, MPI_Status *status);
int tf_file_read_at_all(struct tf_file *file, MPI_Offset offset, void *buf, MPI_Count count, struct tf_type *type,
                        MPI_Status *status);
int tf_file_write_at_all(struct tf_file *file, MPI_Offset offset, const void *buf, MPI_Count count,
                         struct tf_type *type, MPI_Status *status);
int tf_file_read_ordered(struct tf_file *file, void *buf, MPI_Count count, struct tf_type *type, MPI_Status *status);
int tf_file_write_ordered(struct tf_file *file, const void *buf, MPI_Count count, struct tf_type *type,
                          MPI_Status *status);

/* ---- begin_all.c ---- */

int tf_file_iread_all(struct tf_file *file, void *buf, MPI_Count count, struct tf_type *type, MPI_Request *request);
int tf_file_iwrite_all(struct tf_file *file, const void *buf, MPI_Count count, struct tf_type *type,
                       MPI_Request *request);
int tf_file_iread_at_all(struct tf_file *file, MPI_Offset offset, void *buf, MPI_Count count, struct tf_type *type,
                         MPI_Request *request);
int tf_file_iwrite_at_all(struct tf_file *file, MPI_Offset offset, const void *buf, MPI_Count count,
                          struct tf_type *type, MPI_Request *request);

/* ---- split.c ---- */

int tf_file_read_all_begin(struct tf_file *file, void *buf, MPI_Count count, struct tf_type *type);
int tf_file_read_all_end(struct tf_file *file, void *buf, MPI_Status *status);
int tf_file_write_all_begin(struct tf_file *file, const void *buf, MPI_Count count, struct tf_type *type);
int tf_file_write_all_end(struct tf_file *file, const void *buf, MPI_Status *status);
int tf_file_read_at_all_begin(struct tf_file *file, MPI_Offset offset, void *buf, MPI_Count count,
                              struct tf_type *type);
int tf_file_read_at_all_end(struct tf_file *file, void *buf, MPI_Status *status);
int tf_file_write_at_all_begin(struct tf_file *file, MPI_Offset offset, const void *buf, MPI_Count count,
                               struct tf_type *type);
int tf_file_write_at_all_end(struct tf_file *file, const void *buf, MPI_Status *status);
int tf_file_read_ordered_begin(struct tf_file *file, void *buf, MPI_Count count, struct tf_type *type);
int tf_file_read_ordered_end(struct tf_file *file, void *buf, MPI_Status *status);
int tf_file_write_ordered_begin(struct tf_file *file, const void *buf, MPI_Count count, struct tf_type *type);
int tf_file_write_ordered_end(struct tf_file *file, const void *buf, MPI_Status *status);

#endif
