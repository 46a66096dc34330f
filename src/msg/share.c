/* share.c - see share.h.
 *
 *     claims[0]   turn 16 | pieces read 24 | pieces that nobody has claimed to write 24
 *     claims[1]   turn 16 | the last one failed 24 | pieces written 24
 *
 * The turn counts the messages that were shared in that ring, so who looks late claims nothing of another one.
 */
#include "msg/share.h"

#include "base/settings.h"
#include "net/awake.h"

/* A half each, as long as one does not wait for the other to end a long piece: each call of the system costs as much as
 * the copy of some 16 KiB. */
enum { PIECES = 2, LEAST = 32 * 1024, MOST = 512 * 1024, PAGE = 4096, TURNS = 1 << 16, NUMBERS = 1 << 24 };

static uint64_t word_of(uint32_t turn, uint32_t read, uint32_t unwritten)
{
    return (uint64_t)turn << 48 | (uint64_t)read << 24 | unwritten;
}

static uint32_t turn_of(uint64_t word)
{
    return (uint32_t)(word >> 48);
}

static uint32_t read_of(uint64_t word)
{
    return (uint32_t)(word >> 24) % NUMBERS;
}

static uint32_t unwritten_of(uint64_t word)
{
    return (uint32_t)word % NUMBERS;
}

/* ---- the receiver ---- */

static size_t piece_of(const struct tf_recv *recv)
{
    size_t piece = (recv->total / PIECES + PAGE - 1) / PAGE * PAGE, most = recv->total / (NUMBERS / 2);
    piece = piece < LEAST ? LEAST : piece > MOST ? MOST : piece;
    piece = piece < most ? most : piece;
    return piece > recv->unit ? piece - piece % recv->unit : recv->unit;
}

/* Who sends something itself takes part in an exchange, where all have enough to read.  Where more are awake than there
 * are processors the sender does not run meanwhile, and two calls of the system cost more than one. */
static bool is_worth_it(const struct tf_recv *recv)
{
    bool runs = !tf_pause_crowded || !tf_awake_crowd();
    return runs && tf_send_readers == 0 && recv->peer->net->write && recv->direct && !recv->error &&
           recv->total >= (size_t)tf_settings.both_copy && recv->total > LEAST && recv->total <= recv->capacity &&
           !tf_msg_peer(recv->peer)->sharing;
}

bool tf_share_begin(struct tf_share *share, const struct tf_recv *recv)
{
    struct tf_msg_peer *peer = tf_msg_peer(recv->peer);
    share->peer = NULL;
    if (!is_worth_it(recv))
        return false;
    size_t piece = piece_of(recv);
    uint32_t turn = (peer->turn + 1) % TURNS, pieces = (uint32_t)((recv->total + piece - 1) / piece);
    struct tf_share_offer offer = {(uintptr_t)(recv->buf + recv->position), recv->total, piece, turn};
    _Atomic uint64_t *claims = recv->peer->rx.ring->claims;
    atomic_store_explicit(&claims[1], word_of(turn, 0, 0), memory_order_relaxed);
    atomic_store_explicit(&claims[0], word_of(turn, 0, pieces), memory_order_release);
    struct tf_header header = {.kind = TF_MSG_SHARE, .id = recv->sender_id, .length = sizeof offer};
    if (!tf_out_say(recv->peer, &header, &offer))
        return false;
    *share = (struct tf_share){recv->peer, turn, pieces, piece, recv->total};
    peer->turn = turn;
    peer->sharing = true;
    return true;
}

bool tf_share_claim(struct tf_share *share)
{
    _Atomic uint64_t *claims = share->peer->rx.ring->claims;
    uint64_t word = atomic_load_explicit(claims, memory_order_relaxed);
    do
        if (read_of(word) == unwritten_of(word))
            return false;
    while (!atomic_compare_exchange_weak(claims, &word, word_of(share->turn, read_of(word) + 1, unwritten_of(word))));
    return true;
}

void tf_share_claim_all(struct tf_share *share)
{
    _Atomic uint64_t *claims = share->peer->rx.ring->claims;
    uint64_t word = atomic_load_explicit(claims, memory_order_relaxed);
    while (!atomic_compare_exchange_weak(claims, &word, word_of(share->turn, unwritten_of(word), unwritten_of(word))))
        ;
}

bool tf_share_over(struct tf_share *share, size_t *at)
{
    _Atomic uint64_t *claims = share->peer->rx.ring->claims;
    uint64_t done = atomic_load_explicit(&claims[1], memory_order_acquire);
    uint32_t written = unwritten_of(done), claimed = share->pieces - unwritten_of(atomic_load(&claims[0]));
    if (written + read_of(done) < claimed)
        return false;
    *at = written ? (share->pieces - written) * share->piece : share->total;
    tf_msg_peer(share->peer)->sharing = false;
    share->peer = NULL;
    return true;
}

/* ---- the sender ---- */

static bool claim_to_write(_Atomic uint64_t *claims, uint32_t turn, uint32_t *number)
{
    uint64_t word = atomic_load_explicit(claims, memory_order_acquire);
    do
        if (turn_of(word) != turn || read_of(word) == unwritten_of(word))
            return false;
    while (!atomic_compare_exchange_weak(claims, &word, word - 1));
    *number = unwritten_of(word) - 1;
    return true;
}

static bool write_piece(struct tf_peer *peer, const struct tf_send *send, const struct tf_share_offer *offer,
                        uint32_t number)
{
    size_t at = number * offer->piece, left = offer->total - at, length = left < offer->piece ? left : offer->piece;
    void *there = tf_settings.shared_heap ? tf_net_map(peer, offer->address + at, length) : NULL;
    peer->bytes_sent += length;
    if (there) {
        memcpy(there, send->buf + send->position + at, length);
        tf_pull_loaded += length;
        return true;
    }
    return peer->net->write(peer, offer->address + at, send->buf + send->position + at, length);
}

static void hear_share(struct tf_peer *peer, const struct tf_header *h, void *payload)
{
    bool refused = false;
    const struct tf_send *send = tf_id_object(h->id);
    _Atomic uint64_t *claims = peer->tx.ring->claims;
    struct tf_share_offer offer;
    uint32_t number, written = 0;
    memcpy(&offer, payload, sizeof offer);
    if (tf_send_readers > TF_SEND_READERS)
        return;
    while (!refused && !send->given_up && claim_to_write(claims, offer.turn, &number)) {
        refused = !write_piece(peer, send, &offer, number);
        written += !refused;
        atomic_store_explicit(&claims[1], word_of(offer.turn, refused, written), memory_order_release);
    }
    tf_net_wake(peer);
}

void tf_share_setup(void)
{
    tf_net_handle(TF_MSG_SHARE, hear_share);
}
