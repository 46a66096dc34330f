/* hearsay.c - the words of an error go round. */
#include "file/hearsay.h"

#include "msg/match.h"
#include "msg/request.h"

static void told(struct tf_send *send)
{
    TF_CONTAINER(send, struct tf_hearsay, send)->under_way--;
}

static void heard(struct tf_recv *recv)
{
    struct tf_hearsay *hearsay = TF_CONTAINER(recv, struct tf_hearsay, recv);
    hearsay->heard = true;
    hearsay->under_way--;
}

static void pass_on(struct tf_hearsay *hearsay)
{
    struct tf_comm *comm = hearsay->comm;
    int next = (comm->rank + 1) % comm->size;
    struct tf_end end = {hearsay->words, sizeof hearsay->words, tf_type_find(MPI_BYTE), next, hearsay->tag};
    hearsay->passed = true;
    if (next == hearsay->root)
        return;
    hearsay->under_way++;
    hearsay->send.done = told;
    tf_point_fill_send(&hearsay->send, &end, comm, TF_STANDARD, 0);
    tf_send_start(&hearsay->send);
}

static void hear(struct tf_hearsay *hearsay)
{
    struct tf_comm *comm = hearsay->comm;
    hearsay->under_way++;
    hearsay->recv = (struct tf_recv){.comm = comm,
                                     .source = (comm->rank + comm->size - 1) % comm->size,
                                     .tag = hearsay->tag,
                                     .buf = hearsay->words,
                                     .capacity = sizeof hearsay->words,
                                     .unit = 1,
                                     .done = heard};
    tf_recv_post(&hearsay->recv);
}

void tf_hearsay_begin(struct tf_hearsay *hearsay)
{
    hearsay->heard = hearsay->root == hearsay->comm->rank;
    if (!hearsay->heard)
        hear(hearsay);
}

bool tf_hearsay_advance(struct tf_hearsay *hearsay)
{
    if (hearsay->heard && !hearsay->passed)
        pass_on(hearsay);
    return hearsay->passed && hearsay->under_way == 0;
}
