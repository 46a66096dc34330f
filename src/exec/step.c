/* step.c - what a step does with data: references become spans, spans are read, written, copied and combined.
 */
#include "exec/exec.h"

/* Elements before block i of the vector, whose blocks repeat after the last one. */
static MPI_Count before(const struct tf_run *run, const struct tf_bound *b, int32_t i)
{
    int32_t n = run->plan->nblocks;
    switch (b->layout) {
    case TF_EVEN:
        return (i / n) * b->count + (MPI_Count)(i % n) * b->count / n;
    case TF_UNIFORM:
        return (MPI_Count)i * b->count;
    case TF_VARYING:
        break;
    }
    return (MPI_Count)(i / n) * run->prefix[n] + run->prefix[i % n];
}

MPI_Count tf_run_elements(const struct tf_run *run, const struct tf_bound *bound, int32_t first, int32_t nblocks)
{
    return before(run, bound, first + nblocks) - before(run, bound, first);
}

static struct tf_span plain(const struct tf_bound *b, char *buf, MPI_Count count)
{
    return (struct tf_span){NULL, buf, count, 0, (size_t)count * b->unit, b->memory};
}

static struct tf_span typed(const struct tf_bound *b, const struct tf_type *type, char *buf, MPI_Count count)
{
    return (struct tf_span){type, buf, count, 0, (size_t)count * (size_t)type->size, b->memory};
}

/* Elements of a datatype that only that block has. */
static struct tf_span of_its_own(const struct tf_bound *b, const struct tf_type *type, char *buf, MPI_Count count)
{
    struct tf_span span = typed(b, type, buf, count);
    if (type->dense) {
        span.type = NULL;
        span.buf += type->true_lb;
    }
    return span;
}

static struct tf_span displaced(const struct tf_bound *b, int32_t block)
{
    MPI_Count count = tf_counts_at(b->counts, block), at = tf_counts_at(b->displs, block);
    if (b->types)
        return of_its_own(b, b->types[block], b->base + at, count);
    char *buf = b->base + at * b->stride;
    return b->type ? typed(b, b->type, buf, count) : plain(b, buf, count);
}

static __attribute__((noinline)) struct tf_span a_part(const struct tf_run *run, const struct tf_bound *b,
                                                       struct tf_ref ref)
{
    if (b->bytewise) {
        MPI_Count n = run->plan->nblocks, bytes = b->count * b->type->size;
        size_t from = (size_t)(ref.first * bytes / n), to = (size_t)((ref.first + ref.count) * bytes / n);
        return (struct tf_span){b->type, b->base, b->count, from, to - from, b->memory};
    }
    MPI_Count origin = before(run, b, b->first);
    MPI_Count from = before(run, b, b->first + ref.first) - origin;
    MPI_Count count = before(run, b, b->first + ref.first + ref.count) - origin - from;
    char *buf = b->base + from * b->stride;
    return b->type ? typed(b, b->type, buf, count) : plain(b, buf, count);
}

struct tf_span tf_run_resolve_slow(const struct tf_run *run, struct tf_ref ref)
{
    if (ref.count == 0)
        return (struct tf_span){0};
    const struct tf_bound *b = &run->bound[ref.buffer];
    return b->displs.array ? displaced(b, ref.first) : a_part(run, b, ref);
}

void tf_span_read(const struct tf_span *span, size_t from, void *to, size_t length)
{
    if (span->type)
        tf_type_pack(span->type, span->buf, span->count, span->position + from, to, length);
    else
        memcpy(to, span->buf + from, length);
}

void tf_span_write(const struct tf_span *span, size_t from, const void *data, size_t length)
{
    if (span->type)
        tf_type_unpack(span->type, span->buf, span->count, span->position + from, data, length);
    else if (span->buf + from != data) /* a single copy may have put it there */
        memcpy(span->buf + from, data, length);
}

