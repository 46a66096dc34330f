/* fortran.h - what every C file of the Fortran bindings needs: constants that are addresses, LOGICAL, handles,
 * strings.
 *
 * These files stand on mpi.h and on what configure found out of the Fortran compiler; nothing of src/ is included.
 * binding_f08/ uses this header too.
 */
#ifndef TF_FORTRAN_H
#define TF_FORTRAN_H

#include "config.h"

#include <limits.h>
#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "names.h"

/* The library hides its symbols; a definition that Fortran programs call says TF_PUBLIC. */
#define TF_PUBLIC __attribute__((visibility("default")))

/* ---- constants that are addresses ---- */

/* COMMON /MPI_FORTRAN_ADDRESSES/ of mpif.h.  A program has the block too, and the linker makes all of one name one: so
 * what is compared is the address at run time of the name that the program has (special.c). */
struct tf_address_block {
    MPI_Fint bottom, in_place, buffer_automatic;
    MPI_Fint unweighted, weights_empty, errcodes_ignore;
    MPI_Fint status_ignore[MPI_F_STATUS_SIZE], statuses_ignore[MPI_F_STATUS_SIZE];
};
/* COMMON /MPI_FORTRAN_CHARACTERS/ */
struct tf_character_block {
    char argv_null, argvs_null;
};
extern struct tf_address_block *tf_addresses;
extern struct tf_character_block *tf_characters;

/* A choice buffer as C wants it: the special addresses become C's. */
static inline void *tf_buffer(void *buffer)
{
    static void *const special[] = {MPI_BOTTOM, MPI_IN_PLACE, MPI_BUFFER_AUTOMATIC};
    uintptr_t offset = (uintptr_t)buffer - (uintptr_t)tf_addresses;
    return __builtin_expect(offset < sizeof special / sizeof *special * sizeof(MPI_Fint), 0)
               ? special[offset / sizeof(MPI_Fint)]
               : buffer;
}
/* MPI_STATUS_IGNORE and MPI_STATUSES_IGNORE.  A Fortran status has the words of a C status (MPI-5.0 section 20.4). */
static inline MPI_Status *tf_status(MPI_Fint *status)
{
    return status == tf_addresses->status_ignore ? MPI_STATUS_IGNORE : (MPI_Status *)status;
}
static inline MPI_Status *tf_statuses(MPI_Fint *statuses)
{
    return statuses == tf_addresses->statuses_ignore ? MPI_STATUSES_IGNORE : (MPI_Status *)statuses;
}
/* MPI_UNWEIGHTED and MPI_WEIGHTS_EMPTY */
static inline int *tf_weights(MPI_Fint *weights)
{
    return weights == &tf_addresses->unweighted      ? MPI_UNWEIGHTED
           : weights == &tf_addresses->weights_empty ? MPI_WEIGHTS_EMPTY
                                                     : weights;
}
static inline int *tf_errcodes(MPI_Fint *errcodes)
{
    return errcodes == &tf_addresses->errcodes_ignore ? MPI_ERRCODES_IGNORE : errcodes;
}

/* ---- LOGICAL: compilers differ in what is true besides .TRUE. itself ---- */

/* An int that C did not set: results are written when C has set them, and some are although an error is returned. */
#define TF_UNSET INT_MIN

static inline int tf_logical_c(MPI_Fint logical)
{
    return logical != TF_FORTRAN_FALSE;
}
static inline MPI_Fint tf_logical_f(int flag)
{
    return flag ? TF_FORTRAN_TRUE : TF_FORTRAN_FALSE;
}
static inline void tf_set_logical(MPI_Fint *logical, int flag)
{
    if (flag != TF_UNSET)
        *logical = tf_logical_f(flag);
}
/* An index into an array, which Fortran counts from 1. */
static inline void tf_set_index(MPI_Fint *to, int index)
{
    if (index != TF_UNSET)
        *to = index == MPI_UNDEFINED ? index : index + 1;
}

/* ---- handles ---- */

/* Predefined handles are the same numbers in C and in Fortran (MPI-5.0 section 20.3), which fit 10 bits; what others
 * are is the library's business. */
#define TF_PREDEFINED_LIMIT 1024
#define TF_HANDLE(Stem, ctype, object)                                                                                 \
    static inline ctype tf_##object##_c(MPI_Fint handle)                                                               \
    {                                                                                                                  \
        return (uint32_t)handle < TF_PREDEFINED_LIMIT ? (ctype)(intptr_t)handle : MPI_##Stem##_fromint(handle);        \
    }                                                                                                                  \
    static inline MPI_Fint tf_##object##_f(ctype handle)                                                               \
    {                                                                                                                  \
        return (uintptr_t)handle < TF_PREDEFINED_LIMIT ? (MPI_Fint)(intptr_t)handle : MPI_##Stem##_toint(handle);      \
    }
#include "handles.def"

/* Arrays of n handles, which C has in other words.  tf_x_c() puts them into `few` if that is given and long enough, or
 * else into memory of its own (NULL: there is none); from NULL the elements become null pointers.  tf_x_f() gives that
 * memory back, after it has written the handles that are no null pointers to `to`, if that is given. */
