/* point.cc - the point-to-point procedures of MPI::Comm, requests and statuses, in C++98.
 *
 * np: 1 2 3 5 9
 * flags: -std=c++98
 * only: treefold
 */
#include "../c/check.h"

#include <vector>

static MPI::Intracomm &world = MPI::COMM_WORLD;
static int right, left;
enum { N = 1000 };

static std::vector<int> values(int of)
{
    std::vector<int> v(N);
    for (int i = 0; i < N; i++)
        v[i] = 1000 * of + i;
    return v;
}

static void check_values(const std::vector<int> &got, int of)
{
    CHECK(got == values(of));
}

/* Each form of sending, to oneself or to the next, into receives that are posted. */
static void forms()
{
    std::vector<int> mine = values(check_rank);
    std::vector<char> room(10 * (N * sizeof(int) + MPI::BSEND_OVERHEAD));
    MPI::Attach_buffer(&room[0], (int)room.size());
    for (int form = 0; form < 12; form++) {
        std::vector<int> got(N, -1);
        MPI::Request receive = world.Irecv(&got[0], N, MPI::INT, left, form), send;
        MPI::Prequest persistent;
        world.Barrier(); /* ready sends want the receive to be there */
        switch (form) {
        case 0:
            send = world.Isend(&mine[0], N, MPI::INT, right, form);
            break;
        case 1:
            send = world.Issend(&mine[0], N, MPI::INT, right, form);
            break;
        case 2:
            send = world.Ibsend(&mine[0], N, MPI::INT, right, form);
            break;
        case 3:
            send = world.Irsend(&mine[0], N, MPI::INT, right, form);
            break;
        case 4:
            world.Send(&mine[0], N, MPI::INT, right, form);
            break;
        case 5:
            world.Ssend(&mine[0], N, MPI::INT, right, form);
            break;
        case 6:
            world.Bsend(&mine[0], N, MPI::INT, right, form);
            break;
        case 7:
            world.Rsend(&mine[0], N, MPI::INT, right, form);
            break;
        case 8:
            persistent = world.Send_init(&mine[0], N, MPI::INT, right, form);
            break;
        case 9:
            persistent = world.Ssend_init(&mine[0], N, MPI::INT, right, form);
            break;
        case 10:
            persistent = world.Bsend_init(&mine[0], N, MPI::INT, right, form);
            break;
        case 11:
            persistent = world.Rsend_init(&mine[0], N, MPI::INT, right, form);
            break;
        }
        CHECK((form < 4) == (send != MPI::REQUEST_NULL));
        if (form < 4)
            send.Wait();
        if (form >= 8) {
            persistent.Start();
            persistent.Wait();
            CHECK(persistent != MPI::REQUEST_NULL);
            persistent.Free();
            CHECK(persistent == MPI::REQUEST_NULL);
        }
        MPI::Status status;
        receive.Wait(status);
        CHECK(receive == MPI::REQUEST_NULL);
        CHECK_INT(status.Get_source(), left);
        CHECK_INT(status.Get_tag(), form);
        CHECK_INT(status.Get_count(MPI::INT), N);
        CHECK_INT(status.Get_elements(MPI::INT), N);
        CHECK(!status.Is_cancelled());
        check_values(got, left);
    }
    void *back = 0;
    CHECK_INT(MPI::Detach_buffer(back), (int)room.size());
    CHECK(back == &room[0]);
}

static void receives()
{
    std::vector<int> mine = values(check_rank), got(N, -1);
    MPI::Status status;
    MPI::Request send = world.Isend(&mine[0], N, MPI::INT, right, 1);
    world.Probe(MPI::ANY_SOURCE, MPI::ANY_TAG, status);
    CHECK_INT(status.Get_count(MPI::INT), N);
    CHECK(world.Iprobe(left, 1));
    CHECK(world.Iprobe(left, 1, status));
    CHECK(!world.Iprobe(left, 2));
    world.Probe(left, 1);
    world.Recv(&got[0], N, MPI::INT, left, 1, status);
    check_values(got, left);
    send.Wait();

    got.assign(N, -1);
    world.Sendrecv(&mine[0], N, MPI::INT, right, 3, &got[0], N, MPI::INT, left, 3, status);
    check_values(got, left);
    CHECK_INT(status.Get_source(), left);
    got.assign(N, -1);
    world.Sendrecv(&mine[0], N, MPI::INT, right, 3, &got[0], N, MPI::INT, left, 3);
    check_values(got, left);
    world.Sendrecv_replace(&got[0], N, MPI::INT, left, 4, right, 4, status);
    check_values(got, check_rank);
    world.Sendrecv_replace(&got[0], N, MPI::INT, right, 4, left, 4);
    check_values(got, left);

    send = world.Isend(&mine[0], N, MPI::INT, right, 5);
    got.assign(N, -1);
    world.Recv(&got[0], N, MPI::INT, left, 5);
    check_values(got, left);
    send.Wait(status);
    world.Send(&mine[0], N, MPI::INT, MPI::PROC_NULL, 0);
    world.Recv(&got[0], N, MPI::INT, MPI::PROC_NULL, 0, status);
    CHECK_INT(status.Get_source(), MPI::PROC_NULL);
    CHECK_INT(status.Get_count(MPI::INT), 0);
}

