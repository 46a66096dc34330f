/* terms.c - what a call is to the other ranks: its fingerprint, its terms in full, that it is given up; and to tools.
 */
#include "base/settings.h"
#include "coll/choice.h"
#include "msg/fingerprint.h"
#include "msg/lost.h"
#include "msg/match.h"

/* The datatypes count where an operator combines elements. */
static uint64_t signature_of(const struct tf_call *call)
{
    bool cut_by_groups = call->comm->remote && call->coll == TF_REDUCE_SCATTER_BLOCK;
    if (!call->op || call->coll == TF_REDUCE_SCATTER || cut_by_groups)
        return 0;
    return tf_type_signature(call->recvtype, call->recvcount);
}

/* What the library reduces in the place of a caller is told by that. */
static MPI_Op op_of(const struct tf_call *call)
{
    return call->op && call->caller == TF_CALLER_USER ? (MPI_Op)(uintptr_t)call->op->obj.handle : MPI_OP_NULL;
}

/* Sizes must agree in all but the v forms; and the algorithm always: if it does not, the ranks' rules differ. */
static uint32_t fingerprint_of(const struct tf_call *call, size_t bytes, uint32_t algorithm, uint64_t signature)
{
    if (call->caller == TF_CALLER_FINALIZE)
        return TF_FINGERPRINT_FINALIZE;
    if (!tf_settings.compare_calls)
        return tf_fingerprint_make(call->coll, MPI_OP_NULL, 0, 0, 0);
    signature ^= (uint64_t)algorithm << 32;
    return tf_fingerprint_make(call->coll, op_of(call), bytes, signature, tf_choice_root(call)) |
           tf_fingerprint_of_caller(call->caller);
}

uint32_t tf_choice_fingerprint(const struct tf_call *call, size_t bytes, uint32_t algorithm)
{
    return fingerprint_of(call, bytes, algorithm, signature_of(call));
}

/* What this rank has given, in its own words: the side that counts here. */
static void quote(struct tf_terms *terms, const struct tf_call *call)
{
    bool sends = tf_coll_sends_known(call);
    const struct tf_type *type = sends ? call->sendtype : call->recvtype;
    bool one_count = call->coll != TF_BARRIER && call->coll != TF_ALLGATHERV && call->coll != TF_REDUCE_SCATTER;
    if (!one_count || terms->bytes == 0)
        return;
    terms->count = (uint64_t)(sends ? call->sendcount : call->recvcount);
    terms->type = type->obj.handle < 4096 ? type->obj.handle : 0;
}

/* A nonblocking call matches no blocking one (MPI-5.0 section 6.12): where that is refused its fingerprint is another.
 */
static uint32_t mark_of(const struct tf_call *call, enum tf_form form)
{
    return TF_UNLIKELY(tf_strict()) && form == TF_FORM_NONBLOCKING && call->caller == TF_CALLER_USER &&
           tf_settings.compare_calls;
}

struct tf_terms tf_choice_terms(const struct tf_call *call, enum tf_form form, size_t bytes, uint32_t algorithm)
{
    uint64_t signature = signature_of(call);
    struct tf_terms terms = {.bytes = bytes,
                             .signature = signature,
                             .fingerprint = fingerprint_of(call, bytes, algorithm, signature) ^ mark_of(call, form),
                             .algorithm = algorithm,
                             .root = tf_choice_root(call),
                             .op = tf_fingerprint_op_code(op_of(call)),
                             .coll = call->coll,
                             .caller = call->caller,
                             .form = form};
    quote(&terms, call);
    return terms;
}

size_t tf_choice_bytes(const struct tf_call *call)
{
    return tf_choice_idle(call) ? 0 : tf_families[call->coll].bytes(call);
}

void tf_choice_tell(enum tf_news news, const struct tf_call *call, uint32_t algorithm, uint32_t sequence, int err)
{
    tf_listen_tell(news, call->comm->obj.handle, call->coll, algorithm >> 16, (int64_t)tf_choice_bytes(call),
                   sequence & 0x7fffffff, err);
}

/* ---- not beginning ---- */

int tf_choice_give_up(struct tf_comm *comm, uint32_t sequence, int err)
{
    struct tf_comm *joint = comm->joint;
    uint32_t word = tf_fingerprint_give_up(err, tf_lost_culprit(joint, err), 0, 0);
    tf_accord_give_up(tf_accord_of(joint), sequence, word);
    tf_accord_tell_all(tf_accord_of(joint), sequence, word);
    return err;
}
