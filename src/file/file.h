/* file.h - files (MPI-5.0 chapter 14): what a handle stands for, and what the parts of this folder need of each other.
 *
 *     buffer  <-- stream.h -->  bytes as in the file  <-- cursor.h -->  pieces of the file  <-- disk.h -->  system
 *
 * Positions are in etypes of a view, offsets in bytes of the file.  Nothing is limited by an int.
 */
#ifndef TF_FILE_H
#define TF_FILE_H

#include "comm/comm.h"
#include "msg/terms.h"
#include "type/type.h"

struct tf_info;
struct tf_datarep; /* datarep.h */
struct tf_system;  /* system.h: the kind of file system */
struct tf_shared;  /* shared.h: the shared file pointer */
struct tf_split;   /* split.c: the split collective under way */

/* A view (section 14.3).  It never changes: operations under way hold the one they began with. */
struct tf_view {
    int refs;
    MPI_Offset disp;                  /* bytes before the first filetype */
    struct tf_type *etype, *filetype; /* as the program gave them; references are held */
    const struct tf_datarep *datarep;
    struct tf_type *tile; /* the filetype as it lies in the file: the same, unless the representation has other sizes;
                             flattened, displacements not negative and not decreasing; a reference is held */
    MPI_Count unit;       /* bytes of an etype in the file; 0 only of an etype without data */
    bool contiguous;      /* all bytes from disp on */
};

enum tf_hint { TF_HINT_AUTOMATIC, TF_HINT_ENABLE, TF_HINT_DISABLE };

/* The hints in force; get_info tells them (hints.def). */
struct tf_file_hints {
    int cb_nodes;                        /* aggregators; 0: as many as the library likes */
    MPI_Count cb_buffer_size;            /* bytes an aggregator has in memory at a time */
    enum tf_hint cb_read, cb_write;      /* romio_cb_read, romio_cb_write: collective buffering */
    enum tf_hint ds_read, ds_write;      /* romio_ds_read, romio_ds_write: data sieving */
    MPI_Count read_buffer, write_buffer; /* ind_rd_buffer_size, ind_wr_buffer_size: of sieving */
    int striping_factor;                 /* 0: the file system's own */
    MPI_Count striping_unit;
};

struct tf_file {
    struct tf_object obj;
    struct tf_errhandler *errhandler; /* holds a reference */
    struct tf_info *info;             /* the hints in force, for get_info */
    struct tf_comm *comm;             /* a duplicate of its own, without attributes */
    char *path;                       /* without the prefix of a file system ("ufs:") */
    int amode;
    int fd;
    const struct tf_system *system;
    struct tf_file_hints hints;
    struct tf_view *view;
    MPI_Offset position; /* the individual file pointer, in etypes of the view */
    struct tf_shared *shared;
    struct tf_split *split; /* NULL: none under way */
    bool atomic;
    int under_way; /* nonblocking operations that have not ended */
};

/* ---- errors ---- */

/* A step of a collective procedure in which ranks may fail: `err` is of this process and was recorded.  If it is
 * MPI_SUCCESS on all, so is what all return; else all return an error, a rank that has not failed itself that of the
 * lowest one that has, with its rank and words.  Nobody waits for a rank that has failed, as long as all come here. */
int tf_file_agree(struct tf_comm *comm, int err);
/* All call the same procedure (its name) with the same value; an error on all where they do not. */
int tf_file_same(struct tf_comm *comm, const char *procedure, const char *what, int64_t value);
/* Record what errno says in words: the file, what could not be done, and the class that fits. */
int tf_file_error(const char *path, int system_error, const char *format, ...) TF_PRINTF(3, 4) TF_COLD;

/* ---- views: view.c ---- */

void tf_view_retain(struct tf_view *view);
void tf_view_release(struct tf_view *view);
/* The offset of the first byte of the etype of that number. */
MPI_Offset tf_view_offset(const struct tf_view *view, MPI_Offset position);

/* ---- disk.c: bytes of the file.  All of it is for any thread, with or without the big lock ---- */

/* Move bytes [offset, offset + bytes), in as many calls of the system as it takes.  *moved is set after an error too;
 * a read that moves less without an error has met the end of the file. */
int tf_disk_read(const struct tf_file *file, MPI_Offset offset, void *data, size_t bytes, size_t *moved);
int tf_disk_write(const struct tf_file *file, MPI_Offset offset, const void *data, size_t bytes, size_t *moved);
/* Lock that range against other opens of the file, in this process and elsewhere; `exclusive` for writing. */
int tf_disk_lock(const struct tf_file *file, MPI_Offset offset, MPI_Offset bytes, bool exclusive);
void tf_disk_unlock(const struct tf_file *file, MPI_Offset offset, MPI_Offset bytes);
int tf_disk_size(const struct tf_file *file, MPI_Offset *size);

/* ---- access.c: what reads and writes allow, and how they end ---- */

/* Whether the file may be read, or written, so (section 14.2.1: not with this mode; 14.4.5: a sequential one only by
 * shared pointers); `shared`: by the shared pointer. */
int tf_access_check(const struct tf_file *file, bool write, bool shared, MPI_Count count, const struct tf_type *type);
/* How many etypes of the view `count` elements are; they are a whole number, which tf_access_check() has seen to. */
MPI_Offset tf_access_etypes(const struct tf_view *view, MPI_Count count, const struct tf_type *type);

#endif
