// SPDX-License-Identifier: BSD-3-Clause
// Names of the enums that users select, one table per enum.
#include "lib/api/names.h"

#include <levelcl/batch.h>
#include <levelcl/precond.h>
#include <levelcl/published.h>
#include <levelcl/solver.h>

static const char *const norms[LCL_NORM_COUNT] = {
    [LCL_NORM_DEFAULT] = "auto", [LCL_NORM_2] = "2",       [LCL_NORM_1] = "1",
    [LCL_NORM_MAX] = "max",      [LCL_NORM_ROWS] = "rows",
};

static const char *const basis_storages[LCL_BASIS_COUNT] = {
    [LCL_BASIS_DEFAULT] = "fp64",
    [LCL_BASIS_FP64] = "fp64",
    [LCL_BASIS_FP32] = "fp32",
};

static const char *const orthogonalisations[LCL_ORTHOGONALISATION_COUNT] = {
    [LCL_ORTHOGONALISATION_DEFAULT] = "cgs2",
    [LCL_ORTHOGONALISATION_CGS2] = "cgs2",
    [LCL_ORTHOGONALISATION_MGS] = "mgs",
};

static const char *const sides[LCL_SIDE_COUNT] = {
    [LCL_SIDE_DEFAULT] = "right",
    [LCL_SIDE_RIGHT] = "right",
    [LCL_SIDE_LEFT] = "left",
};

static const char *const preconds[LCL_PRECOND_COUNT] = {
    [LCL_PRECOND_DEFAULT] = "auto",
    [LCL_PRECOND_NONE] = "none",
    [LCL_PRECOND_JACOBI] = "jacobi",
    [LCL_PRECOND_ILU0] = "ilu0",
    [LCL_PRECOND_ILDU0] = "ildu0",
    [LCL_PRECOND_IC0] = "ic0",
    [LCL_PRECOND_BLOCK_JACOBI] = "block-jacobi",
    [LCL_PRECOND_ILUK] = "iluk",
    [LCL_PRECOND_ILUT] = "ilut",
    [LCL_PRECOND_RAS] = "ras",
    [LCL_PRECOND_AS] = "as",
    [LCL_PRECOND_AMG] = "amg",
    [LCL_PRECOND_CPR] = "cpr",
    [LCL_PRECOND_LU] = "lu",
    [LCL_PRECOND_CALLBACK] = "callback",
};

static const char *const trisolves[LCL_TRISOLVE_COUNT] = {
    [LCL_TRISOLVE_DEFAULT] = "packed",
    [LCL_TRISOLVE_PACKED] = "packed",
    [LCL_TRISOLVE_DAG_VC_ILDU0_FUSED] = "dag_vc_ILDU0_fused",
    [LCL_TRISOLVE_SPIN_LOOP_LDS] = "spin_loop_lds",
    [LCL_TRISOLVE_DAG_EC_NO_LDS] = "dag_ec_no_lds",
    [LCL_TRISOLVE_DAG_EC_LDS] = "dag_ec_lds",
    [LCL_TRISOLVE_DAG_EC_LDS_UD] = "dag_ec_lds_ud",
    [LCL_TRISOLVE_DAG_EC_ILD_U0] = "dag_ec_ILD_U0",
    [LCL_TRISOLVE_DAG_EC_ILDU0_FUSED] = "dag_ec_ILDU0_fused",
    [LCL_TRISOLVE_HEC_LEVEL] = "hec_level",
    [LCL_TRISOLVE_HEC_WAIT] = "hec_wait",
};

static const char *const eliminations[LCL_ELIMINATION_COUNT] = {
    [LCL_ELIMINATION_DEFAULT] = "auto",
    [LCL_ELIMINATION_NATURAL] = "natural",
    [LCL_ELIMINATION_TWISTED] = "twisted",
};

static const char *const orders[LCL_ORDER_COUNT] = {
    [LCL_ORDER_DEFAULT] = "auto",
    [LCL_ORDER_NONE] = "none",
    [LCL_ORDER_RCM] = "rcm",
    [LCL_ORDER_ND] = "nd",
};

