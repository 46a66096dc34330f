/* fake_others.h - included by who plays a job and is its own net/: there are no processes of other jobs. */
#ifndef FAKE_OTHERS_H
#define FAKE_OTHERS_H

#include "net/others.h"

void tf_others_hold(const int *processes, int n)
{
    (void)processes, (void)n;
}

void tf_others_drop(const int *processes, int n)
{
    (void)processes, (void)n;
}

void tf_others_connect(const int *processes, int n)
{
    (void)processes, (void)n;
}

void tf_others_part(const int *processes, int n, bool parted)
{
    (void)processes, (void)n, (void)parted;
}

int tf_others_know(const struct tf_card *cards, int n)
{
    (void)cards, (void)n;
    return MPI_SUCCESS;
}

int tf_others_card(struct tf_card *card)
{
    *card = (struct tf_card){.job_size = tf_job.size};
    return MPI_SUCCESS;
}

const struct tf_card *tf_others_card_of(const struct tf_peer *peer)
{
    (void)peer;
    return NULL;
}

void tf_others_key(const struct tf_card *card, unsigned char key[TF_CARD_SECRET])
{
    memcpy(key, card->secret, TF_CARD_SECRET);
}

uint64_t tf_others_own_node(void)
{
    return 1;
}

struct tf_other *tf_others_of(int process)
{
    (void)process;
    return NULL;
}

bool tf_others_is_job_connected(int process)
{
    (void)process;
    return false;
}

int tf_others_next(int process)
{
    (void)process;
    return MPI_UNDEFINED;
}

int tf_others_count(void)
{
    return 0;
}

void tf_others_leave(int process)
{
    (void)process;
}

#endif
