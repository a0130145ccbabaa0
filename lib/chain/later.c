// SPDX-License-Identifier: BSD-3-Clause
// The methods of a chain after the first one.
#include "lib/chain/later.h"

#include "host/runtime.h"
#include "lib/factor/direct.h"
#include "lib/multilevel/hierarchy.h"
#include "lib/trisolve/hec_level.h"

#include <math.h>

// Entries that ILUT keeps of each row of L and of U, first and last.
enum { THIN = 20, THICK = 200 };

// Many lanes invert so many rows in the time of some thousand iterations.
enum { DENSE_ROWS = 8192 };

static bool is_after_ic0(const struct lcl_setting *s)
{
    return s->precond == LCL_PRECOND_IC0;
}

static bool is_not_after_ic0(const struct lcl_setting *s)
{
    return !is_after_ic0(s);
}

static bool is_after_minres(const struct lcl_setting *s)
{
    return s->solver == LCL_SOLVER_MINRES;
}

static bool is_not_after_minres(const struct lcl_setting *s)
{
    return !is_after_minres(s);
}

static bool lacks_diagonals(const struct lcl_setting *s)
{
    const struct lcl_traits traits = lcl_traits_of(s->A);
    return lcl_lacks_diagonals(&traits);
}

static bool has_diagonals_after_minres(const struct lcl_setting *s)
{
    return is_after_minres(s) && !lacks_diagonals(s);
}

static bool is_serial(const struct lcl_setting *s)
{
    return lcl_traits_of(s->A).serial;
}

// Fill replaces missing diagonal entries if no partition cuts it: tuma1 takes
// 77 iterations of BiCGSTAB, ILU(2) 169, a transversal and ILDU(0) break down.
// Many lanes wait in the levels.
static bool fill_replaces_diagonals(const struct lcl_setting *s)
{
    return is_after_minres(s) && lacks_diagonals(s) && is_serial(s);
}

static bool transversal_replaces_diagonals(const struct lcl_setting *s)
{
    return is_after_minres(s) && lacks_diagonals(s) && !is_serial(s);
}

// Multigrid of one level.
static bool inverse_pays(const struct lcl_setting *s)
{
    const struct lcl_traits T = lcl_traits_of(s->A);
    const bool tried = s->precond == LCL_PRECOND_AMG && T.n <= LCL_COARSE_ROWS;
    return !s->asked && !T.serial && !T.distributed && !tried &&
           T.n <= DENSE_ROWS;
}

// Factors without fill are of no use after fill.
static bool is_without_fill(const struct lcl_setting *s)
{
    const enum lcl_precond_type first = s->precond;
    return first != LCL_PRECOND_ILUK && first != LCL_PRECOND_ILUT;
}

// Whether factors of the whole matrix with so many entries per row fit half of
// the device's memory; blocks have none.
static bool whole_fits(const lcl_operator *A, double row_entries)
{
    const struct lcl_caps *caps = lcl_context_caps(A->range.ctx);
    const double n = (double)A->range.n;
    return A->info.block_size == 1 &&
           n * fmin(row_entries, n) * LCL_LEVEL_ENTRY_BYTES <=
               0.5 * (double)caps->global_bytes;
}

static bool whole_fits_without_fill(const struct lcl_setting *s)
{
    const lcl_operator *A = s->A;
    return whole_fits(A, (double)A->info.nnz / (double)A->range.n);
}

static bool ilut_fits(const struct lcl_setting *s, int ilut_p)
{
    return whole_fits(s->A, 2 * ilut_p + 1);
}

// Many lanes wait in the levels of the whole matrix far longer than a few more
// iterations take; there it is the last resort, with the most fill. On a CPU
// it comes, with the rows in order, before IDR with factors without fill, which
// takes thousands of iterations where it converges at all (ACTIVSg10k_jac 3,019
// instead of 29, tuma1 4,717 without success).
static bool thin_is_whole(const struct lcl_setting *s)
{
    const bool serial = lcl_context_caps(s->A->range.ctx)->width == 1;
    return serial && ilut_fits(s, THIN);
}

static bool thin_is_of_subdomains(const struct lcl_setting *s)
{
    return !thin_is_whole(s);
}

// A set-up refuses what the limit of the chain forbids.
static bool direct_is_there(const struct lcl_setting *s)
{
    return lcl_direct_there() && !s->A->team && !s->A->range.comm;
}

// Within a budget of what the methods before took, which is looser later, it
// takes less than they do on a CPU: 0.1 s for dw4096 and viscoplastic1, where
// IDR with ILUT or ILDU(0) takes 0.5 to 3 s in vain.
static bool direct_is_soon(const struct lcl_setting *s)
{
    return thin_is_whole(s) && direct_is_there(s);
}

static bool thick_is_whole(const struct lcl_setting *s)
{
    return ilut_fits(s, THICK);
}

static bool thick_is_of_subdomains(const struct lcl_setting *s)
{
    return !thick_is_whole(s);
}

#define WHOLE   LCL_WHOLE
#define FP64    .storage = LCL_FACTOR_STORAGE_FP64
#define SHIFTED FP64, .pivot = LCL_PIVOT_SHIFT
#define OVERLAP SHIFTED, .overlap = 1
#define ORDERED .order = LCL_ORDER_RCM
// With the large entries on the diagonal.
#define FILLED(p, tol)                                                         \
 .type = LCL_PRECOND_ILUT, .ilut_p = (p), .ilut_tol = (tol), FP64,             \
 .transversal = true

