// SPDX-License-Identifier: BSD-3-Clause
// Threads of the host, and parallel loops over independent chunks.
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

// Starts a thread that blocks all signals: the application's threads handle
// them. Returns false if there is none; otherwise the caller joins it.
bool lcl_thread_start(pthread_t *thread, void *(*fn)(void *arg), void *arg);

typedef void lcl_chunk_fn(void *arg, int64_t chunk);

// Number of processors that the calling thread may use, at least 1.
int lcl_processors(void);

enum { LCL_THREADS_MAX = 16 };

// The same, at most LCL_THREADS_MAX.
int lcl_threads(void);

// Calls fn(arg, c) once for each c from 0 to chunks - 1, on lcl_threads()
// threads including the caller; returns when all calls are done.
// The order is unspecified: store results in an array indexed by chunk. If no
// thread can be created, the caller runs all chunks.
void lcl_parallel(int64_t chunks, lcl_chunk_fn *fn, void *arg);

enum {
    LCL_CHUNKS_MAX = 64,
    LCL_CHUNK_LEAST = 32768, // minimum elements worth a thread
};

// Number of chunks for `count` elements; depends only on the count, so that
// sums by chunk have a fixed order.
static inline int64_t lcl_chunks(int64_t count)
{
    const int64_t chunks = count / LCL_CHUNK_LEAST;
    return chunks < 1 ? 1 : chunks < LCL_CHUNKS_MAX ? chunks : LCL_CHUNKS_MAX;
}

// The first element of a chunk; `count` for chunk number `chunks`.
static inline int64_t lcl_chunk_start(int64_t count, int64_t chunks,
                                      int64_t chunk)
{
    const int64_t rest = count % chunks;
    return count / chunks * chunk + (chunk < rest ? chunk : rest);
}
