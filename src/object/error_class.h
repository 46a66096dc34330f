/* error_class.h - error classes, codes and strings (MPI-5.0 sections 9.4 and 9.5), callable before MPI_Init too. */
#ifndef TF_ERROR_CLASS_H
#define TF_ERROR_CLASS_H

#include "base/base.h"

int tf_error_class(int errorcode, int *errorclass);
/* `string` has room for MPI_MAX_ERROR_STRING characters. */
int tf_error_string(int errorcode, char *string, int *resultlen);
int tf_add_error_class(int *errorclass);
int tf_add_error_code(int errorclass, int *errorcode);
int tf_add_error_string(int errorcode, const char *string);
int tf_remove_error_class(int errorclass);
int tf_remove_error_code(int errorcode);
int tf_remove_error_string(int errorcode);

/* The value of the attribute MPI_LASTUSEDCODE: the highest number that was ever given out. */
int tf_error_last_used_code(void);
/* "MPI_ERR_ROOT", or "an error code that the program added", or "no error code of MPI"; in static memory. */
const char *tf_error_name(int errorcode);

#endif
