/* Groups: set operations, ranges, translation, comparison.
 *
 * np: 1 2 4 7
 */
#include "check.h"

static MPI_Group world;

/* The group's members are exactly these world ranks, in this order. */
static void verify(MPI_Group group, const int *want, int n, const char *what)
{
    int size = -1, ranks[64], got[64], rank, mine = MPI_UNDEFINED;
    CHECK_OK(MPI_Group_size(group, &size));
    CHECK_NOTED(size == n, "%s: size %d, not %d", what, size, n);
    for (int i = 0; i < size; i++)
        ranks[i] = i;
    CHECK_OK(MPI_Group_translate_ranks(group, size, ranks, world, got));
    for (int i = 0; i < size && i < n; i++) {
        CHECK_NOTED(got[i] == want[i], "%s: member %d is %d, not %d", what, i, got[i], want[i]);
        mine = want[i] == check_rank ? i : mine;
    }
    CHECK_OK(MPI_Group_rank(group, &rank));
    CHECK_NOTED(rank == mine, "%s: rank %d, not %d", what, rank, mine);
}

static void sets(void)
{
    int p = check_size, low[64] = {0}, odd[64] = {0}, want[64], nlow = 0, nodd = 0, n;
    MPI_Group a, b, c;
    for (int r = 0; r < p; r++) {
        if (r <= p / 2)
            low[nlow++] = p / 2 - r; /* backwards */
        if (r % 2)
            odd[nodd++] = r;
    }
    CHECK_OK(MPI_Group_incl(world, nlow, low, &a));
    CHECK_OK(MPI_Group_incl(world, nodd, odd, &b));
    verify(a, low, nlow, "incl");
    verify(b, odd, nodd, "incl of odd ones");

    CHECK_OK(MPI_Group_union(a, b, &c)); /* the first group's order, then the rest of the second */
    memcpy(want, low, sizeof want);
    n = nlow;
    for (int i = 0; i < nodd; i++)
        if (odd[i] > p / 2)
            want[n++] = odd[i];
    verify(c, want, n, "union");
    CHECK_OK(MPI_Group_free(&c));
    CHECK(c == MPI_GROUP_NULL);

    CHECK_OK(MPI_Group_intersection(a, b, &c));
    n = 0;
    for (int i = 0; i < nlow; i++)
        if (low[i] % 2)
            want[n++] = low[i];
    verify(c, want, n, "intersection");
    if (c != MPI_GROUP_EMPTY)
        CHECK_OK(MPI_Group_free(&c));

    CHECK_OK(MPI_Group_difference(a, b, &c));
    n = 0;
    for (int i = 0; i < nlow; i++)
        if (low[i] % 2 == 0)
            want[n++] = low[i];
    verify(c, want, n, "difference");
    if (c != MPI_GROUP_EMPTY)
        CHECK_OK(MPI_Group_free(&c));

    CHECK_OK(MPI_Group_excl(world, nodd, odd, &c));
    n = 0;
    for (int r = 0; r < p; r += 2)
        want[n++] = r;
    verify(c, want, n, "excl");
    CHECK_OK(MPI_Group_free(&c));
    CHECK_OK(MPI_Group_free(&a));
    if (b != MPI_GROUP_EMPTY)
        CHECK_OK(MPI_Group_free(&b));
}

static void ranges(void)
{
    int p = check_size, want[64], n = 0;
    int up[1][3] = {{0, p - 1, 2}}, down[2][3] = {{p - 1, p / 2, -1}, {0, 0, 5}};
    MPI_Group g;
    CHECK_OK(MPI_Group_range_incl(world, 1, up, &g));
    for (int r = 0; r < p; r += 2)
        want[n++] = r;
    verify(g, want, n, "range_incl");
    CHECK_OK(MPI_Group_free(&g));
    n = 0;
    for (int r = p - 1; r >= p / 2; r--)
        want[n++] = r;
    if (p > 1) {
        want[n++] = 0;
        CHECK_OK(MPI_Group_range_incl(world, 2, down, &g));
        verify(g, want, n, "range_incl downwards");
        CHECK_OK(MPI_Group_free(&g));
    }
    n = 0;
    for (int r = 1; r < p; r += 2)
        want[n++] = r;
    CHECK_OK(MPI_Group_range_excl(world, 1, up, &g));
    verify(g, want, n, "range_excl");
    if (g != MPI_GROUP_EMPTY)
        CHECK_OK(MPI_Group_free(&g));
}

static void comparisons(void)
{
    int p = check_size, backwards[64], result = -1, null = MPI_PROC_NULL, rank, out = 0;
    MPI_Group back, self, empty;
    for (int r = 0; r < p; r++)
        backwards[r] = p - 1 - r;
    CHECK_OK(MPI_Group_incl(world, p, backwards, &back));
    CHECK_OK(MPI_Group_compare(world, back, &result));
    CHECK_INT(result, p == 1 ? MPI_IDENT : MPI_SIMILAR);
    CHECK_OK(MPI_Comm_group(MPI_COMM_SELF, &self));
    CHECK_OK(MPI_Group_compare(world, self, &result));
    CHECK_INT(result, p == 1 ? MPI_IDENT : MPI_UNEQUAL);
    CHECK_OK(MPI_Group_incl(world, 0, NULL, &empty));
    CHECK_OK(MPI_Group_compare(empty, MPI_GROUP_EMPTY, &result));
    CHECK_INT(result, MPI_IDENT);
    CHECK_OK(MPI_Group_translate_ranks(world, 1, &null, back, &out));
    CHECK_INT(out, MPI_PROC_NULL);
    rank = (check_rank + 1) % p;
    CHECK_OK(MPI_Group_translate_ranks(world, 1, &rank, self, &out));
    CHECK_INT(out, p == 1 ? 0 : MPI_UNDEFINED);
    CHECK_OK(MPI_Group_size(MPI_GROUP_EMPTY, &out));
    CHECK_INT(out, 0);
    CHECK_OK(MPI_Group_rank(MPI_GROUP_EMPTY, &out));
    CHECK_INT(out, MPI_UNDEFINED);
    CHECK_OK(MPI_Group_free(&back));
    CHECK_OK(MPI_Group_free(&self));

    int beyond = p;
    CHECK_CLASS(MPI_Group_incl(world, 1, &beyond, &back), MPI_ERR_RANK);
#ifdef TREEFOLD /* others do not look for ranks that come twice */
    int twice[2] = {0, 0};
    if (p > 1)
        CHECK_CLASS(MPI_Group_incl(world, 2, twice, &back), MPI_ERR_RANK);
#endif
    CHECK_CLASS(MPI_Group_size(MPI_GROUP_NULL, &out), MPI_ERR_GROUP);
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    CHECK_OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    sets();
    ranges();
    comparisons();
    CHECK_OK(MPI_Group_free(&world));
    return check_end();
}
