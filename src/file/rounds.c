/* rounds.c - who reads and writes which part of the file; see rounds.h. */
#include "file/rounds.h"

enum {
    /* Bytes in a call of the system above which it costs less than the exchange would: an ext4 write takes a
     * transaction of the journal each, and the file for itself, a read nothing of the kind. */
    WRITE_ALONE = 24 * 1024,
    READ_ALONE = 1024,
    WRITE_ALONE_NEAR = 512 * 1024, /* where the exchange is a copy */
    WRITE_ALONE_CROWDED = 128 * 1024,
    READ_ALONE_NEAR = 6 * 1024,
    READ_ALONE_CROWDED = 3 * 1024,
    SPREAD = 4 << 20,     /* bytes of all that take much longer than moving the ranks */
    SPARSE = 8,           /* holes between all that is accessed, as multiples of it, that rounds shall not pass */
    SMALLEST_CHUNK = 256, /* even if a hint wants less */
    LEAST_CHUNK = 256 * 1024,
    MOST_CHUNK = 4 << 20,       /* larger ones leave the cache before they are written */
    MOST_CHUNK_NEAR = 1 << 20,  /* the same of the second cache */
    MOST_CHUNK_SINGLE = 2 << 20 /* where each change between who copies and who writes is a wait */
};

struct sums {
    MPI_Count bytes, pieces;
    bool ordered, atomic;
};

/* The lowest error is the same on all ranks. */
static struct sums sum_up(struct tf_rounds *rounds)
{
    struct sums sums = {.ordered = true};
    rounds->low = INT64_MAX;
    rounds->high = 0;
    for (int r = 0; r < rounds->size; r++) {
        const struct tf_facts *f = &rounds->facts[r];
        rounds->error = rounds->error ? rounds->error : f->error;
        sums.atomic |= f->atomic;
        if (f->bytes == 0)
            continue;
        rounds->low = f->begin < rounds->low ? f->begin : rounds->low;
        rounds->high = f->end > rounds->high ? f->end : rounds->high;
        sums.bytes += f->bytes;
        sums.pieces += f->pieces;
        sums.ordered &= f->ordered;
    }
    return sums;
}

/* Whether ranks reach into each other's ranges; disjoint ones in another order than that of the ranks pass for it. */
static bool interleave(const struct tf_rounds *rounds)
{
    MPI_Offset end = INT64_MIN;
    for (int r = 0; r < rounds->size; r++) {
        const struct tf_facts *f = &rounds->facts[r];
        if (f->bytes > 0 && f->begin < end)
            return true;
        end = f->bytes > 0 ? f->end : end;
    }
    return false;
}

/* Of pieces as long as that each rank had better write, or read, its own. */
static MPI_Count alone_from(const struct tf_rounds *rounds, bool write)
{
    if (!rounds->near)
        return write ? WRITE_ALONE : READ_ALONE;
    if (rounds->crowded && !rounds->spread)
        return write ? WRITE_ALONE_CROWDED : READ_ALONE_CROWDED;
    return write ? WRITE_ALONE_NEAR : READ_ALONE_NEAR;
}

static bool pays(const struct tf_rounds *rounds, const struct sums *sums, bool write, enum tf_hint hint)
{
    if (sums->bytes == 0 || !sums->ordered || sums->atomic || hint == TF_HINT_DISABLE || rounds->size == 1)
        return false;
    if (hint == TF_HINT_ENABLE)
        return true;
    return sums->bytes / sums->pieces < alone_from(rounds, write) &&
           (rounds->high - rounds->low) / SPARSE <= sums->bytes && interleave(rounds);
}

static MPI_Offset most_chunk(const struct tf_rounds *rounds)
{
    if (!rounds->near)
        return MOST_CHUNK;
    return rounds->spread && rounds->naggregators == 1 ? MOST_CHUNK_SINGLE : MOST_CHUNK_NEAR;
}

/* Enough rounds that aggregators take turns, but none so short that its messages cost more than its bytes. */
static MPI_Offset chunk_of(const struct tf_rounds *rounds, MPI_Count buffer)
{
    MPI_Offset chunk = (rounds->high - rounds->low) / (4 * rounds->naggregators);
    MPI_Offset most = most_chunk(rounds);
    most = buffer > 0 && buffer / 2 < most ? buffer / 2 : most;
    if (chunk > LEAST_CHUNK)
        chunk -= chunk % LEAST_CHUNK;
    else
        chunk = LEAST_CHUNK;
    most = most > SMALLEST_CHUNK ? most : SMALLEST_CHUNK;
    return chunk < most ? chunk : most;
}

/* Not across the end of a stripe: some of them, if they are short, or one, or a part of one. */
static MPI_Offset fit_chunk(MPI_Offset chunk, MPI_Offset stripe)
{
    if (stripe <= LEAST_CHUNK && chunk > stripe)
        return chunk < LEAST_CHUNK ? chunk - chunk % stripe : LEAST_CHUNK - LEAST_CHUNK % stripe;
    MPI_Count parts = (stripe + chunk - 1) / chunk;
    while (stripe % parts)
        parts++;
    return stripe / parts;
}

static void align(struct tf_rounds *rounds)
{
    rounds->first = 0;
    rounds->turn = 1;
    if (rounds->stripe == 0)
        return;
    rounds->chunk = fit_chunk(rounds->chunk, rounds->stripe);
    rounds->turn = rounds->chunk < rounds->stripe ? rounds->stripe / rounds->chunk : 1;
    rounds->first = rounds->low / rounds->chunk;
}

int tf_rounds_fit(int n, int devices, int sharers)
{
    long long all = (long long)devices * (sharers > 0 ? sharers : 1);
    if (all <= 0 || n <= 0)
        return n;
    n = n < all ? n : (int)all;
    int fits = n;
    while (all % fits)
        fits--;
    return 2 * fits > n ? fits : n;
}

/* Of ranks that are spread one alone writes, since the system lets one at a time: a second one that waits for
 * that would keep those who copy from its processor. */
static bool writes_alone(const struct tf_rounds *rounds, const struct tf_file_hints *hints)
{
    return rounds->spread && rounds->stripe == 0 && hints->cb_nodes == 0 && hints->per_node == 0;
}

/* Writes without an exchange come one after the other anyway, and best on one processor. */
void tf_rounds_decide(struct tf_rounds *rounds, bool write, const struct tf_file_hints *hints)
{
    rounds->error = MPI_SUCCESS;
    struct sums sums = sum_up(rounds);
    rounds->spread = rounds->crowded && rounds->movable && sums.bytes >= SPREAD;
    rounds->exchange = !rounds->error && pays(rounds, &sums, write, write ? hints->cb_write : hints->cb_read);
    rounds->spread &= rounds->exchange || (!write && !rounds->error);
    if (!rounds->exchange)
        return;
    if (write && writes_alone(rounds, hints))
        rounds->naggregators = 1;
    rounds->chunk = chunk_of(rounds, hints->cb_buffer_size);
    align(rounds);
    rounds->n = (rounds->high - (rounds->low - rounds->low % rounds->chunk) + rounds->chunk - 1) / rounds->chunk;
}

bool tf_rounds_has(const struct tf_rounds *rounds, int rank, MPI_Count k)
{
    const struct tf_facts *f = &rounds->facts[rank];
    return f->bytes > 0 && f->begin < tf_rounds_end(rounds, k) && f->end > tf_rounds_begin(rounds, k);
}
