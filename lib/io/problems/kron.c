// SPDX-License-Identifier: BSD-3-Clause
// The built-in problems in Kronecker form.
#include "host/alloc.h"
#include "host/log.h"
#include "lib/io/problems/grid.h"
#include "lib/io/problems/problem.h"
#include "lib/io/problems/radau.h"
#include "lib/io/problems/stokes.h"
#include "lib/io/problems/uniform.h"

#include <levelcl/kron.h>

#include <string.h>

enum { UNKNOWNS = 4, NUMBERS = 4 };

// Initial states of the random numbers of L, and of A and B.
#define SEED_L      UINT64_C(0x9e3779b97f4a7c15)
#define SEED_STAGES UINT64_C(0xc2b2ae3d27d4eb4f)

static bool is_too_large(int64_t stages, int64_t nx, int64_t ny, int64_t nz)
{
    return lcl_grid_rows(&(struct lcl_grid){{nx, ny, nz}, stages * UNKNOWNS}) <
           0;
}

// ---- kron: random values on a tetrahedral mesh, and between the stages

static void fill_uniform(double *values, int count, uint64_t *random)
{
    for (int k = 0; k < count; ++k)
        values[k] = lcl_uniform(random);
}

// The performance problem of Ma et al. (2025), Table 1, with s stages; the
// number of nodes differs by four in a thousand.
static enum lcl_status make_kron(struct lcl_kron_data *D, const char *name,
                                 const int64_t *number,
                                 const struct lcl_log *log)
{
    const int s = (int)number[0];
    const int64_t size[NUMBERS] = {number[1], number[2], number[3], UNKNOWNS};
    uint64_t random = SEED_STAGES;
    enum lcl_status st;
    if (is_too_large(s, size[0], size[1], size[2]))
        return lcl_problem_fail_range(name, log);
    fill_uniform(D->A, s * s, &random);
    fill_uniform(D->B, s * s, &random);
    D->K.tau = 0.125;
    st = lcl_problem_kuhn(&D->M, name, size, LCL_KUHN_SEED, log);
    return st < 0 ? st : lcl_problem_kuhn(&D->L, name, size, SEED_L, log);
}

// ---- radau: u_t = div(D grad u) + R u on a cube with u = 0 around it

// For each unknown: its diffusion coefficient, and the rate at which it turns
// into the next one, so that columns of R sum to 0.
static const double diffusion[UNKNOWNS] = {1, 0.5, 0.2, 0.1};
static const double rate[UNKNOWNS] = {1, 5, 20, 50};

struct diffuse {
    double h;
    bool is_mass;
};

// Mass h^3 (1/2, six times 1/12); stiffness h (6, six times -1) times D, minus
// the mass times R.
static void diffuse_block(const void *user, const struct lcl_site *site, int q,
                          uint64_t *random, double *block)
{
    const struct diffuse *how = user;
    const double h = how->h;
    const bool center = q == lcl_seven_point.center;
    const double mass = h * h * h * (center ? 1.0 / 2 : 1.0 / 12);
    (void)site;
    (void)random;
    memset(block, 0, UNKNOWNS * UNKNOWNS * sizeof *block);
    for (int u = 0; u < UNKNOWNS; ++u) {
        const int next = (u + 1) % UNKNOWNS;
        block[u * UNKNOWNS + u] =
            how->is_mass
                ? mass
                : h * (center ? 6 : -1) * diffusion[u] + mass * rate[u];
        if (!how->is_mass)
            block[next * UNKNOWNS + u] = -mass * rate[u];
    }
}

// A and B of the stages K_i of a Radau IIA method,
//   M K_i + tau sum_j b_ij L K_j = -L u.
static void set_stages(struct lcl_kron_data *D, int s, double tau)
{
    double c[LCL_RADAU_MAX];
    lcl_radau(s, c, D->B);
    for (int i = 0; i < s; ++i)
        D->A[i * s + i] = 1;
    D->K.tau = tau;
}

