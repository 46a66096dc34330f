/* why_ask.c - the question on the boards, and the answers.
 *
 * It is asked twice.  A message may be on its way from one that now waits to another one, so that both seem to wait for
 * each other; by the second answer it has come.
 */
#include "cmd/why.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* A thread that sleeps looks every tenth of a second; what takes longer is a machine that has much else to do. */
#define PATIENCE 3.0
#define ROUNDS 2

double tf_why_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

bool tf_why_open(struct why_inquiry *inquiry, int size)
{
    *inquiry = (struct why_inquiry){.job.size = size};
    inquiry->sources = calloc((size_t)size + 1, sizeof *inquiry->sources);
    inquiry->job.ranks = calloc((size_t)size + 1, sizeof *inquiry->job.ranks);
    inquiry->earlier = calloc((size_t)size + 1, sizeof *inquiry->earlier);
    return inquiry->sources && inquiry->job.ranks && inquiry->earlier;
}

static void free_answers(struct why_rank *ranks, int n)
{
    for (int r = 0; ranks && r < n; r++)
        tf_why_free(&ranks[r]);
}

void tf_why_close(struct why_inquiry *inquiry)
{
    free_answers(inquiry->job.ranks, inquiry->job.size);
    free_answers(inquiry->earlier, inquiry->job.size);
    free(inquiry->job.ranks);
    free(inquiry->earlier);
    free(inquiry->sources);
}

/* ---- processes ---- */

static FILE *open_file(int pid, const char *name)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", pid, name);
    return fopen(path, "re");
}

char tf_why_process_state(int pid)
{
    char text[1024] = "";
    FILE *file = pid > 0 ? open_file(pid, "stat") : NULL;
    size_t n = file ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file)
        fclose(file);
    text[n] = '\0';
    const char *name = strrchr(text, ')'); /* which may have any characters */
    return name && name[1] ? name[2] : 0;
}

bool tf_why_handles(int pid, int signal)
{
    char line[256];
    unsigned long long set, either = 0;
    FILE *file = pid > 0 ? open_file(pid, "status") : NULL;
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "SigCgt: %llx", &set) == 1 || sscanf(line, "SigBlk: %llx", &set) == 1)
            either |= set;
    if (file)
        fclose(file);
    return either >> (signal - 1) & 1;
}

/* ---- one answer ---- */

static int process_of(const struct tf_board_place *place)
{
    return place->process ? place->process : place->started;
}

static bool has_gone(const struct tf_board_place *place)
{
    char state = tf_why_process_state(process_of(place));
    return place->ended || state == 'Z' || (state == 0 && process_of(place) != 0);
}

static bool is_stopped(const struct tf_board_place *place)
{
    char state = tf_why_process_state(process_of(place));
    return state == 'T' || state == 't';
}

/* Who looks again and again does so within this time. */
#define LOOKS_WITHIN 0.5
static bool looks(const struct tf_board_place *place)
{
    return tf_why_clock() - 1e-9 * (double)place->looked < LOOKS_WITHIN;
}

static bool has_answered(const struct why_source *source)
{
    const struct tf_board_place *place = source->place;
    return !place || (place->waiting == 0 && (!looks(place) || place->answers == source->question)) ||
           (place->answers == source->question && place->answered >= place->waiting) || has_gone(place) ||
           is_stopped(place);
}

/* The text as it is when nobody writes; false: somebody always does. */
static bool copy_text(const struct why_source *source, char *text, size_t size)
{
    const struct tf_board_place *place = source->place;
    for (int i = 0; i < 1000; i++) {
        uint32_t before = place->version;
        memcpy(text, place->text, size);
        atomic_thread_fence(memory_order_seq_cst);
        if (before % 2 == 0 && place->version == before) {
            text[size - 1] = '\0';
            return place->answers == source->question;
        }
        usleep(10);
    }
    return false;
}

static enum why_state state_of(const struct tf_board_place *place)
{
    if (has_gone(place))
        return WHY_ENDED;
    if (place->state == TF_BOARD_LEFT || (place->state == TF_BOARD_NEVER && place->farewell))
        return WHY_LEFT;
    if (place->state == TF_BOARD_INSIDE)
        return WHY_OUTSIDE;
    return place->hello ? WHY_STARTING : WHY_NEVER;
}

