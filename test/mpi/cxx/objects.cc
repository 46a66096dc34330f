/* objects.cc - datatypes, groups, communicators with topologies, attributes, info, the environment, in C++.
 *
 * np: 1 2 4 6 9
 * flags: -std=c++17
 * only: treefold
 */
#include "../c/check.h"

#include <string>
#include <vector>

static MPI::Intracomm &world = MPI::COMM_WORLD;
typedef std::vector<int> ints;

static void datatypes()
{
    int lengths[2] = {1, 2}, places[2] = {0, 3};
    MPI::Aint at[2] = {0, 16}, lb = -1, extent = -1;
    MPI::Datatype of[2] = {MPI::INT, MPI::DOUBLE};
    int sizes[2] = {4, 5}, subsizes[2] = {2, 3}, starts[2] = {1, 1};
    int distribs[1] = {MPI::DISTRIBUTE_BLOCK}, dargs[1] = {MPI::DISTRIBUTE_DFLT_DARG}, psizes[1] = {check_size};
    int gsizes[1] = {12 * check_size};
    struct {
        MPI::Datatype type;
        int size, combiner;
    } made[] = {
        {MPI::INT.Create_contiguous(3), 12, MPI::COMBINER_CONTIGUOUS},
        {MPI::INT.Create_vector(3, 2, 4), 24, MPI::COMBINER_VECTOR},
        {MPI::INT.Create_hvector(3, 2, 100), 24, MPI::COMBINER_HVECTOR},
        {MPI::INT.Create_indexed(2, lengths, places), 12, MPI::COMBINER_INDEXED},
        {MPI::INT.Create_hindexed(2, lengths, at), 12, MPI::COMBINER_HINDEXED},
        {MPI::INT.Create_indexed_block(2, 3, places), 24, MPI::COMBINER_INDEXED_BLOCK},
        {MPI::Datatype::Create_struct(2, lengths, at, of), 20, MPI::COMBINER_STRUCT},
        {MPI::INT.Create_subarray(2, sizes, subsizes, starts, MPI::ORDER_C), 24, MPI::COMBINER_SUBARRAY},
        {MPI::INT.Create_darray(check_size, check_rank, 1, gsizes, distribs, dargs, psizes, MPI::ORDER_C), 48,
         MPI::COMBINER_DARRAY},
        {MPI::INT.Create_resized(-4, 16), 4, MPI::COMBINER_RESIZED},
        {MPI::INT.Dup(), 4, MPI::COMBINER_DUP},
    };
    for (auto &m : made) {
        int integers = -1, addresses = -1, types = -1, combiner = -1;
        CHECK_INT(m.type.Get_size(), m.size);
        m.type.Get_envelope(integers, addresses, types, combiner);
        CHECK_INT(combiner, m.combiner);
        ints i(integers + 1, -1);
        std::vector<MPI::Aint> a(addresses + 1, -1);
        std::vector<MPI::Datatype> t(types + 1);
        m.type.Get_contents(integers, addresses, types, i.data(), a.data(), t.data());
        CHECK(t[0] == MPI::INT && t[types] == MPI::DATATYPE_NULL);
        m.type.Commit();
        m.type.Free();
        CHECK(m.type == MPI::DATATYPE_NULL);
    }
    MPI::Datatype wide = MPI::INT.Create_resized(-4, 16);
    wide.Get_extent(lb, extent);
    CHECK(lb == -4 && extent == 16);
    wide.Get_true_extent(lb, extent);
    CHECK(lb == 0 && extent == 4);
    char name[MPI_MAX_OBJECT_NAME];
    int length = -1;
    wide.Set_name("wide");
    wide.Get_name(name, length);
    CHECK_STRING(name, "wide");
    const MPI::Datatype &same = wide; /* as the predefined ones are */
    same.Set_name("same");
    wide.Get_name(name, length);
    CHECK_STRING(name, "same");
    wide.Free();
    CHECK(MPI::Datatype::Match_size(MPI::TYPECLASS_REAL, 8).Get_size() == 8);
    CHECK(MPI::Datatype::Create_f90_real(6, MPI::UNDEFINED).Get_size() == 4);
    CHECK(MPI::Datatype::Create_f90_complex(15, 300).Get_size() == 16);
    CHECK(MPI::Datatype::Create_f90_integer(9).Get_size() == 4);
    check_kept = 3; /* these, which cannot be freed */

    int out[3] = {1, 2, 3}, back[3] = {-1, -1, -1}, position = 0;
    char packed[100];
    CHECK(MPI::INT.Pack_size(3, world) >= 12);
    MPI::INT.Pack(out, 3, packed, 100, position, world);
    position = 0;
    MPI::INT.Unpack(packed, 100, back, 3, position, world);
    CHECK_BYTES(back, out, sizeof out);
    MPI::Aint where = 0;
    CHECK_INT(MPI::INT.Pack_external_size("external32", 3), 12);
    MPI::INT.Pack_external("external32", out, 3, packed, 100, where);
    CHECK(packed[3] == 1 && packed[7] == 2 && where == 12);
    where = 0;
    memset(back, 0x7e, sizeof back);
    MPI::INT.Unpack_external("external32", packed, 12, where, back, 3);
    CHECK_BYTES(back, out, sizeof out);
    CHECK(MPI::Get_address(out + 1) - MPI::Get_address(out) == sizeof(int));
}

