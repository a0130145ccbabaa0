// SPDX-License-Identifier: BSD-3-Clause
// The pattern of ILU(k): the number of a column is its level of fill.
#include "lib/factor/ilu_pattern.h"

#include "host/log.h"
#include "lib/factor/pattern_maker.h"

// Adds the fill from eliminating column j with row j of U.
static void eliminate(struct lcl_pattern_maker *m, int32_t j, int limit)
{
    for (int64_t e = m->upper[j]; e < lcl_pattern_upper_end(m, j); ++e) {
        const int32_t c = (int32_t)(m->H.col[e] - m->first_row);
        const double level = m->value[j] + m->entry[e - m->first_entry] + 1;
        if (level <= limit && lcl_pattern_visit(m, c, level) &&
            level < m->value[c])
            m->value[c] = level;
    }
}

static void keep_levels(struct lcl_pattern_maker *m, int32_t i)
{
    const int limit = *(const int *)m->params;
    for (LCL_COLUMNS(j, m, 0, i))
        if (m->value[j] < limit) {
            eliminate(m, j, limit);
            if (!lcl_pattern_goes_on(m,
                                     lcl_pattern_upper_end(m, j) - m->upper[j]))
                return;
        }
}

enum lcl_status lcl_ilu_pattern(struct lcl_host_pattern *H,
                                const struct lcl_csr *A,
                                const struct lcl_subdomains *P, int k,
                                const struct lcl_fill_limit *limit,
                                const struct lcl_log *log)
{
    const struct lcl_pattern_maker model = {
        .A = A,
        .P = P,
        .rule = keep_levels,
        .params = &k,
        .limit = limit ? limit->time : NULL,
        .H = {.most = limit ? limit->most : 0}};
    *H = (struct lcl_host_pattern){.rows = 0};
    return k < 0 ? lcl_fail(log, LCL_EINVAL,
                            "a level of fill of %d, expected >= 0", k)
                 : lcl_pattern_make(H, &model, log);
}
