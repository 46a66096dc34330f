/* info.h - MPI::Info (MPI-2.2 chapter 9) and MPI::Errhandler (section 8.3). */
#ifndef TREEFOLD_MPICXX_INFO_H
#define TREEFOLD_MPICXX_INFO_H

namespace MPI
{

class Info : public detail::handle<MPI_Info>
{
  public:
    TREEFOLD_CONSTEXPR Info(detail::number n) : handle(n)
    {
    }
    Info(MPI_Info c = MPI_INFO_NULL) : handle(c)
    {
    }
    bool operator==(const Info &other) const
    {
        return c() == other.c();
    }
    bool operator!=(const Info &other) const
    {
        return c() != other.c();
    }

    static Info Create()
    {
        MPI_Info made = MPI_INFO_NULL;
        detail::check(MPI_Info_create(&made));
        return made;
    }
    Info Dup() const
    {
        MPI_Info made = MPI_INFO_NULL;
        detail::check(MPI_Info_dup(c(), &made));
        return made;
    }
    void Free()
    {
        MPI_Info info = c();
        detail::check(MPI_Info_free(&info));
        set(info);
    }
    void Set(const char *key, const char *value)
    {
        detail::check(MPI_Info_set(c(), key, value));
    }
    void Delete(const char *key)
    {
        detail::check(MPI_Info_delete(c(), key));
    }
    bool Get(const char *key, int valuelen, char *value) const
    {
        int flag = 0;
        detail::check(MPI_Info_get(c(), key, valuelen, value, &flag));
        return flag != 0;
    }
    bool Get_valuelen(const char *key, int &valuelen) const
    {
        int flag = 0;
        detail::check(MPI_Info_get_valuelen(c(), key, &valuelen, &flag));
        return flag != 0;
    }
    int Get_nkeys() const
    {
        int n = 0;
        detail::check(MPI_Info_get_nkeys(c(), &n));
        return n;
    }
    void Get_nthkey(int n, char *key) const
    {
        detail::check(MPI_Info_get_nthkey(c(), n, key));
    }
};

class Errhandler : public detail::handle<MPI_Errhandler>
{
  public:
    TREEFOLD_CONSTEXPR Errhandler(detail::number n) : handle(n)
    {
    }
    Errhandler(MPI_Errhandler c = MPI_ERRHANDLER_NULL) : handle(c)
    {
    }
    inline bool operator==(const Errhandler &other) const;
    bool operator!=(const Errhandler &other) const
    {
        return !(*this == other);
    }

    /* The C handle; ERRORS_THROW_EXCEPTIONS gets one when it is first wanted. */
    inline operator MPI_Errhandler() const;
    inline bool throws() const; /* it is ERRORS_THROW_EXCEPTIONS, or what that became for a class of objects */
    void Free()
    {
        MPI_Errhandler errhandler = c();
        detail::check(MPI_Errhandler_free(&errhandler));
        set(errhandler);
    }
};

} // namespace MPI

#endif
