/* dynamic.cc - in C++: processes are started and talked with, and two meet at a port that has a name.
 *
 * np: - 1 2
 * only: treefold
 */
#include "../c/spawn.h"

static MPI::Intracomm &world = MPI::COMM_WORLD;

/* Each process of the one group adds up the ranks of the other. */
static void talk(MPI::Intercomm &inter, int remote)
{
    int rank = inter.Get_rank(), sum = -1;
    CHECK_INT(inter.Get_remote_size(), remote);
    inter.Allreduce(&rank, &sum, 1, MPI::INT, MPI::SUM);
    CHECK_INT(sum, remote * (remote - 1) / 2);
    inter.Disconnect();
    CHECK(inter == MPI::COMM_NULL);
}

static void children()
{
    const char *argv[] = {"child", "two words", NULL}, *commands[] = {spawn_self(), spawn_self()};
    const char **argvs[] = {argv, argv};
    int codes[2] = {-1, -1}, numbers[2] = {1, 1};
    MPI::Info none[2] = {MPI::INFO_NULL, MPI::INFO_NULL};
    CHECK(MPI::Comm::Get_parent() == MPI::COMM_NULL);
    MPI::Intercomm inter = world.Spawn(spawn_self(), argv, 2, MPI::INFO_NULL, 0, codes);
    CHECK(codes[0] == MPI::SUCCESS && codes[1] == MPI::SUCCESS);
    talk(inter, 2);
    inter = world.Spawn(spawn_self(), MPI::ARGV_NULL, 1, MPI::INFO_NULL, 0);
    talk(inter, 1);
    codes[0] = codes[1] = -1;
    inter = world.Spawn_multiple(2, commands, argvs, numbers, none, 0, codes);
    CHECK(codes[0] == MPI::SUCCESS && codes[1] == MPI::SUCCESS);
    talk(inter, 2);
    inter = world.Spawn_multiple(2, commands, MPI::ARGVS_NULL, numbers, none, 0);
    talk(inter, 2);
}

static int child(int argc, char **argv, MPI::Intercomm &parent)
{
    CHECK(argc == 1 || (argc == 3 && strcmp(argv[2], "two words") == 0));
    talk(parent, parent.Get_remote_size());
    return spawn_end();
}

/* Rank 0 opens the port, and rank 1 finds it by its name. */
static void meeting()
{
    char port[MPI::MAX_PORT_NAME] = "", service[60];
    int job = static_cast<int>(getpid());
    world.Bcast(&job, 1, MPI::INT, 0);
    snprintf(service, sizeof service, "dynamic.cc %d", job);
    if (check_rank == 0) {
        MPI::Open_port(MPI::INFO_NULL, port);
        MPI::Publish_name(service, MPI::INFO_NULL, port);
    }
    world.Barrier();
    if (check_rank == 1)
        MPI::Lookup_name(service, MPI::INFO_NULL, port);
    MPI::Intercomm inter = check_rank == 0 ? MPI::COMM_SELF.Accept(port, MPI::INFO_NULL, 0)
                                           : MPI::COMM_SELF.Connect(port, MPI::INFO_NULL, 0);
    talk(inter, 1);
    if (check_rank == 0) {
        MPI::Unpublish_name(service, MPI::INFO_NULL, port);
        MPI::Close_port(port);
    }
}

static void wrong()
{
    world.Set_errhandler(MPI::ERRORS_THROW_EXCEPTIONS);
    check_kept = 1; /* what throws them */
    MPI::COMM_SELF.Set_errhandler(MPI::ERRORS_THROW_EXCEPTIONS);
    int thrown = 0;
    try {
        MPI::Close_port("harbour");
    } catch (const MPI::Exception &e) {
        thrown += e.Get_error_class() == MPI::ERR_PORT;
    }
    try {
        MPI::Comm::Join(99999);
    } catch (const MPI::Exception &e) {
        thrown += e.Get_error_class() == MPI::ERR_ARG;
    }
    CHECK_INT(thrown, 2);
    world.Set_errhandler(MPI::ERRORS_RETURN);
    MPI::COMM_SELF.Set_errhandler(MPI::ERRORS_RETURN);
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    MPI::Intercomm parent = MPI::Comm::Get_parent();
    if (parent != MPI::COMM_NULL)
        return child(argc, argv, parent);
    children();
    if (check_size == 2)
        meeting();
    wrong();
    return check_end();
}
