/* datatype.h - MPI::Datatype (MPI-2.2 chapter 4).  Its attributes, whose functions are C++, stand in callbacks.h. */
#ifndef TREEFOLD_MPICXX_DATATYPE_H
#define TREEFOLD_MPICXX_DATATYPE_H

namespace MPI
{

class Comm;

class Datatype : public detail::handle<MPI_Datatype>
{
  public:
    TREEFOLD_CONSTEXPR Datatype(detail::number n) : handle(n)
    {
    }
    Datatype(MPI_Datatype c = MPI_DATATYPE_NULL) : handle(c)
    {
    }
    bool operator==(const Datatype &other) const
    {
        return c() == other.c();
    }
    bool operator!=(const Datatype &other) const
    {
        return c() != other.c();
    }

    Datatype Create_contiguous(int count) const
    {
        MPI_Datatype made = MPI_DATATYPE_NULL;
        detail::check(MPI_Type_contiguous(count, c(), &made));
        return made;
    }
    Datatype Create_vector(int count, int blocklength, int stride) const
    {
        MPI_Datatype made = MPI_DATATYPE_NULL;
        detail::check(MPI_Type_vector(count, blocklength, stride, c(), &made));
        return made;
    }
    Datatype Create_hvector(int count, int blocklength, Aint stride) const
    {
        MPI_Datatype made = MPI_DATATYPE_NULL;
        detail::check(MPI_Type_create_hvector(count, blocklength, stride, c(), &made));
        return made;
    }
    Datatype Create_indexed(int count, const int blocklengths[], const int displacements[]) const
    {
        MPI_Datatype made = MPI_DATATYPE_NULL;
        detail::check(MPI_Type_indexed(count, blocklengths, displacements, c(), &made));
        return made;
    }
    Datatype Create_hindexed(int count, const int blocklengths[], const Aint displacements[]) const
    {
        MPI_Datatype made = MPI_DATATYPE_NULL;
        detail::check(MPI_Type_create_hindexed(count, blocklengths, displacements, c(), &made));
        return made;
    }
    Datatype Create_indexed_block(int count, int blocklength, const int displacements[]) const
    {
        MPI_Datatype made = MPI_DATATYPE_NULL;
        detail::check(MPI_Type_create_indexed_block(count, blocklength, displacements, c(), &made));
        return made;
    }
    static Datatype Create_struct(int count, const int blocklengths[], const Aint displacements[],
                                  const Datatype types[])
    {
        MPI_Datatype made = MPI_DATATYPE_NULL;
        detail::check(
            MPI_Type_create_struct(count, blocklengths, displacements, detail::array<MPI_Datatype>(types), &made));
        return made;
    }
    Datatype Create_subarray(int ndims, const int sizes[], const int subsizes[], const int starts[], int order) const
    {
        MPI_Datatype made = MPI_DATATYPE_NULL;
        detail::check(MPI_Type_create_subarray(ndims, sizes, subsizes, starts, order, c(), &made));
        return made;
    }
    Datatype Create_darray(int size, int rank, int ndims, const int gsizes[], const int distribs[], const int dargs[],
                           const int psizes[], int order) const
    {
        MPI_Datatype made = MPI_DATATYPE_NULL;
        detail::check(MPI_Type_create_darray(size, rank, ndims, gsizes, distribs, dargs, psizes, order, c(), &made));
        return made;
    }
    Datatype Create_resized(Aint lb, Aint extent) const
    {
        MPI_Datatype made = MPI_DATATYPE_NULL;
        detail::check(MPI_Type_create_resized(c(), lb, extent, &made));
        return made;
    }
    Datatype Dup() const
    {
        MPI_Datatype made = MPI_DATATYPE_NULL;
        detail::check(MPI_Type_dup(c(), &made));
        return made;
    }
    static Datatype Create_f90_integer(int range)
    {
        MPI_Datatype made = MPI_DATATYPE_NULL;
        detail::check(MPI_Type_create_f90_integer(range, &made));
        return made;
    }
    static Datatype Create_f90_real(int precision, int range)
    {
        MPI_Datatype made = MPI_DATATYPE_NULL;
        detail::check(MPI_Type_create_f90_real(precision, range, &made));
        return made;
    }
    static Datatype Create_f90_complex(int precision, int range)
    {
        MPI_Datatype made = MPI_DATATYPE_NULL;
        detail::check(MPI_Type_create_f90_complex(precision, range, &made));
        return made;
    }
    static Datatype Match_size(int typeclass, int size)
    {
        MPI_Datatype made = MPI_DATATYPE_NULL;
        detail::check(MPI_Type_match_size(typeclass, size, &made));
        return made;
    }
    void Commit()
    {
        MPI_Datatype type = c();
        detail::check(MPI_Type_commit(&type));
        set(type);
    }
    void Free()
    {
        MPI_Datatype type = c();
        detail::check(MPI_Type_free(&type));
        set(type);
    }

