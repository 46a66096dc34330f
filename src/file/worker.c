/* worker.c - threads that read and write.
 *
 * They are started as work comes, few, and stay.  A child of fork() has none of them, and no business in MPI.
 */
#include "file/worker.h"

#include <pthread.h>
#include <signal.h>

#include "net/pause.h"

enum { MOST_THREADS = 4, LONG = 100 * TF_MICROSECOND };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t come = PTHREAD_COND_INITIALIZER, gone = PTHREAD_COND_INITIALIZER;
static struct tf_work *first, **last = &first;
static pthread_t threads[MOST_THREADS];
static int nthreads, idle, waiting; /* waiting: work without a thread */
static int called, engaged;         /* of the idle ones; of the others, those with work that is not brief */
static bool stop;

/* Whoever waits looks at `done` after it has raised its word, so either it sees that or we see the word. */
static void finish(struct tf_work *work)
{
    pthread_mutex_lock(&lock);
    engaged -= !work->brief;
    atomic_store(&work->done, true);
    pthread_cond_broadcast(&gone);
    pthread_mutex_unlock(&lock);
    if (atomic_load(tf_pause_asleep))
        tf_pause_wake(tf_pause_asleep);
}

static void call(void)
{
    called += called < idle;
    pthread_cond_signal(&come);
}

static struct tf_work *take(void)
{
    idle++;
    while (!first && !stop) {
        pthread_cond_wait(&come, &lock);
        called -= called > 0;
    }
    idle--;
    struct tf_work *work = first;
    if (work) {
        first = work->next;
        last = first ? last : &first;
        waiting--;
        engaged += !work->brief;
    }
    return work;
}

/* Work that was thought to be brief is not. */
static void call_another(void)
{
    pthread_mutex_lock(&lock);
    if (waiting > 0)
        call();
    pthread_mutex_unlock(&lock);
}

static void *labour(void *unused)
{
    struct tf_work *work;
    do {
        pthread_mutex_lock(&lock);
        work = take();
        pthread_mutex_unlock(&lock);
        if (work) {
            int64_t begin = tf_time();
            work->run(work);
            finish(work);
            if (tf_time() - begin > LONG)
                call_another();
        }
    } while (work);
    return unused;
}

/* Signals are the program's. */
static bool start_one(void)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int err = pthread_create(&threads[nthreads], NULL, labour, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (err)
        tf_log(1, "no thread for files: %s", strerror(err));
    else
        nthreads++;
    return !err;
}

void tf_worker_submit(struct tf_work *work, bool brief)
{
    work->next = NULL;
    work->brief = brief;
    atomic_store(&work->done, false);
    pthread_mutex_lock(&lock);
    bool taken_on = brief && nthreads - idle + called > engaged; /* by one that will be free soon */
    bool served = taken_on || idle > waiting || (nthreads < MOST_THREADS && start_one()) || nthreads > 0;
    if (served) {
        *last = work;
        last = &work->next;
        waiting++;
        if (!taken_on)
            call();
    }
    pthread_mutex_unlock(&lock);
    if (served)
        return;
    work->run(work);
    atomic_store(&work->done, true);
}

bool tf_worker_take_back(struct tf_work *work)
{
    pthread_mutex_lock(&lock);
    struct tf_work **at = &first;
    while (*at && *at != work)
        at = &(*at)->next;
    bool found = *at != NULL;
    if (found) {
        *at = work->next;
        last = *at ? last : at;
        waiting--;
    }
    pthread_mutex_unlock(&lock);
    return found;
}

void tf_worker_await(struct tf_work *work)
{
    pthread_mutex_lock(&lock);
    while (!atomic_load(&work->done))
        pthread_cond_wait(&gone, &lock);
    pthread_mutex_unlock(&lock);
}

void tf_worker_stop(void)
{
    pthread_mutex_lock(&lock);
    stop = true;
    pthread_cond_broadcast(&come);
    pthread_mutex_unlock(&lock);
    while (nthreads > 0)
        pthread_join(threads[--nthreads], NULL);
    stop = false;
}
