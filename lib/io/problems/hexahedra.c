// SPDX-License-Identifier: BSD-3-Clause
// Built-in problems by trilinear elements on N x N x N cubes of side 1.
#include "host/alloc.h"
#include "host/log.h"
#include "lib/io/problems/cube.h"
#include "lib/io/problems/grid.h"
#include "lib/io/problems/problem.h"

#include <math.h>
#include <string.h>

enum { CORNERS = LCL_CORNERS };

// Gradients of the shape functions at Gauss point g of a cube.
static void gradients(int g, double gradient[CORNERS][3])
{
    const double gauss = 0.5 / sqrt(3.0);
    for (int a = 0; a < CORNERS; ++a)
        for (int d = 0; d < 3; ++d) {
            gradient[a][d] = a >> d & 1 ? 1 : -1;
            for (int e = 0; e < 3; ++e) {
                const double x = g >> e & 1 ? 0.5 + gauss : 0.5 - gauss;
                gradient[a][d] *= e == d ? 1 : a >> e & 1 ? x : 1 - x;
            }
        }
}

static double dot(const double *x, const double *y)
{
    return x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
}

typedef void add_point_fn(double *block, const double *da, const double *dc);

// The Laplacian.
static void add_laplacian(double *block, const double *da, const double *dc)
{
    *block += dot(da, dc) / CORNERS;
}

// Isotropic elasticity, E = 1, Poisson's ratio 0.3.
static void add_elasticity(double *block, const double *da, const double *dc)
{
    const double nu = 0.3, mu = 0.5 / (1 + nu);
    const double lame = nu / ((1 + nu) * (1 - 2 * nu));
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            block[3 * i + j] += (lame * (da[i] * dc[j]) + mu * (da[j] * dc[i]) +
                                 (i == j ? mu * dot(da, dc) : 0)) /
                                CORNERS;
}

static void integrate(struct lcl_cube *E, add_point_fn *add)
{
    double gradient[CORNERS][3];
    memset(E->block, 0, sizeof E->block);
    for (int g = 0; g < CORNERS; ++g) {
        gradients(g, gradient);
        for (int a = 0; a < CORNERS; ++a)
            for (int c = 0; c < CORNERS; ++c)
                add(E->block[a][c], gradient[a], gradient[c]);
    }
}

// ---- q1: Laplacian, u = 0 on the boundary

static void q1_block(const void *user, const struct lcl_site *site, int q,
                     uint64_t *random, double *block)
{
    (void)site;
    (void)random;
    *block = 0;
    for (int a = 0; a < CORNERS; ++a)
        lcl_cube_add(block, user, a, lcl_hexahedra.offset[q]);
}

enum lcl_status lcl_problem_q1(const struct lcl_problem_out *to,
                               const char *name, const struct lcl_numbers *of,
                               const struct lcl_log *log)
{
    const int64_t n = of->whole[0] - 1;
    struct lcl_cube E = {of->whole[0], 1, {{{0}}}};
    const struct lcl_recipe how = {
        {{n, n, n}, 1}, &lcl_hexahedra, q1_block, &E, 0};
    if (n < 1)
        return lcl_fail(log, LCL_EINVAL,
                        "problem '%s' has no unknowns: expected N >= 2", name);
    integrate(&E, add_laplacian);
    return lcl_problem_on_grid(to, name, &how, log);
}

// ---- elasticity: a cube clamped at x = 0, nodes (x, y, z) with x >= 1

static void elasticity_block(const void *user, const struct lcl_site *site,
                             int q, uint64_t *random, double *block)
{
    const struct lcl_cube *E = user;
    const int64_t node[3] = {site->at[0] + 1, site->at[1], site->at[2]};
    (void)random;
    memset(block, 0, (size_t)(E->b * E->b) * sizeof *block);
    for (int a = 0; a < CORNERS; ++a)
        if (lcl_cube_exists(E, node, a))
            lcl_cube_add(block, E, a, lcl_hexahedra.offset[q]);
}

static struct lcl_grid elasticity_grid(int64_t n)
{
    const int64_t m = n < INT32_MAX ? n + 1 : INT32_MAX;
    return (struct lcl_grid){{n, m, m}, 3};
}

enum lcl_status lcl_problem_elasticity(const struct lcl_problem_out *to,
                                       const char *name,
                                       const struct lcl_numbers *of,
                                       const struct lcl_log *log)
{
    const int64_t n = of->whole[0];
    struct lcl_cube E = {n, 3, {{{0}}}};
    const struct lcl_recipe how = {elasticity_grid(n), &lcl_hexahedra,
                                   elasticity_block, &E, 0};
    integrate(&E, add_elasticity);
    return lcl_problem_on_grid(to, name, &how, log);
}

enum lcl_status lcl_problem_elasticity_nodes(struct lcl_dense *X,
                                             const char *name, int64_t n,
                                             const struct lcl_log *log)
{
    const struct lcl_grid g = elasticity_grid(n);
    const int64_t rows = lcl_grid_rows(&g);
    if (rows < 0)
        return lcl_problem_fail_range(name, log);
    X->rows = rows / g.b;
    X->cols = 3;
    X->val = lcl_malloc((size_t)rows, sizeof *X->val);
    if (!X->val)
        return lcl_fail_memory(log, "coordinates");
    for (int64_t i = 0; i < X->rows; ++i) {
        X->val[i] = (double)(i % n + 1);
        X->val[i + X->rows] = (double)(i / n % (n + 1));
        X->val[i + 2 * X->rows] = (double)(i / n / (n + 1));
    }
    return LCL_OK;
}
