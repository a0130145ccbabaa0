// SPDX-License-Identifier: BSD-3-Clause
// Preconditioned CG for interleaved columns (columns.cl.h), each with scalars
// of its own; products and preconditioner serve all columns at once:
//
//                         [Z = M^-1 R;  <r, z>]
//     cg_columns_beta:    beta = <r, z> / <r, z>'; which columns have ended
//     cg_columns_p:       X = X + P alpha;  P = Z + P beta
//                         [V = A P;  <p, v>]
//     cg_columns_alpha:   alpha = <r, z> / <p, v>
//     cg_columns_r:       R = R - V alpha;  <r, r>
//
// A column that has ended, for whatever reason, keeps x and r. The method ends
// when all columns have. As in cg.cl, x belongs to the recorded residual, and A
// and M may both be negative definite.
//
// Launch: beta and alpha one group, the others any number of groups.
#include "cg_columns.cl.h"
#include "columns.cl.h"
#include "krylov.cl.h"

// ||r||^2 may grow by this factor.
#define DIVERGED 1e10

// A word of column q, and its ring.
#define OF(q, word) (KRYLOV_OWN + (word)*COLUMNS + (q))
#define RING(q, it)                                                            \
 (OF((q)*KRYLOV_RING_SIZE, CG_COLUMNS_RINGS) + (it) % KRYLOV_RING_SIZE)

// ------------------------------------------------------------------- scalars

// Work-items that share a row of partial sums.
#define TEAM (LCL_GROUP > COLUMNS ? LCL_GROUP / COLUMNS : 1)

// total[q] = the sum of row q of `groups` partial sums; `part` has room for
// COLUMNS * TEAM sums. No loop contains a barrier.
INLINE void sum_rows(uint groups, global const double *sums, local double *part,
                     local double *total)
{
    for (GROUP_DOWNWARDS(t, COLUMNS * TEAM)) {
        global const double *row = sums + (long)(t / TEAM) * groups;
        double sum = 0;
        for (uint g = t % TEAM; g < groups; g += TEAM)
            sum += row[g];
        part[t] = sum;
    }
    GROUP_BARRIER();
    for (GROUP_DOWNWARDS(row, COLUMNS)) {
        double sum = 0;
        for (uint s = 0; s < TEAM; ++s)
            sum += part[row * TEAM + s];
        total[row] = sum;
    }
    GROUP_BARRIER();
}

// Ends a column, or not.
static inline void end_column(global double *state, uint q, int it, int reason)
{
    if (reason == 0)
        return;
    state[OF(q, CG_COLUMNS_REASON)] = reason;
    state[OF(q, CG_COLUMNS_STEP)] = it;
}

// Lead only: whether all columns have ended.
static inline bool all_ended(global const double *state)
{
    bool all = true;
    for (uint q = 0; q < COLUMNS; ++q)
        all = all && state[OF(q, CG_COLUMNS_REASON)] != 0;
    return all;
}

static inline int judge(int it, double rho, double old_rho, double rr,
                        double limit)
{
    if (!isfinite(rr))
        return KRYLOV_NOT_FINITE;
    if (rr <= limit)
        return KRYLOV_CONVERGED;
    if (!isfinite(rho))
        return KRYLOV_NOT_FINITE;
    return krylov_is_definite(it, rho, old_rho) ? 0 : KRYLOV_INDEFINITE_M;
}

// Why a column ends that the judge lets go on.
static inline int watch(global double *state, uint q, int it, double rr,
                        int stagnation)
{
    if (it == 0)
        state[OF(q, CG_COLUMNS_START)] = rr;
    if (it == 0 || rr < state[OF(q, CG_COLUMNS_BEST)]) {
        state[OF(q, CG_COLUMNS_BEST)] = rr;
        state[OF(q, CG_COLUMNS_BEST_AT)] = it;
    }
    return rr > DIVERGED * state[OF(q, CG_COLUMNS_START)] ? CG_COLUMNS_DIVERGED
           : it - (int)state[OF(q, CG_COLUMNS_BEST_AT)] > stagnation
               ? CG_COLUMNS_STAGNATION
               : 0;
}

// Without a finite residual x must not take the step that led to it.
static inline void begin_step(global double *state, uint q, int it, double rho,
                              double rr, double limit, int stagnation)
{
    if (state[OF(q, CG_COLUMNS_REASON)] != 0)
        return;
    const double old_rho = state[OF(q, CG_COLUMNS_RHO)];
    int reason = judge(it, rho, old_rho, rr, limit);
    if (reason == 0)
        reason = watch(state, q, it, rr, stagnation);
    if (!isfinite(rr))
        state[OF(q, CG_COLUMNS_ALPHA)] = 0;
    state[RING(q, it)] = rr;
    state[OF(q, CG_COLUMNS_RHO)] = rho;
    state[OF(q, CG_COLUMNS_BETA)] = it > 0 && reason == 0 ? rho / old_rho : 0;
    end_column(state, q, it, reason);
}

// Lead only: passes on that the method is over, or ends it if all columns have.
static inline void decide(global double *state, global int *stop, int own,
                          int over)
{
    if (over)
        stop[own] = over;
    else
        krylov_decide(state, stop, own,
                      all_ended(state) ? KRYLOV_CONVERGED : 0);
}

static inline double largest_of(local const double *residual)
{
    double largest = 0;
    for (uint q = 0; q < COLUMNS; ++q)
        largest = fmax(largest, residual[q]);
    return largest;
}

