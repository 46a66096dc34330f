/* standing.c - see standing.h. */
#include "coll/standing.h"

#include "coll/choice.h"

static struct tf_standing none; /* of no communicator: nothing fits it */

void tf_standings_open(struct tf_standings *standings)
{
    standings->room.age = 1;
    standings->all[0] = &standings->first;
    for (int i = 0; i < TF_NCOLL; i++)
        standings->of[i] = &none;
}

void tf_standing_drop_plan(struct tf_standing *standing, struct tf_plan_cache *plans)
{
    if (standing->plan)
        tf_plan_cache_release(plans, standing->plan);
    standing->plan = NULL;
}

void tf_standings_close(struct tf_standings *standings, struct tf_plan_cache *plans)
{
    for (int i = 0; i < TF_STANDING && standings->all[i]; i++) {
        struct tf_standing *s = standings->all[i];
        tf_standing_drop_plan(s, plans);
        tf_run_clear(&s->run);
        if (i > 0)
            free(s);
    }
    tf_room_clear(&standings->room);
}

static bool stands(const struct tf_standings *standings, const struct tf_standing *s)
{
    return s && s->age == standings->room.age;
}

static uint64_t number_of(const struct tf_type *type)
{
    return type ? type->number : 0;
}

/* Without threads the operator of a program is called in another way than with them. */
static bool same_operator(const struct tf_standing *s, const struct tf_call *call)
{
    return s->op == call->op->number && (s->run.kernel || s->run.apart == tf_library.locking);
}

/* Arrays may hold other counts than before, by which an allgatherv would choose another algorithm. */
static bool same_move(const struct tf_standing *s, const struct tf_call *call)
{
    return tf_standing_same_move(&s->call, call) && s->sendtype == number_of(call->sendtype) &&
           (call->coll != TF_ALLGATHERV || tf_choice_bytes(call) == s->bytes);
}

bool tf_standing_is(const struct tf_standing *s, const struct tf_call *call)
{
    return s->call.coll == call->coll && s->call.caller == call->caller && tf_standing_same_data(s, call) &&
           s->recvtype == number_of(call->recvtype) && (call->op ? same_operator(s, call) : same_move(s, call));
}

struct tf_standing *tf_standing_find(struct tf_standings *standings, const struct tf_call *call)
{
    for (int i = 0; i < TF_STANDING && standings->all[i]; i++) {
        struct tf_standing *s = standings->all[i];
        if (s->call.recvcount == call->recvcount && stands(standings, s) && tf_standing_is(s, call)) {
            standings->of[call->coll] = s;
            return s;
        }
    }
    return NULL;
}

/* The latest taken if it does not stand, or the next in turn, which may have to be made. */
static struct tf_standing *next(struct tf_standings *standings)
{
    if (stands(standings, standings->all[standings->turn]))
        standings->turn = (standings->turn + 1) % TF_STANDING;
    struct tf_standing **place = &standings->all[standings->turn];
    if (!*place)
        *place = calloc(1, sizeof **place);
    return *place ? *place : standings->all[standings->turn = 0];
}

struct tf_standing *tf_standing_take(struct tf_standings *standings, struct tf_plan_cache *plans,
                                     const struct tf_plan *plan)
{
    struct tf_standing *s = next(standings);
    tf_standing_reset(s);
    s->run.room = &standings->room;
    s->run.blocking = true;
    if (standings->of[s->call.coll] == s)
        standings->of[s->call.coll] = &none;
    if (s->plan == plan)
        return s;
    tf_standing_drop_plan(s, plans);
    tf_plan_cache_hold(plans, plan);
    s->plan = plan;
    return s;
}

static bool is_predefined(const struct tf_type *type)
{
    return !type || type->obj.handle < 4096;
}

/* Where data begins at its address, as that is all that changes. */
static bool begins_there(const struct tf_type *type)
{
    return !type || !type->dense || type->true_lb == 0;
}

/* Only the program's own calls.  Not on an intercommunicator, whose joint communicator has calls of its own in between:
 * the history could not tell which. */
static bool may_stand(const struct tf_standing *s, const struct tf_call *call)
{
    if (call->comm->remote || call->caller != TF_CALLER_USER || call->recvtypes)
        return false;
    /* Scratch is laid out by the counts, which an array may change. */
    bool varies = call->recvcounts.array && (call->op || s->run.plan->ntemps);
    bool reads_output = call->coll == TF_REDUCE_SCATTER_BLOCK && call->sendbuf == MPI_IN_PLACE;
    return !varies && !reads_output && begins_there(call->recvtype) && begins_there(call->sendtype) &&
           tf_memory_is_host(call->sendbuf) && tf_memory_is_host(call->recvbuf);
}

bool tf_standing_know(struct tf_standing *s)
{
    const struct tf_call *call = &s->call;
    s->in_place = call->sendbuf == MPI_IN_PLACE;
    s->op = call->op ? call->op->number : 0;
    s->recvtype = number_of(call->recvtype);
    s->sendtype = number_of(call->sendtype);
    return may_stand(s, call);
}

void tf_standing_keep(struct tf_standings *standings, struct tf_standing *s, const struct tf_call *call)
{
    s->call = *call;
    if (!tf_standing_know(s))
        return;
    s->age = standings->room.age;
    if (is_predefined(call->recvtype) && is_predefined(call->sendtype) && (!call->op || s->run.kernel) &&
        call->coll != TF_ALLGATHERV)
        s->told_by_address = s->age;
    standings->of[call->coll] = s;
}
