/* user.c - what user-defined operators need of a step.  Their function knows whole elements, as the datatype lays them
 * out and aligns them, and writes over the operand of the higher ranks: inout = in op inout.
 *
 *     incoming on the left     dst = src,  f(incoming, dst)
 *     incoming on the right    f(src, incoming),  dst = incoming
 *
 * The standard defines an operator element by element (MPI-5.0 section 6.9.5), so a vector may be combined in parts: a
 * chunk in the ring, a piece that was read.  The function finds them where they lie if they lie well there.  Otherwise
 * (gaps, which messages do not carry; an element that is cut by the end of a chunk; a first byte that is not where the
 * alignment is; the whole vector in one call) they are laid out in an operand first.
 *
 * With several threads the function is called apart: without the big lock, since it may wait for another thread that
 * calls MPI.  What others do then must not meet anything half done, so the message leaves the ring, or its sender's
 * memory, for an operand of its own before, and the function is called by who runs the plan, never by a message that
 * comes.  The run is the caller's meanwhile: what comes for it is kept, nobody else advances it.
 */
#include "exec/exec.h"

/* Large enough that a call of the function does not show, small enough for source, operand and result to stay in the
 * first or second cache between two of the copies above. */
enum { PART = 16 * 1024 };

static size_t packed(const struct tf_run *run)
{
    return (size_t)run->optype->size;
}

/* Elements that are combined at a time. */
static MPI_Count part_of(const struct tf_run *run, MPI_Count count)
{
    MPI_Count extent = run->optype->extent < 0 ? -run->optype->extent : run->optype->extent;
    MPI_Count size = extent > run->optype->size ? extent : run->optype->size;
    if (run->whole || (count <= PART && size <= PART && count * size <= PART))
        return count;
    return size < PART ? PART / size : 1;
}

/* Elements from..from+count-1 of a vector. */
static struct tf_span part(const struct tf_run *run, const struct tf_span *span, MPI_Count from, MPI_Count count)
{
    return (struct tf_span){span->type,  span->buf + from * run->optype->extent, count, 0, (size_t)count * packed(run),
                            span->memory};
}

/* A plain span begins at the first byte of data, an MPI buffer address lies true_lb before that. */
static char *address(const struct tf_run *run, const struct tf_span *span)
{
    return span->type ? span->buf : span->buf - run->optype->true_lb;
}

static struct tf_span at_address(const struct tf_run *run, const struct tf_span *like, char *base)
{
    struct tf_span span = *like;
    span.buf = span.type ? base : base + run->optype->true_lb;
    return span;
}

static void call(struct tf_run *run, const struct tf_span *in, const struct tf_span *inout)
{
    tf_exec_call(run, address(run, in), address(run, inout), inout->count);
}

static void combine(struct tf_run *run, enum tf_side side, const struct tf_span *src, const struct tf_span *dst,
                    const struct tf_span *incoming)
{
    if (side == TF_LEFT) {
        tf_span_copy(dst, src);
        call(run, incoming, dst);
    } else {
        call(run, src, incoming);
        tf_span_copy(dst, incoming);
    }
}

/* ---- operands ---- */

/* One of `count` elements; the bounds of cache lines are where those of the address are. */
static int lay_out(struct tf_operand *operand, const struct tf_run *run, MPI_Count count)
{
    size_t bytes;
    ptrdiff_t lead;
    tf_type_span(run->optype, count, &bytes, &lead);
    size_t more = bytes < SIZE_MAX - TF_CACHE_LINE ? TF_CACHE_LINE : 0;
    operand->memory = tf_alloc(bytes + more, "an operand of a user-defined operator");
    if (!operand->memory)
        return MPI_ERR_NO_MEM;
    uintptr_t base = (uintptr_t)operand->memory - (uintptr_t)lead;
    operand->base = (char *)((base + TF_CACHE_LINE - 1) & ~(uintptr_t)(TF_CACHE_LINE - 1));
    operand->room = (size_t)count * packed(run);
    return MPI_SUCCESS;
}

int tf_operand_open(struct tf_operand *operand, const struct tf_run *run, MPI_Count count, size_t chunk)
{
    *operand = (struct tf_operand){0};
    /* One chunk may hold all of it. */
    bool one = chunk == SIZE_MAX;
    if (count == 0 || (run->lies_well && (one || (!run->whole && packed(run) <= chunk))))
        return MPI_SUCCESS;
    return lay_out(operand, run, part_of(run, count));
}

void tf_operand_close(struct tf_operand *operand)
{
    free(operand->memory);
    operand->memory = NULL;
}

static inline void copy_plain(char *to, const char *from, size_t bytes)
{
    if (bytes == 8)
        memcpy(to, from, 8);
    else if (to != from)
        memcpy(to, from, bytes);
}

/* What lies well has no gaps, and so do the operands: from byte `at` of both on. */
static void combine_there(const struct tf_run *run, enum tf_side side, const struct tf_span *src,
                          const struct tf_span *dst, size_t at, char *data, size_t length)
{
    MPI_Count count = (MPI_Count)(length / packed(run)), most = part_of(run, count);
    ptrdiff_t before = (ptrdiff_t)run->optype->true_lb; /* an MPI buffer address lies that before the first byte */
    for (; count > 0; count -= most) {
        MPI_Count n = count < most ? count : most;
        size_t bytes = (size_t)n * packed(run);
        char *a = src->buf + at, *b = dst->buf + at;
        if (side == TF_LEFT) {
            copy_plain(b, a, bytes);
            tf_op_apply(run->op, data - before, b - before, n, run->optype);
        } else {
            tf_op_apply(run->op, a - before, data - before, n, run->optype);
            copy_plain(b, data, bytes);
        }
        at += bytes;
        data += bytes;
    }
}

