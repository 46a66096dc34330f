/* file.h - files (MPI-5.0 chapter 14): what a handle stands for, and what the parts of this folder need of each other.
 *
 *     buffer  <-- stream.h -->  bytes as in the file  <-- cursor.h -->  pieces of the file  <-- disk.h -->  system
 *
 * Positions are in etypes of a view, offsets in bytes of the file.  Nothing is limited by an int.
 */
#ifndef TF_FILE_H
#define TF_FILE_H

#include "comm/comm.h" /* first of all: what the system shows depends on it */

#include <signal.h>

#include "msg/terms.h"
#include "type/type.h"

struct tf_info;
struct tf_datarep; /* datarep.h */
struct tf_system;  /* system.h: the kind of file system */
struct tf_shared;  /* shared.h: the shared file pointer */
struct tf_party;   /* party.h: what its collective accesses share */
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
    MPI_Count ordered;    /* of the tile: tf_walk_ordered() */
};

/* Words of the hint access_style. */
enum {
    TF_STYLE_READ_ONCE = 1,
    TF_STYLE_WRITE_ONCE = 2,
    TF_STYLE_READ_MOSTLY = 4,
    TF_STYLE_WRITE_MOSTLY = 8,
    TF_STYLE_SEQUENTIAL = 16,
    TF_STYLE_REVERSE_SEQUENTIAL = 32,
    TF_STYLE_RANDOM = 64
};
enum tf_hint { TF_HINT_AUTOMATIC, TF_HINT_ENABLE, TF_HINT_DISABLE };

/* How a file is spread over the devices of its file system; 0: not known, or as the system likes. */
struct tf_stripes {
    int factor;     /* devices; -1: all there are */
    MPI_Count unit; /* bytes on one before the next one */
    int first;      /* the number of the first device, and 1 */
};

/* The hints in force; get_info tells them (hints.def). */
struct tf_file_hints {
    int cb_nodes;                        /* aggregators; 0: as many as the library likes */
    int per_node;                        /* cb_config_list: aggregators of a node; 0: the same */
    MPI_Count cb_buffer_size;            /* bytes an aggregator has in memory at a time */
    enum tf_hint cb_read, cb_write;      /* romio_cb_read, romio_cb_write: collective buffering */
    enum tf_hint ds_read, ds_write;      /* romio_ds_read, romio_ds_write: data sieving */
    MPI_Count read_buffer, write_buffer; /* ind_rd_buffer_size, ind_wr_buffer_size: of sieving */
    int styles;                          /* access_style */
    int permissions;                     /* file_perm, of a file that is made; 0: what there is without it */
    struct tf_stripes stripes;           /* striping_factor and others; of a file that is open, what is so */
    int sharers;                         /* romio_lustre_co_ratio: aggregators of a device; 0: one */
};

struct tf_file {
    struct tf_object obj;
    struct tf_errhandler *errhandler; /* holds a reference */
    struct tf_info *info;             /* the hints in force, as MPI_File_get_info tells them */
    struct tf_comm *comm;             /* a duplicate of its own, without attributes */
    char *path;                       /* without the prefix of a file system ("ufs:") */
    int amode;
    int fd;                         /* -1: closed */
    bool readable;                  /* by the library, which reads where it sieves, whatever the mode says */
    bool limited;                   /* the process has a limit on the size of files */
    bool made;                      /* by this open, on rank 0 */
    const struct tf_system *system; /* NULL: not known yet */
    struct tf_mapper *mapper;       /* NULL: it is not written through memory */
    struct tf_file_hints hints;
    struct tf_view *view;
    MPI_Offset position; /* the individual file pointer, in etypes of the view */
    struct tf_shared *shared;
    struct tf_party *party; /* NULL: there was no collective access yet */
    struct tf_split *split; /* NULL: none under way */
    bool atomic;
    _Atomic bool unsynced; /* this process has written since MPI_File_sync; threads of its own do so too */
    uint32_t accesses;     /* collective ones, also those that had no memory to begin: the same on all ranks */
    int under_way;         /* nonblocking operations that have not ended */
};

/* The object of MPI_FILE_NULL, which has the error handler that files begin with, and whose errors are those of
 * procedures without a file (section 14.7). */
extern struct tf_file tf_file_null;

/* ---- open.c, manage.c: the procedures of MPI, arguments in its order ---- */

/* After an error, too, the file is closed. */
int tf_file_open(struct tf_comm *comm, const char *filename, int amode, const struct tf_info *info, MPI_File *fh);
int tf_file_close(struct tf_file *file);
int tf_file_delete(const char *filename, const struct tf_info *info);
/* Before there is a network. */
void tf_file_setup(void);
/* Files that are still open in MPI_Finalize are closed, or refused where it is strict; others may yet ask for their
 * shared pointers.  When all have come they are no more. */