static void groups()
{
    MPI::Group all = world.Get_group();
    CHECK_INT(all.Get_size(), check_size);
    CHECK_INT(all.Get_rank(), check_rank);
    int first[1] = {0}, range[1][3] = {{0, check_size - 1, 2}}, of = -1;
    MPI::Group one = all.Incl(1, first), rest = all.Excl(1, first), even = all.Range_incl(1, range),
               odd = all.Range_excl(1, range);
    CHECK_INT(one.Get_size(), 1);
    CHECK_INT(rest.Get_size(), check_size - 1);
    CHECK_INT(even.Get_size() + odd.Get_size(), check_size);
    MPI::Group both = MPI::Group::Union(even, odd), none = MPI::Group::Intersect(even, odd),
               less = MPI::Group::Difference(all, even);
    CHECK_INT(MPI::Group::Compare(both, all), check_size > 2 ? MPI::SIMILAR : MPI::IDENT);
    CHECK(none == MPI::GROUP_EMPTY);
    CHECK_INT(MPI::Group::Compare(less, odd), MPI::IDENT);
    MPI::Group::Translate_ranks(even, 1, first, all, &of);
    CHECK_INT(of, 0);
    MPI::Intracomm few = world.Create(even);
    CHECK((few == MPI::COMM_NULL) == (check_rank % 2 == 1));
    if (few != MPI::COMM_NULL)
        few.Free();
    MPI::Group *made[] = {&all, &one, &rest, &even, &odd, &both, &less};
    for (MPI::Group *g : made)
        if (*g != MPI::GROUP_EMPTY)
            g->Free();
}

static bool is_null(const MPI::Comm &comm)
{
    return comm == MPI::COMM_NULL;
}

static MPI::Intracomm world_or_null(bool null)
{
    return null ? MPI::COMM_NULL : world;
}

/* Section 16.1.7: COMM_NULL is a communicator of each class. */
static void null_communicators()
{
    const MPI::Comm &comm = MPI::COMM_NULL;
    CHECK(is_null(comm) && is_null(MPI::COMM_NULL) && !is_null(world) && !is_null(MPI::COMM_SELF));
    CHECK(is_null(world_or_null(true)) && !is_null(world_or_null(false)));
    MPI::Intracomm intra = MPI::COMM_NULL;
    MPI::Intercomm inter = MPI::COMM_NULL;
    MPI::Cartcomm cart = MPI::COMM_NULL;
    MPI::Graphcomm graph = MPI::COMM_NULL;
    const MPI::Comm *all[] = {&MPI::COMM_NULL, &intra, &inter, &cart, &graph};
    for (const MPI::Comm *one : all)
        CHECK(*one == MPI::COMM_NULL && *one != world && MPI_Comm(*one) == MPI_COMM_NULL);
    intra = world;
    intra = MPI::COMM_NULL;
    CHECK(is_null(intra));
}

