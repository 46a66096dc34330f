/* exchange_parts.h - what the parts of an exchange share; private to them.
 *
 *     out    what this rank has in one round, for its aggregator: exchange_out.c
 *     slot   a round of which this rank is the aggregator: exchange.c
 *     in     one rank's part of a slot: exchange_in.c
 *
 * Messages end by themselves in passes of progress and only count down what their owner waits for; everything else is
 * begun by tf_exchange_advance().
 */
#ifndef TF_EXCHANGE_PARTS_H
#define TF_EXCHANGE_PARTS_H

#include "file/exchange.h"
#include "file/stretch.h"
#include "file/worker.h"
#include "msg/transfer.h"

/* Between a rank and an aggregator of its node the data are copied once, between the rank's buffer and the range:
 *
 *     write   rank: offer <-- aggregator;  copies;  list -->
 *     read    rank: list -->  aggregator;  offer <--;  copies;  answer -->
 *
 * A rank that cannot get at the range says so in its list, or its answer, and the data come as messages.
 */
struct tf_exchange_offer {
    uint64_t address; /* of the round's range in the aggregator's memory; 0: others cannot get at it */
    size_t there;     /* of a read: so many of the rank's bytes are in it */
};

enum tf_exchange_out_state { OUT_FREE, OUT_OFFER, OUT_DATA };

struct tf_exchange_out {
    struct tf_exchange *x;
    enum tf_exchange_out_state state;
    MPI_Count round;
    int waiting; /* messages under way */
    size_t pos, bytes, there;
    struct tf_stretches list;
    struct tf_exchange_offer offer;
    char placed; /* the answer */
    struct tf_send head;
    union {
        struct tf_send data;
        struct tf_recv back;
    };
};

struct tf_exchange_in {
    struct tf_exchange_slot *slot;
    int rank;
    bool came;   /* its list, or its answer, since the last look */
    bool near;   /* of this node */
    bool lost;   /* there was no memory for the list */
    char placed; /* it copies, or has copied, its data itself */
    struct tf_stretches list;
    struct tf_exchange_offer offer;
    struct tf_send offering;
    struct tf_stretch_walk walk;
    char *staging;
    size_t room;
    struct tf_recv head;
    union {
        struct tf_recv data;
        struct tf_send back;
    };
};

enum tf_exchange_slot_state { SLOT_FREE, SLOT_GATHERS, SLOT_ACCESS, SLOT_WORKS, SLOT_RETURNS };

struct tf_exchange_slot {
    struct tf_exchange *x;
    enum tf_exchange_slot_state state;
    MPI_Count round;
    MPI_Offset begin, end, eof; /* of the round; of a read, from where on there is nothing */
    char *buffer;
    size_t room;
    int nins, nwalks, waiting, came; /* messages under way; lists and answers that have come since the last look */
    struct tf_exchange_in *ins;      /* [size] */
    struct tf_stretch_walk *walks;
    struct tf_work work;
    int error; /* of the access */
    char words[sizeof((struct tf_exchange *)NULL)->words];
};

/* ---- exchange_message.c ---- */

/* The first error of this rank stays; its words, or those that were recorded. */
void tf_exchange_fail_with(struct tf_exchange *x, int err, const char *words) TF_COLD;
void tf_exchange_fail(struct tf_exchange *x, int err) TF_COLD;

enum tf_exchange_kind { TF_EXCHANGE_HEAD, TF_EXCHANGE_DATA };
/* Whether that rank may share memory with this one, as both know. */
bool tf_exchange_is_near(const struct tf_exchange *x, int rank);
int tf_exchange_tag(const struct tf_exchange *x, MPI_Count round, enum tf_exchange_kind kind);
/* Whose done(), and for a receive what it does with data, are set. */
void tf_exchange_send(struct tf_send *send, struct tf_exchange *x, const void *data, size_t bytes, int to, int tag);
void tf_exchange_send_out(struct tf_send *send); /* one that is filled in */
void tf_exchange_recv(struct tf_recv *recv, struct tf_exchange *x, char *data, size_t capacity, int from, int tag);

/* The bytes of this rank's stream that lie in a round, and the first of them; the same with the list of their places, 0
 * if there is no memory for it. */
size_t tf_exchange_bytes(const struct tf_exchange *x, MPI_Count round, size_t *pos);
size_t tf_exchange_list(struct tf_exchange *x, MPI_Count round, struct tf_stretches *list, size_t *pos);
/* What has come of a read, of so many bytes from `pos` on: the first round that brings less is where the file ends. */
void tf_exchange_note_end(struct tf_exchange *x, size_t pos, size_t bytes, size_t there);

/* ---- exchange_out.c: true if anything moved ---- */

bool tf_exchange_begin_outs(struct tf_exchange *x);
bool tf_exchange_go_on_outs(struct tf_exchange *x);

/* ---- exchange_in.c ---- */

void tf_exchange_begin_in(struct tf_exchange_in *in);
/* Lists or answers have come: of a write, the data follow; of a read, they go to those that need them as a message. */
void tf_exchange_go_on(struct tf_exchange_slot *slot);
/* What was read goes back to the ranks. */
void tf_exchange_return(struct tf_exchange_slot *slot);

/* ---- exchange_range.c: the file, perhaps by a thread of the library; slot->work tells the end ---- */

void tf_exchange_access(struct tf_exchange_slot *slot);

#endif