int tf_file_leave(void);
void tf_file_drop(void);
/* When the library is closed. */
void tf_file_teardown(void);

int tf_file_set_size(struct tf_file *file, MPI_Offset size);
int tf_file_preallocate(struct tf_file *file, MPI_Offset size);
int tf_file_get_size(struct tf_file *file, MPI_Offset *size);
int tf_file_get_group(struct tf_file *file, MPI_Group *group);
int tf_file_get_amode(const struct tf_file *file, int *amode);
int tf_file_set_info(struct tf_file *file, const struct tf_info *info);
int tf_file_get_info(const struct tf_file *file, MPI_Info *info_used);
int tf_file_sync(struct tf_file *file);
int tf_file_set_atomicity(struct tf_file *file, int flag);
int tf_file_get_atomicity(const struct tf_file *file, int *flag);
int tf_file_set_view(struct tf_file *file, MPI_Offset disp, struct tf_type *etype, struct tf_type *filetype,
                     const char *datarep, const struct tf_info *info);
int tf_file_get_view(struct tf_file *file, MPI_Offset *disp, MPI_Datatype *etype, MPI_Datatype *filetype,
                     char *datarep);
int tf_file_get_type_extent(struct tf_file *file, struct tf_type *type, MPI_Count *extent);
int tf_file_seek(struct tf_file *file, MPI_Offset offset, int whence);
int tf_file_get_position(const struct tf_file *file, MPI_Offset *offset);
int tf_file_get_byte_offset(const struct tf_file *file, MPI_Offset offset, MPI_Offset *disp);

/* ---- independent access: access.c, begin.c ---- */

int tf_file_read(struct tf_file *file, void *buf, MPI_Count count, struct tf_type *type, MPI_Status *status);
int tf_file_write(struct tf_file *file, const void *buf, MPI_Count count, struct tf_type *type, MPI_Status *status);
int tf_file_read_at(struct tf_file *file, MPI_Offset offset, void *buf, MPI_Count count, struct tf_type *type,
                    MPI_Status *status);
int tf_file_write_at(struct tf_file *file, MPI_Offset offset, const void *buf, MPI_Count count, struct tf_type *type,
                     MPI_Status *status);
int tf_file_iread(struct tf_file *file, void *buf, MPI_Count count, struct tf_type *type, MPI_Request *request);
int tf_file_iwrite(struct tf_file *file, const void *buf, MPI_Count count, struct tf_type *type, MPI_Request *request);
int tf_file_iread_at(struct tf_file *file, MPI_Offset offset, void *buf, MPI_Count count, struct tf_type *type,
                     MPI_Request *request);
int tf_file_iwrite_at(struct tf_file *file, MPI_Offset offset, const void *buf, MPI_Count count, struct tf_type *type,
                      MPI_Request *request);

/* ---- by the shared file pointer: pointer.c ---- */

int tf_file_read_shared(struct tf_file *file, void *buf, MPI_Count count, struct tf_type *type, MPI_Status *status);
int tf_file_write_shared(struct tf_file *file, const void *buf, MPI_Count count, struct tf_type *type,
                         MPI_Status *status);
int tf_file_iread_shared(struct tf_file *file, void *buf, MPI_Count count, struct tf_type *type, MPI_Request *request);
int tf_file_iwrite_shared(struct tf_file *file, const void *buf, MPI_Count count, struct tf_type *type,
                          MPI_Request *request);
int tf_file_seek_shared(struct tf_file *file, MPI_Offset offset, int whence);
int tf_file_get_position_shared(struct tf_file *file, MPI_Offset *offset);

/* ---- errors ---- */

/* The last step of a collective procedure (agree.c): `err` is of this process and was recorded.  If it is
 * MPI_SUCCESS on all, so is what all return; else all return an error, a rank that has not failed itself that of the
 * lowest one that has, with its rank and words.  Nobody waits for a rank that has failed, as long as all come here. */
int tf_file_agree(struct tf_comm *comm, int err);
/* The first step: all call the same procedure (its name) with the same value; an error where they do not.  `err` of
 * this process, whose value then does not count, is what it returns. */
int tf_file_same(struct tf_comm *comm, const char *procedure, const char *what, int64_t value, int err);
/* Record what errno says in words: the file, what could not be done, and the class that fits. */
int tf_file_error(const char *path, int system_error, const char *format, ...) TF_PRINTF(3, 4) TF_COLD;

/* ---- views: view.c ---- */

void tf_view_retain(struct tf_view *view);
void tf_view_release(struct tf_view *view);
/* The offset of the first byte of the etype of that number. */
MPI_Offset tf_view_offset(const struct tf_view *view, MPI_Offset position);
/* Whether so many etypes from that position on lie at offsets that a file can have; of none, their beginning. */
bool tf_view_holds(const struct tf_view *view, MPI_Offset position, MPI_Offset etypes);