static void take(struct why_rank *rank, const struct why_source *source)
{
    const struct tf_board_place *place = source->place;
    char text[sizeof place->text];
    if (!place)
        return;
    rank->state = state_of(place);
    rank->process = tf_why_process_state(process_of(place));
    rank->left = 1e-9 * (double)place->left;
    memcpy(rank->last, place->last, sizeof rank->last - 1);
    if (rank->state == WHY_ENDED)
        return;
    if (place->waiting > 0)
        rank->state = WHY_SILENT;
    if (place->answers != source->question || !copy_text(source, text, sizeof text))
        return;
    tf_why_read(rank, text);
    if (rank->nwaits > 0)
        rank->state = WHY_WAITS;
    else if (rank->looks && rank->state == WHY_OUTSIDE)
        rank->state = WHY_LOOKS;
}

/* ---- all ---- */

/* In a barrier of the launcher's, for those who are not. */
static void take_barrier(struct why_inquiry *inquiry, int rank)
{
    size_t room = (size_t)inquiry->job.size * 8 + 100, length;
    char *text = malloc(room);
    if (!text)
        return;
    length = (size_t)snprintf(text, room, "0\t-\t");
    for (int r = 0, n = 0; r < inquiry->job.size; r++)
        if (!inquiry->sources[r].place || !inquiry->sources[r].place->barrier)
            length += (size_t)snprintf(text + length, room - length, "%sx%d", n++ ? ";" : "", r);
    snprintf(text + length, room - length, "\tthe beginning of MPI\tthose that have not begun");
    tf_why_read(&inquiry->job.ranks[rank], text);
    if (inquiry->job.ranks[rank].nwaits > 0)
        inquiry->job.ranks[rank].state = WHY_WAITS;
    free(text);
}

static void take_all(struct why_inquiry *inquiry)
{
    struct why_job *job = &inquiry->job;
    job->now = tf_why_clock();
    for (int r = 0; r < job->size; r++) {
        const struct tf_board_place *place = inquiry->sources[r].place;
        take(&job->ranks[r], &inquiry->sources[r]);
        enum why_state state = job->ranks[r].state;
        if (place && place->barrier && (state == WHY_OUTSIDE || state == WHY_STARTING))
            take_barrier(inquiry, r);
    }
}

static void ask(struct why_inquiry *inquiry)
{
    inquiry->round++;
    inquiry->until = tf_why_clock() + PATIENCE;
    for (int r = 0; r < inquiry->job.size; r++) {
        struct why_source *source = &inquiry->sources[r];
        if (!source->place)
            continue;
        atomic_store(&source->place->until, (int64_t)(inquiry->until * 1e9));
        source->question = atomic_fetch_add(&source->place->question, 1) + 1;
        source->question += source->question == 0; /* which is none */
    }
}

void tf_why_ask(struct why_inquiry *inquiry)
{
    if (inquiry->round > 0)
        return;
    free_answers(inquiry->job.ranks, inquiry->job.size);
    ask(inquiry);
}

static bool all_have_answered(const struct why_inquiry *inquiry)
{
    int r = 0;
    while (r < inquiry->job.size && has_answered(&inquiry->sources[r]))
        r++;
    return r == inquiry->job.size;
}

bool tf_why_answered(struct why_inquiry *inquiry, bool last)
{
    struct why_job *job = &inquiry->job;
    if (inquiry->round == 0 || (!last && tf_why_clock() < inquiry->until && !all_have_answered(inquiry)))
        return false;
    take_all(inquiry);
    if (inquiry->round < ROUNDS && !last) {
        struct why_rank *ranks = inquiry->earlier;
        inquiry->earlier = job->ranks;
        job->ranks = ranks;
        ask(inquiry);
        return false;
    }
    for (int r = 0; r < job->size; r++)
        tf_why_compare(&job->ranks[r], &inquiry->earlier[r]);
    tf_why_judge(job);
    free_answers(inquiry->earlier, job->size);
    inquiry->round = 0;
    return true;
}
