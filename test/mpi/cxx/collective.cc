/* collective.cc - the collective procedures of the communicator classes, and operators with functions in C++.
 *
 * np: 1 2 4 7 9
 * only: treefold
 */
#include "../c/check.h"

#include <complex>
#include <vector>

static MPI::Intracomm &world = MPI::COMM_WORLD;
typedef std::vector<int> ints;

static void check_blocks(const ints &got, int length)
{
    for (size_t i = 0; i < got.size(); i++)
        CHECK_INT(got[i], 100 * ((int)i / length) + (int)i % length);
}

static void moves()
{
    int p = check_size, r = check_rank;
    ints counts(p, 2), places(p);
    for (int i = 0; i < p; i++)
        places[i] = 2 * i;
    int mine[2] = {100 * r, 100 * r + 1};
    ints all(2 * p, -1);
    world.Gather(mine, 2, MPI::INT, all.data(), 2, MPI::INT, 0);
    if (r == 0)
        check_blocks(all, 2);
    all.assign(2 * p, -1);
    world.Gatherv(mine, 2, MPI::INT, all.data(), counts.data(), places.data(), MPI::INT, p - 1);
    if (r == p - 1)
        check_blocks(all, 2);
    all.assign(2 * p, -1);
    world.Allgather(mine, 2, MPI::INT, all.data(), 2, MPI::INT);
    check_blocks(all, 2);
    ints again(2 * p, -1);
    world.Allgatherv(mine, 2, MPI::INT, again.data(), counts.data(), places.data(), MPI::INT);
    check_blocks(again, 2);

    int got[2] = {-1, -1};
    world.Scatter(all.data(), 2, MPI::INT, got, 2, MPI::INT, 0);
    CHECK(got[0] == mine[0] && got[1] == mine[1]);
    got[0] = got[1] = -1;
    world.Scatterv(all.data(), counts.data(), places.data(), MPI::INT, got, 2, MPI::INT, 0);
    CHECK(got[0] == mine[0] && got[1] == mine[1]);
    got[0] = r ? -1 : 42;
    world.Bcast(got, 1, MPI::INT, 0);
    CHECK_INT(got[0], 42);

    ints out(p), in(p, -1), ones(p, 1), at(p), bytes(p);
    std::vector<MPI::Datatype> types(p, MPI::INT);
    for (int i = 0; i < p; i++) {
        out[i] = 1000 * r + i;
        at[i] = i;
        bytes[i] = i * (int)sizeof(int);
    }
    for (int form = 0; form < 3; form++) {
        in.assign(p, -1);
        if (form == 0)
            world.Alltoall(out.data(), 1, MPI::INT, in.data(), 1, MPI::INT);
        else if (form == 1)
            world.Alltoallv(out.data(), ones.data(), at.data(), MPI::INT, in.data(), ones.data(), at.data(), MPI::INT);
        else
            world.Alltoallw(out.data(), ones.data(), bytes.data(), types.data(), in.data(), ones.data(), bytes.data(),
                            types.data());
        for (int i = 0; i < p; i++)
            CHECK_INT(in[i], 1000 * i + r);
    }
}

static int calls;

static void add(const void *in, void *inout, int len, const MPI::Datatype &datatype)
{
    calls++;
    CHECK(datatype == MPI::DOUBLE);
    for (int i = 0; i < len; i++)
        static_cast<double *>(inout)[i] += static_cast<const double *>(in)[i];
}

/* The later of two numbers, which is not 0: the order of ranks decides. */
static void last(const void *in, void *inout, int len, const MPI::Datatype &)
{
    for (int i = 0; i < len; i++)
        if (static_cast<int *>(inout)[i] == 0)
            static_cast<int *>(inout)[i] = static_cast<const int *>(in)[i];
}

