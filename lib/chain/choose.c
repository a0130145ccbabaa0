// SPDX-License-Identifier: BSD-3-Clause
// The method that a matrix suggests.
#include "lib/chain/choose.h"

#include "lib/chain/pressure.h"
#include "lib/multilevel/hierarchy.h"

// From so many rows on, multigrid is faster than IC(0), set-up included, if so
// much of the weight of the couplings has the sign that a discretised elliptic
// operator has. On a CPU of two cores both take the same time for 40,000 to
// 110,000 rows of a grid in three dimensions, and multigrid is faster for
// 12,000 of one in two dimensions, which rows with few couplings tell, or rows
// as long as those of a grid in three dimensions if their lengths differ as in
// a triangulation. Several devices wait for each other on every level of small
// systems, too. Where more rows are far from dominated than boundaries and
// corners explain, rows of different scale keep constants, which multigrid
// prolongs, from being smooth. Near-null vectors tell what is.
enum { ELLIPTIC_ROWS = 4096, ELLIPTIC_ROWS_SLOW = 32768, PLANAR_ROW = 5 };
#define TRIANGLES_ROW      6.5
#define TRIANGLES_VARIANCE 0.5
#define ELLIPTIC_WEIGHT    0.9
#define ELLIPTIC_LOOSE     0.1

// On a device of many lanes, what a small system takes is the number of steps
// that wait for each other. For so few rows a dense inverse has the fewest:
// multigrid of one level.
enum { TINY_ROWS = LCL_COARSE_ROWS };

// Up to so many rows, rows with so many couplings have so many levels that an
// application of factors takes as long as the two to five iterations that it
// saves, and their set-up as long as a solve.
enum { LATENT_ROWS = 32768, LONG_ROW = 10 };

// Blocks of 32 rows take 1,631 instead of 3,006 iterations of CG for bcsstk17,
// 1,207 instead of 1,889 for bcsstk18, 1,820 for bcsstk24 where jacobi fails,
// and a fifth less for bcsstk16, bcsstk27 and nasa2910; an iteration takes as
// long.
static const struct lcl_precond_params blocks = {
    .block_jacobi = {.max_rows = 32}};

// From this ratio on, of the mean row length as seen from an entry to that as
// seen from a row, few rows have most of the fill: r (r - 1) entries of a row
// with r couplings that is eliminated early. ILDU(0) drops them all and ILU(k)
// keeps them all; ILUT keeps the largest ones of each row.
enum { UNEVEN = 4 };
static const struct lcl_precond_params uneven = {.ilut_p = 20,
                                                 .ilut_tol = 1e-4};

// On a CPU the factors are of large subdomains, whose rows are ordered first:
// reverse Cuthill-McKee, with it and without, in iterations of BiCGSTAB or
// GMRES(100), the entries of ILUT(20..30, 1e-4) beside them:
//     ACTIVSg10k_jac 17 (317,000) and 35 (435,000), memplus 23 (77,000) and 26
//     (206,000), west0989 4 (7,000) and 40 (25,000), tuma1 132 and stagnation,
//     sherman5 8, without fill and order 28
// Nested dissection has fewer entries and levels, and more iterations (27, 24,
// 8 and a breakdown). Factors without fill keep the order of the matrix, which
// is often that of a grid: IC(0) takes 123 iterations instead of 71 for bodyy5,
// 26 instead of 24 for bcsstk27, though 468 instead of 2,103 for bcsstk24.
static const struct lcl_precond_params uneven_serial = {
    .ilut_p = 20, .ilut_tol = 1e-4, .order = LCL_ORDER_RCM};

// On a CPU, if the couplings of this share of the rows add up to more than 1.5
// of the diagonal entry, and this much of the weight of all couplings has the
// sign opposite to the diagonal. ILDU(0) breaks down for ACTIVSg10k_jac (0.12,
// 0.84) and takes 28 iterations instead of 7 for sherman5 (0.34, 0.82). With
// less weight fill does not pay off, utm5940 (0.63) and raefsky1 (0.59), or
// factors are unstable, viscoplastic1 (0.50).
#define FAR_SHARE  0.1
#define FAR_WEIGHT 0.8

