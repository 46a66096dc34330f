/* others.h - processes of other jobs: what is known of each, and whether it is connected with this one.
 *
 * A process tells others of itself by a card, which travels with the construction of the first communicator that has
 * both (construct/).  Of a job of which a card has come all processes get numbers (process.h); it is forgotten with the
 * last group that holds one of them.
 *
 * Two processes are connected while they are in one communicator, and when one that they were in was freed rather than
 * disconnected (MPI-5.0 section 11.10.4).  It is counted for each process.
 */
#ifndef TF_OTHERS_H
#define TF_OTHERS_H

#include "net/net.h"
#include "net/process.h"

enum { TF_CARD_SECRET = 16, TF_CARD_ADDRESS = 256, TF_CARD_JOB = 64 };

/* All of it is for the processes that this one is to be connected with, and nobody else. */
struct tf_card {
    struct tf_process process;
    int32_t job_size;
    int32_t pid;                          /* by which others of its node share memory with it; 0: they do not */
    uint64_t node;                        /* of one name: those that share memory */
    unsigned char secret[TF_CARD_SECRET]; /* by which it is known */
    char address[TF_CARD_ADDRESS];        /* where it listens, remote/address.c */
    char job[TF_CARD_JOB];                /* its name, for words */
};

/* This process's own; from then on it listens for connections of others. */
int tf_others_card(struct tf_card *card);
/* What these say is known from now on. */
int tf_others_know(const struct tf_card *cards, int n);
/* The key of that process and this one, from the secrets of both. */
void tf_others_key(const struct tf_card *card, unsigned char key[TF_CARD_SECRET]);
/* The card of a process of another job; NULL: it is of this one, or none has come. */
const struct tf_card *tf_others_card_of(const struct tf_peer *peer);
/* Where that process and this one can share memory, as far as their cards say: its process id; 0: they cannot. */
int tf_others_beside(const struct tf_peer *peer);
/* This process's name of its node, once it has a card. */
uint64_t tf_others_own_node(void);
/* The node of a process of any job (tf_net_node). */
int tf_others_node(int process);

/* A group holds these processes, of which some are of other jobs; or does so no longer. */
void tf_others_hold(const int *processes, int n);
void tf_others_drop(const int *processes, int n);
/* A communicator has these; or no longer: `parted`, it was disconnected, or never used. */
void tf_others_connect(const int *processes, int n);
void tf_others_part(const int *processes, int n, bool parted);

/* What two processes of different jobs say to each other at the end. */
struct tf_other {
    struct tf_card *card; /* NULL: none has come */
    int paths;            /* communicators with both */
    bool freed;           /* one of them was freed and not disconnected */
    bool told, heard;     /* the last word, to it and from it */
};
/* Whether any process of that one's job is connected with this one. */
bool tf_others_is_job_connected(int process);
/* NULL: it is of this job. */
struct tf_other *tf_others_of(int process);
/* The lowest number from `process` on of one of another job; MPI_UNDEFINED: there is none. */
int tf_others_next(int process);
/* Nothing more will be said to it, nor does it say any more: its connection and its rings go. */
void tf_others_leave(int process);
int tf_others_count(void); /* processes of other jobs that are known */
void tf_others_close(void);

#endif
