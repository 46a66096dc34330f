/* address.c - the address of each process's worker, in hexadecimal digits and in as many pieces as it needs:
 *
 *     treefold-ucx-RANK-PIECE    a piece; the last one is shorter than the others, or empty
 */
#include "net/ucx/ucx.h"

#include <stdio.h>

#include "launch/launch.h"

enum { PIECE = 120 /* bytes */ };

int tf_ucx_address_put(void)
{
    char key[40], digits[2 * PIECE + 1];
    ucp_address_t *address;
    size_t length, at = 0, n;
    ucs_status_t status = tf_ucx.ucp_worker_get_address(tf_ucx_worker, &address, &length);
    if (status != UCS_OK)
        return tf_error(MPI_ERR_OTHER, "UCX has no address for this process: %s", tf_ucx.ucs_status_string(status));
    int err = MPI_SUCCESS, piece = 0;
    do {
        n = length - at < PIECE ? length - at : PIECE;
        strcpy(digits, "-");
        for (size_t i = 0; i < n; i++)
            sprintf(digits + 2 * i, "%02x", ((unsigned char *)address)[at + i]);
        snprintf(key, sizeof key, "treefold-ucx-%d-%d", tf_world.rank, piece++);
        err = tf_launch_put(key, digits);
        at += n;
    } while (n == PIECE && !err);
    tf_ucx.ucp_worker_release_address(tf_ucx_worker, address);
    return err;
}

int tf_ucx_address_get(int rank, void *address, size_t capacity)
{
    char key[40], digits[2 * PIECE + 1];
    unsigned char *at = address;
    for (int piece = 0, n = PIECE; n == PIECE; piece++) {
        snprintf(key, sizeof key, "treefold-ucx-%d-%d", rank, piece);
        int err = tf_launch_get(rank, key, digits, sizeof digits);
        if (err)
            return err;
        for (n = 0; n < PIECE && sscanf(digits + 2 * n, "%2hhx", at) == 1; n++, at++)
            if (at + 1 == (unsigned char *)address + capacity)
                return tf_error(MPI_ERR_OTHER, "the address of rank %d is longer than %zu bytes", rank, capacity);
    }
    return MPI_SUCCESS;
}