static void reductions()
{
    int p = check_size, r = check_rank, mine = r + 1, got = -1;
    world.Reduce(&mine, &got, 1, MPI::INT, MPI::SUM, 0);
    CHECK_INT(got, r ? -1 : p * (p + 1) / 2);
    world.Allreduce(&mine, &got, 1, MPI::INT, MPI::MAX);
    CHECK_INT(got, p);
    got = mine;
    world.Allreduce(MPI::IN_PLACE, &got, 1, MPI::INT, MPI::PROD);
    int product = 1;
    for (int i = 1; i <= p; i++)
        product *= i;
    CHECK_INT(got, product);
    ints row(p, mine), counts(p, 1);
    got = -1;
    world.Reduce_scatter(row.data(), &got, counts.data(), MPI::INT, MPI::SUM);
    CHECK_INT(got, p * (p + 1) / 2);
    got = -1;
    world.Reduce_scatter_block(row.data(), &got, 1, MPI::INT, MPI::SUM);
    CHECK_INT(got, p * (p + 1) / 2);
    world.Scan(&mine, &got, 1, MPI::INT, MPI::SUM);
    CHECK_INT(got, (r + 1) * (r + 2) / 2);
    got = -1;
    world.Exscan(&mine, &got, 1, MPI::INT, MPI::SUM);
    CHECK_INT(got, r ? r * (r + 1) / 2 : -1);

    std::complex<double> z(r, 1), sum;
    world.Allreduce(&z, &sum, 1, MPI::DOUBLE_COMPLEX, MPI::SUM);
    CHECK(sum == std::complex<double>(p * (p - 1) / 2, p));
    bool yes = r > 0, any = true;
    world.Allreduce(&yes, &any, 1, MPI::BOOL, MPI::LOR);
    CHECK(any == (p > 1));
    struct {
        double value;
        int index;
    } low = {10. - r, r}, lowest = {-1, -1};
    world.Allreduce(&low, &lowest, 1, MPI::DOUBLE_INT, MPI::MINLOC);
    CHECK(lowest.value == 11 - p && lowest.index == p - 1);
}

static void operators()
{
    MPI::Op op;
    CHECK(op == MPI::OP_NULL);
    op.Init(add, true);
    CHECK(op != MPI::OP_NULL && op.Is_commutative());
    std::vector<double> a(3000, check_rank), b(3000, -1);
    world.Allreduce(a.data(), b.data(), 3000, MPI::DOUBLE, op);
    CHECK(b == std::vector<double>(3000, check_size * (check_size - 1) / 2));
    world.Allreduce(MPI::IN_PLACE, &calls, 1, MPI::INT, MPI::SUM);
    CHECK(calls > 0 || check_size == 1);
    op.Reduce_local(a.data(), b.data(), 3000, MPI::DOUBLE);
    CHECK(b == std::vector<double>(3000, check_size * (check_size - 1) / 2 + check_rank));
    op.Free();
    CHECK(op == MPI::OP_NULL);
    op.Init(last, false);
    CHECK(!op.Is_commutative() && MPI::SUM.Is_commutative());
    int mine = 5 + check_rank, got = -1;
    world.Allreduce(&mine, &got, 1, MPI::INT, op);
    CHECK_INT(got, 5 + check_size - 1);
    op.Free();
}

/* The groups of even and odd ranks, and what goes between them. */
static void between()
{
    if (check_size < 2)
        return;
    int odd = check_rank % 2, others = (check_size + odd) / 2;
    MPI::Intracomm mine = world.Split(odd, check_rank);
    MPI::Intercomm inter = mine.Create_intercomm(0, world, 1 - odd, 5);
    CHECK(inter.Is_inter() && !mine.Is_inter());
    CHECK_INT(inter.Get_remote_size(), others);
    int one = odd ? 100 : 1, sum = -1;
    inter.Allreduce(&one, &sum, 1, MPI::INT, MPI::SUM);
    CHECK_INT(sum, (odd ? 1 : 100) * others);
    MPI::Intercomm copy = inter.Dup(), &clone = inter.Clone();
    CHECK_INT(MPI::Comm::Compare(inter, copy), MPI::CONGRUENT);
    CHECK(clone.Is_inter());
    clone.Free();
    delete &clone;
    MPI::Intracomm merged = inter.Merge(odd);
    CHECK_INT(merged.Get_size(), check_size);
    MPI::Group remote = inter.Get_remote_group();
    CHECK_INT(remote.Get_size(), others);
    remote.Free();
    merged.Free();
    copy.Disconnect();
    CHECK(copy == MPI::COMM_NULL);
    inter.Free();
    mine.Free();
}

int main(int argc, char **argv)
{
    MPI::Init(argc, argv);
    check_rank = world.Get_rank();
    check_size = world.Get_size();
    moves();
    reductions();
    operators();
    between();
    return check_end();
}
