// SPDX-License-Identifier: BSD-3-Clause
// Memory of the host that kernels and host use at the same time. Whether one
// sees what the other writes meanwhile depends on the device: try it.
#pragma once

#include "host/buffer.h"

#include <stdint.h>

struct lcl_shared {
    lcl_context *ctx;
    lcl_buffer *buffer;       // for kernels
    volatile uint64_t *words; // for the host
    void *mem;
};

// `count` words, all 0. Returns LCL_OK, LCL_EDEVMEM, LCL_EDEVICE or LCL_ENOMEM;
// *S is fit for lcl_shared_finish() in any case.
enum lcl_status lcl_shared_init(struct lcl_shared *S, lcl_context *ctx,
                                int64_t count, const char *what);
void lcl_shared_finish(struct lcl_shared *S);
