// SPDX-License-Identifier: BSD-3-Clause
// Storage format of the factor values that the apply reads.
#include "lib/factor/store.h"

#include "host/launch.h"

static size_t slot_bytes(const struct lcl_factor *F)
{
    const size_t entries = (size_t)F->block * (size_t)F->block;
    return F->storage == LCL_FACTOR_STORAGE_BF16
               ? LCL_BF16_WORDS(entries) * sizeof(uint32_t)
               : entries * sizeof(float);
}

static enum lcl_status get_kernel(struct lcl_factor *F)
{
    const struct lcl_spec spec = {.source = "store.cl",
                                  .kernel = "store",
                                  .group = F->group,
                                  .block = F->block,
                                  .storage = (int)F->storage};
    return lcl_kernel_get(&F->store_kernel, F->ctx, &spec);
}

enum lcl_status lcl_store_init(struct lcl_factor *F)
{
    enum lcl_status st;
    if (F->storage == LCL_FACTOR_STORAGE_FP64)
        return LCL_OK;
    if ((st = lcl_buffer_create(&F->stored, F->ctx, F->slots, slot_bytes(F),
                                "stored factor values")) < 0 ||
        (st = lcl_buffer_fill(F->stored, 0)) < 0)
        return st;
    return F->val ? get_kernel(F) : LCL_OK;
}

enum lcl_status lcl_store_run(struct lcl_factor *F)
{
    if (!F->stored || !F->val)
        return LCL_OK;
    return LCL_LAUNCH(F->store_kernel, F->parts, lcl_arg_buffer(F->part),
                      lcl_arg_buffer(F->step), lcl_arg_buffer(F->col),
                      lcl_arg_buffer(F->val), lcl_arg_buffer(F->stored),
                      lcl_arg_buffer(F->counts));
}

lcl_buffer *lcl_store_values(const struct lcl_factor *F)
{
    return F->stored ? F->stored : F->val;
}
