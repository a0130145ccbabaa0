// SPDX-License-Identifier: BSD-3-Clause
// Removes what a fault does not need.
#include "tests/honesty/memory.h"
#include "tests/honesty/runner.h"

#include <stdlib.h>

// Replaces T by `smaller` if the fault remains.
static bool accept(struct runner *R, struct trial *T, struct trial smaller,
                   enum fault fault)
{
    struct outcome out = runner_try(R, &smaller);
    free(out.x);
    const bool same = out.fault == fault;
    trial_finish(same ? T : &smaller);
    if (same)
        *T = smaller;
    return same;
}

static void one_column(struct runner *R, struct trial *T, enum fault fault)
{
    struct outcome out = runner_try(R, T);
    if (out.fault == fault)
        accept(R, T, trial_column(T, out.step, out.column, out.x), fault);
    free(out.x);
}

// Removes `size` rows and columns from `first` on.
static bool without(struct runner *R, struct trial *T, int64_t first,
                    int64_t size, enum fault fault)
{
    bool *keep = zeroed((size_t)T->n, sizeof *keep);
    for (int64_t i = 0; i < T->n; ++i)
        keep[i] = i < first || i >= first + size;
    const bool done = accept(R, T, trial_part(T, keep), fault);
    free(keep);
    return done;
}

void runner_shrink(struct runner *R, struct trial *T, enum fault fault)
{
    if (T->form == FORM_KRON)
        return;
    one_column(R, T, fault);
    for (int64_t size = T->n / 2; size > 0; size /= 2)
        for (int64_t first = 0; first + size <= T->n && size < T->n;)
            if (T->steps > 1 || !without(R, T, first, size, fault))
                first += size;
}
