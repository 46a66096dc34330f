/* group.h - groups of processes (MPI-5.0 section 7.3): arguments in MPI's order, groups as objects, new ones as
 * handles.
 *
 * Everything is local.  Results without a member are MPI_GROUP_EMPTY.  Set operations cost O(n1 + n2) time and memory.
 */
#ifndef TF_GROUP_H
#define TF_GROUP_H

#include "comm/comm.h"

extern struct tf_group tf_group_empty; /* MPI_GROUP_EMPTY */

int tf_group_size(const struct tf_group *group, int *size);
int tf_group_rank(const struct tf_group *group, int *rank);
int tf_group_translate_ranks(const struct tf_group *group1, int n, const int *ranks1, const struct tf_group *group2,
                             int *ranks2);
int tf_group_compare(const struct tf_group *group1, const struct tf_group *group2, int *result);

int tf_group_union(struct tf_group *group1, struct tf_group *group2, MPI_Group *newgroup);
int tf_group_intersection(struct tf_group *group1, struct tf_group *group2, MPI_Group *newgroup);
int tf_group_difference(struct tf_group *group1, struct tf_group *group2, MPI_Group *newgroup);
int tf_group_incl(struct tf_group *group, int n, const int *ranks, MPI_Group *newgroup);
int tf_group_excl(struct tf_group *group, int n, const int *ranks, MPI_Group *newgroup);
int tf_group_range_incl(struct tf_group *group, int n, int ranges[][3], MPI_Group *newgroup);
int tf_group_range_excl(struct tf_group *group, int n, int ranges[][3], MPI_Group *newgroup);

/* The user's MPI_Group_free; *group is set to MPI_GROUP_NULL by the caller. */
int tf_group_free(struct tf_group *group);
/* A new group for the user from the first `size` of `processes`, which becomes the group's or is freed; made of that
 * one. */
int tf_group_deliver(int size, int *processes, const struct tf_group *of, MPI_Group *newgroup);
/* One more handle for the user on a group that the library holds (MPI_Comm_group). */
MPI_Group tf_group_share(struct tf_group *group);

/* The rank in `group` of a rank of MPI_COMM_WORLD, or MPI_UNDEFINED; O(size). */
int tf_group_rank_of(const struct tf_group *group, int process);
/* Whether every member of `part` is one of `whole`; if not, *process is one that is missing.  NO_MEM can occur. */
int tf_group_contains(const struct tf_group *whole, const struct tf_group *part, bool *contains, int *process);

#endif
