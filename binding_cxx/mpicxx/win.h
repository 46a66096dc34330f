/* win.h - MPI::Win (MPI-2.2 chapter 11).  Its callbacks stand here too: nothing else needs them. */
#ifndef TREEFOLD_MPICXX_WIN_H
#define TREEFOLD_MPICXX_WIN_H

namespace MPI
{

class Win : public detail::handle<MPI_Win>
{
  public:
    TREEFOLD_CONSTEXPR Win(detail::number n) : handle(n)
    {
    }
    Win(MPI_Win c = MPI_WIN_NULL) : handle(c)
    {
    }
    bool operator==(const Win &other) const
    {
        return c() == other.c();
    }
    bool operator!=(const Win &other) const
    {
        return c() != other.c();
    }

    static Win Create(const void *base, Aint size, int disp_unit, const Info &info, const Intracomm &comm)
    {
        MPI_Win made = MPI_WIN_NULL;
        detail::check(MPI_Win_create(const_cast<void *>(base), size, disp_unit, info, comm, &made));
        return made;
    }
    void Free()
    {
        MPI_Win win = c();
        detail::check(MPI_Win_free(&win));
        set(win);
    }
    Group Get_group() const
    {
        MPI_Group group = MPI_GROUP_NULL;
        detail::check(MPI_Win_get_group(c(), &group));
        return group;
    }

    void Put(const void *origin_addr, int origin_count, const Datatype &origin_datatype, int target_rank,
             Aint target_disp, int target_count, const Datatype &target_datatype) const
    {
        detail::check(MPI_Put(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count,
                              target_datatype, c()));
    }
    void Get(void *origin_addr, int origin_count, const Datatype &origin_datatype, int target_rank, Aint target_disp,
             int target_count, const Datatype &target_datatype) const
    {
        detail::check(MPI_Get(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count,
                              target_datatype, c()));
    }
    void Accumulate(const void *origin_addr, int origin_count, const Datatype &origin_datatype, int target_rank,
                    Aint target_disp, int target_count, const Datatype &target_datatype, const Op &op) const
    {
        detail::check(MPI_Accumulate(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count,
                                     target_datatype, op, c()));
    }

    void Fence(int assertion) const
    {
        detail::check(MPI_Win_fence(assertion, c()));
    }
    void Start(const Group &group, int assertion) const
    {
        detail::check(MPI_Win_start(group, assertion, c()));
    }
    void Complete() const
    {
        detail::check(MPI_Win_complete(c()));
    }
    void Post(const Group &group, int assertion) const
    {
        detail::check(MPI_Win_post(group, assertion, c()));
    }
    void Wait() const
    {
        detail::check(MPI_Win_wait(c()));
    }
    bool Test() const
    {
        int flag = 0;
        detail::check(MPI_Win_test(c(), &flag));
        return flag != 0;
    }
    void Lock(int lock_type, int rank, int assertion) const
    {
        detail::check(MPI_Win_lock(lock_type, rank, assertion, c()));
    }
    void Unlock(int rank) const
    {
        detail::check(MPI_Win_unlock(rank, c()));
    }

    void Get_name(char *name, int &length) const
    {
        detail::check(MPI_Win_get_name(c(), name, &length));
    }
    void Set_name(const char *name) const
    {
        detail::check(MPI_Win_set_name(c(), name));
    }

    /* ---- attributes and error handlers: sections 6.7 and 8.3 ---- */