// With this step GMRES(30) takes about 160 iterations to 1e-8 on 32^3 nodes.
static enum lcl_status make_radau(struct lcl_kron_data *D, const char *name,
                                  const int64_t *number,
                                  const struct lcl_log *log)
{
    const int s = (int)number[0];
    const int64_t n = number[1];
    struct diffuse mass = {1 / ((double)n + 1), true};
    struct diffuse stiffness = {mass.h, false};
    struct lcl_recipe how = {
        {{n, n, n}, UNKNOWNS}, &lcl_seven_point, diffuse_block, &mass, 0};
    if (is_too_large(s, n, n, n))
        return lcl_problem_fail_range(name, log);
    set_stages(D, s, 0.01);
    const enum lcl_status st =
        lcl_problem_blocks_on_grid(&D->M, name, &how, log);
    how.user = &stiffness;
    return st < 0 ? st : lcl_problem_blocks_on_grid(&D->L, name, &how, log);
}

// ---- stokes: unsteady flow, stokes.c, with the step of Ma et al. (2025),
// Table 1

static enum lcl_status make_stokes(struct lcl_kron_data *D, const char *name,
                                   const int64_t *number,
                                   const struct lcl_log *log)
{
    const int s = (int)number[0];
    const int64_t n = number[1];
    if (is_too_large(s, n, n, n))
        return lcl_problem_fail_range(name, log);
    set_stages(D, s, 0.125);
    return lcl_problem_stokes(&D->M, &D->L, name, n, log);
}

// ---- names

// Formats as in problem.h; the first number is the number of stages.
static const struct {
    const char *format;
    int64_t stages_max;
    int64_t missing[NUMBERS]; // values of numbers missing from the name
    enum lcl_status (*make)(struct lcl_kron_data *D, const char *name,
                            const int64_t *number, const struct lcl_log *log);
} problems[] = {
    {"kron:#", LCL_KRON_STAGES_MAX, {1, 53, 53, 54}, make_kron},
    {"kron:#,#,#,#", LCL_KRON_STAGES_MAX, {1, 1, 1, 1}, make_kron},
    {"radau:#,#", LCL_RADAU_MAX, {1, 1, 1, 1}, make_radau},
    {"stokes:#,#", LCL_RADAU_MAX, {1, 1, 1, 1}, make_stokes},
};

static enum lcl_status make_named(struct lcl_kron_data *D, char *name,
                                  const struct lcl_log *log)
{
    for (size_t i = 0; i < sizeof problems / sizeof *problems; ++i) {
        struct lcl_numbers of = {.real = 0};
        memcpy(of.whole, problems[i].missing, sizeof of.whole);
        if (!lcl_problem_match(problems[i].format, name, &of) ||
            of.whole[0] > problems[i].stages_max)
            continue;
        D->K = (struct lcl_kron){(int)of.whole[0], D->A, D->B, 0, &D->M, &D->L};
        return problems[i].make(D, name, of.whole, log);
    }
    return lcl_fail(log, LCL_EINVAL,
                    "unknown problem '%s': expected kron:S or kron:S,NX,NY,NZ "
                    "with at most %d stages S, or radau:S,N or stokes:S,N "
                    "with at most %d; numbers >= 1",
                    name, LCL_KRON_STAGES_MAX, (int)LCL_RADAU_MAX);
}

enum lcl_status lcl_kron_problem(struct lcl_kron_data *out, const char *name,
                                 const struct lcl_log *log)
{
    if (!out || !name)
        return lcl_misuse(log, "lcl_kron_problem: an argument is NULL");
    memset(out, 0, sizeof *out);
    char *copy = lcl_strdup(name);
    if (!copy)
        return lcl_fail_memory(log, "the name of a problem");
    const enum lcl_status st = make_named(out, copy, log);
    if (st < 0)
        lcl_kron_data_finish(out);
    lcl_free(copy);
    return st;
}

void lcl_kron_data_finish(struct lcl_kron_data *D)
{
    if (!D)
        return;
    lcl_bsr_finish(&D->M);
    lcl_bsr_finish(&D->L);
    memset(D, 0, sizeof *D);
}