static void topologies()
{
    int dims[2] = {0, 0}, coords[2] = {-1, -1}, got[2] = {-1, -1}, source = -9, dest = -9;
    bool periods[2] = {true, false}, wraps[2] = {false, true}, remain[2] = {true, false};
    MPI::Compute_dims(check_size, 2, dims);
    MPI::Cartcomm grid = world.Create_cart(2, dims, periods, false);
    CHECK_INT(grid.Get_topology(), MPI::CART);
    CHECK_INT(grid.Get_dim(), 2);
    grid.Get_topo(2, got, wraps, coords);
    CHECK(got[0] == dims[0] && got[1] == dims[1] && wraps[0] && !wraps[1]);
    CHECK_INT(grid.Get_cart_rank(coords), check_rank);
    grid.Get_coords(check_rank, 2, got);
    CHECK_BYTES(got, coords, sizeof got);
    grid.Shift(1, 1, source, dest);
    CHECK((dest == MPI::PROC_NULL) == (coords[1] == dims[1] - 1));
    CHECK(grid.Map(2, dims, periods) >= 0);
    MPI::Cartcomm line = grid.Sub(remain), copy = grid.Dup(), &clone = grid.Clone();
    CHECK_INT(line.Get_size(), dims[0]);
    MPI::Comm &general = clone;
    MPI::Comm &second = general.Clone(); /* by the class of the object */
    CHECK(dynamic_cast<MPI::Cartcomm *>(&second) != nullptr && second.Get_topology() == MPI::CART);
    second.Free();
    delete &second;
    clone.Free();
    delete &clone;
    copy.Free();
    line.Free();
    grid.Free();

    ints index(check_size), edges(check_size), near(1, -1);
    for (int i = 0; i < check_size; i++) {
        index[i] = i + 1;
        edges[i] = (i + 1) % check_size;
    }
    int nodes = -1, links = -1;
    MPI::Graphcomm ring = world.Create_graph(check_size, index.data(), edges.data(), false);
    ring.Get_dims(&nodes, &links);
    CHECK(nodes == check_size && links == check_size && ring.Get_topology() == MPI::GRAPH);
    ints i2(check_size, -1), e2(check_size, -1);
    ring.Get_topo(check_size, check_size, i2.data(), e2.data());
    CHECK(i2 == index && e2 == edges);
    CHECK_INT(ring.Get_neighbors_count(check_rank), 1);
    ring.Get_neighbors(check_rank, 1, near.data());
    CHECK_INT(near[0], (check_rank + 1) % check_size);
    CHECK(ring.Map(check_size, index.data(), edges.data()) >= 0);
    MPI::Graphcomm ring2 = ring.Dup();
    ring2.Free();
    ring.Free();

    int next = (check_rank + 1) % check_size, before = (check_rank + check_size - 1) % check_size, weight = 7, one = 1;
    int in = -1, out = -1, w1 = -1, w2 = -1;
    for (int form = 0; form < 4; form++) {
        MPI::Distgraphcomm graph =
            form == 0   ? world.Dist_graph_create(1, &check_rank, &one, &next, &weight, MPI::INFO_NULL, false)
            : form == 1 ? world.Dist_graph_create(1, &check_rank, &one, &next, MPI::INFO_NULL, false)
            : form == 2
                ? world.Dist_graph_create_adjacent(1, &before, &weight, 1, &next, &weight, MPI::INFO_NULL, false)
                : world.Dist_graph_create_adjacent(1, &before, 1, &next, MPI::INFO_NULL, false);
        bool weighted = form % 2;
        graph.Get_dist_neighbors_count(in, out, weighted);
        CHECK(in == 1 && out == 1 && weighted == (form % 2 == 0));
        graph.Get_dist_neighbors(1, &source, &w1, 1, &dest, &w2);
        CHECK(source == before && dest == next);
        CHECK(form % 2 || (w1 == 7 && w2 == 7));
        MPI::Distgraphcomm graph2 = graph.Dup();
        graph2.Free();
        graph.Free();
    }
}

static int copies, deletes;
static int state = 5;

template <class Of> static int copy_attr(const Of &, int, void *extra_state, const void *in, void *out, bool &flag)
{
    CHECK(extra_state == &state);
    *static_cast<const void **>(out) = static_cast<const char *>(in) + 1;
    flag = true;
    copies++;
    return MPI::SUCCESS;
}

static int copy_comm(const MPI::Comm &comm, int key, void *extra_state, void *in, void *out, bool &flag)
{
    CHECK(dynamic_cast<const MPI::Cartcomm *>(&comm) != nullptr); /* an object of its class */
    return copy_attr(comm, key, extra_state, in, out, flag);
}

/* MPI-2.2 has the value const for datatypes alone; MPICH has not. */
static int copy_type(const MPI::Datatype &type, int key, void *extra_state, void *in, void *out, bool &flag)
{
    return copy_attr(type, key, extra_state, in, out, flag);
}

