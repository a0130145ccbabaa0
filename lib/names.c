// SPDX-License-Identifier: BSD-3-Clause
// Names of the enums of methods, from one table each.
#include "lib/names.h"

#include <levelcl/precond.h>
#include <levelcl/solver.h>

static const char *const solvers[LCL_SOLVER_COUNT] = {
    [LCL_SOLVER_DEFAULT] = "bicgstab",
    [LCL_SOLVER_BICGSTAB] = "bicgstab",
};

static const char *const preconds[LCL_PRECOND_COUNT] = {
    [LCL_PRECOND_DEFAULT] = "ildu0", [LCL_PRECOND_NONE] = "none",
    [LCL_PRECOND_JACOBI] = "jacobi", [LCL_PRECOND_ILU0] = "ilu0",
    [LCL_PRECOND_ILDU0] = "ildu0",
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
};

static const char *const spmvs[LCL_SPMV_COUNT] = {
    [LCL_SPMV_DEFAULT] = "auto",
    [LCL_SPMV_CSR] = "csr",
    [LCL_SPMV_SLICED] = "sliced",
};

static const char *const partitions[LCL_PARTITION_COUNT] = {
    [LCL_PARTITION_DEFAULT] = "metis",
    [LCL_PARTITION_METIS] = "metis",
    [LCL_PARTITION_GEOMETRIC] = "geometric",
    [LCL_PARTITION_NATURAL] = "natural",
    [LCL_PARTITION_LABELS] = "labels",
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
};

static const char *const weights[LCL_WEIGHTS_COUNT] = {
    [LCL_WEIGHTS_AUTO] = "auto",
    [LCL_WEIGHTS_ON] = "on",
    [LCL_WEIGHTS_OFF] = "off",
};

static const char *const coarses[LCL_COARSE_COUNT] = {
    [LCL_COARSE_AUTO] = "auto",
    [LCL_COARSE_NONE] = "none",
    [LCL_COARSE_ADD] = "add",
    [LCL_COARSE_MULT] = "mult",
};

const struct lcl_names lcl_solver_names = LCL_NAMES(solvers);
const struct lcl_names lcl_precond_names = LCL_NAMES(preconds);
const struct lcl_names lcl_trisolve_names = LCL_NAMES(trisolves);
const struct lcl_names lcl_spmv_names = LCL_NAMES(spmvs);
const struct lcl_names lcl_partition_names = LCL_NAMES(partitions);
const struct lcl_names lcl_pivot_names = LCL_NAMES(pivots);
const struct lcl_names lcl_factor_storage_names = LCL_NAMES(storages);
const struct lcl_names lcl_weights_names = LCL_NAMES(weights);
const struct lcl_names lcl_coarse_names = LCL_NAMES(coarses);

// clang-format off
#define STOP(reason) [LCL_STOP_##reason - LCL_STOP_MONITOR]
static const struct {
    const char *name, *sentence;
} stops[] = {
    STOP(NONE) = {"none", "no solve was run"},
    STOP(RTOL) = {"rtol", "the true residual is within rtol ||b||"},
    STOP(ATOL) = {"atol", "the true residual is within atol"},
    STOP(ZERO_RHS) = {"zero-rhs", "the right-hand side is zero, and so is x"},
    STOP(MAX_ITERS) = {"max-iters", "the iteration limit was reached"},
    STOP(STAGNATION) = {"stagnation", "the residual stopped falling"},
    STOP(BREAKDOWN_RHO) = {"breakdown-rho",
        "breakdown: the residual became orthogonal to the shadow residual"},
    STOP(BREAKDOWN_ALPHA) = {"breakdown-alpha",
        "breakdown: the search direction became orthogonal to the shadow residual"},
    STOP(BREAKDOWN_OMEGA) = {"breakdown-omega", "breakdown: the stabilising step vanished"},
    STOP(NOT_FINITE) = {"not-finite", "NaN or Inf appeared in the iteration"},
    STOP(MONITOR) = {"monitor", "the solve was interrupted"},
};
// clang-format on

const char *lcl_solver_name(enum lcl_solver_type type)
{
    return lcl_name_of(&lcl_solver_names, (int)type);
}

const char *lcl_precond_name(enum lcl_precond_type type)
{
    return lcl_name_of(&lcl_precond_names, (int)type);
}

const char *lcl_trisolve_name(enum lcl_trisolve trisolve)
{
    return lcl_name_of(&lcl_trisolve_names, (int)trisolve);
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

const char *lcl_coarse_name(enum lcl_coarse coarse)
{
    return lcl_name_of(&lcl_coarse_names, (int)coarse);
}

static bool is_stop(enum lcl_stop stop)
{
    return stop >= LCL_STOP_MONITOR && stop <= LCL_STOP_ZERO_RHS;
}

const char *lcl_stop_name(enum lcl_stop stop)
{
    return is_stop(stop) ? stops[stop - LCL_STOP_MONITOR].name : "unknown";
}

const char *lcl_stop_str(enum lcl_stop stop)
{
    if (!is_stop(stop))
        return "unknown stop reason";
    return stops[stop - LCL_STOP_MONITOR].sentence;
}
