// SPDX-License-Identifier: BSD-3-Clause
// Compares parameters that must be equal on all ranks.
#include "lib/comm/consistency.h"

#include "host/alloc.h"
#include "host/log.h"

#include <string.h>

// Two NaN are equal.
static bool differ(const double *a, const double *b)
{
    return memcmp(a, b, sizeof *a) != 0 && !(*a == *b);
}

// value + r * count: the numbers of rank r.
static enum lcl_status compare(const struct lcl_comm *C, const char *what,
                               const struct lcl_common *all, int count,
                               const double *value)
{
    for (int k = 0; k < count; ++k)
        for (int r = 1; r < C->size; ++r)
            if (differ(&value[k], &value[r * count + k]))
                return lcl_fail(&C->log, LCL_EINVAL,
                                "%s: %s is %.10g on rank 0, but %.10g on rank "
                                "%d: expected the same on all ranks",
                                what, all[k].name, value[k],
                                value[r * count + k], r);
    return LCL_OK;
}

enum lcl_status lcl_comm_expect_equal(struct lcl_comm *C, const char *what,
                                      const struct lcl_common *all, int count)
{
    double *own = lcl_malloc((size_t)count, sizeof *own);
    const void *room;
    if (!own) {
        lcl_comm_fail(C);
        return lcl_fail_memory(&C->log, "numbers of all ranks");
    }
    for (int k = 0; k < count; ++k)
        own[k] = all[k].value;
    enum lcl_status st =
        lcl_comm_all(C, own, (size_t)count * sizeof *own, &room);
    if (st == LCL_OK)
        st = compare(C, what, all, count, room);
    lcl_free(own);
    return st;
}