/* ---- hints.c ---- */

extern const struct tf_file_hints tf_hints_initial;
/* Take over what `info` (NULL: nothing) says, as far as it is understood. */
void tf_hints_take(struct tf_file_hints *hints, const struct tf_info *info);
/* Into file->info, what is really in use. */
int tf_hints_tell(struct tf_file *file);

/* ---- disk.c: bytes of the file.  All of it is for any thread, with or without the big lock ---- */

/* Move bytes [offset, offset + bytes), in as many calls of the system as it takes.  *moved is set after an error too;
 * a read that moves less without an error has met the end of the file. */
int tf_disk_read(const struct tf_file *file, MPI_Offset offset, void *data, size_t bytes, size_t *moved);
/* All of these bytes, if the system has them at hand, without waiting for anybody. */
bool tf_disk_read_cached(const struct tf_file *file, MPI_Offset offset, void *data, size_t bytes);
int tf_disk_write(struct tf_file *file, MPI_Offset offset, const void *data, size_t bytes, size_t *moved);
/* Around a call that makes a file longer: a limit of the process on the size of files is an error then, no signal. */
struct tf_hush {
    sigset_t before;
};
void tf_disk_hush(const struct tf_file *file, struct tf_hush *hush);
void tf_disk_unhush(const struct tf_file *file, const struct tf_hush *hush);
/* Lock that range against other opens of the file, in this process and elsewhere; `exclusive` for writing. */
int tf_disk_lock(const struct tf_file *file, MPI_Offset offset, MPI_Offset bytes, bool exclusive);
void tf_disk_unlock(const struct tf_file *file, MPI_Offset offset, MPI_Offset bytes);
int tf_disk_size(const struct tf_file *file, MPI_Offset *size);
/* A file as memory to write to (mapped.c).  NULL: this one is not. */
struct tf_mapper *tf_mapper_create(const struct tf_file *file);
void tf_mapper_free(struct tf_mapper *mapper);
/* Whether so many pieces, each of which begins so many bytes behind the one before on average, are better stored so
 * than written by a call each. */
bool tf_disk_map_wins(const struct tf_file *file, MPI_Count pieces, MPI_Count apart);
/* Where bytes [offset, offset + bytes) are in memory until they are given back: the file is that long, and no store
 * there meets a lack of space.  Other bytes of these pages stay whoever's they are.  NULL: not here and now, and
 * nothing has changed but perhaps the length. */
struct tf_mapped {
    void *pages;
    size_t bytes;
    MPI_Offset begin;
    bool kept; /* by the file, for the next time */
};
char *tf_disk_map(struct tf_file *file, MPI_Offset offset, size_t bytes, struct tf_mapped *mapped);
void tf_disk_unmap(const struct tf_file *file, struct tf_mapped *mapped);
/* Write pieces in ascending order; what lies at `first` in the file is at `range`. */
struct tf_piece {
    MPI_Offset begin, end;
};
int tf_disk_write_pieces(struct tf_file *file, const struct tf_piece *pieces, int n, const char *range,
                         MPI_Offset first);
/* Tell the system of the hint access_style, which it may mind. */
void tf_disk_advise(const struct tf_file *file);
/* What other hosts have written is seen from now on, where the file system keeps copies. */
void tf_disk_refresh(const struct tf_file *file);

/* ---- access.c: what all reads and writes share ---- */

enum tf_pointer { TF_EXPLICIT, TF_INDIVIDUAL, TF_SHARED };
/* Whether the file may be read, or written, so: it is open, in a mode that allows it, a sequential one by the shared
 * pointer alone (section 14.2.1), what is moved is a whole number of etypes, and tf_access_check_place().  The offset
 * of a pointer does not count. */
int tf_access_check(const struct tf_file *file, bool write, enum tf_pointer pointer, MPI_Offset offset, MPI_Count count,
                    struct tf_type *type);
/* Whether a file can have the data there; for the shared pointer, which has moved by then. */
int tf_access_check_place(const struct tf_file *file, MPI_Offset position, MPI_Count count, struct tf_type *type);
/* How many etypes of the view `count` elements are. */
MPI_Offset tf_access_etypes(const struct tf_view *view, MPI_Count count, struct tf_type *type);

/* Blocking, checked before, from that position on; the status tells what was moved, after an error too. */
int tf_access_at(struct tf_file *file, bool write, MPI_Offset position, void *buf, MPI_Count count,
                 struct tf_type *type, MPI_Status *status);

struct tf_stream;
/* Move the stream from that position (in etypes) of its view on, by this process alone; for any thread.  *moved, of
 * its bytes, is set after an error too. */
int tf_access_move(struct tf_file *file, bool write, MPI_Offset position, struct tf_stream *stream, size_t *moved);

#endif
