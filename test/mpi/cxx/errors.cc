/* errors.cc - exceptions and error handlers in C++; what callbacks throw goes round the C library.
 *
 * np: 1 2 5
 * only: treefold
 */
#include "../c/check.h"

#include <stdexcept>

static MPI::Intracomm &world = MPI::COMM_WORLD;
static int handled, handled_code;

static void throwing()
{
    int value = 0, caught = MPI::SUCCESS;
    CHECK(world.Get_errhandler() == MPI::ERRORS_ARE_FATAL);
    world.Set_errhandler(MPI::ERRORS_THROW_EXCEPTIONS);
    check_kept = 1; /* what throws them */
    MPI::Errhandler errhandler = world.Get_errhandler();
    CHECK(errhandler == MPI::ERRORS_THROW_EXCEPTIONS && errhandler != MPI::ERRORS_RETURN);
    errhandler.Free();
    try {
        world.Send(&value, 1, MPI::INT, check_size, 0);
    } catch (const MPI::Exception &exception) {
        caught = exception.Get_error_class();
        CHECK(strlen(exception.Get_error_string()) > 0);
        CHECK_INT(MPI::Get_error_class(exception.Get_error_code()), MPI::ERR_RANK);
    }
    CHECK_INT(caught, MPI::ERR_RANK);
    caught = MPI::SUCCESS;
    try {
        world.Call_errhandler(MPI::ERR_OTHER);
    } catch (MPI::Exception exception) {
        caught = exception.Get_error_code();
    }
    CHECK_INT(caught, MPI::ERR_OTHER);
    /* Later calls do not find an old one. */
    world.Set_errhandler(MPI::ERRORS_RETURN);
    world.Send(&value, 1, MPI::INT, check_size, 0);
}

static void handle(MPI::Comm &comm, int *error_code, ...)
{
    handled++;
    handled_code = MPI::Get_error_class(*error_code);
    CHECK(dynamic_cast<MPI::Intracomm *>(&comm) != nullptr && comm.Get_size() == check_size);
}

static void throw_other(MPI::Comm &, int *, ...)
{
    throw std::runtime_error("mine");
}

static void users()
{
    int value = 0;
    MPI::Errhandler errhandler = MPI::Comm::Create_errhandler(handle);
    world.Set_errhandler(errhandler);
    errhandler.Free();
    CHECK(errhandler == MPI::ERRHANDLER_NULL);
    world.Send(&value, -1, MPI::INT, 0, 0);
    CHECK(handled == 1 && handled_code == MPI::ERR_COUNT);
    world.Call_errhandler(MPI::ERR_TAG);
    CHECK(handled == 2 && handled_code == MPI::ERR_TAG);
    errhandler = MPI::Comm::Create_errhandler(throw_other);
    world.Set_errhandler(errhandler);
    errhandler.Free();
    bool caught = false;
    try {
        world.Send(&value, -1, MPI::INT, 0, 0);
    } catch (const std::runtime_error &error) {
        caught = strcmp(error.what(), "mine") == 0;
    }
    CHECK(caught);
    world.Set_errhandler(MPI::ERRORS_RETURN);
}

/* An array of bool that is not there is C's error, too. */
static void no_arrays()
{
    int dims[1] = {1};
    handled = 0;
    MPI::Errhandler errhandler = MPI::Comm::Create_errhandler(handle);
    world.Set_errhandler(errhandler);
    errhandler.Free();
    CHECK(world.Create_cart(1, dims, nullptr, false) == MPI::COMM_NULL && handled == 1 && handled_code == MPI::ERR_ARG);
    world.Set_errhandler(MPI::ERRORS_RETURN);
}

static void codes()
{
    char text[MPI_MAX_ERROR_STRING];
    int length = -1, kind = MPI::Add_error_class(), code = MPI::Add_error_code(kind);
    MPI::Add_error_string(code, "my error");
    MPI::Get_error_string(code, text, length);
    CHECK_STRING(text, "my error");
    CHECK(MPI::Get_error_class(code) == kind && kind > MPI::ERR_LASTCODE - 1);
}

static int queries, frees, cancels;

static int query(void *extra_state, MPI::Status &status)
{
    queries++;
    status.Set_elements(MPI::INT, *static_cast<int *>(extra_state));
    status.Set_cancelled(false);
    status.Set_source(MPI::UNDEFINED);
    status.Set_tag(MPI::UNDEFINED);
    return MPI::SUCCESS;
}

static int free_state(void *)
{
    frees++;
    return MPI::SUCCESS;
}

static int cancel(void *, bool complete)
{
    cancels += complete ? 100 : 1;
    return MPI::SUCCESS;
}

static int throw_from_query(void *, MPI::Status &)
{
    throw 17;
}

static void generalized()
{
    int elements = 3, thrown = 0;
    MPI::Status status;
    MPI::Grequest request = MPI::Grequest::Start(query, free_state, cancel, &elements);
    CHECK(!request.Test());
    request.Cancel();
    request.Complete();
    request.Wait(status);
    CHECK(request == MPI::REQUEST_NULL && status.Get_elements(MPI::INT) == 3);
    CHECK(queries == 1 && frees == 1 && cancels == 1);
    MPI::COMM_SELF.Set_errhandler(MPI::ERRORS_RETURN);
    request = MPI::Grequest::Start(throw_from_query, free_state, cancel, &elements);
    request.Complete();
    try {
        request.Wait(status);
    } catch (int number) {
        thrown = number;
    }
    CHECK_INT(thrown, 17);
}

static int throw_from_copy(const MPI::Comm &, int, void *, void *, void *, bool &)
{
    throw std::runtime_error("no copy");
}

static void attributes()
{
    int key = MPI::Comm::Create_keyval(throw_from_copy, MPI::Comm::NULL_DELETE_FN, nullptr);
    bool caught = false;
    MPI::Intracomm comm = MPI::COMM_SELF.Dup(), copy;
    comm.Set_attr(key, nullptr);
    try {
        copy = comm.Dup();
    } catch (const std::runtime_error &) {
        caught = true;
    }
    CHECK(caught && copy == MPI::COMM_NULL);
    comm.Free();
    MPI::Comm::Free_keyval(key);
}

int main()
{
    MPI::Init();
    check_rank = world.Get_rank();
    check_size = world.Get_size();
    throwing();
    users();
    no_arrays();
    codes();
    generalized();
    attributes();
    return check_end();
}
