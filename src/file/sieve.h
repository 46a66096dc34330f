/* sieve.h - independent access: what one process reads or writes of a view by itself.
 *
 * Long pieces go between the file and the buffer directly.  Where short ones lie close together one call of the system
 * moves what they span, holes included, and the holes are skipped in memory (data sieving):
 *
 *     file    xx..xx..xx..xx..      read as a whole, then  xx xx xx xx  is picked
 *
 * What lies further apart, as the planes of a box do, is read by calls of its own.
 *
 * Holes that are read are thrown away.  Holes that are written again may have been written by others meanwhile, who
 * take no lock: so writing sieves only if the hint romio_ds_write asks for it, and under a lock.  Otherwise short
 * pieces are stored into the file as memory, where that can be (mapped.c), unless the hint says `disable`.
 */
#ifndef TF_SIEVE_H
#define TF_SIEVE_H

#include "file/stream.h"

/* Move the whole stream, from byte `from` of its view on.  *moved is set after an error too; a read that moves less
 * without an error has met the end of the file.  In atomic mode the caller has locked all of it.  For any thread. */
int tf_sieve_move(struct tf_file *file, bool write, MPI_Count from, struct tf_stream *stream, size_t *moved);

/* Read what the walks cover, and holes between that are shorter than `hole`; what lies at `first` in the file comes to
 * `range`.  *eof: from where on there is nothing, INT64_MAX if not met. */
int tf_sieve_read(const struct tf_file *file, struct tf_stretch_walk *walks, int n, MPI_Count hole, char *range,
                  MPI_Offset first, MPI_Offset *eof);

/* Whether pieces of that length with holes of that length are better moved with their holes. */
bool tf_sieve_wins(enum tf_hint hint, bool write, MPI_Count piece, MPI_Count hole);

#endif
