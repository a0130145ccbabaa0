// SPDX-License-Identifier: BSD-3-Clause
// Built-in problem blackoil: a time step of water, oil and gas in N x N x N
// cells, linearised. The unknowns of a cell are the pressure and the
// saturations of water and gas; its equations are the balances of the three
// phases.
#include "lib/io/problems/grid.h"
#include "lib/io/problems/problem.h"
#include "lib/io/problems/uniform.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { PHASES = 3 };

static const double mobility[PHASES] = {0.4, 1, 0.7};

// Permeability between 0.03 and 30, independent from cell to cell.
static double permeability(int64_t n, const int64_t at[3])
{
    const uint64_t cell = (uint64_t)(at[0] + n * (at[1] + n * at[2]));
    uint64_t state = (cell + 1) * UINT64_C(0x9e3779b97f4a7c15);
    lcl_uniform(&state);
    return pow(10, 3 * lcl_uniform(&state) - 1.5);
}

// Harmonic mean of the permeabilities on both sides of the face to neighbour q.
static double transmissibility(int64_t n, const struct lcl_site *site, int q)
{
    int64_t beyond[3];
    for (int d = 0; d < 3; ++d)
        beyond[d] = site->at[d] + lcl_seven_point.offset[q][d];
    return 2 / (1 / permeability(n, site->at) + 1 / permeability(n, beyond));
}

// Derivatives of the flow through the face to neighbour q: all phases follow
// the pressure; saturations move to higher x, y and z, and water and gas take
// the place of oil. `own`: by the unknowns of the cell, else by those beyond.
static void add_flow(double *block, int64_t n, const struct lcl_site *site,
                     int q, bool own)
{
    static const double speed[PHASES - 1] = {0.2, 0.3};
    const double step = 10 * transmissibility(n, site, q);
    const bool outwards = q > lcl_seven_point.center;
    const double sign = own ? 1 : -1;
    for (int phase = 0; phase < PHASES; ++phase)
        block[phase * PHASES] += sign * step * mobility[phase];
    if (outwards != own)
        return;
    for (int s = 0; s < PHASES - 1; ++s) {
        const int phase = s == 0 ? 0 : 2;
        block[phase * PHASES + 1 + s] += sign * speed[s];
        block[PHASES + 1 + s] -= sign * speed[s];
    }
}

static void blackoil_block(const void *user, const struct lcl_site *site, int q,
                           uint64_t *random, double *block)
{
    static const double accumulation[PHASES * PHASES] = {
        0.002, 1, 0, 0.004, -1, -0.8, 0.003, 0, 1};
    const int64_t n = *(const int64_t *)user;
    const bool center = q == lcl_seven_point.center;
    (void)random;
    memset(block, 0, sizeof accumulation);
    if (!center) {
        add_flow(block, n, site, q, false);
        return;
    }
    memcpy(block, accumulation, sizeof accumulation);
    for (int p = 0; p < lcl_seven_point.count; ++p)
        if (p != q && (site->present >> p & 1))
            add_flow(block, n, site, p, true);
}

enum lcl_status lcl_problem_blackoil(const struct lcl_problem_out *to,
                                     const char *name,
                                     const struct lcl_numbers *of,
                                     const struct lcl_log *log)
{
    const int64_t n = of->whole[0];
    const struct lcl_recipe how = {
        {{n, n, n}, PHASES}, &lcl_seven_point, blackoil_block, &n, 0};
    return lcl_problem_on_grid(to, name, &how, log);
}
