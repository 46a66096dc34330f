/* status.h - MPI::Status (MPI-2.2 section 3.2.5).  What takes a datatype or makes one of a request stands with those.
 */
#ifndef TREEFOLD_MPICXX_STATUS_H
#define TREEFOLD_MPICXX_STATUS_H

namespace MPI
{

class Datatype;

class Status
{
  public:
    Status() : status()
    {
    }
    Status(const MPI_Status &c) : status(c)
    {
    }
    operator MPI_Status() const
    {
        return status;
    }

    int Get_source() const
    {
        return status.MPI_SOURCE;
    }
    int Get_tag() const
    {
        return status.MPI_TAG;
    }
    int Get_error() const
    {
        return status.MPI_ERROR;
    }
    void Set_source(int source)
    {
        status.MPI_SOURCE = source;
    }
    void Set_tag(int tag)
    {
        status.MPI_TAG = tag;
    }
    void Set_error(int error)
    {
        status.MPI_ERROR = error;
    }
    bool Is_cancelled() const
    {
        int flag = 0;
        detail::check(MPI_Test_cancelled(&status, &flag));
        return flag != 0;
    }
    void Set_cancelled(bool flag)
    {
        detail::check(MPI_Status_set_cancelled(&status, flag));
    }
    inline int Get_count(const Datatype &datatype) const;
    inline int Get_elements(const Datatype &datatype) const;
    inline void Set_elements(const Datatype &datatype, int count);

    MPI_Status *c()
    {
        return &status;
    }

  private:
    MPI_Status status;
};

} // namespace MPI

#endif
