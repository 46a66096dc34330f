/* pmi1.h - what the files of the client of PMI-1 share: commands, and the answer to the latest one. */
#ifndef TF_PMI1_H
#define TF_PMI1_H

#include "launch/launch.h"

#define TF_PMI1_LINE 2048

extern bool tf_pmi1_ours; /* the launcher is our mpiexec */
int tf_pmi1_write(const char *text, size_t length);
int tf_pmi1_read_line(void);
/* The value of `name` in the latest answer, in `value`; false if there is none or no room. */
bool tf_pmi1_value(const char *name, char *value, size_t capacity);
int tf_pmi1_get(int rank, const char *key, char *value, size_t capacity);

void tf_pmi1_psets(void); /* pmi1_psets.c */

/* pmi1_grow.c, as client.h has them */
int tf_pmi1_spawn(const struct tf_launch_app *apps, int napps, const char *port, char *job, size_t capacity);
bool tf_pmi1_parent(char *port, size_t capacity);
void tf_pmi1_part(const char *job);
int tf_pmi1_publish(const char *service, const char *port);
int tf_pmi1_unpublish(const char *service);
int tf_pmi1_lookup(const char *service, char *port, size_t capacity);

#endif