// `dots` holds `own` partial sums of each <r, z>; with `plain` z is r, and they
// are not read. The second half of `sums` holds <r, r>. limits[q] is the
// squared tolerance of column q, limits[COLUMNS + q] the weight of its ||r||^2
// in the largest one, which goes to the ring of all columns. With `plain` the
// sign of rho, if M was negative definite before the last residual, stays.
// There is no return before a barrier: in groups of 8 lanes PoCL 3.1 then never
// ends.
WORK_GROUP
kernel void cg_columns_beta(int it, int groups, int own, int plain,
                            int stagnation, global const double *limits,
                            global const double *restrict dots,
                            global const double *restrict sums,
                            global double *state, global int *stop)
{
    local double part[COLUMNS * TEAM], total[2 * COLUMNS];
    local double residual[COLUMNS];
    const int over = stop[CG_COLUMNS_STOP_R];
    if (!plain)
        sum_rows(own, dots, part, total);
    sum_rows(groups, sums + COLUMNS * (long)groups, part, total + COLUMNS);
    for (GROUP_DOWNWARDS(q, COLUMNS)) {
        const double rr = total[COLUMNS + q];
        const double rho =
            plain ? copysign(rr, state[OF(q, CG_COLUMNS_RHO)]) : total[q];
        const bool goes_on = state[OF(q, CG_COLUMNS_REASON)] == 0;
        residual[q] = goes_on ? rr * limits[COLUMNS + q] : 0;
        if (!over)
            begin_step(state, q, it, rho, rr, limits[q], stagnation);
    }
    GROUP_BARRIER_GLOBAL();
    if (get_local_id(0) == 0) {
        if (!over)
            krylov_note(state, it, largest_of(residual));
        stop[CG_COLUMNS_BEFORE] = over;
        decide(state, stop, CG_COLUMNS_STOP_P, over);
    }
}

// If alpha overflows, the curvature of A along p is indistinguishable from 0.
static inline void step_length(global double *state, uint q, int it, double pv)
{
    if (state[OF(q, CG_COLUMNS_REASON)] != 0) {
        state[OF(q, CG_COLUMNS_ALPHA)] = 0;
        return;
    }
    const double alpha = krylov_ratio(state[OF(q, CG_COLUMNS_RHO)], pv);
    const bool definite =
        isfinite(alpha) &&
        krylov_is_definite(it, alpha, state[OF(q, CG_COLUMNS_ALPHA)]);
    const int reason = !isfinite(pv) ? KRYLOV_NOT_FINITE
                       : definite    ? 0
                                     : KRYLOV_INDEFINITE_A;
    state[OF(q, CG_COLUMNS_ALPHA)] = reason ? 0 : alpha;
    end_column(state, q, it, reason);
}

// `sums` holds <p, v>.
WORK_GROUP
kernel void cg_columns_alpha(int it, int groups,
                             global const double *restrict sums,
                             global double *state, global int *stop)
{
    local double part[COLUMNS * TEAM], total[COLUMNS];
    const int over = stop[CG_COLUMNS_STOP_P];
    sum_rows(groups, sums, part, total);
    for (GROUP_DOWNWARDS(q, COLUMNS))
        if (!over)
            step_length(state, q, it, total[q]);
    GROUP_BARRIER_GLOBAL();
    if (get_local_id(0) == 0)
        decide(state, stop, CG_COLUMNS_STOP_R, over);
}

// ------------------------------------------------------------------- vectors

// Iteration 0 has no deferred update of x, and p is not initialised. The p of a
// column that has ended is 0. With `e`, row i of z lacks row owner[i] of e.
WORK_GROUP
kernel void cg_columns_p(int it, long n, global const double *restrict z,
                         global const double *restrict e,
                         global const int *restrict owner,
                         global double *restrict p, global double *restrict x,
                         global const double *restrict state,
                         global const int *stop)
{
    double alpha[OWN], beta[OWN];
    bool ended[OWN];
    if (stop[CG_COLUMNS_BEFORE])
        return;
    for (uint c = 0; c < OWN; ++c) {
        const uint q = FIRST_COLUMN + c;
        alpha[c] = it == 0 ? 0 : state[OF(q, CG_COLUMNS_ALPHA)];
        beta[c] = state[OF(q, CG_COLUMNS_BETA)];
        ended[c] = state[OF(q, CG_COLUMNS_REASON)] != 0;
    }
    for (RANGE(t, ROUNDS_OF(n))) {
        const long at =
            (e ? owner[t * OWN / COLUMNS] : 0) * (long)COLUMNS + FIRST_COLUMN;
        for (uint c = 0; c < OWN; ++c) {
            const long k = t * OWN + c;
            const double p_k = it == 0 ? 0 : p[k];
            const double z_k = z[k] + (e ? e[at + c] : 0);
            if (alpha[c] != 0)
                x[k] += alpha[c] * p_k;
            p[k] = ended[c] ? 0 : z_k + beta[c] * p_k;
        }
    }
}

// The second half of `sums` receives <r, r>.
WORK_GROUP
kernel void cg_columns_r(long n, global const double *restrict v,
                         global double *restrict r,
                         global double *restrict sums,
                         global const double *restrict state,
                         global const int *stop)
{
    local double scratch[LCL_GROUP];
    double alpha[OWN], rr[OWN] = {0};
    if (stop[CG_COLUMNS_STOP_R])
        return;
    for (uint c = 0; c < OWN; ++c)
        alpha[c] = state[OF(FIRST_COLUMN + c, CG_COLUMNS_ALPHA)];
    for (RANGE(t, ROUNDS_OF(n)))
        for (uint c = 0; c < OWN; ++c) {
            const long k = t * OWN + c;
            const double r_k = alpha[c] != 0 ? r[k] - alpha[c] * v[k] : r[k];
            r[k] = r_k;
            rr[c] += r_k * r_k;
        }
    columns_partial(rr, sums + COLUMNS * get_num_groups(0), scratch);
}