    typedef int Copy_attr_function(const Win &oldwin, int win_keyval, void *extra_state, void *attribute_val_in,
                                   void *attribute_val_out, bool &flag);
    typedef int Delete_attr_function(Win &win, int win_keyval, void *attribute_val, void *extra_state);
    static inline int Create_keyval(Copy_attr_function *copy, Delete_attr_function *free, void *extra_state);
    static void Free_keyval(int &keyval)
    {
        detail::check(MPI_Win_free_keyval(&keyval));
    }
    void Set_attr(int keyval, const void *value)
    {
        detail::check(MPI_Win_set_attr(c(), keyval, const_cast<void *>(value)));
    }
    bool Get_attr(int keyval, void *value) const
    {
        int flag = 0;
        detail::check(MPI_Win_get_attr(c(), keyval, value, &flag));
        return flag != 0;
    }
    void Delete_attr(int keyval)
    {
        detail::check(MPI_Win_delete_attr(c(), keyval));
    }
    static int NULL_COPY_FN(const Win &, int, void *, void *, void *, bool &flag)
    {
        flag = false;
        return MPI_SUCCESS;
    }
    static int DUP_FN(const Win &, int, void *, void *in, void *out, bool &flag)
    {
        *static_cast<void **>(out) = in;
        flag = true;
        return MPI_SUCCESS;
    }
    static int NULL_DELETE_FN(Win &, int, void *, void *)
    {
        return MPI_SUCCESS;
    }

    typedef void Errhandler_function(Win &win, int *error_code, ...);
    typedef Errhandler_function Errhandler_fn;
    static inline Errhandler Create_errhandler(Errhandler_function *function);
    inline void Set_errhandler(const Errhandler &errhandler) const;
    Errhandler Get_errhandler() const
    {
        MPI_Errhandler errhandler = MPI_ERRHANDLER_NULL;
        detail::check(MPI_Win_get_errhandler(c(), &errhandler));
        return errhandler;
    }
    void Call_errhandler(int error_code) const
    {
        MPI_Win_call_errhandler(c(), error_code);
        detail::throw_kept();
    }
};

namespace detail
{

typedef keyval<Win::Copy_attr_function, Win::Delete_attr_function> win_keyval;

inline int call_win_copy(MPI_Win win, int key, void *context, void *in, void *out, int *flag)
{
    win_keyval *from = static_cast<win_keyval *>(context);
    bool copied = false;
    try {
        int error = from->copy(Win(win), key, from->extra_state, in, out, copied);
        *flag = copied;
        return error;
    } catch (...) {
        keep();
        return MPI_ERR_OTHER;
    }
}

inline int call_win_delete(MPI_Win win, int key, void *value, void *context)
{
    win_keyval *from = static_cast<win_keyval *>(context);
    Win object(win);
    try {
        return from->free(object, key, value, from->extra_state);
    } catch (...) {
        keep();
        return MPI_ERR_OTHER;
    }
}

inline void call_win_errhandler(MPI_Win win, int error_code, void *context)
{
    Win object(win);
    try {
        reinterpret_cast<Win::Errhandler_function *>(context)(object, &error_code);
    } catch (...) {
        keep();
    }
}

inline void throw_win_exception(Win &, int *error_code, ...)
{
    throw Exception(*error_code);
}

inline MPI_Errhandler win_throwing()
{
    MPI_Errhandler &errhandler = throwing_handlers()[FOR_WINDOWS];
    if (errhandler == MPI_ERRHANDLER_NULL)
        errhandler = Win::Create_errhandler(throw_win_exception);
    return errhandler;
}

} // namespace detail

inline int Win::Create_keyval(Copy_attr_function *copy, Delete_attr_function *free, void *extra_state)
{
    int key = MPI_KEYVAL_INVALID;
    detail::win_keyval functions = {copy, free, extra_state}, *context = new detail::win_keyval(functions);
    detail::check(MPIX_Win_create_keyval_x(detail::call_win_copy, detail::call_win_delete,
                                           detail::free_keyval<detail::win_keyval>, context, &key));
    return key;
}

inline Errhandler Win::Create_errhandler(Errhandler_function *function)
{
    MPI_Errhandler made = MPI_ERRHANDLER_NULL;
    detail::check(MPIX_Win_create_errhandler_x(detail::call_win_errhandler, 0, detail::pointer(function), &made));
    return made;
}

inline void Win::Set_errhandler(const Errhandler &errhandler) const
{
    detail::check(
        MPI_Win_set_errhandler(c(), errhandler.throws() ? detail::win_throwing() : MPI_Errhandler(errhandler)));
}

} // namespace MPI

#endif
