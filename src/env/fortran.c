/* fortran.c - what the library's predefined Fortran datatypes stand for (MPI-5.0 section 20.4).
 *
 * They are those of gfortran's and flang's defaults on x86-64 and fixed when the library is built, with .TRUE. = 1,
 * which is what the logical operators write.  A Fortran binding that finds other types in its compiler learns of it
 * here.
 */
#include "env/env.h"

#include <stdio.h>

#include "object/info.h"
#include "type/type.h"

static const struct {
    const char *key;
    MPI_Datatype type;
} sizes[] =
    {
        {"mpi_logical_size", MPI_LOGICAL},
        {"mpi_integer_size", MPI_INTEGER},
        {"mpi_real_size", MPI_REAL},
        {"mpi_double_precision_size", MPI_DOUBLE_PRECISION},
},
  optional[] = {
      {"mpi_logical1_supported", MPI_LOGICAL1},
      {"mpi_logical2_supported", MPI_LOGICAL2},
      {"mpi_logical4_supported", MPI_LOGICAL4},
      {"mpi_logical8_supported", MPI_LOGICAL8},
      {"mpi_logical16_supported", MPI_LOGICAL16},
      {"mpi_integer1_supported", MPI_INTEGER1},
      {"mpi_integer2_supported", MPI_INTEGER2},
      {"mpi_integer4_supported", MPI_INTEGER4},
      {"mpi_integer8_supported", MPI_INTEGER8},
      {"mpi_integer16_supported", MPI_INTEGER16},
      {"mpi_real2_supported", MPI_REAL2},
      {"mpi_real4_supported", MPI_REAL4},
      {"mpi_real8_supported", MPI_REAL8},
      {"mpi_real16_supported", MPI_REAL16},
      {"mpi_complex4_supported", MPI_COMPLEX4},
      {"mpi_complex8_supported", MPI_COMPLEX8},
      {"mpi_complex16_supported", MPI_COMPLEX16},
      {"mpi_complex32_supported", MPI_COMPLEX32},
      {"mpi_double_complex_supported", MPI_DOUBLE_COMPLEX},
};

int tf_env_fortran_info(MPI_Info *info)
{
    MPI_Info made;
    int err = tf_info_create(&made);

    for (size_t i = 0; i < TF_ARRAY_LEN(sizes) && !err; i++) {
        char value[24];
        snprintf(value, sizeof value, "%lld", (long long)tf_type_find(sizes[i].type)->size);
        err = tf_info_set(tf_info_find(made), sizes[i].key, value);
    }
    for (size_t i = 0; i < TF_ARRAY_LEN(optional) && !err; i++)
        err = tf_info_set(tf_info_find(made), optional[i].key, tf_type_find(optional[i].type) ? "true" : "false");
    if (!err)
        *info = made;
    return err;
}

/* A compiler may lack an optional type that the library has. */
int tf_env_set_fortran_info(struct tf_info *info)
{
    for (size_t i = 0; i < TF_ARRAY_LEN(sizes); i++) {
        const char *value = tf_info_value(info, sizes[i].key);
        long long size = tf_type_find(sizes[i].type)->size;
        if (value && atoll(value) != size)
            return tf_error(MPI_ERR_ABI, "%s is %s; this library's Fortran datatypes have %lld", sizes[i].key, value,
                            size);
    }
    for (size_t i = 0; i < TF_ARRAY_LEN(optional); i++) {
        const char *value = tf_info_value(info, optional[i].key);
        if (value && strcmp(value, "true") == 0 && !tf_type_find(optional[i].type))
            return tf_error(MPI_ERR_ABI, "%s is true; this library has no such datatype", optional[i].key);
    }
    return MPI_SUCCESS;
}

static int check_size(int size)
{
    bool known = size == 1 || size == 2 || size == 4 || size == 8 || size == 16;
    return known ? MPI_SUCCESS : tf_error(MPI_ERR_ARG, "logical_size is %d; it must be 1, 2, 4, 8 or 16", size);
}

/* x86-64 keeps the lowest byte first, so a LOGICAL of any size with the value 0 or 1 is that byte, and zeros. */
int tf_env_fortran_booleans(int logical_size, void *logical_true, void *logical_false, int *is_set)
{
    int err = check_size(logical_size);
    if (err)
        return err;
    memset(logical_true, 0, (size_t)logical_size);
    memset(logical_false, 0, (size_t)logical_size);
    *(char *)logical_true = 1;
    *is_set = true;
    return MPI_SUCCESS;
}

int tf_env_set_fortran_booleans(int logical_size, const void *logical_true, const void *logical_false)
{
    char is_true[16] = {1}, is_false[16] = {0};
    int err = check_size(logical_size);

    if (!err && (memcmp(logical_true, is_true, (size_t)logical_size) != 0 ||
                 memcmp(logical_false, is_false, (size_t)logical_size) != 0))
        return tf_error(MPI_ERR_ABI, "the logical operators of this library take .TRUE. to be 1 and .FALSE. to be 0");
    return err;
}
