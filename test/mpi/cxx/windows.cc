/* windows.cc - MPI::Win: memory, epochs, operations, attributes, names, and what its error handlers throw.
 *
 * np: 1 2 3
 * only: treefold
 */
#include "../c/check.h"

static MPI::Intracomm &world = MPI::COMM_WORLD;
static int deleted, handled;

static int delete_it(MPI::Win &win, int, void *value, void *extra)
{
    CHECK(win != MPI::WIN_NULL);
    deleted += *static_cast<int *>(value) + *static_cast<int *>(extra);
    return MPI::SUCCESS;
}

static void handle(MPI::Win &win, int *code, ...)
{
    CHECK(win != MPI::WIN_NULL);
    handled += MPI::Get_error_class(*code) == MPI::ERR_RMA_SYNC;
}

static void operations(MPI::Win &win, int *memory)
{
    int right = (check_rank + 1) % check_size, left = (check_rank + check_size - 1) % check_size,
        value = check_rank + 1;
    int got = -1;
    win.Fence(MPI::MODE_NOPRECEDE);
    win.Put(&value, 1, MPI::INT, right, 2, 1, MPI::INT);
    win.Fence(0);
    CHECK_INT(memory[2], left + 1);
    win.Fence(0); /* all have looked */
    win.Accumulate(&value, 1, MPI::INT, right, 2, 1, MPI::INT, MPI::SUM);
    win.Fence(MPI::MODE_NOSUCCEED);
    CHECK_INT(memory[2], 2 * (left + 1));
    MPI::Group group = win.Get_group();
    CHECK_INT(group.Get_size(), check_size);
    win.Post(group, 0);
    win.Start(group, 0);
    win.Get(&got, 1, MPI::INT, right, 2, 1, MPI::INT);
    win.Complete();
    if (check_rank % 2)
        win.Wait();
    else
        while (!win.Test())
            continue;
    CHECK_INT(got, 2 * value);
    group.Free();
    win.Lock(MPI::LOCK_EXCLUSIVE, right, 0);
    win.Put(&value, 1, MPI::INT, right, 3, 1, MPI::INT);
    win.Unlock(right);
    world.Barrier();
    CHECK_INT(memory[3], left + 1);
}

static void objects(MPI::Win &win, int *memory)
{
    static int one = 1, ten = 10;
    void *value = 0;
    int length = 0, key = MPI::Win::Create_keyval(MPI::Win::NULL_COPY_FN, delete_it, &ten);
    char name[MPI::MAX_OBJECT_NAME] = "";
    CHECK(win.Get_attr(MPI::WIN_BASE, &value) && value == memory);
    CHECK(!win.Get_attr(key, &value));
    win.Set_attr(key, &one);
    CHECK(win.Get_attr(key, &value) && value == &one);
    win.Delete_attr(key);
    CHECK_INT(deleted, 11);
    MPI::Win::Free_keyval(key);
    win.Set_name("halo");
    win.Get_name(name, length);
    CHECK_STRING(name, "halo");
    CHECK_INT(length, 4);
}

static void errors(MPI::Win &win)
{
    int caught = MPI::SUCCESS;
    CHECK(win.Get_errhandler() == MPI::ERRORS_ARE_FATAL);
    MPI::Errhandler mine = MPI::Win::Create_errhandler(handle);
    win.Set_errhandler(mine);
    mine.Free();
    win.Complete();
    win.Call_errhandler(MPI::ERR_RMA_SYNC);
    CHECK_INT(handled, 2);
    win.Set_errhandler(MPI::ERRORS_THROW_EXCEPTIONS);
    check_kept = 2; /* what throws them */
    MPI::Errhandler set = win.Get_errhandler();
    CHECK(set == MPI::ERRORS_THROW_EXCEPTIONS && set != MPI::ERRORS_RETURN);
    world.Set_errhandler(set); /* as the predefined one, it is for all classes */
    CHECK(world.Get_errhandler() == set);
    world.Set_errhandler(MPI::ERRORS_ARE_FATAL);
    set.Free();
    try {
        win.Complete();
    } catch (const MPI::Exception &exception) {
        caught = exception.Get_error_class();
    }
    CHECK_INT(caught, MPI::ERR_RMA_SYNC);
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    static int memory[10];
    MPI::Win win = MPI::Win::Create(memory, sizeof memory, sizeof(int), MPI::INFO_NULL, world);
    CHECK(win != MPI::WIN_NULL);
    operations(win, memory);
    objects(win, memory);
    errors(win);
    win.Free();
    CHECK(win == MPI::WIN_NULL);
    return check_end();
}
