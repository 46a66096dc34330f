/* letters.h - what processes tell each other before they have a communicator.
 *
 * Letters go by a hidden communicator, the lobby, over all processes of the job, of whom only those that create a
 * communicator of a group need to be there.  They are told apart by who has sent them, what for, and the whole string
 * that the user calls the operation by: several may be under way, from several threads, and those of one name come in
 * the order in which they were sent.
 */
#ifndef TF_LETTERS_H
#define TF_LETTERS_H

#include "base/base.h"

enum tf_letter_purpose {
    TF_LETTER_COMM,   /* MPI_Comm_create_from_group */
    TF_LETTER_LOCAL,  /* MPI_Intercomm_create_from_groups: within a group */
    TF_LETTER_LEADERS /* and between the leaders of both */
};

struct tf_letter_key {
    enum tf_letter_purpose purpose;
    const char *name; /* at most TF_LETTER_NAME characters */
    int process;      /* the other one, a rank of the job */
};
enum { TF_LETTER_NAME = MPI_MAX_STRINGTAG_LEN - 1 };

struct tf_letter {
    uint64_t context; /* of the new communicator; the first rank's counts */
    uint64_t group;   /* a fingerprint of the group */
    int class, rank;  /* an error, on which rank of the group; 0: none */
};

/* Connects this process with the others of the job (tf_net_meet) and opens the lobby. */
int tf_letters_open(bool all);
int tf_letters_send(const struct tf_letter_key *to, const struct tf_letter *letter);
int tf_letters_receive(const struct tf_letter_key *from, struct tf_letter *letter);

#endif
