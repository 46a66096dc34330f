/* represent.h - a datatype as it lies in a file whose data representation has other sizes than memory (MPI-5.0 section
 * 14.5.1).
 */
#ifndef TF_TYPE_REPRESENT_H
#define TF_TYPE_REPRESENT_H

#include "type/type.h"

/* The bytes of one element of a predefined datatype in the representation; an error class. */
typedef int tf_type_sizer(void *context, struct tf_type *basic, MPI_Count *bytes);

/* The same constructors, applied to bytes: displacements in elements become as long as the elements are there, those in
 * bytes stay what they are.  With a reference; flattened. */
int tf_type_represent(struct tf_type *type, tf_type_sizer *size_of, void *context, struct tf_type **represented);

#endif
