/* sheet.c - see sheet.h. */
#include "survive/sheet.h"

#include "msg/transfer.h"

enum { LISTED = 8 };

/* As it travels. */
struct message {
    uint8_t what, kind, n, more; /* how many ranks; whether another message follows */
    uint32_t number;
    int32_t from, sender, class, flag[2], padding;
    uint64_t context;
    int32_t ranks[LISTED];
};
_Static_assert(sizeof(struct message) == TF_SHEET_BYTES, "so that it can be kept");

/* ---- a list ---- */

static bool grow(struct tf_sheet *sheet)
{
    int room = sheet->room ? 2 * sheet->room : LISTED;
    int *ranks = realloc(sheet->ranks, (size_t)room * sizeof *ranks);
    if (!ranks) {
        tf_error(MPI_ERR_NO_MEM, "cannot allocate a list of %d processes that have died", room);
        return false;
    }
    sheet->ranks = ranks;
    sheet->room = room;
    return true;
}

bool tf_sheet_add(struct tf_sheet *sheet, int rank)
{
    int at = sheet->n;
    if (tf_sheet_has(sheet, rank))
        return true;
    if (sheet->n == sheet->room && !grow(sheet))
        return false;
    for (; at > 0 && sheet->ranks[at - 1] > rank; at--)
        sheet->ranks[at] = sheet->ranks[at - 1];
    sheet->ranks[at] = rank;
    sheet->n++;
    return true;
}

bool tf_sheet_has(const struct tf_sheet *sheet, int rank)
{
    for (int i = 0; i < sheet->n; i++)
        if (sheet->ranks[i] == rank)
            return true;
    return false;
}

void tf_sheet_clear(struct tf_sheet *sheet)
{
    *sheet = (struct tf_sheet){.ranks = sheet->ranks, .room = sheet->room};
}

void tf_sheet_free(struct tf_sheet *sheet)
{
    free(sheet->ranks);
    *sheet = (struct tf_sheet){.number = 0};
}

/* ---- on its way ---- */

static void say(struct tf_peer *peer, uint64_t context, const struct message *message)
{
    struct tf_header header = {.kind = TF_MSG_PACT, .length = sizeof *message, .context = context};
    if (!tf_out_say(peer, &header, message))
        tf_fatal(1, "treefold[%d]: no memory to agree with the others who are left", tf_job.rank);
}

void tf_sheet_send(const struct tf_sheet *sheet, uint64_t context, struct tf_peer *peer)
{
    int sent = 0;
    do {
        int left = sheet->n - sent, n = left < LISTED ? left : LISTED;
        struct message message = {.what = sheet->what,
                                  .kind = sheet->kind,
                                  .n = (uint8_t)n,
                                  .more = left > n,
                                  .number = sheet->number,
                                  .from = sheet->from,
                                  .sender = sheet->sender,
                                  .class = sheet->class,
                                  .flag = {sheet->flag[0], sheet->flag[1]},
                                  .context = sheet->context};
        if (n > 0)
            memcpy(message.ranks, sheet->ranks + sent, (size_t)n * sizeof *sheet->ranks);
        say(peer, context, &message);
        sent += n;
    } while (sent < sheet->n);
}

void tf_sheet_take(struct tf_sheet *sheet, const void *payload)
{
    struct message message;
    memcpy(&message, payload, sizeof message);
    if (sheet->whole || sheet->number != message.number || sheet->what != message.what)
        tf_sheet_clear(sheet);
    sheet->what = message.what;
    sheet->kind = message.kind;
    sheet->number = message.number;
    sheet->from = message.from;
    sheet->sender = message.sender;
    sheet->class = message.class;
    memcpy(sheet->flag, message.flag, sizeof sheet->flag);
    sheet->context = message.context;
    sheet->whole = !message.more;
    for (int i = 0; i < message.n; i++)
        if (!tf_sheet_add(sheet, message.ranks[i]))
            tf_fatal(1, "treefold[%d]: no memory to note which processes have died", tf_job.rank);
}

struct tf_sheet_head tf_sheet_head(const void *payload)
{
    const struct message *message = payload;
    return (struct tf_sheet_head){message->what, message->number, message->sender, !message->more};
}