// After a transversal.
static const struct lcl_precond_params far_serial = {.ilut_p = 20,
                                                     .ilut_tol = 1e-4,
                                                     .transversal = true,
                                                     .order = LCL_ORDER_RCM};
static const struct lcl_precond_params permuted_serial = {.ilut_p = 50,
                                                          .ilut_tol = 1e-5,
                                                          .transversal = true,
                                                          .order =
                                                              LCL_ORDER_RCM};
static const struct lcl_precond_params permuted = {
    .ilut_p = 20, .ilut_tol = 1e-4, .transversal = true};

// On a CPU, with rows in the order of the matrix and no partition that cuts the
// fill. Level 3 takes 49 iterations of BiCGSTAB for e30r4000 where level 1 of
// subdomains takes 443, 23 instead of 24 for fidap036; 77 for tuma1, where
// MINRES fails after 1,463, and 130 instead of 1,469 for Stokes flow on 60 x 60
// staggered cells. For more rows nothing bounds what a first set-up takes.
enum { FILLED_ROWS = 65536 };
static const struct lcl_precond_params filled_serial = {.ilu_level = 3,
                                                        LCL_WHOLE};

// From so many cells on, the iterations that CPR saves repay its set-up.
enum { CPR_CELLS = 4096, CPR_CELLS_SERIAL = 16384 };

bool lcl_wants_subdomains(const struct lcl_precond_params *p)
{
    return p->trisolve || p->partition.type || p->partition.weights ||
           p->partition.rows > 0 || p->pivot || p->pivot_tol > 0 ||
           p->relax > 0 || (int)p->coarse > 0 || p->storage || p->transversal ||
           p->order > LCL_ORDER_NONE;
}

static bool is_planar(const struct lcl_properties *look, double n)
{
    const double mean = look->couplings / n;
    return mean < PLANAR_ROW ||
           (mean < TRIANGLES_ROW &&
            look->squares / n - mean * mean >= TRIANGLES_VARIANCE);
}

static bool is_elliptic(const struct lcl_traits *T)
{
    const bool planar = is_planar(T->look, (double)T->n);
    const bool slow = T->distributed || (T->serial && !planar);
    const int64_t rows = slow ? ELLIPTIC_ROWS_SLOW : ELLIPTIC_ROWS;
    const bool constants =
        T->look->opposite >= ELLIPTIC_WEIGHT &&
        (double)T->look->loose <= ELLIPTIC_LOOSE * (double)T->n;
    return !T->reproducible && T->n >= rows && (T->modes || constants);
}

// Then D^-1 A has its eigenvalues within 1 -+ PROPERTIES_CLOSE: some tens of
// iterations, which no set-up of factors repays.
static bool is_dominated(const struct lcl_traits *T)
{
    return T->look->close == 0;
}

// The same if the rows that are not dominated are few, and few of them far from
// it. Of a symmetric matrix they may be an elliptic problem among fixed values,
// for which CG has better than the diagonal; so has BiCGSTAB on a CPU, where
// factors cost little, if couplings have the sign of such a problem. On many
// lanes factors cost a hundred iterations.
static bool is_mostly_dominated(const struct lcl_traits *T)
{
    const struct lcl_properties *look = T->look;
    return !look->symmetric && look->close <= T->n / (T->serial ? 10 : 2) &&
           look->loose <= T->n / 100 &&
           !(T->serial && look->opposite >= ELLIPTIC_WEIGHT);
}

bool lcl_lacks_diagonals(const struct lcl_traits *T)
{
    return T->block_size == 1 && T->look->positive + T->look->negative < T->n;
}

static bool is_for_any_solver(const struct lcl_traits *T)
{
    return T->solver == LCL_SOLVER_DEFAULT;
}

static bool lacks_most_diagonals(const struct lcl_traits *T)
{
    return lcl_lacks_diagonals(T) &&
           T->look->positive + T->look->negative < T->n / 2;
}

// Many lanes have small subdomains, whose fill replaces few missing diagonals,
// and no fill replaces most of them: there large entries are permuted to the
// diagonal first.
static bool wants_transversal(const struct lcl_traits *T)
{
    return !T->serial && !T->distributed && !T->look->symmetric &&
           lcl_lacks_diagonals(T);
}

