// SPDX-License-Identifier: BSD-3-Clause
// Layout of diagonal blocks in slabs.
#include "lib/dense/slab.h"

#include "host/alloc.h"
#include "host/log.h"

static enum lcl_status allocate(struct lcl_slabs *slabs, int64_t blocks,
                                const struct lcl_log *log)
{
    *slabs = (struct lcl_slabs){
        .slab = lcl_malloc((size_t)blocks, sizeof *slabs->slab),
        .of_block = lcl_malloc((size_t)blocks, sizeof *slabs->of_block),
    };
    if (slabs->slab && slabs->of_block)
        return LCL_OK;
    lcl_slabs_finish(slabs);
    return lcl_fail_memory(log, "slabs of diagonal blocks");
}

void lcl_slabs_finish(struct lcl_slabs *slabs)
{
    lcl_free(slabs->slab);
    lcl_free(slabs->of_block);
    *slabs = (struct lcl_slabs){0};
}

static int rows_of(const struct lcl_diagonal_blocks *blocks, int64_t p)
{
    return blocks->ptr[p + 1] - blocks->ptr[p];
}

static void add_block(struct lcl_slab *slab, int rows)
{
    slab->starts |= (uint64_t)1 << slab->rows;
    slab->rows = (uint16_t)(slab->rows + rows);
    if (rows > slab->columns)
        slab->columns = (uint16_t)rows;
}

enum lcl_status lcl_slabs_init(struct lcl_slabs *slabs,
                               const struct lcl_diagonal_blocks *blocks,
                               int rows, enum lcl_factor_storage storage,
                               const struct lcl_log *log)
{
    const enum lcl_status st = allocate(slabs, blocks->count, log);
    if (st < 0)
        return st;
    for (int64_t p = 0; p < blocks->count;) {
        struct lcl_slab *slab = &slabs->slab[slabs->count];
        *slab = (struct lcl_slab){.value = (uint64_t)slabs->values,
                                  .row = (uint32_t)blocks->ptr[p],
                                  .block = (uint32_t)p,
                                  .storage = (uint32_t)storage};
        do {
            slabs->of_block[p] = (uint32_t)slabs->count;
            add_block(slab, rows_of(blocks, p++));
        } while (p < blocks->count && slab->rows + rows_of(blocks, p) <= rows);
        slabs->values += (int64_t)slab->rows * slab->columns;
        ++slabs->count;
    }
    return LCL_OK;
}