static void combine_operand(struct tf_operand *operand, struct tf_run *run, enum tf_side side,
                            const struct tf_span *src, const struct tf_span *dst)
{
    MPI_Count n = (MPI_Count)(operand->filled / packed(run));
    struct tf_span a = part(run, src, operand->combined, n), b = part(run, dst, operand->combined, n);
    struct tf_span in = at_address(run, &b, operand->base);
    combine(run, side, &a, &b, &in);
    operand->combined += n;
    operand->filled = 0;
}

static void fill(struct tf_operand *operand, const struct tf_run *run, const void *data, size_t length)
{
    if (run->optype->dense)
        memcpy(operand->base + run->optype->true_lb + operand->filled, data, length);
    else
        tf_type_unpack(run->optype, operand->base, (MPI_Count)(operand->room / packed(run)), operand->filled, data,
                       length);
    operand->filled += length;
}

size_t tf_operand_take(struct tf_operand *operand, struct tf_run *run, const struct tf_step *step,
                       const struct tf_span *src, const struct tf_span *dst, size_t at, void *data, size_t length)
{
    size_t unit = packed(run);
    if (!operand->memory) {
        combine_there(run, step->side, src, dst, at, data, length);
        return at + length;
    }
    for (size_t done = 0; done < length;) {
        size_t room = operand->room - operand->filled, n = length - done < room ? length - done : room;
        fill(operand, run, (char *)data + done, n);
        done += n;
        if (operand->filled == operand->room || (!run->whole && operand->filled % unit == 0))
            combine_operand(operand, run, step->side, src, dst);
    }
    return (size_t)operand->combined * unit;
}

int tf_operand_open_apart(struct tf_operand *operand, const struct tf_run *run, MPI_Count count)
{
    *operand = (struct tf_operand){0};
    return lay_out(operand, run, count);
}

void tf_operand_keep(struct tf_operand *operand, const struct tf_run *run, const void *data, size_t length)
{
    if (run->optype->dense && data == tf_operand_place(operand, run) + operand->filled)
        operand->filled += length; /* it came to its place */
    else
        fill(operand, run, data, length);
}

void tf_operand_combine(struct tf_operand *operand, struct tf_run *run, const struct tf_step *step,
                        const struct tf_span *src, const struct tf_span *dst)
{
    while (!run->whole || operand->filled == operand->room) {
        MPI_Count done = operand->combined, n = (MPI_Count)(operand->filled / packed(run)) - done;
        MPI_Count most = part_of(run, n);
        if (n == 0)
            return;
        n = n < most ? n : most;
        struct tf_span a = part(run, src, done, n), b = part(run, dst, done, n);
        struct tf_span in = at_address(run, &b, operand->base + done * run->optype->extent);
        combine(run, step->side, &a, &b, &in);
        operand->combined += n;
    }
}

int tf_run_apply(struct tf_run *run, const struct tf_step *step, const struct tf_span *src, const struct tf_span *dst,
                 void *data)
{
    struct tf_operand operand;
    if (TF_LIKELY(run->lies_well)) {
        combine_there(run, step->side, src, dst, 0, data, dst->bytes);
        return MPI_SUCCESS;
    }
    int err = tf_operand_open(&operand, run, tf_span_elements(run, dst), SIZE_MAX);
    if (err) {
        tf_run_fail(run, err, run->fingerprint);
        return err;
    }
    tf_operand_take(&operand, run, step, src, dst, 0, data, dst->bytes);
    tf_operand_close(&operand);
    return MPI_SUCCESS;
}

/* ---- local steps ---- */

static int reduce_right(struct tf_run *run, const struct tf_span *src, const struct tf_span *dst, MPI_Count count)
{
    struct tf_operand operand;
    MPI_Count most = part_of(run, count);
    if (lay_out(&operand, run, most))
        return MPI_ERR_NO_MEM;
    for (MPI_Count done = 0; done < count; done += most) {
        MPI_Count n = count - done < most ? count - done : most;
        struct tf_span a = part(run, src, done, n), b = part(run, dst, done, n);
        struct tf_span copy = at_address(run, &b, operand.base);
        tf_span_copy(&copy, &a);
        call(run, &b, &copy);
        tf_span_copy(&b, &copy);
    }
    tf_operand_close(&operand);
    return MPI_SUCCESS;
}

int tf_run_reduce_user(struct tf_run *run, enum tf_side side, const struct tf_span *src, const struct tf_span *dst)
{
    MPI_Count count = tf_span_elements(run, dst);
    if (side == TF_RIGHT && !run->op->commutative)
        return reduce_right(run, src, dst, count);
    struct tf_span a = part(run, src, 0, count), b = part(run, dst, 0, count);
    call(run, &a, &b);
    return MPI_SUCCESS;
}

/* From the last operand to the first, since the function writes over that of the higher ranks and what is combined may
 * still be on its way to others. */
void tf_run_combine_user(struct tf_run *run, const struct tf_span *src, const struct tf_span *dst, int32_t operands)
{
    MPI_Count count = tf_span_elements(run, dst), most = part_of(run, count);
    for (MPI_Count done = 0; done < count; done += most) {
        MPI_Count n = count - done < most ? count - done : most;
        struct tf_span b = part(run, dst, done, n);
        for (int32_t i = operands - 1; i >= 0; i--) {
            struct tf_span a = part(run, src, i * count + done, n);
            if (i == operands - 1)
                tf_span_copy(&b, &a);
            else
                call(run, &a, &b);
        }
    }
}
