/* treefold.h - what the files of the command `treefold` share. */
#ifndef TF_TREEFOLD_H
#define TF_TREEFOLD_H

#include "algo/algo.h"
#include "plan/contract.h"
#include "plan/price.h"
#include "topo/grid.h"

enum { TF_PLAN_DIMS = 8 };

/* What `treefold plan` is asked. */
struct tf_plan_request {
    bool list;                  /* no collective was named: list them */
    const struct tf_algo *algo; /* NULL: compare all of the collective */
    struct tf_contract call;
    const struct tf_levels_table *levels; /* of all ranks, where there are domains */
    MPI_Count count;
    size_t unit;       /* bytes an element */
    int32_t rank;      /* whose plan to print; -1: not said */
    int32_t parameter; /* of the algorithm */
    int32_t each;      /* adjacent ranks in a domain; 0: one level */
    bool check, memory;
    struct tf_price_model model;
    int32_t ranks_per_node;
    struct tf_network network; /* which model.network points to, if there is one */
    const char *svg;           /* a file to write, or NULL */
    struct tf_grid grid;       /* 0 dimensions: none; they are in the two arrays */
    int grid_dims[TF_PLAN_DIMS], grid_periods[TF_PLAN_DIMS];
    bool grid_only; /* without a collective */
    bool reorder;   /* the ranks have the places that MPI_Cart_create may give them */
};

/* argv[0] is "plan".  Returns the exit status. */
int tf_cmd_plan(int argc, char **argv);
/* Read the command line; one that makes no sense ends the program, in words. */
void tf_cmd_plan_parse(int argc, char **argv, struct tf_plan_request *request);
/* "treefold plan: " and the words on standard error; ends the program. */
void tf_cmd_plan_refuse(const char *format, ...) TF_PRINTF(1, 2) __attribute__((noreturn));

/* The machines that --network knows, as text.  Look one up there or in a file, and hand each of its lines to `take`,
 * which returns whether it knows the key.  Ends the program where anything is wrong. */
extern const char tf_cmd_machines[];
void tf_cmd_plan_machine(const char *name, bool (*take)(void *context, const char *key, const char *value),
                         void *context);
/* treefold plan --memory: print what a process of so many holds for the others. */
void tf_cmd_plan_memory(const struct tf_plan_request *request);

/* Once the domains are there: the grid's edges between them are printed, and the call gets its neighbors. */
void tf_cmd_plan_grid(struct tf_plan_request *request);
void tf_cmd_plan_grid_free(struct tf_plan_request *request);

const char *tf_cmd_bytes_text(double bytes, char text[32]); /* "1.5 KiB"; returns `text` */

/* treefold rules; for treefold info: which sets of rules are in force. */
int tf_cmd_rules(void);
void tf_cmd_rules_sources(void);

/* treefold why; argv[0] is "why". */
int tf_cmd_why(int argc, char **argv);

/* treefold tune; argv[0] is "tune". */
int tf_cmd_tune(int argc, char **argv);

#endif
