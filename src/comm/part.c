/* part.c - see part.h. */
#include "comm/part.h"

static const struct tf_part none;
static const struct tf_part *parts[TF_PARTS] = {[0 ... TF_PARTS - 1] = &none};

void tf_part_hang(enum tf_part_owner owner, const struct tf_part *part)
{
    parts[owner] = part;
}

int tf_part_create(struct tf_comm *comm)
{
    int err = MPI_SUCCESS;
    for (int i = 0; i < TF_PARTS && !err; i++)
        err = parts[i]->create ? parts[i]->create(comm) : MPI_SUCCESS;
    return err;
}

void tf_part_start(struct tf_comm *comm)
{
    for (int i = 0; i < TF_PARTS; i++)
        if (parts[i]->start)
            parts[i]->start(comm);
}

void tf_part_copy(struct tf_comm *comm, const struct tf_comm *from)
{
    for (int i = 0; i < TF_PARTS; i++)
        if (parts[i]->copy)
            parts[i]->copy(comm, from);
}

void tf_part_hint(struct tf_comm *comm)
{
    for (int i = 0; i < TF_PARTS; i++)
        if (parts[i]->hint)
            parts[i]->hint(comm);
}

void tf_part_broken(struct tf_comm *comm)
{
    for (int i = 0; i < TF_PARTS; i++)
        if (parts[i]->broken)
            parts[i]->broken(comm);
}

int tf_part_leave(struct tf_comm *comm)
{
    int err = MPI_SUCCESS;
    for (int i = 0; i < TF_PARTS && !err; i++)
        err = parts[i]->leave ? parts[i]->leave(comm) : MPI_SUCCESS;
    return err;
}

void tf_part_destroy(struct tf_comm *comm)
{
    for (int i = TF_PARTS; i-- > 0;)
        if (parts[i]->destroy)
            parts[i]->destroy(comm);
}
