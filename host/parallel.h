// SPDX-License-Identifier: BSD-3-Clause
// Loops on the host over chunks that do not depend on each other.
#pragma once

#include <stdint.h>

typedef void lcl_chunk_fn(void *arg, int64_t chunk);

// Calls fn(arg, c) once for each c from 0 to chunks - 1, on as many threads as
// there are processors, 8 at most, the caller's among them; returns when all
// are done. In which order is left open: results belong in an array by chunk.
// Where there are no threads to be had the caller does it alone.
void lcl_parallel(int64_t chunks, lcl_chunk_fn *fn, void *arg);

enum {
    LCL_CHUNKS_MAX = 64,
    LCL_CHUNK_LEAST = 32768, // elements that are worth a thread's attention
};

// How many chunks `count` elements are cut into; it follows from the count
// alone, so that sums by chunk have a fixed order.
static inline int64_t lcl_chunks(int64_t count)
{
    const int64_t chunks = count / LCL_CHUNK_LEAST;
    return chunks < 1 ? 1 : chunks < LCL_CHUNKS_MAX ? chunks : LCL_CHUNKS_MAX;
}

// The first element of a chunk; that of number `chunks` is `count`.
static inline int64_t lcl_chunk_start(int64_t count, int64_t chunks,
                                      int64_t chunk)
{
    const int64_t rest = count % chunks;
    return count / chunks * chunk + (chunk < rest ? chunk : rest);
}
