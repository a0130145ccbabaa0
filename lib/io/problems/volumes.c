// SPDX-License-Identifier: BSD-3-Clause
// Built-in problems by finite volumes on N x N x N cells, u = 0 on the boundary
// of the cube unless said otherwise.
#include "lib/io/problems/grid.h"
#include "lib/io/problems/problem.h"

#include <math.h>

// Blocks of b rows.
static enum lcl_status make_blocks(const struct lcl_problem_out *to,
                                   const char *name,
                                   const struct lcl_numbers *of, int64_t b,
                                   lcl_block_fn *block,
                                   const struct lcl_log *log)
{
    const int64_t n = of->whole[0];
    const struct lcl_recipe how = {
        {{n, n, n}, b}, &lcl_seven_point, block, of, 0};
    return lcl_problem_on_grid(to, name, &how, log);
}

static enum lcl_status make(const struct lcl_problem_out *to, const char *name,
                            const struct lcl_numbers *of, lcl_block_fn *block,
                            const struct lcl_log *log)
{
    return make_blocks(to, name, of, 1, block, log);
}

// Along which axis neighbour q lies.
static int axis_of(int q)
{
    const signed char *offset = lcl_seven_point.offset[q];
    return offset[0] != 0 ? 0 : offset[1] != 0 ? 1 : 2;
}

// ---- aniso: -(u_xx + EPS u_yy + EPS u_zz)

static void aniso_block(const void *user, const struct lcl_site *site, int q,
                        uint64_t *random, double *block)
{
    const struct lcl_numbers *of = user;
    (void)site;
    (void)random;
    *block = q == lcl_seven_point.center ? 2 + 4 * of->real
             : axis_of(q) == 0           ? -1
                                         : -of->real;
}

enum lcl_status lcl_problem_aniso(const struct lcl_problem_out *to,
                                  const char *name,
                                  const struct lcl_numbers *of,
                                  const struct lcl_log *log)
{
    return make(to, name, of, aniso_block, log);
}

// ---- jump: -div(k grad u), k = 1 and CONTRAST in turn in cubes of 8^3 cells

enum { CUBE = 8 };

static double coefficient(double contrast, const int64_t at[3])
{
    const int64_t cubes = at[0] / CUBE + at[1] / CUBE + at[2] / CUBE;
    return cubes % 2 != 0 ? contrast : 1;
}

// Harmonic mean of the coefficients on both sides of the face to neighbour q;
// on the boundary, the coefficient of the cell.
static double through_face(const void *user, const struct lcl_site *site, int q)
{
    const struct lcl_numbers *of = user;
    const double here = coefficient(of->real, site->at);
    int64_t beyond[3];
    if (!(site->present >> q & 1))
        return here;
    for (int d = 0; d < 3; ++d)
        beyond[d] = site->at[d] + lcl_seven_point.offset[q][d];
    const double there = coefficient(of->real, beyond);
    return here == there ? here : 2 / (1 / here + 1 / there);
}

static void jump_block(const void *user, const struct lcl_site *site, int q,
                       uint64_t *random, double *block)
{
    double sum = 0;
    (void)random;
    if (q == lcl_seven_point.center)
        for (int p = 0; p < lcl_seven_point.count; ++p)
            sum += p == q ? 0 : through_face(user, site, p);
    *block = q == lcl_seven_point.center ? sum : -through_face(user, site, q);
}

enum lcl_status lcl_problem_jump(const struct lcl_problem_out *to,
                                 const char *name, const struct lcl_numbers *of,
                                 const struct lcl_log *log)
{
    return make(to, name, of, jump_block, log);
}

// ---- convdiff:N,PE: -Laplace u + div(v u), v recirculating, upwind

// Component `axis` of v at a point of [-1, 1]^3; at most 1.5.
static double velocity(const double x[3], int axis)
{
    const double more = 1 - 0.5 * x[2];
    return axis == 0   ? x[1] * (1 - x[0] * x[0]) * more
           : axis == 1 ? -x[0] * (1 - x[1] * x[1]) * more
                       : 0.5 * x[0] * x[1] * (1 - x[2] * x[2]);
}

// h v through the face to neighbour q, outwards.
static double flow(const void *user, const struct lcl_site *site, int q)
{
    const struct lcl_numbers *of = user;
    const signed char *offset = lcl_seven_point.offset[q];
    const double n = (double)of->whole[0];
    const int axis = axis_of(q);
    double x[3];
    for (int d = 0; d < 3; ++d)
        x[d] = (2 * (double)site->at[d] + 1 + offset[d]) / n - 1;
    return of->real * offset[axis] * velocity(x, axis);
}

static void recirculating_block(const void *user, const struct lcl_site *site,
                                int q, uint64_t *random, double *block)
{
    double sum = 0;
    (void)random;
    if (q == lcl_seven_point.center)
        for (int p = 0; p < lcl_seven_point.count; ++p)
            sum += p == q ? 0 : 1 + fmax(flow(user, site, p), 0);
    *block =
        q == lcl_seven_point.center ? sum : -1 + fmin(flow(user, site, q), 0);
}

enum lcl_status lcl_problem_recirculating(const struct lcl_problem_out *to,
                                          const char *name,
                                          const struct lcl_numbers *of,
                                          const struct lcl_log *log)
{
    return make(to, name, of, recirculating_block, log);
}

// ---- helmholtz: -Laplace u - K^2 u, du/dn = i K u on the boundary

// The real form of (faces inside - (K h)^2) - i K h (faces on the boundary) on
// the diagonal, and of -1.
static void helmholtz_block(const void *user, const struct lcl_site *site,
                            int q, uint64_t *random, double *block)
{
    const struct lcl_numbers *of = user;
    const double kh = of->real / (double)of->whole[0];
    double re = -1, im = 0;
    (void)random;
    if (q == lcl_seven_point.center) {
        int inside = -1;
        for (unsigned rest = site->present; rest; rest &= rest - 1)
            ++inside;
        re = inside - kh * kh;
        im = -kh * (lcl_seven_point.count - 1 - inside);
    }
    block[0] = block[3] = re;
    block[1] = 0 - im;
    block[2] = im;
}

enum lcl_status lcl_problem_helmholtz(const struct lcl_problem_out *to,
                                      const char *name,
                                      const struct lcl_numbers *of,
                                      const struct lcl_log *log)
{
    return make_blocks(to, name, of, 2, helmholtz_block, log);
}
