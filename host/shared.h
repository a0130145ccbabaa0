// SPDX-License-Identifier: BSD-3-Clause
// Host memory that kernels and the host use at the same time. Whether either
// side sees the other's writes meanwhile depends on the device and has to be
// tested. Drivers need milliseconds to pin a MiB while other devices do the
// same, so that the context keeps what has been finished.
#pragma once

#include "host/buffer.h"

#include <stdint.h>

struct lcl_shared {
    lcl_context *ctx;
    lcl_buffer *buffer;       // for kernels
    volatile uint64_t *words; // for the host
    struct lcl_shared_piece *piece;
};

// `count` words, all 0. Returns LCL_OK, LCL_EDEVMEM, LCL_EDEVICE or LCL_ENOMEM;
// *S is fit for lcl_shared_finish() in any case.
enum lcl_status lcl_shared_init(struct lcl_shared *S, lcl_context *ctx,
                                int64_t count, const char *what);
void lcl_shared_finish(struct lcl_shared *S);

// Releases what is kept.
void lcl_shared_trim(lcl_context *ctx);