static void many()
{
    enum { K = 6 };
    std::vector<int> mine = values(check_rank);
    for (int way = 0; way < 12; way++) {
        std::vector<int> got[K];
        MPI::Prequest requests[2 * K];
        MPI::Status statuses[2 * K], status;
        int indices[2 * K], done = 0, index = -1;
        for (int k = 0; k < K; k++) {
            got[k].assign(N, -1);
            requests[k] = world.Recv_init(&got[k][0], N, MPI::INT, left, k);
            requests[K + k] = world.Send_init(&mine[0], N, MPI::INT, right, k);
        }
        MPI::Prequest::Startall(2 * K, requests);
        MPI::Request plain[2 * K];
        for (int k = 0; k < 2 * K; k++)
            plain[k] = requests[k];
        switch (way) {
        case 0:
            MPI::Request::Waitall(2 * K, plain, statuses);
            break;
        case 1:
            MPI::Request::Waitall(2 * K, plain);
            break;
        case 2:
            while (!MPI::Request::Testall(2 * K, plain, statuses))
                ;
            break;
        case 3:
            while (!MPI::Request::Testall(2 * K, plain))
                ;
            break;
        case 4:
            for (; done < 2 * K; done++)
                CHECK(MPI::Request::Waitany(2 * K, plain, status) >= 0);
            break;
        case 5:
            for (; done < 2 * K; done++)
                CHECK(MPI::Request::Waitany(2 * K, plain) < 2 * K);
            break;
        case 6:
            while (done < 2 * K)
                done += MPI::Request::Testany(2 * K, plain, index, status);
            break;
        case 7:
            while (done < 2 * K)
                done += MPI::Request::Testany(2 * K, plain, index);
            break;
        case 8:
            while (done < 2 * K)
                done += MPI::Request::Waitsome(2 * K, plain, indices, statuses);
            break;
        case 9:
            while (done < 2 * K)
                done += MPI::Request::Waitsome(2 * K, plain, indices);
            break;
        case 10:
            while (done < 2 * K)
                done += MPI::Request::Testsome(2 * K, plain, indices, statuses);
            break;
        case 11:
            while (done < 2 * K)
                done += MPI::Request::Testsome(2 * K, plain, indices);
            break;
        }
        for (int k = 0; k < K; k++) {
            check_values(got[k], left);
            if (way == 0 || way == 2)
                CHECK_INT(statuses[k].Get_tag(), k);
        }
        for (int k = 0; k < 2 * K; k++)
            requests[k].Free();
    }
}

static void single()
{
    int value = -1, mine = check_rank;
    MPI::Status status;
    MPI::Request receive = world.Irecv(&value, 1, MPI::INT, left, 9);
    CHECK(!receive.Get_status() || check_size > 1);
    MPI::Request send = world.Isend(&mine, 1, MPI::INT, right, 9);
    while (!receive.Get_status(status))
        ;
    CHECK(receive != MPI::REQUEST_NULL);
    CHECK(receive.Test(status));
    CHECK_INT(value, left);
    while (!send.Test())
        ;
    receive = world.Irecv(&value, 1, MPI::INT, left, 10);
    receive.Cancel();
    receive.Wait(status);
    CHECK(status.Is_cancelled());
    status.Set_cancelled(false);
    CHECK(!status.Is_cancelled());
    status.Set_elements(MPI::DOUBLE, 7);
    CHECK_INT(status.Get_count(MPI::DOUBLE), 7);
    status.Set_source(3);
    status.Set_tag(4);
    status.Set_error(MPI::ERR_OTHER);
    MPI_Status c = status;
    CHECK(c.MPI_SOURCE == 3 && c.MPI_TAG == 4 && c.MPI_ERROR == MPI_ERR_OTHER);
    CHECK(MPI::Status(c).Get_source() == 3 && status.Get_error() == MPI::ERR_OTHER);
}

int main(int argc, char **argv)
{
    MPI::Init(argc, argv);
    check_rank = world.Get_rank();
    check_size = world.Get_size();
    right = (check_rank + 1) % check_size;
    left = (check_rank + check_size - 1) % check_size;
    forms();
    receives();
    many();
    single();
    return check_end();
}