static const char *const krons[LCL_KRON_COUNT] = {
    [LCL_KRON_DEFAULT] = "one_pass",
    [LCL_KRON_ONE_PASS] = "one_pass",
    [LCL_KRON_OKP] = "okp",
    [LCL_KRON_CU] = "cu",
};

static const char *const communications[LCL_COMMUNICATION_COUNT] = {
    [LCL_COMMUNICATION_DEFAULT] = "auto",
    [LCL_COMMUNICATION_AHEAD] = "ahead",
    [LCL_COMMUNICATION_STEP] = "step",
    [LCL_COMMUNICATION_REPRODUCIBLE] = "reproducible",
};

static const char *const kron_exchanges[LCL_KRON_EXCHANGE_COUNT] = {
    [LCL_KRON_EXCHANGE_DEFAULT] = "batched",
    [LCL_KRON_EXCHANGE_BATCHED] = "batched",
    [LCL_KRON_EXCHANGE_STAGED] = "staged",
};

static const char *const spmvs[LCL_SPMV_COUNT] = {
    [LCL_SPMV_DEFAULT] = "auto",      [LCL_SPMV_CSR] = "csr",
    [LCL_SPMV_SLICED] = "sliced",     [LCL_SPMV_BINNED] = "binned",
    [LCL_SPMV_ADAPTIVE] = "adaptive", [LCL_SPMV_HEC] = "hec",
};

static const char *const partitions[LCL_PARTITION_COUNT] = {
    [LCL_PARTITION_DEFAULT] = "auto",
    [LCL_PARTITION_METIS] = "metis",
    [LCL_PARTITION_GEOMETRIC] = "geometric",
    [LCL_PARTITION_NATURAL] = "natural",
    [LCL_PARTITION_LABELS] = "labels",
    [LCL_PARTITION_MATCH] = "match",
};

static const char *const pivots[LCL_PIVOT_COUNT] = {
    [LCL_PIVOT_DEFAULT] = "boost", [LCL_PIVOT_FAIL] = "fail",
    [LCL_PIVOT_BOOST] = "boost",   [LCL_PIVOT_REPLACE] = "replace",
    [LCL_PIVOT_SHIFT] = "shift",
};

static const char *const storages[LCL_FACTOR_STORAGE_COUNT] = {
    [LCL_FACTOR_STORAGE_DEFAULT] = "auto",
    [LCL_FACTOR_STORAGE_FP64] = "fp64",
    [LCL_FACTOR_STORAGE_FP32] = "fp32",
    [LCL_FACTOR_STORAGE_BF16] = "bf16",
    [LCL_FACTOR_STORAGE_ADAPTIVE] = "adaptive",
};

static const char *const extractions[LCL_BLOCK_EXTRACTION_COUNT] = {
    [LCL_BLOCK_EXTRACTION_DEFAULT] = "bisect",
    [LCL_BLOCK_EXTRACTION_CACHED] = "cached",
    [LCL_BLOCK_EXTRACTION_SHARED_QUADRATIC] = "shared_quadratic",
    [LCL_BLOCK_EXTRACTION_SHARED] = "shared",
    [LCL_BLOCK_EXTRACTION_SHARED_MPW] = "shared_mpw",
    [LCL_BLOCK_EXTRACTION_BISECT] = "bisect",
};

static const char *const block_applies[LCL_BLOCK_APPLY_COUNT] = {
    [LCL_BLOCK_APPLY_DEFAULT] = "slab",
    [LCL_BLOCK_APPLY_SLAB] = "slab",
    [LCL_BLOCK_APPLY_SA_SPMV] = "sa_spmv",
    [LCL_BLOCK_APPLY_SPMV] = "spmv",
};

static const char *const weights[LCL_WEIGHTS_COUNT] = {
    [LCL_WEIGHTS_AUTO] = "auto",
    [LCL_WEIGHTS_ON] = "on",
    [LCL_WEIGHTS_OFF] = "off",
};

