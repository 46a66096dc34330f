/* callbacks.h - functions in C++ that the library calls: of operators, attributes, error handlers, generalized
 * requests.
 *
 * The library hands each C function a context; that is how it knows the function in C++.
 */
#ifndef TREEFOLD_MPICXX_CALLBACKS_H
#define TREEFOLD_MPICXX_CALLBACKS_H

namespace MPI
{
namespace detail
{

/* The communicator as an object of its class, for `use`. */
template <class Use> int as_its_class(MPI_Comm handle, const Use &use)
{
    int inter = 0, topology = MPI_UNDEFINED;
    Intracomm intra(handle);
    Intercomm between(handle);
    Cartcomm cart(handle);
    Graphcomm graph(handle);
    Distgraphcomm dist_graph(handle);
    if (handle != MPI_COMM_NULL)
        MPI_Comm_test_inter(handle, &inter);
    if (inter)
        return use(between);
    if (handle != MPI_COMM_NULL)
        MPI_Topo_test(handle, &topology);
    return topology == MPI_CART         ? use(cart)
           : topology == MPI_GRAPH      ? use(graph)
           : topology == MPI_DIST_GRAPH ? use(dist_graph)
                                        : use(intra);
}

/* What is called by the library has the language linkage of C++, which on all systems of this ABI is that of C. */

/* ---- operators ---- */

inline void call_user_function(void *invec, void *inoutvec, MPI_Count len, MPI_Datatype datatype, void *context)
{
    const MPI_Count most = 1 << 30; /* a function in C++ takes an int */
    User_function *function = reinterpret_cast<User_function *>(context);
    MPI_Aint lb, extent = 0;
    if (len > most)
        MPI_Type_get_extent(datatype, &lb, &extent);
    for (MPI_Count from = 0; from < len; from += most) {
        MPI_Count n = len - from < most ? len - from : most;
        function(static_cast<char *>(invec) + from * extent, static_cast<char *>(inoutvec) + from * extent,
                 static_cast<int>(n), Datatype(datatype));
    }
}

/* ---- attributes ---- */

template <class Copy, class Delete> struct keyval {
    Copy *copy;
    Delete *free;
    void *extra_state;
};

typedef keyval<Comm::Copy_attr_function, Comm::Delete_attr_function> comm_keyval;

template <class Keyval> void free_keyval(void *context)
{
    delete static_cast<Keyval *>(context);
}

struct copy_comm_attr {
    int key;
    comm_keyval *from;
    void *in, *out;
    int *flag;
    template <class C> int operator()(C &comm) const
    {
        bool copied = false;
        int error = from->copy(comm, key, from->extra_state, in, out, copied);
        *flag = copied;
        return error;
    }
};

inline int call_comm_copy(MPI_Comm comm, int key, void *context, void *in, void *out, int *flag)
{
    copy_comm_attr use = {key, static_cast<comm_keyval *>(context), in, out, flag};
    try {
        return as_its_class(comm, use);
    } catch (...) {
        keep();
        return MPI_ERR_OTHER;
    }
}

struct delete_comm_attr {
    int key;
    comm_keyval *from;
    void *value;
    template <class C> int operator()(C &comm) const
    {
        return from->free(comm, key, value, from->extra_state);
    }
};

inline int call_comm_delete(MPI_Comm comm, int key, void *value, void *context)
{
    delete_comm_attr use = {key, static_cast<comm_keyval *>(context), value};
    try {
        return as_its_class(comm, use);
    } catch (...) {
        keep();
        return MPI_ERR_OTHER;
    }
}

template <class Keyval> int call_type_copy(MPI_Datatype type, int key, void *context, void *in, void *out, int *flag)
{
    Keyval *from = static_cast<Keyval *>(context);
    bool copied = false;
    try {
        int error = from->copy(Datatype(type), key, from->extra_state, in, out, copied);
        *flag = copied;
        return error;
    } catch (...) {
        keep();
        return MPI_ERR_OTHER;
    }
}

template <class Keyval> int call_type_delete(MPI_Datatype type, int key, void *value, void *context)
{
    Keyval *from = static_cast<Keyval *>(context);
    Datatype object(type);
    try {
        return from->free(object, key, value, from->extra_state);
    } catch (...) {
        keep();
        return MPI_ERR_OTHER;
    }
}

template <class Copy> int create_type_keyval(Copy *copy, Datatype::Delete_attr_function *free, void *extra_state)
{
    typedef keyval<Copy, Datatype::Delete_attr_function> Keyval;
    int key = MPI_KEYVAL_INVALID;
    Keyval functions = {copy, free, extra_state}, *context = new Keyval(functions);
    check(MPIX_Type_create_keyval_x(call_type_copy<Keyval>, call_type_delete<Keyval>, free_keyval<Keyval>, context,
                                    &key));
    return key;
}

/* ---- error handlers ---- */

struct handle_error {
    Comm::Errhandler_function *function;
    int error_code;
    template <class C> int operator()(C &comm) const
    {
        int code = error_code;
        function(comm, &code);
        return MPI_SUCCESS;
    }
};

inline void call_errhandler(MPI_Comm comm, int error_code, void *context)
{
    handle_error use = {reinterpret_cast<Comm::Errhandler_function *>(context), error_code};
    try {
        as_its_class(comm, use);
    } catch (...) {
        keep();
    }
}

inline void throw_exception(Comm &, int *error_code, ...)
{
    throw Exception(*error_code);
}

/* What ERRORS_THROW_EXCEPTIONS is for the library: a handler for each class, made when it is first set. */
enum throwing_class { FOR_COMMS, FOR_WINDOWS, FOR_FILES, THROWING_CLASSES };

inline MPI_Errhandler *throwing_handlers()
{
    static MPI_Errhandler errhandlers[THROWING_CLASSES] = {MPI_ERRHANDLER_NULL, MPI_ERRHANDLER_NULL,
                                                           MPI_ERRHANDLER_NULL};
    return errhandlers;
}

inline MPI_Errhandler throwing()
{
    MPI_Errhandler &errhandler = throwing_handlers()[FOR_COMMS];
    if (errhandler == MPI_ERRHANDLER_NULL)
        errhandler = Comm::Create_errhandler(throw_exception);
    return errhandler;
}

/* The number of ERRORS_THROW_EXCEPTIONS, which no handle has. */
const intptr_t throws = -1;

/* ---- generalized requests ---- */

struct grequest {
    Grequest::Query_function *query;
    Grequest::Free_function *free;
    Grequest::Cancel_function *cancel;
    void *extra_state;
};

inline int call_query(void *context, MPI_Status *c_status)
{
    grequest *request = static_cast<grequest *>(context);
    Status status(*c_status);
    try {
        int error = request->query(request->extra_state, status);
        *c_status = status;
        return error;
    } catch (...) {
        keep();
        return MPI_ERR_OTHER;
    }
}

inline int call_free(void *context)
{
    grequest *request = static_cast<grequest *>(context);
    grequest last = *request;
    delete request;
    try {
        return last.free(last.extra_state);
    } catch (...) {
        keep();
        return MPI_ERR_OTHER;
    }
}

inline int call_cancel(void *context, int complete)
{
    grequest *request = static_cast<grequest *>(context);
    try {
        return request->cancel(request->extra_state, complete != 0);
    } catch (...) {
        keep();
        return MPI_ERR_OTHER;
    }
}

} // namespace detail

inline void Op::Init(User_function *function, bool commute)
{
    MPI_Op op = MPI_OP_NULL;
    detail::check(MPIX_Op_create_x(detail::call_user_function, 0, commute, detail::pointer(function), &op));
    set(op);
}

inline int Comm::Create_keyval(Copy_attr_function *copy, Delete_attr_function *free, void *extra_state)
{
    int key = MPI_KEYVAL_INVALID;
    detail::comm_keyval functions = {copy, free, extra_state}, *context = new detail::comm_keyval(functions);
    detail::check(MPIX_Comm_create_keyval_x(detail::call_comm_copy, detail::call_comm_delete,
                                            detail::free_keyval<detail::comm_keyval>, context, &key));
    return key;
}

inline int Datatype::Create_keyval(Copy_attr_function *copy, Delete_attr_function *free, void *extra_state)
{
    return detail::create_type_keyval(copy, free, extra_state);
}
inline int Datatype::Create_keyval(Copy_changing_function *copy, Delete_attr_function *free, void *extra_state)
{
    return detail::create_type_keyval(copy, free, extra_state);
}

inline Errhandler Comm::Create_errhandler(Errhandler_function *function)
{
    MPI_Errhandler made = MPI_ERRHANDLER_NULL;
    detail::check(MPIX_Comm_create_errhandler_x(detail::call_errhandler, 0, detail::pointer(function), &made));
    return made;
}

inline Errhandler::operator MPI_Errhandler() const
{
    return throws() ? detail::throwing() : c();
}

inline bool Errhandler::throws() const
{
    const MPI_Errhandler *made = detail::throwing_handlers();
    return c() == reinterpret_cast<MPI_Errhandler>(detail::throws) ||
           (c() != MPI_ERRHANDLER_NULL &&
            (c() == made[detail::FOR_COMMS] || c() == made[detail::FOR_WINDOWS] || c() == made[detail::FOR_FILES]));
}

inline bool Errhandler::operator==(const Errhandler &other) const
{
    return c() == other.c() || (throws() && other.throws());
}

inline Grequest Grequest::Start(Query_function *query, Free_function *free, Cancel_function *cancel, void *extra_state)
{
    MPI_Request made = MPI_REQUEST_NULL;
    detail::grequest functions = {query, free, cancel, extra_state}, *context = new detail::grequest(functions);
    int error = MPI_Grequest_start(detail::call_query, detail::call_free, detail::call_cancel, context, &made);
    if (error != MPI_SUCCESS)
        delete context;
    detail::check(error);
    return made;
}

} // namespace MPI

#endif
