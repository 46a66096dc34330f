/* dynamic.h - processes that are started later, ports, names of services (MPI-2.2 chapter 10). */
#ifndef TREEFOLD_MPICXX_DYNAMIC_H
#define TREEFOLD_MPICXX_DYNAMIC_H

namespace MPI
{

static const char **const ARGV_NULL = 0;
static const char ***const ARGVS_NULL = 0;

inline void Open_port(const Info &info, char *port_name)
{
    detail::check(MPI_Open_port(info, port_name));
}
inline void Close_port(const char *port_name)
{
    detail::check(MPI_Close_port(port_name));
}
inline void Publish_name(const char *service_name, const Info &info, const char *port_name)
{
    detail::check(MPI_Publish_name(service_name, info, port_name));
}
inline void Unpublish_name(const char *service_name, const Info &info, const char *port_name)
{
    detail::check(MPI_Unpublish_name(service_name, info, port_name));
}
inline void Lookup_name(const char *service_name, const Info &info, char *port_name)
{
    detail::check(MPI_Lookup_name(service_name, info, port_name));
}

inline Intercomm Comm::Get_parent()
{
    MPI_Comm parent = MPI_COMM_NULL;
    detail::check(MPI_Comm_get_parent(&parent));
    return parent;
}
inline Intercomm Comm::Join(int fd)
{
    MPI_Comm made = MPI_COMM_NULL;
    detail::check(MPI_Comm_join(fd, &made));
    return made;
}

inline Intercomm Intracomm::Accept(const char *port_name, const Info &info, int root) const
{
    MPI_Comm made = MPI_COMM_NULL;
    detail::check(MPI_Comm_accept(port_name, info, root, c(), &made));
    return made;
}
inline Intercomm Intracomm::Connect(const char *port_name, const Info &info, int root) const
{
    MPI_Comm made = MPI_COMM_NULL;
    detail::check(MPI_Comm_connect(port_name, info, root, c(), &made));
    return made;
}

/* The words of a program are const in C++ only. */
inline Intercomm Intracomm::Spawn(const char *command, const char *argv[], int maxprocs, const Info &info, int root,
                                  int array_of_errcodes[]) const
{
    MPI_Comm made = MPI_COMM_NULL;
    detail::check(
        MPI_Comm_spawn(command, const_cast<char **>(argv), maxprocs, info, root, c(), &made, array_of_errcodes));
    return made;
}
inline Intercomm Intracomm::Spawn(const char *command, const char *argv[], int maxprocs, const Info &info,
                                  int root) const
{
    return Spawn(command, argv, maxprocs, info, root, MPI_ERRCODES_IGNORE);
}
inline Intercomm Intracomm::Spawn_multiple(int count, const char *array_of_commands[], const char **array_of_argv[],
                                           const int array_of_maxprocs[], const Info array_of_info[], int root,
                                           int array_of_errcodes[]) const
{
    MPI_Comm made = MPI_COMM_NULL;
    detail::check(MPI_Comm_spawn_multiple(count, const_cast<char **>(array_of_commands),
                                          const_cast<char ***>(array_of_argv), array_of_maxprocs,
                                          detail::array<MPI_Info>(array_of_info), root, c(), &made, array_of_errcodes));
    return made;
}
inline Intercomm Intracomm::Spawn_multiple(int count, const char *array_of_commands[], const char **array_of_argv[],
                                           const int array_of_maxprocs[], const Info array_of_info[], int root) const
{
    return Spawn_multiple(count, array_of_commands, array_of_argv, array_of_maxprocs, array_of_info, root,
                          MPI_ERRCODES_IGNORE);
}

} // namespace MPI

#endif