static const char *const amg_coarsenings[LCL_AMG_COARSENING_COUNT] = {
    [LCL_AMG_COARSENING_DEFAULT] = "auto",
    [LCL_AMG_SA] = "sa",
    [LCL_AMG_CLASSICAL] = "classical",
};

static const char *const amg_smoothers[LCL_AMG_SMOOTHER_COUNT] = {
    [LCL_AMG_SMOOTHER_DEFAULT] = "auto",
    [LCL_AMG_CHEBYSHEV] = "chebyshev",
    [LCL_AMG_JACOBI] = "jacobi",
    [LCL_AMG_ILDU0] = "ildu0",
};

static const char *const amg_refreshes[LCL_AMG_REFRESH_COUNT] = {
    [LCL_AMG_REFRESH_AUTO] = "auto",
    [LCL_AMG_REFRESH_VALUES] = "values",
    [LCL_AMG_REFRESH_FULL] = "full",
};

static const char *const refreshes[LCL_REFRESH_COUNT] = {
    [LCL_REFRESH_ON_REQUEST] = "on_request",
    [LCL_REFRESH_ON_SLOW] = "on_slow",
};

static const char *const coarses[LCL_COARSE_COUNT] = {
    [LCL_COARSE_AUTO] = "auto",
    [LCL_COARSE_NONE] = "none",
    [LCL_COARSE_ADD] = "add",
    [LCL_COARSE_MULT] = "mult",
};

static const char *const batch_kernels[LCL_BATCH_KERNEL_COUNT] = {
    [LCL_BATCH_KERNEL_AUTO] = "auto",
    [LCL_BATCH_KERNEL_BGJE] = "bgje",
    [LCL_BATCH_KERNEL_BGJE_MPW] = "bgje_mpw",
    [LCL_BATCH_KERNEL_BGJE_SIZED] = "bgje_sized",
    [LCL_BATCH_KERNEL_BGJE_MPW_SIZED] = "bgje_mpw_sized",
    [LCL_BATCH_KERNEL_BGJE_MPW2] = "bgje_mpw2",
};

static const char *const batch_precisions[LCL_BATCH_PRECISION_COUNT] = {
    [LCL_BATCH_PRECISION_DEFAULT] = "fp64",
    [LCL_BATCH_PRECISION_FP64] = "fp64",
    [LCL_BATCH_PRECISION_FP32] = "fp32",
};

static const char *const batch_singulars[LCL_BATCH_SINGULAR_COUNT] = {
    [LCL_BATCH_SINGULAR_DEFAULT] = "fail",
    [LCL_BATCH_SINGULAR_FAIL] = "fail",
    [LCL_BATCH_SINGULAR_IDENTITY] = "identity",
    [LCL_BATCH_SINGULAR_KEEP] = "keep",
};

const struct lcl_names lcl_precond_names = LCL_NAMES(preconds);
const struct lcl_names lcl_trisolve_names = LCL_NAMES(trisolves);
const struct lcl_names lcl_kron_names = LCL_NAMES(krons);
const struct lcl_names lcl_communication_names = LCL_NAMES(communications);
const struct lcl_names lcl_kron_exchange_names = LCL_NAMES(kron_exchanges);
const struct lcl_names lcl_spmv_names = LCL_NAMES(spmvs);
const struct lcl_names lcl_partition_names = LCL_NAMES(partitions);
const struct lcl_names lcl_pivot_names = LCL_NAMES(pivots);
const struct lcl_names lcl_factor_storage_names = LCL_NAMES(storages);
const struct lcl_names lcl_block_extraction_names = LCL_NAMES(extractions);
const struct lcl_names lcl_block_apply_names = LCL_NAMES(block_applies);
const struct lcl_names lcl_norm_names = LCL_NAMES(norms);
const struct lcl_names lcl_basis_storage_names = LCL_NAMES(basis_storages);
const struct lcl_names lcl_orthogonalisation_names =
    LCL_NAMES(orthogonalisations);