static int delete_comm(MPI::Comm &, int, void *, void *extra_state)
{
    CHECK(extra_state == &state);
    deletes++;
    return MPI::SUCCESS;
}

static int delete_type(MPI::Datatype &, int, void *, void *)
{
    deletes++;
    return MPI::SUCCESS;
}

static void attributes()
{
    static char text[] = "ab";
    char *got = nullptr;
    int key = MPI::Comm::Create_keyval(copy_comm, delete_comm, &state), *bound = nullptr;
    int dims[1] = {check_size};
    bool periods[1] = {true};
    MPI::Cartcomm comm = world.Create_cart(1, dims, periods, false);
    CHECK(!comm.Get_attr(key, &got));
    comm.Set_attr(key, text);
    MPI::Cartcomm dup = comm.Dup();
    CHECK(dup.Get_attr(key, &got) && got == text + 1);
    CHECK(comm.Get_attr(key, &got) && got == text);
    comm.Delete_attr(key);
    dup.Free();
    comm.Free();
    CHECK(copies == 1 && deletes == 2);
    MPI::Comm::Free_keyval(key);
    CHECK_INT(key, MPI::KEYVAL_INVALID);
    key = MPI::Comm::Create_keyval(MPI::Comm::DUP_FN, MPI::Comm::NULL_DELETE_FN, nullptr);
    MPI::Comm::Free_keyval(key);
    CHECK(world.Get_attr(MPI::TAG_UB, &bound) && *bound >= 32767);

    int keys[2] = {MPI::Datatype::Create_keyval(copy_attr<MPI::Datatype>, delete_type, &state),
                   MPI::Datatype::Create_keyval(copy_type, delete_type, &state)};
    for (int of_type : keys) {
        copies = deletes = 0;
        MPI::Datatype type = MPI::INT.Dup();
        type.Set_attr(of_type, text);
        MPI::Datatype again = type.Dup();
        CHECK(again.Get_attr(of_type, &got) && got == text + 1);
        again.Free();
        type.Delete_attr(of_type);
        type.Free();
        CHECK(copies == 1 && deletes == 2);
        MPI::Datatype::Free_keyval(of_type);
    }

    char name[MPI_MAX_OBJECT_NAME];
    int length = -1;
    MPI::Intracomm &clone = world.Clone();
    CHECK_INT(MPI::Comm::Compare(clone, world), MPI::CONGRUENT);
    clone.Set_name("clone");
    clone.Get_name(name, length);
    CHECK_STRING(name, "clone");
    clone.Free();
    delete &clone;
}

static void environment()
{
    MPI::Info info = MPI::Info::Create();
    char value[20] = "?", key[MPI_MAX_INFO_KEY];
    int length = -1, version = -1, subversion = -1;
    info.Set("file", "name");
    CHECK(info.Get("file", 10, value) && std::string(value) == "name");
    CHECK(!info.Get("other", 10, value));
    CHECK(info.Get_valuelen("file", length) && length == 4);
    CHECK_INT(info.Get_nkeys(), 1);
    info.Get_nthkey(0, key);
    CHECK_STRING(key, "file");
    MPI::Info copy = info.Dup();
    info.Delete("file");
    CHECK(info.Get_nkeys() == 0 && copy.Get_nkeys() == 1);
    copy.Free();
    info.Free();
    CHECK(info == MPI::INFO_NULL);
    char processor[MPI_MAX_PROCESSOR_NAME];
    MPI::Get_processor_name(processor, length);
    CHECK(length > 0);
    MPI::Get_version(version, subversion);
    CHECK(version == MPI::VERSION && subversion == MPI::SUBVERSION);
    CHECK(MPI::Wtime() > 0 && MPI::Wtick() > 0);
    CHECK(MPI::Is_initialized() && !MPI::Is_finalized() && MPI::Is_thread_main());
    CHECK_INT(MPI::Query_thread(), MPI::THREAD_FUNNELED);
    void *memory = MPI::Alloc_mem(100, MPI::INFO_NULL);
    CHECK(memory != nullptr);
    MPI::Free_mem(memory);
    MPI::Pcontrol(1);
}

int main(int argc, char **argv)
{
    CHECK_INT(MPI::Init_thread(argc, argv, MPI::THREAD_FUNNELED), MPI::THREAD_FUNNELED);
    check_rank = world.Get_rank();
    check_size = world.Get_size();
    datatypes();
    null_communicators();
    groups();
    topologies();
    attributes();
    environment();
    return check_end();
}