#define TF_FEW 32
MPI_Request *tf_requests_c(const MPI_Fint *from, int n, MPI_Request few[TF_FEW]);
void tf_requests_f(MPI_Fint *to, int n, const MPI_Request *few, MPI_Request *array);
MPI_Datatype *tf_types_c(const MPI_Fint *from, int n, MPI_Datatype few[TF_FEW]);
void tf_types_f(MPI_Fint *to, int n, const MPI_Datatype *few, MPI_Datatype *array);
MPI_Info *tf_infos_c(const MPI_Fint *from, int n, MPI_Info few[TF_FEW]);
void tf_infos_f(MPI_Fint *to, int n, const MPI_Info *few, MPI_Info *array);
/* Instead of tf_types_f(), after a call that has begun an operation or has failed with `err`: the operation may use the
 * array, which must not be `few`, until the request is gone.  Of a library that does not tell when that is, the array
 * stays for good. */
void tf_types_keep(MPI_Datatype *array, int err, MPI_Request request);

/* The same of LOGICALs.  From NULL the elements become TF_UNSET; those that still are at the end are not written. */
int *tf_logicals_c(const MPI_Fint *from, int n, int few[TF_FEW]);
void tf_logicals_f(MPI_Fint *to, int n, const int *few, int *array);

/* As many logical values as MPI_Cart_sub has: the dimensions of a grid, 0 where there is none. */
int tf_comm_dims(const MPI_Fint *comm);

/* As many datatypes as MPI_Alltoallw has: the processes of a communicator, or of its remote group. */
int tf_comm_width(const MPI_Fint *comm);

/* As many as MPI_Neighbor_alltoallw has: the neighbors that a process receives from, and sends to. */
int tf_comm_indegree(const MPI_Fint *comm);
int tf_comm_outdegree(const MPI_Fint *comm);

/* tf_comm_fail() and so on: tell that object's error handler of an error of the binding's own in that procedure, which
 * is returned.  Another MPI library has no call that takes the words. */
#define TF_ERRHANDLER(Stem, stem, STEM, ctype)                                                                         \
    extern __typeof__(MPIX_##Stem##_call_errhandler_x) MPIX_##Stem##_call_errhandler_x __attribute__((weak));          \
    static inline int tf_##stem##_fail(ctype on, const char *procedure, int error, const char *words)                  \
    {                                                                                                                  \
        if (MPIX_##Stem##_call_errhandler_x)                                                                           \
            MPIX_##Stem##_call_errhandler_x(on, error, procedure, words);                                              \
        else                                                                                                           \
            MPI_##Stem##_call_errhandler(on, error);                                                                   \
        return error;                                                                                                  \
    }
#include "handles.def"
#define tf_no_room "there is no memory for what C gets in place of Fortran's arguments"
/* There is no memory for an argument of a call that concerns no object. */
static inline int tf_no_memory(const char *procedure)
{
    return tf_comm_fail(MPI_COMM_SELF, procedure, MPI_ERR_NO_MEM, tf_no_room);
}

/* ---- strings: Fortran's are padded with blanks, and their lengths come after all other arguments ---- */

/* A copy with a final null character, without the blanks that follow (`leading`: nor those before), for free(); NULL
 * without memory. */
char *tf_string_c(const char *text, size_t length, bool leading);
/* Copy `from`, cut off or padded to the length. */
void tf_string_f(char *to, size_t length, const char *from);
/* Whether this process is the root of a call; elsewhere arguments that count there alone are not looked at. */
bool tf_at_root(const MPI_Fint *comm, const MPI_Fint *root);
/* What C wants of arrays of strings, whose blanks on both sides do not count: those of a call's program, up to one that
 * is blank; of `count` programs, whose strings are the rows of an array; `count` strings.  Each is one block from
 * malloc, of nothing where this is not the root, or where MPI_ARGV_NULL or MPI_ARGVS_NULL is given; NULL: no memory. */
char **tf_argv_c(bool at_root, const char *argv, size_t length);
char ***tf_argvs_c(bool at_root, const char *argvs, size_t length, int count);
char **tf_commands_c(bool at_root, const char *commands, size_t length, int count);
/* The longest string that an MPI procedure gives. */
#define TF_LONGEST_STRING MPI_MAX_LIBRARY_VERSION_STRING

/* ---- functions of the program, with Fortran's conventions ---- */

typedef void tf_function(void);

/* The functions of a data representation, which lives until the process ends. */
struct tf_datarep_functions {
    tf_function *read, *write, *extent;
    MPI_Aint extra_state;
};
int tf_datarep_extent(MPI_Datatype datatype, MPI_Aint *extent, void *functions);

/* ---- static programs ---- */

/* What threads.c is for: every wrapper brings it along. */
typedef void tf_thread_function(void);
extern tf_thread_function *const tf_thread_functions[];
static tf_thread_function *const *const tf_threads __attribute__((used)) = tf_thread_functions;

#endif