const struct lcl_names lcl_side_names = LCL_NAMES(sides);
const struct lcl_names lcl_weights_names = LCL_NAMES(weights);
const struct lcl_names lcl_coarse_names = LCL_NAMES(coarses);
const struct lcl_names lcl_amg_coarsening_names = LCL_NAMES(amg_coarsenings);
const struct lcl_names lcl_amg_smoother_names = LCL_NAMES(amg_smoothers);
const struct lcl_names lcl_amg_refresh_names = LCL_NAMES(amg_refreshes);
const struct lcl_names lcl_refresh_names = LCL_NAMES(refreshes);
const struct lcl_names lcl_elimination_names = LCL_NAMES(eliminations);
const struct lcl_names lcl_order_names = LCL_NAMES(orders);
const struct lcl_names lcl_batch_kernel_names = LCL_NAMES(batch_kernels);
const struct lcl_names lcl_batch_precision_names = LCL_NAMES(batch_precisions);
const struct lcl_names lcl_batch_singular_names = LCL_NAMES(batch_singulars);

// clang-format off
#define FIRST_STOP LCL_STOP_TIME_LIMIT
#define LAST_STOP  LCL_STOP_TEST
#define STOP(reason) [LCL_STOP_##reason - FIRST_STOP]
static const struct {
    const char *name;
    enum lcl_status status;
    const char *sentence;
} stops[] = {
    STOP(NONE) = {"none", LCL_ITERATION_LIMIT, "no solve was run"},
    STOP(RTOL) = {"rtol", LCL_OK, "the true residual is within rtol ||b||"},
    STOP(TEST) = {"test", LCL_OK, "the convergence test of the caller was met"},
    STOP(TIME_LIMIT) = {"time-limit", LCL_ITERATION_LIMIT, "the time limit was reached"},
    STOP(CANCELLED) = {"cancelled", LCL_ITERATION_LIMIT, "the solve was cancelled"},
    STOP(ATOL) = {"atol", LCL_OK, "the true residual is within atol"},
    STOP(ZERO_RHS) = {"zero-rhs", LCL_OK, "the right-hand side is zero, and so is x"},
    STOP(MAX_ITERS) = {"max-iters", LCL_ITERATION_LIMIT, "the iteration limit was reached"},
    STOP(STAGNATION) = {"stagnation", LCL_STAGNATION, "the residual stopped decreasing"},
    STOP(BREAKDOWN_RHO) = {"breakdown-rho", LCL_BREAKDOWN,
        "breakdown: the residual became orthogonal to the shadow residual"},
    STOP(BREAKDOWN_ALPHA) = {"breakdown-alpha", LCL_BREAKDOWN,
        "breakdown: the search direction became orthogonal to the shadow residual"},
    STOP(BREAKDOWN_OMEGA) = {"breakdown-omega", LCL_BREAKDOWN, "breakdown: the stabilising step vanished"},
    STOP(NOT_FINITE) = {"not-finite", LCL_NOT_FINITE, "NaN or Inf appeared in the iteration"},
    STOP(MONITOR) = {"monitor", LCL_ITERATION_LIMIT, "the solve was interrupted"},
    STOP(INDEFINITE_MATRIX) = {"indefinite-matrix", LCL_BREAKDOWN,
        "the matrix is not definite: <p, A p> is 0 or changes its sign"},
    STOP(INDEFINITE_PRECOND) = {"indefinite-precond", LCL_BREAKDOWN,
        "the preconditioner is not definite, which CG and MINRES require"},
    STOP(BREAKDOWN_KRYLOV) = {"breakdown-krylov", LCL_BREAKDOWN,
        "the Krylov space is exhausted without a solution: A M^-1 is singular"},
    STOP(DIVERGED) = {"diverged", LCL_DIVERGED, "the residual grew beyond use"},
};
// clang-format on

const char *lcl_norm_name(enum lcl_norm_type norm)
{
    return lcl_name_of(&lcl_norm_names, (int)norm);
}

const char *lcl_basis_storage_name(enum lcl_basis_storage storage)
{
    return lcl_name_of(&lcl_basis_storage_names, (int)storage);
}

const char *lcl_orthogonalisation_name(enum lcl_orthogonalisation method)
{
    return lcl_name_of(&lcl_orthogonalisation_names, (int)method);
}