static bool wants_serial_transversal(const struct lcl_traits *T)
{
    return T->serial && !T->distributed && !T->look->symmetric &&
           lacks_most_diagonals(T);
}

static bool fill_replaces_diagonals(const struct lcl_traits *T)
{
    return T->serial && T->n <= FILLED_ROWS && lcl_lacks_diagonals(T);
}

static bool lacks_diagonals_for_any_solver(const struct lcl_traits *T)
{
    return is_for_any_solver(T) && fill_replaces_diagonals(T);
}

static bool is_latent(const struct lcl_traits *T, int64_t rows)
{
    return !T->serial && !T->distributed && T->n <= rows &&
           !lcl_lacks_diagonals(T);
}

static bool is_tiny(const struct lcl_traits *T)
{
    return is_latent(T, TINY_ROWS);
}

static bool has_many_levels(const struct lcl_traits *T)
{
    return is_latent(T, LATENT_ROWS) && T->block_size == 1 &&
           T->look->couplings >= LONG_ROW * (double)T->n;
}

static bool is_uneven(const struct lcl_traits *T)
{
    const struct lcl_properties *look = T->look;
    return T->block_size == 1 &&
           look->squares * (double)T->n >=
               UNEVEN * look->couplings * look->couplings &&
           look->couplings > 0;
}

static bool is_uneven_serial(const struct lcl_traits *T)
{
    return T->serial && is_uneven(T);
}

static bool is_far_from_dominated(const struct lcl_traits *T)
{
    return T->serial && T->block_size == 1 && !T->look->symmetric &&
           (double)T->look->loose >= FAR_SHARE * (double)T->n &&
           T->look->opposite >= FAR_WEIGHT;
}

bool lcl_seeks_pressure(const struct lcl_traits *T,
                        const struct lcl_precond_params *precond,
                        enum lcl_solver_type solver)
{
    const int64_t least = T->serial ? CPR_CELLS_SERIAL : CPR_CELLS;
    const struct lcl_solver_facts *facts = lcl_solver_facts(solver);
    return !precond->type && !lcl_wants_subdomains(precond) &&
           !facts->no_precond && !facts->definite_precond && !T->distributed &&
           !T->look->symmetric && T->block_size > 1 &&
           T->block_size <= LCL_PRESSURE_BLOCK && T->n >= least * T->block_size;
}

// Whether M of this type is symmetric and definite if A is.
static bool suits_cg(enum lcl_precond_type type)
{
    return type == LCL_PRECOND_NONE || type == LCL_PRECOND_JACOBI ||
           type == LCL_PRECOND_BLOCK_JACOBI || type == LCL_PRECOND_IC0 ||
           type == LCL_PRECOND_AS || type == LCL_PRECOND_AMG;
}

// As suits_cg() if A is only symmetric.
static bool suits_minres(enum lcl_precond_type type)
{
    return type == LCL_PRECOND_NONE || type == LCL_PRECOND_JACOBI;
}

static bool is_definite(const struct lcl_traits *T)
{
    return lcl_properties_is_definite(T->look, T->n);
}

static bool has_smooth_modes(const struct lcl_traits *T)
{
    return T->modes && is_elliptic(T);
}

static bool has_pressure(const struct lcl_traits *T)
{
    return T->pressure >= 0;
}

static bool is_for_cg(const struct lcl_traits *T)
{
    const struct lcl_solver_facts *facts = lcl_solver_facts(T->solver);
    const bool cg = facts->definite && !facts->no_precond;
    return !T->transversal && (is_for_any_solver(T) || cg);
}

static bool is_for_published(const struct lcl_traits *T)
{
    return lcl_solver_facts(T->solver)->no_precond;
}

static bool is_for_minres(const struct lcl_traits *T)
{
    return lcl_solver_facts(T->solver)->definite_precond;
}

static bool has_subdomains(const struct lcl_traits *T)
{
    return T->subdomains;
}

static bool has_subdomains_for_minres(const struct lcl_traits *T)
{
    return T->subdomains && is_for_minres(T);
}

