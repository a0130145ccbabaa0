// SPDX-License-Identifier: BSD-3-Clause
// Unsteady Stokes flow through a cube,
//     u_t - nu Laplace u + grad p = g,  div u = 0,
// with u given at the inlet x = 0 and on the walls y, z = 0 and 1, and no
// stress at the outlet x = 1: the equations of Ma et al. (2025). Velocity and
// pressure are linear on the tetrahedra of a Kuhn mesh of N x N x N nodes; the
// pressure is stabilised by its local projection on constants. Source: Bochev,
// Dohrmann, Gunzburger, "Stabilization of low-order mixed finite elements for
// the Stokes equations", SIAM J. Numer. Anal. 44 (2006).
#include "lib/io/problems/stokes.h"

#include "host/log.h"
#include "lib/io/problems/cube.h"
#include "lib/io/problems/grid.h"

#include <string.h>

enum { UNKNOWNS = LCL_STOKES_UNKNOWNS, PRESSURE = 3, VERTICES = 4 };

// nu, the kinematic viscosity.
static const double viscosity = 1;

// ---- one tetrahedron of the unit cube

// Vertex k is the corner that is reached from the origin along axis[0], ...,
// axis[k - 1].
struct tetrahedron {
    int corner[VERTICES];
    double gradient[VERTICES][3]; // of the linear function of each vertex
};

static struct tetrahedron cut(const int axis[3])
{
    struct tetrahedron T = {.corner = {0}};
    for (int k = 0; k < 3; ++k) {
        T.corner[k + 1] = T.corner[k] | 1 << axis[k];
        T.gradient[k][axis[k]] -= 1;
        T.gradient[k + 1][axis[k]] += 1;
    }
    return T;
}

// The integral of the product of two of these functions.
static double mass(int i, int j)
{
    return (i == j ? 2.0 : 1.0) / 120;
}

static void add_mass(double *block, const struct tetrahedron *T, int i, int j)
{
    (void)T;
    for (int d = 0; d < 3; ++d)
        block[d * UNKNOWNS + d] += mass(i, j);
}

// Viscosity, -(p, div v), (q, div u), and the stabilisation.
static void add_flow(double *block, const struct tetrahedron *T, int i, int j)
{
    const double *a = T->gradient[i], *b = T->gradient[j];
    const double stiffness = (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]) / 6;
    for (int d = 0; d < 3; ++d) {
        block[d * UNKNOWNS + d] += stiffness;
        block[d * UNKNOWNS + PRESSURE] -= a[d] / 24;
        block[PRESSURE * UNKNOWNS + d] += b[d] / 24;
    }
    block[PRESSURE * UNKNOWNS + PRESSURE] += mass(i, j) - 1.0 / 96;
}

// ---- the six of a cube

typedef void add_fn(double *block, const struct tetrahedron *T, int i, int j);

static void integrate(struct lcl_cube *E, add_fn *add, double scale)
{
    static const int axes[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                   {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    for (int t = 0; t < 6; ++t) {
        const struct tetrahedron T = cut(axes[t]);
        for (int i = 0; i < VERTICES; ++i)
            for (int j = 0; j < VERTICES; ++j)
                add(E->block[T.corner[i]][T.corner[j]], &T, i, j);
    }
    double *all = &E->block[0][0][0];
    for (size_t k = 0; k < sizeof E->block / sizeof *all; ++k)
        all[k] *= scale;
}

// ---- the mesh

static bool is_fixed(const struct lcl_cube *E, const int64_t node[3])
{
    return node[0] == 0 || node[1] == 0 || node[2] == 0 || node[1] == E->n ||
           node[2] == E->n;
}

// Of a given velocity only the diagonal remains.
static void flow_block(const void *user, const struct lcl_site *site, int q,
                       uint64_t *random, double *block)
{
    const struct lcl_cube *E = user;
    const signed char *offset = lcl_tetrahedra.offset[q];
    const int64_t *at = site->at;
    const int64_t other[3] = {at[0] + offset[0], at[1] + offset[1],
                              at[2] + offset[2]};
    const bool row = is_fixed(E, at), column = is_fixed(E, other);
    (void)random;
    memset(block, 0, UNKNOWNS * UNKNOWNS * sizeof *block);
    for (int a = 0; a < LCL_CORNERS; ++a)
        if (lcl_cube_exists(E, at, a))
            lcl_cube_add(block, E, a, offset);
    for (int r = 0; r < UNKNOWNS; ++r)
        for (int c = 0; c < UNKNOWNS; ++c)
            if (((row && r != PRESSURE) || (column && c != PRESSURE)) &&
                (q != lcl_tetrahedra.center || r != c))
                block[r * UNKNOWNS + c] = 0;
}

enum lcl_status lcl_problem_stokes(struct lcl_bsr *M, struct lcl_bsr *L,
                                   const char *name, int64_t n,
                                   const struct lcl_log *log)
{
    if (n < 3)
        return lcl_fail(log, LCL_EINVAL,
                        "problem '%s' has no velocities: expected N >= 3",
                        name);
    const double h = 1 / ((double)n - 1);
    struct lcl_cube of_mass = {n - 1, UNKNOWNS, {{{0}}}}, of_flow = of_mass;
    struct lcl_recipe how = {
        {{n, n, n}, UNKNOWNS}, &lcl_tetrahedra, flow_block, &of_mass, 0};
    integrate(&of_mass, add_mass, h * h * h);
    integrate(&of_flow, add_flow, viscosity * h);
    const enum lcl_status st = lcl_problem_blocks_on_grid(M, name, &how, log);
    how.user = &of_flow;
    return st < 0 ? st : lcl_problem_blocks_on_grid(L, name, &how, log);
}
