/* np: 1 2 3 4 8
 *
 * Every operation on windows of every flavor in every kind of epoch, of a few bytes and of many pieces.
 */
#include "rma.h"

enum { LONG = 70001 };

static void put_and_get(struct window *w, enum sync sync, int n)
{
    int right = (w->rank + 1) % w->size, left = (w->rank + w->size - 1) % w->size;
    int *out = check_alloc((size_t)n * sizeof *out, 0x11), *in = check_alloc((size_t)n * sizeof *in, 0x22);
    int *base = (int *)w->base;
    base[1] = 0x5a5a5a5a;
    for (int i = 0; i < n; i++)
        out[i] = check_value(w->rank, i);
    rma_begin(w, sync, right);
    CHECK_OK(MPI_Put(out, n, MPI_INT, right, rma_disp(w, right, 8), n, MPI_INT, w->win));
    rma_end(w, sync, right);
    for (int i = 0; i < n; i++)
        CHECK_NOTED(base[2 + i] == check_value(left, i), "%s, %s, put, element %d is %d", flavor_words[w->flavor],
                    sync_words[sync], i, base[2 + i]);
    CHECK_INT(base[1], 0x5a5a5a5a);
    rma_begin(w, sync, right);
    CHECK_OK(MPI_Get(in, n, MPI_INT, right, rma_disp(w, right, 8), n, MPI_INT, w->win));
    rma_end(w, sync, right);
    for (int i = 0; i < n; i++)
        CHECK_NOTED(in[i] == out[i], "%s, %s, get, element %d", flavor_words[w->flavor], sync_words[sync], i);
    free(out);
    free(in);
}

/* All add to the same elements of rank 0; then each fetches and adds. */
static void accumulate(struct window *w, enum sync sync, int n)
{
    int root = w->size - 1;
    long *out = check_alloc((size_t)n * sizeof *out, 0x11), *old = check_alloc((size_t)n * sizeof *old, 0x22);
    long *base = (long *)w->base;
    for (int i = 0; i < n; i++) {
        out[i] = check_value(w->rank, i);
        base[1 + i] = i;
    }
    CHECK_OK(MPI_Barrier(w->comm));
    rma_begin(w, sync, root);
    CHECK_OK(MPI_Accumulate(out, n, MPI_LONG, root, rma_disp(w, root, 8), n, MPI_LONG, MPI_SUM, w->win));
    rma_end(w, sync, root);
    for (int i = 0; w->rank == root && i < n; i++) {
        long want = i;
        for (int r = 0; r < w->size; r++)
            want += check_value(r, i);
        CHECK_NOTED(base[1 + i] == want, "%s, %s, accumulate, element %d is %ld, not %ld", flavor_words[w->flavor],
                    sync_words[sync], i, base[1 + i], want);
        base[1 + i] = i;
    }
    CHECK_OK(MPI_Barrier(w->comm));
    for (int i = 0; i < n; i++)
        out[i] = 1;
    rma_begin(w, sync, root);
    CHECK_OK(MPI_Get_accumulate(out, n, MPI_LONG, old, n, MPI_LONG, root, rma_disp(w, root, 8), n, MPI_LONG, MPI_SUM,
                                w->win));
    rma_end(w, sync, root);
    long mine = n > 0 ? old[n - 1] - (n - 1) : 0, bits = n > 0 ? 1L << mine : 0, all = 0;
    CHECK_OK(MPI_Allreduce(&bits, &all, 1, MPI_LONG, MPI_BOR, w->comm));
    CHECK_INT(all, n > 0 ? (1L << w->size) - 1 : 0);
    for (int i = 0; w->rank == root && i < n; i++)
        CHECK_NOTED(base[1 + i] == i + w->size, "%s, %s, get_accumulate, element %d", flavor_words[w->flavor],
                    sync_words[sync], i);
    free(out);
    free(old);
}

static void single(struct window *w, enum sync sync)
{
    long *base = (long *)w->base, one = 1, old = -7, none = 0, want = w->rank + 100, was = -7;
    int right = (w->rank + 1) % w->size;
    base[0] = 0;
    base[1] = 0;
    CHECK_OK(MPI_Barrier(w->comm));
    rma_begin(w, sync, right);
    CHECK_OK(MPI_Fetch_and_op(&one, &old, MPI_LONG, right, rma_disp(w, right, 0), MPI_SUM, w->win));
    CHECK_OK(MPI_Compare_and_swap(&want, &none, &was, MPI_LONG, right, rma_disp(w, right, 8), w->win));
    rma_end(w, sync, right);
    CHECK_INT(old, 0);
    CHECK_INT(was, 0);
    CHECK_INT(base[0], 1);
    CHECK_INT(base[1], (w->rank + w->size - 1) % w->size + 100);
    CHECK_OK(MPI_Barrier(w->comm));
    rma_begin(w, sync, right);
    CHECK_OK(MPI_Compare_and_swap(&one, &none, &was, MPI_LONG, right, rma_disp(w, right, 8), w->win));
    CHECK_OK(MPI_Fetch_and_op(NULL, &old, MPI_LONG, right, rma_disp(w, right, 0), MPI_NO_OP, w->win));
    rma_end(w, sync, right);
    CHECK_INT(was, w->rank + 100);
    CHECK_INT(old, 1);
    CHECK_INT(base[1], (w->rank + w->size - 1) % w->size + 100);
    CHECK_OK(MPI_Barrier(w->comm));
    rma_begin(w, sync, right);
    CHECK_OK(MPI_Put(&one, 1, MPI_LONG, MPI_PROC_NULL, 12, 1, MPI_LONG, w->win));
    CHECK_OK(MPI_Get(&one, 0, MPI_LONG, right, rma_disp(w, right, 0), 0, MPI_LONG, w->win));
    CHECK_OK(MPI_Accumulate(&one, 0, MPI_LONG, right, rma_disp(w, right, 0), 0, MPI_LONG, MPI_SUM, w->win));
    rma_end(w, sync, right);
    CHECK_INT(one, 1);
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    bool one_node = rma_one_node(MPI_COMM_WORLD);
    for (enum flavor flavor = CREATE; flavor < FLAVORS; flavor++) {
        struct window w;
        if (flavor == SHARED && !one_node)
            continue;
        rma_open(&w, flavor, (LONG + 2) * 8, 4, MPI_INFO_NULL, MPI_COMM_WORLD, 0x5a);
        for (enum sync sync = FENCE; sync < SYNCS; sync++) {
            put_and_get(&w, sync, 1);
            put_and_get(&w, sync, sync == FENCE || flavor == CREATE ? LONG : 300);
            accumulate(&w, sync, 3);
            accumulate(&w, sync, sync == FENCE || flavor == CREATE ? LONG : 300);
            single(&w, sync);
        }
        rma_close(&w);
    }
    return check_end();
}
