/* construct.h - what the bindings call: constructors of datatypes, queries, packing, counts in a status.
 *
 * Arguments come in MPI's order.  Counts are not negative and handles are live: the binding has looked.  What depends
 * on several arguments is checked here.  `large` is the form that was called (MPI_X_c): MPI_Type_get_envelope tells it.
 * An array of byte displacements is MPI_Aint[] in the plain form and MPI_Count[] in the other: its struct tf_counts is
 * `large` in both.  A new type holds references to the types it is made of.
 *
 * Results that may not fit the plain form's int are MPI_Count here: the binding narrows them to MPI_UNDEFINED.
 */
#ifndef TF_TYPE_CONSTRUCT_H
#define TF_TYPE_CONSTRUCT_H

#include "type/type.h"

struct tf_comm;

/* ---- constructors, MPI-5.0 section 5.1.2 to 5.1.7 ---- */
int tf_type_contiguous(MPI_Count count, struct tf_type *oldtype, MPI_Datatype *newtype, bool large);
int tf_type_vector(MPI_Count count, MPI_Count blocklength, MPI_Count stride, struct tf_type *oldtype,
                   MPI_Datatype *newtype, bool large);
int tf_type_create_hvector(MPI_Count count, MPI_Count blocklength, MPI_Count stride, struct tf_type *oldtype,
                           MPI_Datatype *newtype, bool large);
int tf_type_indexed(MPI_Count count, struct tf_counts blocklengths, struct tf_counts displacements,
                    struct tf_type *oldtype, MPI_Datatype *newtype, bool large);
int tf_type_create_hindexed(MPI_Count count, struct tf_counts blocklengths, struct tf_counts displacements,
                            struct tf_type *oldtype, MPI_Datatype *newtype, bool large);
int tf_type_create_indexed_block(MPI_Count count, MPI_Count blocklength, struct tf_counts displacements,
                                 struct tf_type *oldtype, MPI_Datatype *newtype, bool large);
int tf_type_create_hindexed_block(MPI_Count count, MPI_Count blocklength, struct tf_counts displacements,
                                  struct tf_type *oldtype, MPI_Datatype *newtype, bool large);
int tf_type_create_struct(MPI_Count count, struct tf_counts blocklengths, struct tf_counts displacements,
                          const MPI_Datatype *types, MPI_Datatype *newtype, bool large);
int tf_type_create_subarray(int ndims, struct tf_counts sizes, struct tf_counts subsizes, struct tf_counts starts,
                            int order, struct tf_type *oldtype, MPI_Datatype *newtype, bool large);
int tf_type_create_darray(int size, int rank, int ndims, struct tf_counts gsizes, const int *distribs, const int *dargs,
                          const int *psizes, int order, struct tf_type *oldtype, MPI_Datatype *newtype, bool large);
int tf_type_create_resized(struct tf_type *oldtype, MPI_Count lb, MPI_Count extent, MPI_Datatype *newtype, bool large);
/* Attributes are copied by their callbacks (section 7.7.4); the new type is committed if the old one is. */
int tf_type_dup(struct tf_type *oldtype, MPI_Datatype *newtype);

/* Predefined types: the pair of (value, index), MPI_DATATYPE_NULL if there is none; the type of a class and size. */
int tf_type_get_value_index(struct tf_type *value_type, struct tf_type *index_type, MPI_Datatype *pair_type);
/* Fortran's numbers by decimal precision and range (f90.c); MPI_UNDEFINED: any. */
extern uint32_t tf_type_f90_made; /* how many: they stay until the process ends */
int tf_type_create_f90_integer(int r, MPI_Datatype *newtype);
int tf_type_create_f90_real(int p, int r, MPI_Datatype *newtype);
int tf_type_create_f90_complex(int p, int r, MPI_Datatype *newtype);
int tf_type_match_size(int typeclass, int size, MPI_Datatype *type);

/* ---- life ---- */
int tf_type_commit(struct tf_type *type); /* committing twice is nothing */
int tf_type_free(struct tf_type *type);   /* the user's reference; types and operations that use it keep it alive */

/* ---- queries ---- */
int tf_type_size(const struct tf_type *type, MPI_Count *size);
int tf_type_get_extent(const struct tf_type *type, MPI_Count *lb, MPI_Count *extent);
int tf_type_extent(const struct tf_type *type, MPI_Count *extent);
int tf_type_lb(const struct tf_type *type, MPI_Count *displacement);
int tf_type_ub(const struct tf_type *type, MPI_Count *displacement);
int tf_type_get_true_extent(const struct tf_type *type, MPI_Count *true_lb, MPI_Count *true_extent);
/* num_large_counts is NULL in the plain form: a type that has any is then MPI_ERR_TYPE (section 5.1.13). */
int tf_type_get_envelope(const struct tf_type *type, MPI_Count *num_integers, MPI_Count *num_addresses,
                         MPI_Count *num_large_counts, MPI_Count *num_datatypes, int *combiner);
/* The plain form passes TF_NO_LARGE_COUNTS, and no array.  Derived types come out as new references. */
#define TF_NO_LARGE_COUNTS INT64_MIN
int tf_type_get_contents(struct tf_type *type, MPI_Count max_integers, MPI_Count max_addresses,
                         MPI_Count max_large_counts, MPI_Count max_datatypes, int *integers, MPI_Aint *addresses,
                         MPI_Count *large_counts, MPI_Datatype *datatypes);

/* ---- explicit packing, section 5.2: the packed stream in native representation, the same for every communicator ----
 */
int tf_pack(const void *inbuf, MPI_Count incount, struct tf_type *type, void *outbuf, MPI_Count outsize,
            MPI_Count *position, const struct tf_comm *comm);
int tf_unpack(const void *inbuf, MPI_Count insize, MPI_Count *position, void *outbuf, MPI_Count outcount,
              struct tf_type *type, const struct tf_comm *comm);
int tf_pack_size(MPI_Count incount, struct tf_type *type, const struct tf_comm *comm, MPI_Count *size);

/* ---- section 5.3: in external32 (external32.c), the only `datarep` there is; position does not move if it fails ----
 */
int tf_pack_external(const char *datarep, const void *inbuf, MPI_Count incount, struct tf_type *type, void *outbuf,
                     MPI_Count outsize, MPI_Count *position);
int tf_unpack_external(const char *datarep, const void *inbuf, MPI_Count insize, MPI_Count *position, void *outbuf,
                       MPI_Count outcount, struct tf_type *type);
int tf_pack_external_size(const char *datarep, MPI_Count incount, struct tf_type *type, MPI_Count *size);

/* ---- the count in a status, section 3.2.5 and 5.1.11: MPI_UNDEFINED if it is not a whole number ---- */
int tf_get_count(const MPI_Status *status, const struct tf_type *type, MPI_Count *count);
int tf_get_elements(const MPI_Status *status, const struct tf_type *type, MPI_Count *count);
int tf_status_set_elements(MPI_Status *status, const struct tf_type *type, MPI_Count count);

#endif
