/* partition.c - what both sides share: the buffer that is cut into partitions, and words about it. */
#include "partition/partition.h"

#include <stdio.h>

#include "msg/lost.h"
#include "partition/precv.h"
#include "partition/psend.h"
#include "partition/rendezvous.h"

int tf_partition_open(struct tf_partition *whole, const void *buf, int partitions, MPI_Count count,
                      struct tf_type *type)
{
    MPI_Count bytes, all, elements;
    if (__builtin_mul_overflow(count, type->size, &bytes) || __builtin_mul_overflow(bytes, partitions, &all) ||
        __builtin_mul_overflow(count, partitions, &elements))
        return tf_error(MPI_ERR_COUNT, "%d partitions of %lld elements of %lld bytes are more than can be counted",
                        partitions, (long long)count, (long long)type->size);
    tf_type_retain(type);
    *whole = (struct tf_partition){.buf = (char *)buf + (type->dense ? type->true_lb : 0),
                                   .type = type->dense ? NULL : type,
                                   .count = elements,
                                   .bytes = (size_t)bytes,
                                   .number = partitions,
                                   .held = type};
    return MPI_SUCCESS;
}

void tf_partition_close(struct tf_partition *whole)
{
    tf_type_release(whole->held);
}

struct tf_request *tf_partition_find(MPI_Request handle)
{
    struct tf_request *request = tf_pool_find_unlocked(&tf_request_pool, (uintptr_t)handle);
    if (!request)
        tf_error(MPI_ERR_REQUEST, "request is %s", tf_handle_describe(&tf_request_pool, (uintptr_t)handle));
    return request;
}

void tf_partition_forget(struct tf_request *request)
{
    static const struct tf_request_kind nothing = {.name = "partitioned"};
    request->kind = &nothing;
    tf_request_destroy(request);
}

int tf_partition_check(const struct tf_partition *whole, int partition)
{
    if (TF_LIKELY((unsigned)partition < (unsigned)whole->number))
        return MPI_SUCCESS;
    return tf_error(MPI_ERR_ARG, "partition is %d; it must be between 0 and %d, the last of this request", partition,
                    whole->number - 1);
}

void tf_partition_describe(const struct tf_request *request, char *words, size_t n)
{
    if (tf_psend_of(request))
        tf_psend_describe(tf_psend_of(request), words, n);
    else
        tf_precv_describe(tf_precv_of(request), words, n);
}

static void lose(struct tf_peer *peer)
{
    uint32_t place = 0;
    struct tf_request *request;
    while ((request = tf_pool_each(&tf_request_pool, &place))) {
        if (!request->kind->partitioned || request->peer != peer || !request->active || request->complete)
            continue;
        request->error = tf_lost_error(request->comm, peer);
        if (tf_psend_of(request))
            tf_psend_lose(tf_psend_of(request));
        else
            tf_precv_lose(tf_precv_of(request));
    }
}

void tf_partition_setup(void)
{
    tf_rendezvous_setup();
    tf_psend_setup();
    tf_precv_setup();
    tf_failure_tell(lose);
}
