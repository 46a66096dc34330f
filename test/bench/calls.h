/* The calls that are measured, and how their results are verified. */
#ifndef BENCH_CALLS_H
#define BENCH_CALLS_H

#include <mpi.h>
#include <stddef.h>

/* An operator and its elements: numbers; affine maps x -> ax + b, two doubles each; or values and their places. */
struct reduction {
    const char *name;
    MPI_Op op;
    MPI_Datatype type;
    size_t extent;                                   /* bytes of an element */
    size_t data;                                     /* how many of them, from the first, hold data */
    size_t place, end;                               /* and from which to which others do, of a pair */
    void (*element)(void *at, int rank, long index); /* what rank contributes at index */
    void (*combine)(void *so_far, const void *next); /* so_far = so_far op next, in rank order */
};

/* Sets the reduction with the operator called `name` up; -1 if there is none.  Free it when done. */
int reduction_find(struct reduction *r, const char *name);
void reduction_free(struct reduction *r);

struct call;

/* One call on one size. */
struct measured {
    const struct call *call;
    MPI_Comm comm;
    struct reduction with;
    int rank, size;
    int count; /* elements of a block: what one process contributes, or what each gets from each */
    char *in, *out;
    int *counts, *places; /* v forms: the elements of each rank's block, `count` or so, and where it begins */
};

/* How many blocks a buffer has: EACH is one for each process; MINE is this process's where blocks are unequal. */
enum blocks { NONE, ONE, EACH, MINE };

struct call {
    const char *name;
    int least; /* processes it needs */
    enum blocks in, out;
    void (*run)(const struct measured *m);
    /* Element i of the result combines what the ranks first..last contribute at *index; first > last: it has none. */
    void (*source)(const struct measured *m, long i, int *first, int *last, long *index);
};

const struct call *call_find(const char *name);

/* Allocates and fills the buffers. */
void measured_start(struct measured *m);
void measured_end(struct measured *m);

/* Writes what the next call reads of this rank, the same values, as a program does that computes between its calls. */
void measured_write(const struct measured *m);

/* Calls once and returns how many elements of this rank's result are wrong. */
long measured_verify(const struct measured *m);

#endif
