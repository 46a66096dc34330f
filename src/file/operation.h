/* operation.h - nonblocking operations on a file, by a request. */
#ifndef TF_OPERATION_H
#define TF_OPERATION_H

#include "file/file.h"

struct tf_request;

/* Begin to move the buffer's data from that position (in etypes) of the file's view on; checked before. */
int tf_operation_begin(struct tf_file *file, bool write, MPI_Offset position, void *buf, MPI_Count count,
                       struct tf_type *type, MPI_Request *handle);
/* Of requests whose .file.handle is set: whose error handler is told of their errors (struct tf_request_kind). */
struct tf_object *tf_operation_on(const struct tf_request *request);

#endif