static bool has_subdomains_for_cg(const struct lcl_traits *T)
{
    return T->subdomains && is_for_cg(T);
}

// M of the first five follows from the caller's solver and parameters. For
// MINRES |D| is definite for any A, IC(0) if the diagonal has one sign.
// clang-format off
const struct lcl_rule lcl_rules[] = {
    {LCL_SHAPE_ANY, is_for_published, LCL_PRECOND_NONE,
     "the solver is cg_published", NULL},
    {LCL_SHAPE_ANY, has_subdomains_for_minres, LCL_PRECOND_IC0,
     "the solver is minres, and parameters of subdomains are given", NULL},
    {LCL_SHAPE_ANY, is_for_minres, LCL_PRECOND_JACOBI,
     "the solver is minres", NULL},
    {LCL_SHAPE_DEFINITE, has_subdomains_for_cg, LCL_PRECOND_IC0,
     "parameters of subdomains are given, and the solver may be cg", NULL},
    {LCL_SHAPE_ANY, has_subdomains, LCL_PRECOND_ILDU0,
     "parameters of subdomains are given", NULL},
    {LCL_SHAPE_INDEFINITE, lacks_diagonals_for_any_solver, LCL_PRECOND_ILUK,
     "the matrix is symmetric and lacks diagonal entries, which fill of the "
     "whole matrix replaces", &filled_serial},
    {LCL_SHAPE_INDEFINITE, is_for_any_solver, LCL_PRECOND_JACOBI,
     "the matrix is symmetric, but its diagonal has both signs or zeros", NULL},
    {LCL_SHAPE_DEFINITE, is_dominated, LCL_PRECOND_JACOBI,
     "the matrix is symmetric and its diagonal dominates every row", NULL},
    {LCL_SHAPE_DEFINITE, is_tiny, LCL_PRECOND_AMG,
     "the matrix is symmetric, its diagonal has one sign and its inverse is "
     "small", NULL},
    {LCL_SHAPE_DEFINITE, has_smooth_modes, LCL_PRECOND_AMG,
     "the matrix is symmetric, its diagonal has one sign and near-null vectors "
     "are given", NULL},
    {LCL_SHAPE_DEFINITE, is_elliptic, LCL_PRECOND_AMG,
     "the matrix is symmetric, its diagonal has one sign and its couplings "
     "have the other", NULL},
    {LCL_SHAPE_DEFINITE, has_many_levels, LCL_PRECOND_BLOCK_JACOBI,
     "the matrix is symmetric, its diagonal has one sign and its rows are long "
     "and few", &blocks},
    {LCL_SHAPE_DEFINITE, is_for_cg, LCL_PRECOND_IC0,
     "the matrix is symmetric and its diagonal has one sign", NULL},
    {LCL_SHAPE_ANY, is_dominated, LCL_PRECOND_JACOBI,
     "the matrix is not symmetric, and its diagonal dominates every row", NULL},
    {LCL_SHAPE_ANY, is_tiny, LCL_PRECOND_AMG,
     "the matrix is not symmetric, and its inverse is small", NULL},
    {LCL_SHAPE_ANY, has_many_levels, LCL_PRECOND_JACOBI,
     "the matrix is not symmetric, and its rows are long and few", NULL},
    {LCL_SHAPE_ANY, has_pressure, LCL_PRECOND_CPR,
     "the matrix is not symmetric, and one unknown of each block is coupled "
     "like a pressure", NULL},
    {LCL_SHAPE_ANY, wants_serial_transversal, LCL_PRECOND_ILUT,
     "the matrix is not symmetric and lacks diagonal entries, to whose places "
     "large ones are permuted", &permuted_serial},
    {LCL_SHAPE_ANY, wants_transversal, LCL_PRECOND_ILUT,
     "the matrix is not symmetric and lacks diagonal entries, to whose places "
     "large ones are permuted", &permuted},
    {LCL_SHAPE_ANY, fill_replaces_diagonals, LCL_PRECOND_ILUK,
     "the matrix is not symmetric and lacks diagonal entries, which fill of the "
     "whole matrix replaces", &filled_serial},
    {LCL_SHAPE_ANY, lcl_lacks_diagonals, LCL_PRECOND_ILUK,
     "the matrix is not symmetric and lacks diagonal entries, which fill "
     "replaces", NULL},
    {LCL_SHAPE_ANY, is_mostly_dominated, LCL_PRECOND_JACOBI,
     "the matrix is not symmetric, and its diagonal dominates nearly every "
     "row", NULL},
    {LCL_SHAPE_ANY, is_uneven_serial, LCL_PRECOND_ILUT,
     "the matrix is not symmetric, and a few rows with far more entries than "
     "others cause most of the fill", &uneven_serial},
    {LCL_SHAPE_ANY, is_uneven, LCL_PRECOND_ILUT,
     "the matrix is not symmetric, and a few rows with far more entries than "
     "others cause most of the fill", &uneven},
    {LCL_SHAPE_ANY, is_far_from_dominated, LCL_PRECOND_ILUT,
     "the matrix is not symmetric, its couplings have the sign opposite to the "
     "diagonal and exceed it by far in many rows", &far_serial},
    {LCL_SHAPE_ANY, NULL, LCL_PRECOND_ILDU0,
     "the matrix is not symmetric", NULL},
};
// clang-format on
const int lcl_rule_count = sizeof lcl_rules / sizeof *lcl_rules;

