// SPDX-License-Identifier: BSD-3-Clause
// Rows in levels, for kernels that process level by level, and their launches.
#include "lib/factor/levels.h"

#include "host/alloc.h"
#include "host/log.h"

// Sets the levels of all rows; returns their number.
static int64_t find_levels(int32_t *level, int64_t n, const int64_t *row_ptr,
                           const int32_t *col)
{
    int32_t levels = 0;
    for (int64_t i = 0; i < n; ++i) {
        level[i] = 0;
        for (int64_t k = row_ptr[i]; k < row_ptr[i + 1] && col[k] < i; ++k)
            if (level[col[k]] >= level[i])
                level[i] = level[col[k]] + 1;
        levels = level[i] < levels ? levels : level[i] + 1;
    }
    return levels;
}

// Counting sort of the rows by level.
static void list_rows(struct lcl_levels *L, const int32_t *level)
{
    int64_t *next = L->level_ptr + 1; // place of each level's next row
    for (int64_t i = 0; i < L->n; ++i)
        if (level[i] + 1 < L->levels)
            ++next[level[i] + 1];
    for (int64_t l = 1; l < L->levels; ++l)
        next[l] += next[l - 1];
    for (int64_t i = 0; i < L->n; ++i)
        L->perm[next[level[i]]++] = (int32_t)i;
}

enum lcl_status lcl_levels_init(struct lcl_levels *L, int64_t n,
                                const int64_t *row_ptr, const int32_t *col,
                                const struct lcl_log *log)
{
    int32_t *level = lcl_malloc((size_t)n, sizeof *level);
    *L = (struct lcl_levels){.n = n,
                             .perm = lcl_malloc((size_t)n, sizeof *L->perm)};
    if (level)
        L->levels = find_levels(level, n, row_ptr, col);
    L->level_ptr = lcl_calloc((size_t)L->levels + 1, sizeof *L->level_ptr);
    const bool enough = level && L->perm && L->level_ptr;
    if (enough)
        list_rows(L, level);
    lcl_free(level);
    return enough ? LCL_OK : lcl_fail_memory(log, "levels");
}

void lcl_levels_finish(struct lcl_levels *L)
{
    lcl_free(L->level_ptr);
    lcl_free(L->perm);
    lcl_free(L->launch);
    *L = (struct lcl_levels){.n = 0};
}

enum lcl_status lcl_levels_plan(struct lcl_levels *L, int64_t most,
                                const struct lcl_log *log)
{
    struct lcl_level_launch *launch =
        lcl_malloc((size_t)L->levels, sizeof *launch);
    if (!launch)
        return lcl_fail_memory(log, "launches of levels");
    lcl_free(L->launch);
    L->launch = launch;
    L->launches = 0;
    for (int64_t l = 0; l < L->levels; ++l) {
        const bool thin = lcl_level_rows(L, l) <= most;
        if (thin && L->launches > 0 && launch[L->launches - 1].chained)
            ++launch[L->launches - 1].levels;
        else
            launch[L->launches++] =
                (struct lcl_level_launch){(int32_t)l, 1, thin};
    }
    return LCL_OK;
}