// Fields as in struct lcl_later.
// clang-format off
const struct lcl_later lcl_later[] = {
    {LCL_SHAPE_DEFINITE, is_after_ic0, "after ic0",
     LCL_SOLVER_CG, {.type = LCL_PRECOND_AMG}, LCL_DROPPED_ANY, ""},
    {LCL_SHAPE_DEFINITE, is_not_after_ic0, "after others",
     LCL_SOLVER_CG, {.type = LCL_PRECOND_IC0}, LCL_DROPPED_ANY, ""},
    {LCL_SHAPE_DEFINITE, NULL, "",
     LCL_SOLVER_CG, {.type = LCL_PRECOND_AS, OVERLAP}, LCL_DROPPED_MUCH,
     "overlap 1, fp64 factors, shifted pivots"},
    {LCL_SHAPE_DEFINITE, whole_fits_without_fill, "if its factors fit",
     LCL_SOLVER_CG, {.type = LCL_PRECOND_IC0, FP64, WHOLE, ORDERED},
     LCL_DROPPED_ANY, "of the whole matrix"},
    {LCL_SHAPE_SYMMETRIC, is_not_after_minres, "not after minres",
     LCL_SOLVER_MINRES, {.type = LCL_PRECOND_JACOBI}, LCL_DROPPED_ANY, ""},
    {LCL_SHAPE_SYMMETRIC, has_diagonals_after_minres, "after minres",
     LCL_SOLVER_BICGSTAB, {.type = LCL_PRECOND_ILDU0}, LCL_DROPPED_ANY, ""},
    {LCL_SHAPE_SYMMETRIC, fill_replaces_diagonals,
     "after minres, if diagonal entries are missing, on a CPU",
     LCL_SOLVER_BICGSTAB, {.type = LCL_PRECOND_ILUK, .ilu_level = 3, WHOLE},
     LCL_DROPPED_ANY, "level 3, of the whole matrix"},
    {LCL_SHAPE_SYMMETRIC, transversal_replaces_diagonals,
     "after minres, if diagonal entries are missing, otherwise",
     LCL_SOLVER_BICGSTAB, {.type = LCL_PRECOND_ILDU0, .transversal = true},
     LCL_DROPPED_ANY, ""},
    {LCL_SHAPE_ANY, inverse_pays,
     "up to 8192 rows, on one device, not a CPU", LCL_SOLVER_GMRES,
     {.type = LCL_PRECOND_AMG, .amg = {.coarse_rows = DENSE_ROWS}},
     LCL_DROPPED_ANY, "dense inverse"},
    {LCL_SHAPE_ANY, direct_is_soon,
     "on a CPU, if its factors fit and SuiteSparse is there",
     LCL_SOLVER_GMRES, {.type = LCL_PRECOND_LU}, LCL_DROPPED_ANY, ""},
    {LCL_SHAPE_ANY, thin_is_whole, "on a CPU, if its factors fit",
     LCL_SOLVER_IDR, {FILLED(THIN, 1e-4), WHOLE, ORDERED}, LCL_DROPPED_ANY,
     "p 20, tol 1e-4"},
    {LCL_SHAPE_ANY, is_without_fill, "not after iluk and ilut",
     LCL_SOLVER_IDR, {.type = LCL_PRECOND_RAS, OVERLAP}, LCL_DROPPED_MUCH,
     "overlap 1, fp64 factors, shifted pivots"},
    {LCL_SHAPE_ANY, is_without_fill, "not after iluk and ilut",
     LCL_SOLVER_IDR, {.type = LCL_PRECOND_ILDU0, SHIFTED}, LCL_DROPPED_LITTLE,
     "fp64 factors, shifted pivots"},
    {LCL_SHAPE_ANY, thin_is_of_subdomains, "otherwise",
     LCL_SOLVER_IDR, {FILLED(THIN, 1e-4)}, LCL_DROPPED_ANY,
     "p 20, tol 1e-4, of subdomains"},
    {LCL_SHAPE_ANY, direct_is_there,
     "on one device, unless tried, if its factors fit and SuiteSparse is there",
     LCL_SOLVER_GMRES, {.type = LCL_PRECOND_LU}, LCL_DROPPED_ANY, ""},
    {LCL_SHAPE_ANY, thick_is_whole, "if its factors fit",
     LCL_SOLVER_GMRES, {FILLED(THICK, 1e-6), WHOLE, ORDERED}, LCL_DROPPED_ANY,
     "p 200, tol 1e-6"},
    {LCL_SHAPE_ANY, thick_is_of_subdomains, "otherwise",
     LCL_SOLVER_GMRES, {FILLED(THICK, 1e-6)}, LCL_DROPPED_ANY,
     "p 200, tol 1e-6, of subdomains"},
    {LCL_SHAPE_ANY, NULL, "",
     LCL_SOLVER_GMRES, {.type = LCL_PRECOND_NONE}, LCL_DROPPED_ANY, ""},
    {LCL_SHAPE_FREE, NULL, "",
     LCL_SOLVER_IDR, {.type = LCL_PRECOND_DEFAULT}, LCL_DROPPED_ANY, ""},
    {LCL_SHAPE_FREE, NULL, "",
     LCL_SOLVER_GMRES, {.type = LCL_PRECOND_DEFAULT}, LCL_DROPPED_ANY, ""},
};
// clang-format on
#undef WHOLE
#undef FP64
#undef SHIFTED
#undef OVERLAP
#undef ORDERED
#undef FILLED

const int lcl_later_count = sizeof lcl_later / sizeof *lcl_later;
