// SPDX-License-Identifier: BSD-3-Clause
// Rows in levels, for kernels that process level by level, and their launches.
#pragma once

#include <levelcl/status.h>

#include <stdbool.h>
#include <stdint.h>

struct lcl_log;

// A launch: one level, or several, all of few rows, by one group.
struct lcl_level_launch {
    int32_t first, levels;
    bool chained;
};

struct lcl_levels {
    int64_t n, levels, launches;
    int64_t *level_ptr; // levels + 1: first row of each level
    int32_t *perm;      // n: the rows by level, ascending within a level
    struct lcl_level_launch *launch; // launches
};

// Sorts the rows of a square pattern, in which columns ascend, by level: 0 for
// a row without columns before the diagonal, else one more than the largest
// level of these columns. Returns LCL_OK or LCL_ENOMEM; *L is fit for
// lcl_levels_finish() in any case.
enum lcl_status lcl_levels_init(struct lcl_levels *L, int64_t n,
                                const int64_t *row_ptr, const int32_t *col,
                                const struct lcl_log *log);
void lcl_levels_finish(struct lcl_levels *L);

// Plans the launches: consecutive levels of up to `most` rows are chained.
// Returns LCL_OK or LCL_ENOMEM, and then the plan is unchanged.
enum lcl_status lcl_levels_plan(struct lcl_levels *L, int64_t most,
                                const struct lcl_log *log);

static inline int64_t lcl_level_rows(const struct lcl_levels *L, int64_t level)
{
    return L->level_ptr[level + 1] - L->level_ptr[level];
}
