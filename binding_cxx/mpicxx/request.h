/* request.h - MPI::Request, Prequest and Grequest (MPI-2.2 sections 3.7, 3.9 and 12.2). */
#ifndef TREEFOLD_MPICXX_REQUEST_H
#define TREEFOLD_MPICXX_REQUEST_H

namespace MPI
{

class Request : public detail::handle<MPI_Request>
{
  public:
    TREEFOLD_CONSTEXPR Request(detail::number n) : handle(n)
    {
    }
    Request(MPI_Request c = MPI_REQUEST_NULL) : handle(c)
    {
    }
    bool operator==(const Request &other) const
    {
        return c() == other.c();
    }
    bool operator!=(const Request &other) const
    {
        return c() != other.c();
    }

    void Wait(Status &status)
    {
        wait(status.c());
    }
    void Wait()
    {
        wait(MPI_STATUS_IGNORE);
    }
    bool Test(Status &status)
    {
        return test(status.c());
    }
    bool Test()
    {
        return test(MPI_STATUS_IGNORE);
    }
    bool Get_status(Status &status) const
    {
        return get_status(status.c());
    }
    bool Get_status() const
    {
        return get_status(MPI_STATUS_IGNORE);
    }
    void Cancel() const
    {
        MPI_Request request = c();
        detail::check(MPI_Cancel(&request));
    }
    void Free()
    {
        MPI_Request request = c();
        detail::check(MPI_Request_free(&request));
        set(request);
    }

    static int Waitany(int count, Request requests[], Status &status)
    {
        return waitany(count, requests, status.c());
    }
    static int Waitany(int count, Request requests[])
    {
        return waitany(count, requests, MPI_STATUS_IGNORE);
    }
    static bool Testany(int count, Request requests[], int &index, Status &status)
    {
        return testany(count, requests, index, status.c());
    }
    static bool Testany(int count, Request requests[], int &index)
    {
        return testany(count, requests, index, MPI_STATUS_IGNORE);
    }
    static void Waitall(int count, Request requests[], Status statuses[])
    {
        detail::check(MPI_Waitall(count, detail::array<MPI_Request>(requests), detail::array<MPI_Status>(statuses)));
    }
    static void Waitall(int count, Request requests[])
    {
        detail::check(MPI_Waitall(count, detail::array<MPI_Request>(requests), MPI_STATUSES_IGNORE));
    }
    static bool Testall(int count, Request requests[], Status statuses[])
    {
        return testall(count, requests, detail::array<MPI_Status>(statuses));
    }
    static bool Testall(int count, Request requests[])
    {
        return testall(count, requests, MPI_STATUSES_IGNORE);
    }
    static int Waitsome(int count, Request requests[], int indices[], Status statuses[])
    {
        return waitsome(count, requests, indices, detail::array<MPI_Status>(statuses));
    }
    static int Waitsome(int count, Request requests[], int indices[])
    {
        return waitsome(count, requests, indices, MPI_STATUSES_IGNORE);
    }
    static int Testsome(int count, Request requests[], int indices[], Status statuses[])
    {
        return testsome(count, requests, indices, detail::array<MPI_Status>(statuses));
    }
    static int Testsome(int count, Request requests[], int indices[])
    {
        return testsome(count, requests, indices, MPI_STATUSES_IGNORE);
    }

  private:
    void wait(MPI_Status *status)
    {
        MPI_Request request = c();
        int error = MPI_Wait(&request, status);
        set(request);
        detail::check(error);
    }
    bool test(MPI_Status *status)
    {
        MPI_Request request = c();
        int flag = 0, error = MPI_Test(&request, &flag, status);
        set(request);
        detail::check(error);
        return flag != 0;
    }
    bool get_status(MPI_Status *status) const
    {
        int flag = 0;
        detail::check(MPI_Request_get_status(c(), &flag, status));
        return flag != 0;
    }
    static int waitany(int count, Request requests[], MPI_Status *status)
    {
        int index = MPI_UNDEFINED;
        detail::check(MPI_Waitany(count, detail::array<MPI_Request>(requests), &index, status));
        return index;
    }
    static bool testany(int count, Request requests[], int &index, MPI_Status *status)
    {
        int flag = 0;
        detail::check(MPI_Testany(count, detail::array<MPI_Request>(requests), &index, &flag, status));
        return flag != 0;
    }
    static bool testall(int count, Request requests[], MPI_Status *statuses)
    {
        int flag = 0;
        detail::check(MPI_Testall(count, detail::array<MPI_Request>(requests), &flag, statuses));
        return flag != 0;
    }
    static int waitsome(int count, Request requests[], int indices[], MPI_Status *statuses)
    {
        int done = 0;
        detail::check(MPI_Waitsome(count, detail::array<MPI_Request>(requests), &done, indices, statuses));
        return done;
    }
    static int testsome(int count, Request requests[], int indices[], MPI_Status *statuses)
    {
        int done = 0;
        detail::check(MPI_Testsome(count, detail::array<MPI_Request>(requests), &done, indices, statuses));
        return done;
    }
};

class Prequest : public Request
{
  public:
    Prequest(MPI_Request c = MPI_REQUEST_NULL) : Request(c)
    {
    }
    Prequest(const Request &request) : Request(request)
    {
    }

    void Start()
    {
        MPI_Request request = c();
        detail::check(MPI_Start(&request));
        set(request);
    }
    static void Startall(int count, Prequest requests[])
    {
        detail::check(MPI_Startall(count, detail::array<MPI_Request>(requests)));
    }
};

class Grequest : public Request
{
  public:
    typedef int Query_function(void *extra_state, Status &status);
    typedef int Free_function(void *extra_state);
    typedef int Cancel_function(void *extra_state, bool complete);

    Grequest(MPI_Request c = MPI_REQUEST_NULL) : Request(c)
    {
    }
    Grequest(const Request &request) : Request(request)
    {
    }

    static inline Grequest Start(Query_function *query, Free_function *free, Cancel_function *cancel,
                                 void *extra_state);
    void Complete()
    {
        detail::check(MPI_Grequest_complete(c()));
    }
};

} // namespace MPI

#endif