const char *lcl_side_name(enum lcl_side side)
{
    return lcl_name_of(&lcl_side_names, (int)side);
}

const char *lcl_precond_name(enum lcl_precond_type type)
{
    return lcl_name_of(&lcl_precond_names, (int)type);
}

const char *lcl_trisolve_name(enum lcl_trisolve trisolve)
{
    return lcl_name_of(&lcl_trisolve_names, (int)trisolve);
}

const char *lcl_kron_name(enum lcl_kron_type type)
{
    return lcl_name_of(&lcl_kron_names, (int)type);
}

const char *lcl_communication_name(enum lcl_communication way)
{
    return lcl_name_of(&lcl_communication_names, (int)way);
}

const char *lcl_kron_exchange_name(enum lcl_kron_exchange_type type)
{
    return lcl_name_of(&lcl_kron_exchange_names, (int)type);
}

const char *lcl_spmv_name(enum lcl_spmv_type type)
{
    return lcl_name_of(&lcl_spmv_names, (int)type);
}

const char *lcl_partition_name(enum lcl_partition_type type)
{
    return lcl_name_of(&lcl_partition_names, (int)type);
}

const char *lcl_pivot_name(enum lcl_pivot pivot)
{
    return lcl_name_of(&lcl_pivot_names, (int)pivot);
}

const char *lcl_factor_storage_name(enum lcl_factor_storage storage)
{
    return lcl_name_of(&lcl_factor_storage_names, (int)storage);
}

const char *lcl_amg_coarsening_name(enum lcl_amg_coarsening coarsening)
{
    return lcl_name_of(&lcl_amg_coarsening_names, (int)coarsening);
}

const char *lcl_amg_smoother_name(enum lcl_amg_smoother smoother)
{
    return lcl_name_of(&lcl_amg_smoother_names, (int)smoother);
}

const char *lcl_elimination_name(enum lcl_elimination elimination)
{
    return lcl_name_of(&lcl_elimination_names, (int)elimination);
}

const char *lcl_order_name(enum lcl_order order)
{
    return lcl_name_of(&lcl_order_names, (int)order);
}

const char *lcl_refresh_name(enum lcl_refresh refresh)
{
    return lcl_name_of(&lcl_refresh_names, (int)refresh);
}

const char *lcl_amg_refresh_name(enum lcl_amg_refresh refresh)
{
    return lcl_name_of(&lcl_amg_refresh_names, (int)refresh);
}

const char *lcl_coarse_name(enum lcl_coarse coarse)
{
    return lcl_name_of(&lcl_coarse_names, (int)coarse);
}

const char *lcl_batch_kernel_name(enum lcl_batch_kernel kernel)
{
    return lcl_name_of(&lcl_batch_kernel_names, (int)kernel);
}

const char *lcl_batch_precision_name(enum lcl_batch_precision precision)
{
    return lcl_name_of(&lcl_batch_precision_names, (int)precision);
}

const char *lcl_batch_singular_name(enum lcl_batch_singular singular)
{
    return lcl_name_of(&lcl_batch_singular_names, (int)singular);
}

const char *lcl_block_extraction_name(enum lcl_block_extraction extraction)
{
    return lcl_name_of(&lcl_block_extraction_names, (int)extraction);
}

const char *lcl_block_apply_name(enum lcl_block_apply apply)
{
    return lcl_name_of(&lcl_block_apply_names, (int)apply);
}

static bool is_stop(enum lcl_stop stop)
{
    return stop >= FIRST_STOP && stop <= LAST_STOP;
}

const char *lcl_stop_name(enum lcl_stop stop)
{
    return is_stop(stop) ? stops[stop - FIRST_STOP].name : "unknown";
}

const char *lcl_stop_str(enum lcl_stop stop)
{
    if (!is_stop(stop))
        return "unknown stop reason";
    return stops[stop - FIRST_STOP].sentence;
}

enum lcl_status lcl_stop_status(enum lcl_stop stop)
{
    return is_stop(stop) ? stops[stop - FIRST_STOP].status : LCL_EINVAL;
}
