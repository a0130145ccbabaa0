// SPDX-License-Identifier: BSD-3-Clause
// Host memory that kernels and the host use at the same time. Whether either
// side sees the other's writes meanwhile depends on the device and has to be
// tested.
#pragma once

#include "host/buffer.h"

#include <stdint.h>

struct lcl_shared {
    lcl_context *ctx;
    lcl_buffer *buffer;       // for kernels
    volatile uint64_t *words; // for the host
    struct lcl_pin *piece;
};

// `count` words, all 0. Returns LCL_OK, LCL_EDEVMEM, LCL_EDEVICE or LCL_ENOMEM;
// *S is fit for lcl_shared_finish() in any case.
enum lcl_status lcl_shared_init(struct lcl_shared *S, lcl_context *ctx,
                                int64_t count, const char *what);
void lcl_shared_finish(struct lcl_shared *S);
