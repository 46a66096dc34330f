/* family.h - what the families of collectives tell the one path that all calls take (choice.c).
 */
#ifndef TF_FAMILY_H
#define TF_FAMILY_H

#include "coll/coll.h"
#include "coll/rules.h"
#include "exec/exec.h"

/* How a collective's arguments become buffers, and by how many bytes its algorithm is chosen (the same on every rank:
 * from arguments that must agree only). */
struct tf_family {
    _Alignas(64) int (*bind)(struct tf_run *run, const struct tf_call *call);
    size_t (*bytes)(const struct tf_call *call);
    size_t longest[TF_NET_COMPANIES]; /* struct tf_run */
};
extern const struct tf_family tf_families[TF_NCOLL];

int tf_coll_bind_none(struct tf_run *run, const struct tf_call *call);
size_t tf_coll_bytes_none(const struct tf_call *call);
/* reduce.c */
int tf_coll_bind_vector(struct tf_run *run, const struct tf_call *call);
size_t tf_coll_bytes_vector(const struct tf_call *call);
int tf_coll_bind_reduce_scatter(struct tf_run *run, const struct tf_call *call);
size_t tf_coll_bytes_reduce_scatter(const struct tf_call *call);
/* move.c */
int tf_coll_bind_bcast(struct tf_run *run, const struct tf_call *call);
int tf_coll_bind_move(struct tf_run *run, const struct tf_call *call);
int tf_coll_bind_move_v(struct tf_run *run, const struct tf_call *call);
int tf_coll_bind_alltoallw(struct tf_run *run, const struct tf_call *call);
/* Whether it is the count and the type of what is sent that this rank knows for sure, as they are significant here, and
 * not those of what is received. */
bool tf_coll_sends_known(const struct tf_call *call);
/* Whether this rank sends less to all than its place at each has room for; then what it sends is in its own place, and
 * the call by which the whole place goes to the others is *whole. */
bool tf_coll_sends_less(const struct tf_call *call, struct tf_call *whole);
size_t tf_coll_bytes_bcast(const struct tf_call *call);
size_t tf_coll_bytes_move(const struct tf_call *call);
size_t tf_coll_bytes_allgatherv(const struct tf_call *call);

/* bind.c: pieces of the above */
struct tf_bound tf_bound_typed(void *buf, const struct tf_type *type, enum tf_layout layout, MPI_Count count);
/* The plan's scratch buffers, laid out like `model`. */
int tf_bind_temps(struct tf_run *run, const struct tf_bound *model);
/* run->prefix from counts[0..n), each times the size of types[i] if types are given. */
int tf_bind_prefix(struct tf_run *run, struct tf_counts counts, struct tf_type *const *types, int n);

/* What the choice of an algorithm rests on; all of it is the same on every rank of the call. */
struct tf_coll_case {
    enum tf_coll coll;
    int size; /* ranks */
    size_t bytes;
    bool commutative, elementwise; /* the operator; both true where there is none */
    struct tf_rules *own;          /* those of the communicator, or NULL */
    unsigned must_give;            /* enum tf_algo_trait: what the algorithm has to promise, and no less */
    bool network;                  /* its ranks do not all share memory */
    bool levels;                   /* and they have domains */
    bool persistent;               /* the call is initialized, and may talk to other ranks */
};

/* The answer: it holds for every such case of low <= bytes < high. */
struct tf_coll_choice {
    const struct tf_algo *algo;
    int parameter;               /* its parameter (struct tf_shape), 0: its default */
    const struct tf_rules *from; /* where the rule stands, in which line */
    int line;
    size_t low, high;
};

/* select.c */
int tf_coll_select(const struct tf_coll_case *which, struct tf_coll_choice *choice);
/* The sets of rules in force but for a communicator's own, first those that go first: the setting `algorithm`, the file
 * of the setting `rules`, the shipped ones.  Any may be NULL. */
enum { TF_RULES_SETTING, TF_RULES_FILE, TF_RULES_SHIPPED, TF_RULES_SETS };
int tf_coll_rules(struct tf_rules *sets[TF_RULES_SETS]);

#endif