void tf_span_copy(const struct tf_span *dst, const struct tf_span *src)
{
    if (dst->buf == src->buf && dst->type == src->type)
        return;
    if (!src->type)
        tf_span_write(dst, 0, src->buf, src->bytes);
    else if (!dst->type)
        tf_span_read(src, 0, dst->buf, src->bytes);
    else
        tf_type_copy(dst->buf, dst->count, dst->type, src->buf, src->count, src->type);
}

enum { TILE = 4096 }; /* bytes; the result stays in the first cache while operand after operand is combined with it */

static void combine_all(const struct tf_run *run, const char *src, char *dst, size_t bytes, int32_t operands)
{
    size_t tile = TILE - TILE % run->unit;
    if (run->exact.parts > 0) {
        tf_binned_combine(dst, run->exact, src, (ptrdiff_t)bytes, (size_t)operands, bytes / run->unit);
        return;
    }
    for (size_t done = 0; done < bytes; done += tile) {
        size_t now = bytes - done < tile ? bytes - done : tile;
        memcpy(dst + done, src + done, now);
        for (int32_t i = 1; i < operands; i++)
            tf_run_combine(run, TF_RIGHT, dst + done, dst + done, src + (size_t)i * bytes + done, now);
    }
}

/* Only the two sides of one rank's own block may differ: what is copied otherwise is the library's. */
static TF_COLD int too_long(const struct tf_run *run, const struct tf_span *src, const struct tf_span *dst)
{
    return tf_error(MPI_ERR_TRUNCATE,
                    "the block of %zu bytes that rank %d sends to itself is longer than its place in the receive "
                    "buffer, of %zu bytes",
                    src->bytes, run->comm->rank, dst->bytes);
}

/* Plain blocks of one size: what moves between the buffers of a call, and is short as often as not. */
static inline bool copy_blocks(const struct tf_run *run, const struct tf_step *step)
{
    const struct tf_bound *from = &run->bound[step->src.buffer], *to = &run->bound[step->dst.buffer];
    if (to->block == 0)
        return false;
    size_t bytes = (size_t)(step->src.count * from->block);
    if (bytes == 0 || bytes > (size_t)(step->dst.count * to->block))
        return false;
    const char *src = from->base + step->src.first * from->block;
    char *dst = to->base + step->dst.first * to->block;
    if (bytes == 8)
        memcpy(dst, src, 8);
    else if (dst != src)
        memcpy(dst, src, bytes);
    return true;
}

static int copy(const struct tf_run *run, const struct tf_step *step)
{
    if (TF_LIKELY(copy_blocks(run, step)))
        return MPI_SUCCESS;
    struct tf_span src = tf_run_resolve(run, step->src), dst = tf_run_resolve(run, step->dst);
    if (TF_UNLIKELY(src.bytes > dst.bytes))
        return too_long(run, &src, &dst);
    if (dst.bytes == 0)
        return MPI_SUCCESS;
    if (!src.type && !dst.type && src.buf != dst.buf)
        memcpy(dst.buf, src.buf, src.bytes);
    else
        tf_span_copy(&dst, &src);
    return MPI_SUCCESS;
}

int tf_run_local_step(struct tf_run *run, const struct tf_step *step)
{
    if (step->kind == TF_COPY)
        return copy(run, step);
    struct tf_span src = tf_run_resolve(run, step->src), dst = tf_run_resolve(run, step->dst);
    if (dst.bytes == 0)
        return MPI_SUCCESS;
    if (step->kind == TF_COMBINE) {
        if (run->kernel)
            combine_all(run, src.buf, dst.buf, dst.bytes, step->src.count);
        else
            tf_run_combine_user(run, &src, &dst, step->src.count);
        return MPI_SUCCESS;
    }
    if (!run->kernel)
        return tf_run_reduce_user(run, step->side, &src, &dst);
    size_t n = dst.bytes / run->unit;
    if (step->side == TF_LEFT)
        run->kernel(dst.buf, src.buf, dst.buf, n);
    else
        run->kernel(dst.buf, dst.buf, src.buf, n);
    return MPI_SUCCESS;
}
