/* bytes.c - bytes of any length through the key-value space, whose values are words: in base64 (RFC 4648, the alphabet
 * for names of files, without padding), in as many pieces as it takes.
 *
 *     KEY    LENGTH,WORD    the number of bytes in all, and the first of them
 *     KEY.1  WORD           the following ones, and so on
 *
 * Up to 741 bytes are one look-up.
 */
#include "launch/launch.h"

#include <stdio.h>

/* Of a value a length and a comma go off; characters of a piece, and the bytes that they stand for. */
enum { PIECE_WORD = (TF_LAUNCH_VALUE - 10) / 4 * 4, PIECE = PIECE_WORD / 4 * 3, KEY = 64 };

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

static void encode(const unsigned char *bytes, size_t n, char *word)
{
    for (; n > 0; bytes += 3) {
        uint32_t three = (uint32_t)bytes[0] << 16 | (n > 1 ? (uint32_t)bytes[1] << 8 : 0) | (n > 2 ? bytes[2] : 0);
        size_t used = n > 2 ? 3 : n;
        for (size_t i = 0; i <= used; i++)
            *word++ = digits[three >> (18 - 6 * i) & 63];
        n -= used;
    }
    *word = '\0';
}

static bool decode(const char *word, unsigned char *bytes, size_t n)
{
    uint32_t bits = 0;
    int have = 0;
    if (strlen(word) != (8 * n + 5) / 6)
        return false;
    for (; *word; word++) {
        const char *digit = strchr(digits, *word);
        if (!digit)
            return false;
        bits = bits << 6 | (uint32_t)(digit - digits);
        have += 6;
        if (have >= 8) {
            have -= 8;
            *bytes++ = (unsigned char)(bits >> have);
        }
    }
    return true;
}

static bool key_of_piece(const char *key, size_t piece, char name[KEY])
{
    int n = piece ? snprintf(name, KEY, "%s.%zu", key, piece) : snprintf(name, KEY, "%s", key);
    return n < KEY;
}

static int too_long(const char *key)
{
    return tf_error(MPI_ERR_INTERN, "the key \"%s\" is too long; with its pieces it may have %d characters", key,
                    KEY - 1);
}

int tf_launch_put_bytes(const char *key, const void *bytes, size_t length)
{
    const unsigned char *from = bytes;
    char name[KEY], value[TF_LAUNCH_VALUE + 1];
    int err = MPI_SUCCESS;
    for (size_t at = 0; (at == 0 || at < length) && !err; at += PIECE) {
        size_t n = length - at < PIECE ? length - at : PIECE;
        int head = at ? 0 : snprintf(value, sizeof value, "%zu,", length);
        if (!key_of_piece(key, at / PIECE, name))
            return too_long(key);
        encode(from + at, n, value + head);
        err = tf_launch_put(name, value);
    }
    return err;
}

/* The word of a piece, in `value`, and from the first one the length of all. */
static int get_piece(int rank, const char *key, size_t piece, char value[TF_LAUNCH_VALUE + 1], const char **word,
                     size_t *length)
{
    char name[KEY], *end = value;
    if (!key_of_piece(key, piece, name))
        return too_long(key);
    int err = tf_launch_get(rank, name, value, TF_LAUNCH_VALUE + 1);
    if (err)
        return err;
    *word = value;
    if (piece == 0) {
        *length = strtoul(value, &end, 10);
        *word = end + 1;
        if (end == value || *end != ',')
            return tf_error(MPI_ERR_OTHER, "the value of \"%s\" is \"%s\", which does not begin with a length", key,
                            value);
    }
    return MPI_SUCCESS;
}

/* Into *bytes; NULL: into memory of its own. */
static int get(int rank, const char *key, unsigned char **bytes, size_t capacity, size_t *length)
{
    char value[TF_LAUNCH_VALUE + 1];
    const char *word;
    for (size_t at = 0; at == 0 || at < *length; at += PIECE) {
        int err = get_piece(rank, key, at / PIECE, value, &word, length);
        if (err)
            return err;
        if (!*bytes && !(*bytes = tf_alloc(capacity = *length + 1, "a value that another rank has published")))
            return MPI_ERR_NO_MEM;
        if (*length > capacity)
            return tf_error(MPI_ERR_OTHER, "the value of \"%s\" has %zu bytes; there is room for %zu", key, *length,
                            capacity);
        if (!decode(word, *bytes + at, *length - at < PIECE ? *length - at : PIECE))
            return tf_error(MPI_ERR_OTHER, "piece %zu of the value of \"%s\" is garbled: \"%s\"", at / PIECE, key,
                            word);
    }
    return MPI_SUCCESS;
}

int tf_launch_get_bytes(int rank, const char *key, void *bytes, size_t capacity, size_t *length_p)
{
    unsigned char *to = bytes;
    size_t length = 0;
    int err = get(rank, key, &to, capacity, &length);
    if (!err)
        *length_p = length;
    return err;
}

int tf_launch_get_all(int rank, const char *key, void **bytes_p, size_t *length_p)
{
    unsigned char *bytes = NULL;
    size_t length = 0;
    int err = get(rank, key, &bytes, 0, &length);
    if (err) {
        free(bytes);
        return err;
    }
    *bytes_p = bytes;
    *length_p = length;
    return MPI_SUCCESS;
}
