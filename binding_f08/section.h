/* section.h - choice buffers of mpi_f08: the descriptors that a Fortran compiler passes for TYPE(*), DIMENSION(..), and
 * sections of arrays that are not contiguous.
 *
 * C wants a contiguous buffer.  A section that is not is copied, and the copy is handed over instead: derived datatypes
 * would not do, since predefined operators take none.  When the operation has ended, what it changed in the copy is
 * put back.  Only what it changed: the rest of the section may be the program's to use in the meantime.
 *
 * Descriptors are read as the compiler lays them out, since the specific procedures have Fortran's own calling
 * convention; ISO C's CFI_cdesc_t would cost a conversion in each call of gfortran.
 */
#ifndef TF_SECTION_H
#define TF_SECTION_H

#include "fortran.h"

enum { TF_MAX_RANK = 15 };

/* `element` is in bytes; strides are in units of `step` bytes. */
#ifdef TF_DESCRIPTOR_GFORTRAN
struct tf_array {
    void *base;
    size_t offset;
    size_t element;
    int version;
    signed char rank, type;
    short attribute;
    ptrdiff_t step;
    struct {
        ptrdiff_t stride, first, last;
    } dimensions[TF_MAX_RANK];
};

static inline ptrdiff_t tf_array_extent(const struct tf_array *array, int d)
{
    return array->dimensions[d].last - array->dimensions[d].first + 1;
}
static inline ptrdiff_t tf_array_stride(const struct tf_array *array, int d)
{
    /* The step differs from the element's size in pointers to components only; not every version sets it elsewhere. */
    return array->dimensions[d].stride * (array->step ? array->step : (ptrdiff_t)array->element);
}
#else
/* The CFI_cdesc_t of Fortran 2018, which flang and ifx use inside too, as flang 16 has it. */
struct tf_array {
    void *base;
    size_t element;
    int version;
    unsigned char rank;
    signed char type;
    unsigned char attribute, extra;
    struct {
        ptrdiff_t first, extent, stride;
    } dimensions[TF_MAX_RANK];
};

static inline ptrdiff_t tf_array_extent(const struct tf_array *array, int d)
{
    return array->dimensions[d].extent;
}
static inline ptrdiff_t tf_array_stride(const struct tf_array *array, int d)
{
    return array->dimensions[d].stride;
}
#endif

/* The buffers of one call that are copies. */
struct tf_section;
struct tf_sections {
    struct tf_section *first;
    int error; /* why there is no copy, an error class and its words; then nothing is put back */
    const char *words;
};

/* Whether the elements lie in a row, of an array of any rank. */
bool tf_array_contiguous(const struct tf_array *array);
/* The address of a copy, which is added to `sections`; `out`: the operation writes it.  Not to be used if
 * sections->error is set: no memory; or, if `lasting`, a library that does not tell when an operation has ended. */
void *tf_section_copy(const struct tf_array *array, bool out, bool lasting, struct tf_sections *sections);
/* After a call that has ended: put back what it wrote, free the copies. */
void tf_sections_close(struct tf_sections *sections);
/* After a call that has begun an operation, or has failed with `err`: the copies stay until the request is gone. */
void tf_sections_attach(struct tf_sections *sections, int err, MPI_Request request);

/* The same where no copy will do, since the memory is used where it lies: an error if there are gaps. */
#define tf_section_whole(name, array, sections)                                                                        \
    tf_section_refuse(array,                                                                                           \
                      name " is a section of an array with gaps between its elements, which this procedure cannot "    \
                           "take: the memory is used where it lies; give it a contiguous array",                       \
                      sections)
static inline void *tf_section_refuse(const struct tf_array *array, const char *words, struct tf_sections *sections)
{
    if (array->rank > 0 && !tf_array_contiguous(array)) {
        sections->error = MPI_ERR_BUFFER;
        sections->words = words;
    }
    return tf_buffer(array->base);
}

/* After a call of an operation on a window, or one that has failed with `err`: until that is complete here. */
void tf_sections_keep(struct tf_sections *sections, int err, MPI_Win win, int rank);
/* The same where no request tells the end: the copies stay until a call that ends the operation of that handle is made,
 * and returns `err`. */
void tf_sections_hold(struct tf_sections *sections, int err, MPI_Fint handle);
void tf_sections_end(int err, MPI_Fint handle);

/* The buffer that C gets.  A scalar may be MPI_BOTTOM and the like. */
static inline void *tf_section_open(const struct tf_array *array, bool out, bool lasting, struct tf_sections *sections)
{
    if (array->rank == 0)
        return tf_buffer(array->base);
    if (array->rank == 1 && tf_array_stride(array, 0) == (ptrdiff_t)array->element)
        return array->base;
    return tf_array_contiguous(array) ? array->base : tf_section_copy(array, out, lasting, sections);
}

#endif
