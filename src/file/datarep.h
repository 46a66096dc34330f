/* datarep.h - data representations (MPI-5.0 section 14.5): native, internal (which is the native one), external32, and
 * those that programs register.
 */
#ifndef TF_DATAREP_H
#define TF_DATAREP_H

#include "file/file.h"

struct tf_datarep {
    const char *name;
    bool converts; /* bytes in the file are not those in memory */
    /* of a program's, section 14.5.3; large if the functions are those of MPI_Register_datarep_c */
    bool large;
    MPI_Datarep_conversion_function *read, *write;
    MPI_Datarep_conversion_function_c *read_c, *write_c;
    MPI_Datarep_extent_function *extent;
    void *state;
    struct tf_datarep *next;
};

extern const struct tf_datarep tf_datarep_native;

/* NULL: there is none of that name. */
const struct tf_datarep *tf_datarep_find(const char *name);
int tf_register_datarep(const char *name, MPI_Datarep_conversion_function *read, MPI_Datarep_conversion_function *write,
                        MPI_Datarep_extent_function *extent, void *state);
int tf_register_datarep_c(const char *name, MPI_Datarep_conversion_function_c *read,
                          MPI_Datarep_conversion_function_c *write, MPI_Datarep_extent_function *extent, void *state);

/* Bytes of data that an element takes in the file; and the extent of a datatype there (section 14.5.1). */
int tf_datarep_size(const struct tf_datarep *datarep, struct tf_type *type, MPI_Count *bytes);
/* The datatype as it lies in the file: byte displacements stay what they are, those in elements become as long as the
 * elements are there.  With a reference; flattened. */
int tf_datarep_type(const struct tf_datarep *datarep, struct tf_type *type, struct tf_type **in_file);

#endif
