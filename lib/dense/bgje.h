// SPDX-License-Identifier: BSD-3-Clause
// Inversion of a batch of dense blocks on the device: cl/dense/bgje.cl.
#pragma once

#include "host/buffer.h"
#include "host/program.h"

#include <levelcl/batch.h>

enum { LCL_BGJE_CLASSES = 7 }; // sizes up to 1, 2, 4, ... 64

// Blocks inverted by the same launch.
struct lcl_bgje_class {
    lcl_kernel *kernel;
    int rows;   // of the largest block
    bool equal; // all blocks have this size
    int64_t first, end;
    int64_t groups;
};

// A batch of blocks in row-major order, stored contiguously.
struct lcl_bgje {
    lcl_context *ctx;
    int64_t count;
    int64_t entries; // of all blocks
    int64_t *at;     // first entry of each block
    struct lcl_bgje_class classes[LCL_BGJE_CLASSES];
    int class_count;
    bool published; // one class of all blocks
    bool norms;
    lcl_buffer *list, *block_ptr, *starts; // not read if all sizes are equal
};

// How the device inverts a block of at most `rows` rows.
struct lcl_bgje_shape {
    int lanes;  // per block
    bool local; // the group keeps the block in local memory
};
struct lcl_bgje_shape lcl_bgje_shape(const struct lcl_caps *caps,
                                     enum lcl_batch_kernel kernel,
                                     enum lcl_batch_precision precision,
                                     int rows);

// Whether the kernel is one of the publication, which has no classes of sizes
// and inverts blocks of at most LCL_BATCH_PUBLISHED_ROWS_MAX rows.
bool lcl_bgje_is_published(enum lcl_batch_kernel kernel);

// Rows that BGJE pads all blocks to: those of a warp, or `rows` of the largest
// block if a wave has fewer lanes.
int lcl_bgje_padded(const struct lcl_caps *caps, int rows);

// Sorts the blocks, which must be valid, into classes by their number of rows,
// rounded up to a power of two, unless the kernel is a published one.
// `norms`: lcl_bgje_run() computes norms.
// Statuses as lcl_batch_invert().
enum lcl_status lcl_bgje_init(struct lcl_bgje *B, lcl_context *ctx,
                              const int64_t *block_ptr, int64_t count,
                              const struct lcl_batch_params *params,
                              bool norms);
void lcl_bgje_finish(struct lcl_bgje *B);

// Enqueues the inversion of blocks in the precision of the batch. `inverse` may
// be `blocks`; `info` has count int32. A singular block is replaced by the
// identity (`identity`) or kept. `norms`, NULL if not wanted, receives two
// numbers per block: the infinity norms of block and inverse, infinite if the
// block is singular.
enum lcl_status lcl_bgje_run(const struct lcl_bgje *B, const lcl_buffer *blocks,
                             lcl_buffer *inverse, lcl_buffer *info,
                             lcl_buffer *norms, bool identity);
