// SPDX-License-Identifier: BSD-3-Clause
// Pieces of the host's memory that kernels use in place. Drivers need
// milliseconds to pin a MiB while other devices do the same, so that the
// context keeps what is given back.
#pragma once

#include "host/staging.h"

struct lcl_pin {
    struct lcl_pin *next;
    struct lcl_pinned pinned;
};

// A piece of at least `bytes` bytes of any content. Returns LCL_OK,
// LCL_EDEVMEM, LCL_EDEVICE or LCL_ENOMEM; on error *out is NULL.
enum lcl_status lcl_pin_take(struct lcl_pin **out, lcl_context *ctx,
                             size_t bytes);

// Gives it back, after the work in the context's queue.
void lcl_pin_keep(lcl_context *ctx, struct lcl_pin *piece);

// Releases what is kept.
void lcl_pins_trim(lcl_context *ctx);
