/* view.h - the making of views; what one is says file.h. */
#ifndef TF_VIEW_H
#define TF_VIEW_H

#include "file/file.h"

/* Whether a file that may be written, or only read, may be looked at so. */
int tf_view_check(const struct tf_type *etype, const struct tf_type *filetype, bool writable);
/* With one reference. */
int tf_view_create(MPI_Offset disp, struct tf_type *etype, struct tf_type *filetype, const struct tf_datarep *datarep,
                   struct tf_view **view);
/* Positions: from which one `offset` counts (current: where the pointer is), and the sum of both, if there is one. */
int tf_file_base(struct tf_file *file, int whence, MPI_Offset current, MPI_Offset *base);
int tf_file_sum(MPI_Offset base, MPI_Offset offset, MPI_Offset *position);
/* How many etypes of the view lie, from its beginning, before the end of a file of that many bytes. */
MPI_Offset tf_view_etypes_before(const struct tf_view *view, MPI_Offset size);

#endif
