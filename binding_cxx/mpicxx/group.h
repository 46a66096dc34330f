/* group.h - MPI::Group (MPI-2.2 section 6.3). */
#ifndef TREEFOLD_MPICXX_GROUP_H
#define TREEFOLD_MPICXX_GROUP_H

namespace MPI
{

class Group : public detail::handle<MPI_Group>
{
  public:
    TREEFOLD_CONSTEXPR Group(detail::number n) : handle(n)
    {
    }
    Group(MPI_Group c = MPI_GROUP_NULL) : handle(c)
    {
    }
    bool operator==(const Group &other) const
    {
        return c() == other.c();
    }
    bool operator!=(const Group &other) const
    {
        return c() != other.c();
    }

    int Get_size() const
    {
        int size = MPI_UNDEFINED;
        detail::check(MPI_Group_size(c(), &size));
        return size;
    }
    int Get_rank() const
    {
        int rank = MPI_UNDEFINED;
        detail::check(MPI_Group_rank(c(), &rank));
        return rank;
    }
    static void Translate_ranks(const Group &group1, int n, const int ranks1[], const Group &group2, int ranks2[])
    {
        detail::check(MPI_Group_translate_ranks(group1, n, ranks1, group2, ranks2));
    }
    static int Compare(const Group &group1, const Group &group2)
    {
        int result = MPI_UNEQUAL;
        detail::check(MPI_Group_compare(group1, group2, &result));
        return result;
    }
    static Group Union(const Group &group1, const Group &group2)
    {
        MPI_Group made = MPI_GROUP_NULL;
        detail::check(MPI_Group_union(group1, group2, &made));
        return made;
    }
    static Group Intersect(const Group &group1, const Group &group2)
    {
        MPI_Group made = MPI_GROUP_NULL;
        detail::check(MPI_Group_intersection(group1, group2, &made));
        return made;
    }
    static Group Difference(const Group &group1, const Group &group2)
    {
        MPI_Group made = MPI_GROUP_NULL;
        detail::check(MPI_Group_difference(group1, group2, &made));
        return made;
    }
    Group Incl(int n, const int ranks[]) const
    {
        MPI_Group made = MPI_GROUP_NULL;
        detail::check(MPI_Group_incl(c(), n, ranks, &made));
        return made;
    }
    Group Excl(int n, const int ranks[]) const
    {
        MPI_Group made = MPI_GROUP_NULL;
        detail::check(MPI_Group_excl(c(), n, ranks, &made));
        return made;
    }
    Group Range_incl(int n, const int ranges[][3]) const
    {
        MPI_Group made = MPI_GROUP_NULL;
        detail::check(MPI_Group_range_incl(c(), n, const_cast<int(*)[3]>(ranges), &made));
        return made;
    }
    Group Range_excl(int n, const int ranges[][3]) const
    {
        MPI_Group made = MPI_GROUP_NULL;
        detail::check(MPI_Group_range_excl(c(), n, const_cast<int(*)[3]>(ranges), &made));
        return made;
    }
    void Free()
    {
        MPI_Group group = c();
        detail::check(MPI_Group_free(&group));
        set(group);
    }
};

} // namespace MPI

#endif
