// SPDX-License-Identifier: BSD-3-Clause
// Parallel host loops over independent chunks.
#include "host/parallel.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

enum { THREADS_MAX = 8 };

struct loop {
    atomic_llong next;
    int64_t chunks;
    lcl_chunk_fn *fn;
    void *arg;
};

static void *take_chunks(void *arg)
{
    struct loop *L = arg;
    for (int64_t c; (c = atomic_fetch_add(&L->next, 1)) < L->chunks;)
        L->fn(L->arg, c);
    return NULL;
}

static int threads_for(int64_t chunks)
{
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    const long most = online < THREADS_MAX ? online : THREADS_MAX;
    return (int)(chunks < most ? chunks : most);
}

// Worker threads block signals; the application's threads handle them.
static int start_threads(pthread_t *thread, int count, struct loop *L)
{
    sigset_t all, before;
    int started = 0;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (started < count &&
           pthread_create(&thread[started], NULL, take_chunks, L) == 0)
        ++started;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

void lcl_parallel(int64_t chunks, lcl_chunk_fn *fn, void *arg)
{
    pthread_t thread[THREADS_MAX];
    struct loop L = {.chunks = chunks, .fn = fn, .arg = arg};
    const int started = start_threads(thread, threads_for(chunks) - 1, &L);
    take_chunks(&L);
    for (int t = 0; t < started; ++t)
        pthread_join(thread[t], NULL);
}
