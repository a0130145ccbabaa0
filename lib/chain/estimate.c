// SPDX-License-Identifier: BSD-3-Clause
// Estimates of memory and traffic. The bytes per entry and row are those of the
// arrays that lib/operator, lib/factor and lib/multilevel create.
#include <levelcl/estimate.h>
#include <levelcl/published.h>

#include "host/log.h"
#include "lib/chain/choose.h"
#include "lib/chain/pressure.h"
#include "lib/distributed/distributed.h"
#include "lib/krylov/arnoldi.h"
#include "lib/krylov/methods.h"
#include "lib/matrix/csr.h"
#include "lib/multilevel/coarse.h"
#include "lib/multilevel/hierarchy.h"
#include "lib/trisolve/packed.h"

#include <math.h>

// Bytes of columns and row pointers, and of the map of new values to the
// entries of a matrix in another order.
enum { INDEX = 4, VALUE = 8, MAP = INDEX + VALUE };

// What a method is made for: the rows and entries of one device.
struct size {
    const struct lcl_caps *caps;
    const struct lcl_properties *look;
    double total;     // rows, of all devices
    double rows, nnz; // of one
    int block;
};

// ------------------------------------------------------------------- matrix

// A block of b x b values has one column.
static double matrix_bytes(const struct size *s)
{
    return s->nnz * (VALUE + (double)INDEX / (s->block * s->block)) +
           s->rows / s->block * INDEX;
}

static bool has_subdomains(enum lcl_precond_type type)
{
    return type >= LCL_PRECOND_ILU0 && type != LCL_PRECOND_BLOCK_JACOBI &&
           type != LCL_PRECOND_AMG && type != LCL_PRECOND_LU;
}

static double map_bytes(const struct size *s, enum lcl_precond_type type)
{
    const bool renumbered = type == LCL_PRECOND_ILU0 ||
                            type == LCL_PRECOND_ILDU0 ||
                            type == LCL_PRECOND_IC0 || type == LCL_PRECOND_CPR;
    const bool moved = s->block > 1 || renumbered;
    return moved ? s->nnz * MAP + s->rows * MAP : 0;
}

// Columns of 16 bits.
static double product_bytes(const struct size *s, enum lcl_spmv_type type)
{
    return type == LCL_SPMV_DEFAULT || type == LCL_SPMV_SLICED
               ? s->nnz * (VALUE + 2.0 / (s->block * s->block)) +
                     s->rows / s->block * INDEX
           : type == LCL_SPMV_HEC ? s->nnz * (VALUE + INDEX)
                                  : 0;
}

// ------------------------------------------------------------------- precond

static double bytes_of(enum lcl_factor_storage storage)
{
    return storage == LCL_FACTOR_STORAGE_FP64   ? 8
           : storage == LCL_FACTOR_STORAGE_BF16 ? 2
                                                : 4;
}

// Entries of the factors over those of A: fill is a guess.
static double growth(const struct size *s, const struct lcl_precond_params *p)
{
    const double row = s->nnz / s->rows;
    const bool ilut = p->type == LCL_PRECOND_ILUT || p->ilut_p > 0;
    const int level = p->ilu_level ? p->ilu_level : p->type == LCL_PRECOND_ILUK;
    const bool overlaps =
        p->overlap || p->type == LCL_PRECOND_RAS || p->type == LCL_PRECOND_AS;
    const double layers = p->overlap ? p->overlap : overlaps ? 1 : 0;
    const double fill =
        ilut ? (2 * (p->ilut_p ? p->ilut_p : 10) + 1) / row : 1 + level;
    return fill * (1 + 0.3 * layers);
}

// A slot has a value, a source and a column of 16 bits.
static double factor_bytes(const struct size *s,
                           const struct lcl_precond_params *p)
{
    const double slot =
        bytes_of(p->storage) + INDEX + 2.0 / s->block / s->block;
    return 1.15 * s->nnz * growth(s, p) * slot + s->rows * 40;
}

static double blocks_bytes(const struct size *s,
                           const struct lcl_precond_params *p)
{
    const int rows = p->block_jacobi.max_rows ? p->block_jacobi.max_rows : 8;
    return s->rows * rows * bytes_of(p->storage) + s->rows * MAP;
}

