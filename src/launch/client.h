/* client.h - a process manager's client, as launch.c uses it: one object each.
 *
 * The functions promise what tf_launch_... of launch.h promise.
 */
#ifndef TF_LAUNCH_CLIENT_H
#define TF_LAUNCH_CLIENT_H

#include "launch/launch.h"

struct tf_launch_client {
    const char *name;
    const char *what;          /* who speaks it */
    const char *(*here)(void); /* how it is here, in words; NULL: as everywhere */
    bool (*is_there)(void);    /* whether the environment speaks of this process manager */
    int (*size)(void);         /* what the environment says, before open(); 1 if it makes no sense */
    int (*open)(void);
    int (*put)(const char *key, const char *value);
    int (*get)(int rank, const char *key, char *value, size_t capacity);
    int (*barrier)(void);
    int (*barrier_begin)(void); /* NULL: it has that in one step only */
    bool (*barrier_is_over)(int *err);
    int (*show)(void); /* see tf_launch_show().  NULL: only a barrier of all shows what was put */
    bool (*has)(int rank, const char *key);
    bool (*knows)(enum tf_launch_fact fact, int *value); /* NULL: nothing */
    void (*psets)(void); /* call tf_launch_psets_add() for each.  NULL: there are none */
    void (*abort)(int exit_code, const char *message);
    int (*close)(void);
    /* After close(): this process takes part in its job again.  NULL: it cannot. */
    int (*reopen)(void);
    /* See tf_launch_memory().  NULL: there is none. */
    int (*memory)(size_t bytes, char *name, size_t capacity);
    bool (*has_memory)(void);
    /* See launch.h.  NULL: this process manager has no such thing. */
    int (*spawn)(const struct tf_launch_app *apps, int napps, const char *port, char *job, size_t capacity);
    bool (*parent)(char *port, size_t capacity);
    void (*part)(const char *job);
    bool (*apart)(const char *job, int rank, const char *why);
    int (*publish)(const char *service, const char *port);
    int (*unpublish)(const char *service);
    int (*lookup)(const char *service, char *port, size_t capacity);
};

/* pmi1.c, for a process that was started alone and has a launcher by now, at the other end of that socket; and the end
 * of that. */
int tf_launch_pmi1_attach(int socket, const char *job);
void tf_launch_pmi1_detach(void);

extern const struct tf_launch_client tf_launch_pmi1, tf_launch_pmix, tf_launch_singleton;

#endif
