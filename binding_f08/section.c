/* section.c - copies of array sections that are not contiguous, and what becomes of them.
 */
#include "section.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Another MPI library has no such function. */
#pragma weak MPIX_Request_attach_x
#pragma weak MPIX_Win_attach_x

/* A section as runs of contiguous bytes, at `stride` of each dimension: the leading dimensions that lie in a row are
 * one run. */
struct tf_section {
    struct tf_section *next;
    char *base;
    size_t run, bytes;
    int rank;
    ptrdiff_t extent[TF_MAX_RANK], stride[TF_MAX_RANK];
    char *copy;      /* or memory that is only kept */
    char *before;    /* what the copy was when the operation began; NULL if the operation does not write it */
    MPI_Fint handle; /* of the first one of a call, while it is kept */
    struct tf_section *kept;
};

bool tf_array_contiguous(const struct tf_array *array)
{
    ptrdiff_t row = (ptrdiff_t)array->element;
    for (int d = 0; d < array->rank; d++) {
        ptrdiff_t extent = tf_array_extent(array, d);
        /* Empty, or the last dimension of an assumed-size array, whose extent nobody knows. */
        if (extent <= 0)
            return true;
        if (extent > 1 && tf_array_stride(array, d) != row)
            return false;
        row *= extent;
    }
    return true;
}

/* An array whose later dimensions are empty has no bytes. */
static void describe(struct tf_section *section, const struct tf_array *array)
{
    section->base = array->base;
    section->run = section->bytes = array->element;
    for (int d = 0; d < array->rank; d++) {
        ptrdiff_t extent = tf_array_extent(array, d), stride = tf_array_stride(array, d);
        extent = extent > 0 ? extent : 0;
        section->bytes *= (size_t)extent;
        if (section->rank == 0 && (extent == 1 || stride == (ptrdiff_t)section->run)) {
            section->run *= (size_t)extent;
            continue;
        }
        section->extent[section->rank] = extent;
        section->stride[section->rank++] = stride;
    }
}

/* Go through the runs of a section beside their places in the copy. */
#define FOR_EACH_RUN(section, place, offset)                                                                           \
    ptrdiff_t index[TF_MAX_RANK] = {0};                                                                                \
    char *place = (section)->base;                                                                                     \
    for (size_t offset = 0; offset < (section)->bytes;                                                                 \
         offset += (section)->run, place = next_run(section, place, index))

static inline char *next_run(const struct tf_section *section, char *place, ptrdiff_t *index)
{
    for (int d = 0; d < section->rank; d++) {
        place += section->stride[d];
        if (++index[d] < section->extent[d])
            break;
        place -= section->stride[d] * section->extent[d];
        index[d] = 0;
    }
    return place;
}

static void fetch(struct tf_section *section)
{
    FOR_EACH_RUN(section, place, offset)
    memcpy(section->copy + offset, place, section->run);
    if (section->before)
        memcpy(section->before, section->copy, section->bytes);
}

static void put_back(const struct tf_section *section)
{
    FOR_EACH_RUN(section, place, offset)
    {
        const char *new = section->copy + offset, *old = section->before + offset;
        if (memcmp(new, old, section->run) == 0)
            continue;
        for (size_t i = 0; i < section->run; i++)
            if (new[i] != old[i])
                place[i] = new[i];
    }
}

/* ---- the life of the copies ---- */

static void fetch_all(void *first)
{
    for (struct tf_section *section = first; section; section = section->next)
        if (section->base)
            fetch(section);
}

static void put_back_all(void *first)
{
    for (struct tf_section *section = first; section; section = section->next)
        if (section->before)
            put_back(section);
}

static void free_all(void *first)
{
    for (struct tf_section *section = first, *next; section; section = next) {
        next = section->next;
        free(section->copy);
        free(section->before);
        free(section);
    }
}

void *tf_section_copy(const struct tf_array *array, bool out, bool lasting, struct tf_sections *sections)
{
    struct tf_section *section = calloc(1, sizeof *section);
    sections->words = "there is no memory for a copy of an array section with gaps";
    if (!section) {
        sections->error = MPI_ERR_NO_MEM;
        return NULL;
    }
    describe(section, array);
    section->next = sections->first;
    sections->first = section;
    section->copy = malloc(section->bytes + 1);
    section->before = out ? malloc(section->bytes + 1) : NULL;
    if (!section->copy || (out && !section->before))
        sections->error = MPI_ERR_NO_MEM;
    else if (lasting && (!MPIX_Request_attach_x || !MPIX_Win_attach_x)) {
        sections->error = MPI_ERR_UNSUPPORTED_OPERATION;
        sections->words = "this MPI library does not tell when an operation has ended, until when a copy of an array "
                          "section with gaps would have to stay; give it a contiguous array";
    } else
        fetch(section);
    return section->copy;
}

void tf_sections_close(struct tf_sections *sections)
{
    if (!sections->error)
        put_back_all(sections->first);
    free_all(sections->first);
}

void tf_sections_attach(struct tf_sections *sections, int err, MPI_Request request)
{
    if (err) {
        free_all(sections->first);
    } else if (MPIX_Request_attach_x && request != MPI_REQUEST_NULL) {
        MPIX_Request_attach_x(request, fetch_all, put_back_all, free_all, sections->first);
    } else if (request == MPI_REQUEST_NULL) {
        tf_sections_close(sections);
    }
}

void tf_sections_keep(struct tf_sections *sections, int err, MPI_Win win, int rank)
{
    if (err || !MPIX_Win_attach_x || MPIX_Win_attach_x(win, rank, put_back_all, free_all, sections->first))
        free_all(sections->first);
}

/* ---- operations without a request ---- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct tf_section *kept; /* the first ones of their calls */

static struct tf_section *take(MPI_Fint handle)
{
    pthread_mutex_lock(&lock);
    struct tf_section **place = &kept;
    while (*place && (*place)->handle != handle)
        place = &(*place)->kept;
    struct tf_section *first = *place;
    if (first)
        *place = first->kept;
    pthread_mutex_unlock(&lock);
    return first;
}

/* What is kept of that handle is of an operation that has ended with an error. */
void tf_sections_hold(struct tf_sections *sections, int err, MPI_Fint handle)
{
    struct tf_section *first = sections->first;
    if (err) {
        free_all(first);
        return;
    }
    free_all(take(handle));
    pthread_mutex_lock(&lock);
    first->handle = handle;
    first->kept = kept;
    kept = first;
    pthread_mutex_unlock(&lock);
}

/* A call that fails may not have ended the operation. */
void tf_sections_end(int err, MPI_Fint handle)
{
    struct tf_section *first = err ? NULL : take(handle);
    put_back_all(first);
    free_all(first);
}