// Matrices, prolongations and vectors of levels with half as many entries as A;
// the dense inverse of the last one.
static double multigrid_bytes(const struct size *s,
                              const struct lcl_precond_params *p)
{
    const bool smoothes_by_factors =
        lcl_amg_smoother_of(&p->amg, s->look, s->total) == LCL_AMG_ILDU0;
    const double limit =
        p->amg.coarse_rows ? (double)p->amg.coarse_rows : LCL_COARSE_ROWS;
    const double last = s->rows <= limit ? s->rows : limit / 2;
    return 1.4 * (s->nnz * 20 +
                  (smoothes_by_factors ? s->nnz * 10 + s->rows * 40 : 0)) +
           last * last * VALUE;
}

static double coarse_bytes(const struct size *s, double parts)
{
    const double most = (double)lcl_coarse_usual(s->caps, s->block);
    const double unknowns = (parts < most ? parts : most) * s->block;
    return s->rows * 36 + unknowns * unknowns * VALUE;
}

static double count_parts(const struct size *s,
                          const struct lcl_precond_params *p)
{
    const double block_rows = s->rows / s->block;
    const double usual =
        (double)lcl_packed_rows_usual(s->caps, (int64_t)block_rows, s->block);
    const double rows =
        p->partition.rows > 0 ? (double)p->partition.rows : usual;
    return ceil(block_rows / rows);
}

static bool has_coarse(const struct size *s, const struct lcl_precond_params *p,
                       int64_t parts)
{
    const bool plain = p->type <= LCL_PRECOND_IC0 && has_subdomains(p->type);
    const bool mixed = s->look->positive > 0 && s->look->negative > 0;
    return plain &&
           lcl_coarse_choose(p->coarse, parts, (int64_t)s->rows,
                             mixed ? 0 : s->look->opposite) != LCL_COARSE_NONE;
}

// ------------------------------------------------------------------- solver

static const struct lcl_krylov_method *method_of(
    const struct lcl_solver_params *p)
{
    return lcl_krylov_method(p->type);
}

// Vectors of its basis that GMRES keeps, shadow vectors of IDR(s); else 0.
static int parameter_of(const struct lcl_solver_params *p)
{
    const struct lcl_solver_facts *facts = &method_of(p)->facts;
    return facts->restart ? (p->restart ? p->restart : 30)
           : facts->idr_s ? (p->idr_s ? p->idr_s : 4)
                          : 0;
}

// b, x, r, the best x and backward errors, and what the method adds.
static double krylov_bytes(const struct size *s,
                           const struct lcl_solver_params *p)
{
    const struct lcl_krylov_method *m = method_of(p);
    const int parameter = parameter_of(p);
    const double vectors =
        5 + m->cost.vectors + m->cost.vectors_each * parameter;
    const double basis =
        m->facts.restart
            ? (double)lcl_arnoldi_bytes((int64_t)s->rows, parameter, p->basis,
                                        p->type == LCL_SOLVER_FGMRES)
            : 0;
    return vectors * s->rows * VALUE + basis;
}

static uint64_t traffic_of(const struct size *s, const struct lcl_estimate *e,
                           const struct lcl_solver_params *p)
{
    const double multigrid = (double)e->bytes[LCL_ESTIMATE_MULTIGRID];
    const double applied = (double)e->bytes[LCL_ESTIMATE_FACTORS] +
                           2.6 * multigrid +
                           (double)e->bytes[LCL_ESTIMATE_COARSE];
    const double product = matrix_bytes(s) + 2 * s->rows * VALUE;
    const struct lcl_krylov_method *m = method_of(p);
    const double passes =
        m->cost.passes + m->cost.passes_each * parameter_of(p);
    return (uint64_t)(m->facts.products * (product + applied) +
                      passes * s->rows * VALUE);
}

// ------------------------------------------------------------------- all

static void estimate_precond(double *bytes, struct lcl_estimate *out,
                             const struct size *s,
                             const struct lcl_precond_params *p)
{
    const bool blocks = p->type == LCL_PRECOND_BLOCK_JACOBI;
    struct size pressures = *s;
    if (p->type == LCL_PRECOND_CPR) {
        pressures.rows /= s->block;
        pressures.nnz /= s->block * s->block;
    }
    if (has_subdomains(p->type)) {
        out->parts = (int64_t)count_parts(s, p);
        bytes[LCL_ESTIMATE_FACTORS] = factor_bytes(s, p);
    } else {
        bytes[LCL_ESTIMATE_FACTORS] = blocks ? blocks_bytes(s, p) : 0;
    }
    if (has_coarse(s, p, out->parts))
        bytes[LCL_ESTIMATE_COARSE] = coarse_bytes(s, (double)out->parts);
    if (p->type == LCL_PRECOND_AMG || p->type == LCL_PRECOND_CPR)
        bytes[LCL_ESTIMATE_MULTIGRID] = multigrid_bytes(&pressures, p);
}