enum lcl_shape lcl_shape_of(const struct lcl_traits *T)
{
    return is_definite(T)       ? LCL_SHAPE_DEFINITE
           : T->look->symmetric ? LCL_SHAPE_INDEFINITE
                                : LCL_SHAPE_UNSYMMETRIC;
}

static const struct lcl_rule *find_rule(const struct lcl_traits *T)
{
    const enum lcl_shape shape = lcl_shape_of(T);
    const struct lcl_rule *R = lcl_rules;
    while (!(R->shape & shape) || (R->holds && !R->holds(T)))
        ++R;
    return R;
}

static enum lcl_solver_type choose_solver(enum lcl_precond_type precond,
                                          const struct lcl_traits *T)
{
    const enum lcl_shape shape = lcl_shape_of(T);
    return shape == LCL_SHAPE_DEFINITE && suits_cg(precond) ? LCL_SOLVER_CG
           : shape == LCL_SHAPE_INDEFINITE && suits_minres(precond)
               ? LCL_SOLVER_MINRES
               : LCL_SOLVER_BICGSTAB;
}

// What factors keep, of which rows they are, and the rows of diagonal blocks,
// where the caller does not say so.
static void take_fill(struct lcl_precond_params *p,
                      const struct lcl_precond_params *fill)
{
    if (p->ilut_p == 0)
        p->ilut_p = fill->ilut_p;
    if (p->ilut_tol == 0)
        p->ilut_tol = fill->ilut_tol;
    if (p->ilu_level == 0)
        p->ilu_level = fill->ilu_level;
    if (p->block_jacobi.max_rows == 0)
        p->block_jacobi.max_rows = fill->block_jacobi.max_rows;
    if (!lcl_wants_subdomains(p)) {
        p->trisolve = fill->trisolve;
        p->partition = fill->partition;
    }
    p->transversal |= fill->transversal;
    if (p->order == LCL_ORDER_DEFAULT)
        p->order = fill->order;
}

static void choose_precond(struct lcl_precond_params *p,
                           enum lcl_solver_type solver,
                           const struct lcl_traits *T)
{
    struct lcl_traits asked = *T;
    asked.solver = solver;
    asked.subdomains = lcl_wants_subdomains(p);
    asked.transversal = p->transversal;
    const struct lcl_rule *R = find_rule(&asked);
    p->type = R->precond;
    if (R->fill)
        take_fill(p, R->fill);
    if (R->precond == LCL_PRECOND_CPR)
        p->cpr.pressure = T->pressure;
}

void lcl_choose(struct lcl_precond_params *precond,
                struct lcl_solver_params *solver, const char **reason,
                const struct lcl_traits *T)
{
    *reason = find_rule(T)->reason; // of the matrix alone
    if (precond->type == LCL_PRECOND_DEFAULT)
        choose_precond(precond, solver->type, T);
    if (solver->type == LCL_SOLVER_DEFAULT)
        solver->type = choose_solver(precond->type, T);
}