    int Get_size() const
    {
        int size = MPI_UNDEFINED;
        detail::check(MPI_Type_size(c(), &size));
        return size;
    }
    void Get_extent(Aint &lb, Aint &extent) const
    {
        detail::check(MPI_Type_get_extent(c(), &lb, &extent));
    }
    void Get_true_extent(Aint &lb, Aint &extent) const
    {
        detail::check(MPI_Type_get_true_extent(c(), &lb, &extent));
    }
    void Get_envelope(int &integers, int &addresses, int &datatypes, int &combiner) const
    {
        detail::check(MPI_Type_get_envelope(c(), &integers, &addresses, &datatypes, &combiner));
    }
    void Get_contents(int max_integers, int max_addresses, int max_datatypes, int integers[], Aint addresses[],
                      Datatype datatypes[]) const
    {
        detail::check(MPI_Type_get_contents(c(), max_integers, max_addresses, max_datatypes, integers, addresses,
                                            detail::array<MPI_Datatype>(datatypes)));
    }
    void Get_name(char *name, int &length) const
    {
        detail::check(MPI_Type_get_name(c(), name, &length));
    }
    void Set_name(const char *name) const
    {
        detail::check(MPI_Type_set_name(c(), name));
    }

    inline void Pack(const void *inbuf, int incount, void *outbuf, int outsize, int &position, const Comm &comm) const;
    inline void Unpack(const void *inbuf, int insize, void *outbuf, int outcount, int &position,
                       const Comm &comm) const;
    inline int Pack_size(int incount, const Comm &comm) const;
    void Pack_external(const char *datarep, const void *inbuf, int incount, void *outbuf, Aint outsize,
                       Aint &position) const
    {
        detail::check(MPI_Pack_external(datarep, inbuf, incount, c(), outbuf, outsize, &position));
    }
    void Unpack_external(const char *datarep, const void *inbuf, Aint insize, Aint &position, void *outbuf,
                         int outcount) const
    {
        detail::check(MPI_Unpack_external(datarep, inbuf, insize, &position, outbuf, outcount, c()));
    }
    Aint Pack_external_size(const char *datarep, int incount) const
    {
        Aint size = 0;
        detail::check(MPI_Pack_external_size(datarep, incount, c(), &size));
        return size;
    }

    typedef int Copy_attr_function(const Datatype &oldtype, int type_keyval, void *extra_state,
                                   const void *attribute_val_in, void *attribute_val_out, bool &flag);
    typedef int Delete_attr_function(Datatype &type, int type_keyval, void *attribute_val, void *extra_state);
    /* As MPICH has it, and the other classes. */
    typedef int Copy_changing_function(const Datatype &oldtype, int type_keyval, void *extra_state,
                                       void *attribute_val_in, void *attribute_val_out, bool &flag);
    static inline int Create_keyval(Copy_attr_function *copy, Delete_attr_function *free, void *extra_state);
    static inline int Create_keyval(Copy_changing_function *copy, Delete_attr_function *free, void *extra_state);
    static void Free_keyval(int &keyval)
    {
        detail::check(MPI_Type_free_keyval(&keyval));
    }
    void Set_attr(int keyval, const void *value)
    {
        detail::check(MPI_Type_set_attr(c(), keyval, const_cast<void *>(value)));
    }
    bool Get_attr(int keyval, void *value) const
    {
        int flag = 0;
        detail::check(MPI_Type_get_attr(c(), keyval, value, &flag));
        return flag != 0;
    }
    void Delete_attr(int keyval)
    {
        detail::check(MPI_Type_delete_attr(c(), keyval));
    }
    static int NULL_COPY_FN(const Datatype &, int, void *, const void *, void *, bool &flag)
    {
        flag = false;
        return MPI_SUCCESS;
    }
    static int DUP_FN(const Datatype &, int, void *, const void *in, void *out, bool &flag)
    {
        *static_cast<const void **>(out) = in;
        flag = true;
        return MPI_SUCCESS;
    }
    static int NULL_DELETE_FN(Datatype &, int, void *, void *)
    {
        return MPI_SUCCESS;
    }
};

inline int Status::Get_count(const Datatype &datatype) const
{
    int count = MPI_UNDEFINED;
    detail::check(MPI_Get_count(&status, datatype, &count));
    return count;
}

inline int Status::Get_elements(const Datatype &datatype) const
{
    int count = MPI_UNDEFINED;
    detail::check(MPI_Get_elements(&status, datatype, &count));
    return count;
}

inline void Status::Set_elements(const Datatype &datatype, int count)
{
    detail::check(MPI_Status_set_elements(&status, datatype, count));
}

} // namespace MPI

#endif
