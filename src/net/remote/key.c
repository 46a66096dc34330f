/* key.c - the job's key and that of each process, and SipHash-2-4 under them (Aumasson, Bernstein: SipHash: a fast
 * short-input PRF, 2012).
 *
 * A stranger has one guess of 64 bits a connection or a packet, and the key has 128 bits that none of them shows; a
 * cryptographic hash would add code and nothing else, as what is proved is short and dies with the job.  It keeps out
 * who has not got the key, not who can read or change the traffic between two processes.
 */
#include "net/remote/remote.h"

#include <errno.h>
#include <stdio.h>
#include <sys/random.h>

#include "launch/launch.h"

static const char name_of_key[] = "treefold-key";
static unsigned char key[TF_KEY_BYTES], own[TF_KEY_BYTES];

bool tf_key_random(void *to, size_t n)
{
    ssize_t got;
    do
        got = getrandom(to, n, 0);
    while (got < 0 && errno == EINTR);
    return got == (ssize_t)n;
}

static int make_key(unsigned char made[TF_KEY_BYTES])
{
    if (tf_key_random(made, TF_KEY_BYTES))
        return MPI_SUCCESS;
    return tf_error(MPI_ERR_OTHER, "the system has no random numbers for a key: %s", strerror(errno));
}

void tf_key_write(const unsigned char k[TF_KEY_BYTES], char text[TF_KEY_TEXT])
{
    for (int i = 0; i < TF_KEY_BYTES; i++)
        sprintf(text + 2 * i, "%02x", k[i]);
}

bool tf_key_read(const char *text, unsigned char k[TF_KEY_BYTES])
{
    int i = 0;
    while (i < TF_KEY_BYTES && sscanf(text + 2 * i, "%2hhx", &k[i]) == 1)
        i++;
    return i == TF_KEY_BYTES;
}

int tf_key_make_own(void)
{
    return make_key(own);
}

const unsigned char *tf_key_own(void)
{
    return own;
}

int tf_key_agree(void)
{
    char text[TF_KEY_TEXT];
    if (tf_job.rank > 0)
        return MPI_SUCCESS;
    int err = make_key(key);
    if (err)
        return err;
    tf_key_write(key, text);
    return tf_launch_put(name_of_key, text);
}

int tf_key_learn(void)
{
    char text[TF_KEY_TEXT];
    if (tf_job.rank == 0)
        return MPI_SUCCESS;
    int err = tf_launch_get(0, name_of_key, text, sizeof text);
    if (!err && !tf_key_read(text, key))
        err =
            tf_error(MPI_ERR_OTHER, "the job's key that rank 0 has published is not %d digits long", 2 * TF_KEY_BYTES);
    return err;
}

static uint64_t rotate(uint64_t x, int by)
{
    return x << by | x >> (64 - by);
}

static void mix(uint64_t v[4], int rounds)
{
    while (rounds-- > 0) {
        v[0] += v[1], v[2] += v[3];
        v[1] = rotate(v[1], 13) ^ v[0], v[3] = rotate(v[3], 16) ^ v[2];
        v[0] = rotate(v[0], 32);
        v[2] += v[1], v[0] += v[3];
        v[1] = rotate(v[1], 17) ^ v[2], v[3] = rotate(v[3], 21) ^ v[0];
        v[2] = rotate(v[2], 32);
    }
}

static void absorb(uint64_t v[4], uint64_t word)
{
    v[3] ^= word;
    mix(v, 2);
    v[0] ^= word;
}

uint64_t tf_key_hash(const unsigned char k[TF_KEY_BYTES], const void *message, size_t n)
{
    const unsigned char *at = message;
    uint64_t half[2], word, last = (uint64_t)n << 56;
    memcpy(half, k, sizeof half);
    uint64_t v[4] = {half[0] ^ 0x736f6d6570736575, half[1] ^ 0x646f72616e646f6d, half[0] ^ 0x6c7967656e657261,
                     half[1] ^ 0x7465646279746573};
    for (; n >= 8; n -= 8, at += 8) {
        memcpy(&word, at, 8);
        absorb(v, word);
    }
    for (size_t i = 0; i < n; i++)
        last |= (uint64_t)at[i] << 8 * i;
    absorb(v, last);
    v[2] ^= 0xff;
    mix(v, 4);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

uint64_t tf_key_prove(const void *message, size_t n)
{
    return tf_key_hash(key, message, n);
}