static void estimate(struct lcl_estimate *out, const struct size *s,
                     const struct lcl_options *o)
{
    double bytes[LCL_ESTIMATE_COUNT] = {0};
    bytes[LCL_ESTIMATE_MATRIX] =
        matrix_bytes(s) + map_bytes(s, o->precond.type);
    bytes[LCL_ESTIMATE_PRODUCT] = product_bytes(s, o->op.spmv);
    bytes[LCL_ESTIMATE_KRYLOV] = krylov_bytes(s, &o->solver);
    estimate_precond(bytes, out, s, &o->precond);
    for (int k = 0; k < LCL_ESTIMATE_COUNT; ++k) {
        out->bytes[k] = (uint64_t)bytes[k];
        out->total += out->bytes[k];
    }
    out->traffic = traffic_of(s, out, &o->solver);
}

static enum lcl_status check(const struct lcl_csr *A,
                             const struct lcl_caps *caps, int devices,
                             const struct lcl_log *log)
{
    if (!A || !caps)
        return lcl_misuse(log, "lcl_estimate_solve: an argument is NULL");
    if (A->rows != A->cols || A->rows < 1 || devices < 1)
        return lcl_fail(log, LCL_EINVAL,
                        "lcl_estimate_solve: expected a square matrix and a "
                        "number of devices");
    return LCL_OK;
}

enum lcl_status lcl_estimate_solve(struct lcl_estimate *out,
                                   const struct lcl_caps *caps,
                                   const struct lcl_csr *A,
                                   const struct lcl_options *options,
                                   int devices, const struct lcl_log *log)
{
    struct lcl_options o = LCL_OPTIONS_INIT;
    struct lcl_properties look;
    if (!out)
        return lcl_misuse(log, "lcl_estimate_solve: out is NULL");
    *out = (struct lcl_estimate)LCL_ESTIMATE_INIT;
    enum lcl_status st = check(A, caps, devices, log);
    if (st < 0)
        return st;
    if (options)
        o = *options;
    const int block =
        o.op.block_size ? o.op.block_size : lcl_csr_natural_block(A);
    const bool aside = devices == 1 && block == 1;
    if ((st = lcl_properties_host(&look, A, aside, log)) < 0)
        return st;
    struct lcl_traits traits = {
        .look = &look,
        .n = A->rows,
        .block_size = block,
        .distributed = devices > 1,
        .reproducible = lcl_is_reproducible(&o.op),
        .serial = devices == 1 && caps->width == 1,
        .pressure = -1,
    };
    if (lcl_seeks_pressure(&traits, &o.precond, o.solver.type) &&
        (st = lcl_pressure_find_host(&traits.pressure, A, block, log)) < 0)
        return st;
    const bool named = o.precond.type && o.solver.type;
    lcl_choose(&o.precond, &o.solver, &out->reason, &traits);
    if (named)
        out->reason = "";
    const struct size size = {.caps = caps,
                              .look = &look,
                              .total = (double)A->rows,
                              .rows = (double)A->rows / devices,
                              .nnz = (double)A->nnz / devices,
                              .block = block};
    out->solver = o.solver.type;
    out->precond = o.precond.type;
    out->rows = (A->rows + devices - 1) / devices;
    estimate(out, &size, &o);
    if (out->total <= caps->global_bytes)
        return LCL_OK;
    return lcl_fail(log, LCL_EDEVMEM,
                    "the system does not fit: it needs about %.0f MB on %s, "
                    "which has %.0f MB",
                    1e-6 * (double)out->total, caps->name,
                    1e-6 * (double)caps->global_bytes);
}

const char *lcl_estimate_name(enum lcl_estimate_object object)
{
    static const char *const names[LCL_ESTIMATE_COUNT] = {
        [LCL_ESTIMATE_MATRIX] = "matrix",
        [LCL_ESTIMATE_PRODUCT] = "product",
        [LCL_ESTIMATE_FACTORS] = "factors",
        [LCL_ESTIMATE_COARSE] = "coarse",
        [LCL_ESTIMATE_MULTIGRID] = "multigrid",
        [LCL_ESTIMATE_KRYLOV] = "krylov",
    };
    return object < LCL_ESTIMATE_COUNT ? names[object] : "unknown";
}
