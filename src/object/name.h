/* name.h - names of objects (MPI-5.0 section 7.8).  An object that has one holds MPI_MAX_OBJECT_NAME characters, which
 * are a string.
 */
#ifndef TF_NAME_H
#define TF_NAME_H

/* `of`: the object's.  A longer name is cut. */
int tf_name_set(char *of, const char *name);
int tf_name_get(const char *of, char *name, int *length);

#endif
