/* party.h - what a file keeps for its collective accesses: its aggregators, and their memory.
 */
#ifndef TF_PARTY_H
#define TF_PARTY_H

#include "file/file.h"

enum { TF_PARTY_BUFFERS = 2 };

struct tf_party {
    int *aggregators; /* NULL: not known; the same on all ranks */
    int naggregators;
    bool near;    /* all ranks are of one node */
    bool movable; /* and all of it, which may run on the same processors */
    struct {
        char *memory;
        size_t bytes;
    } idle[TF_PARTY_BUFFERS];
    void *zeros; /* NULL: none */
    size_t nzeros;
};

/* file->party is there for the next access; MPI_ERR_NO_MEM. */
int tf_party_find(struct tf_file *file);
void tf_party_forget(struct tf_file *file); /* the hints have changed */
void tf_party_leave(struct tf_file *file);  /* it is closed */

/* Memory that the accesses share one after the other, as fresh pages cost about as much as what is done with them: at
 * least *bytes, which is then how much it is; others of the node can map it, where there is such memory.  NULL: none,
 * recorded. */
char *tf_party_take(struct tf_party *party, size_t *bytes);
void tf_party_give(struct tf_party *party, char *memory, size_t bytes);
/* The same for what an access keeps of itself, which begins as zeros and is given back as such; NULL: none, not
 * recorded. */
void *tf_party_take_zeros(struct tf_party *party, size_t bytes);
void tf_party_give_zeros(struct tf_party *party, void *memory, size_t bytes);

#endif
