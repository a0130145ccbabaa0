// SPDX-License-Identifier: BSD-3-Clause
// Parallel host loops over independent chunks.
#ifdef __linux__
# define _GNU_SOURCE // sched_getaffinity()
#endif

#include "host/parallel.h"

#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

struct loop {
    atomic_llong next;
    int64_t chunks;
    lcl_chunk_fn *fn;
    void *arg;
};

static void *run_chunks(void *arg)
{
    struct loop *L = arg;
    for (int64_t c; (c = atomic_fetch_add(&L->next, 1)) < L->chunks;)
        L->fn(L->arg, c);
    return NULL;
}

// 0 or less: unknown.
static long count_processors(void)
{
#ifdef CPU_COUNT
    cpu_set_t usable;
    if (sched_getaffinity(0, sizeof usable, &usable) == 0)
        return CPU_COUNT(&usable);
#endif
    return sysconf(_SC_NPROCESSORS_ONLN);
}

int lcl_processors(void)
{
    const long count = count_processors();
    return count < 1 ? 1 : count < INT_MAX ? (int)count : INT_MAX;
}

int lcl_threads(void)
{
    const int most = lcl_processors();
    return most < LCL_THREADS_MAX ? most : LCL_THREADS_MAX;
}

static int threads_for(int64_t chunks)
{
    if (chunks < 2)
        return 1;
    const int most = lcl_threads();
    return chunks < most ? (int)chunks : most;
}

bool lcl_thread_start(pthread_t *thread, void *(*fn)(void *arg), void *arg)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int code = pthread_create(thread, NULL, fn, arg);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return code == 0;
}

static int start_threads(pthread_t *thread, int count, struct loop *L)
{
    int started = 0;
    while (started < count && lcl_thread_start(&thread[started], run_chunks, L))
        ++started;
    return started;
}

void lcl_parallel(int64_t chunks, lcl_chunk_fn *fn, void *arg)
{
    pthread_t thread[LCL_THREADS_MAX];
    struct loop L = {.chunks = chunks, .fn = fn, .arg = arg};
    const int started = start_threads(thread, threads_for(chunks) - 1, &L);
    run_chunks(&L);
    for (int t = 0; t < started; ++t)
        pthread_join(thread[t], NULL);
}
