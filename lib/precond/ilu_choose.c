// SPDX-License-Identifier: BSD-3-Clause
// Chooses fill, overlap, order and triangular solve of incomplete factors.
#include "host/log.h"
#include "lib/precond/ilu_setup.h"

// Default fill of ILUT.
enum { ILUT_FILL = 10 };
#define ILUT_TOL 1e-3

static enum lcl_status check_extended(const struct lcl_precond_params *params,
                                      const struct lcl_log *log)
{
    const char *name = lcl_precond_name(params->type);
    if (params->coarse > LCL_COARSE_NONE)
        return lcl_fail(log, LCL_EUNSUPPORTED,
                        "%s has no coarse correction: expected none or auto",
                        name);
    if (params->trisolve > LCL_TRISOLVE_PACKED &&
        !lcl_trisolve_supports_levels(params->trisolve))
        return lcl_fail(log, LCL_EUNSUPPORTED,
                        "%s does not support the trisolve %s, only packed, "
                        "hec_level and hec_wait",
                        name, lcl_trisolve_name(params->trisolve));
    return LCL_OK;
}

static enum lcl_status check_trisolve(const struct lcl_precond_info *info,
                                      const struct lcl_log *log)
{
    const enum lcl_trisolve name = info->factors.trisolve;
    return lcl_trisolve_supports_levels(name) && info->block_size > 1
               ? lcl_fail(log, LCL_EUNSUPPORTED,
                          "%s requires block size 1, but the matrix is stored "
                          "in blocks of %d rows",
                          lcl_trisolve_name(name), info->block_size)
               : LCL_OK;
}

// Fill is defined by an order of elimination; factors in levels keep the order
// of rows.
static enum lcl_status check_elimination(const struct lcl_factors_info *F,
                                         const struct lcl_log *log)
{
    const bool leveled = lcl_trisolve_supports_levels(F->trisolve);
    const bool fill = F->ilu_level > 0 || F->ilut_p > 0;
    return F->elimination == LCL_ELIMINATION_TWISTED && (leveled || fill)
               ? lcl_fail(log, LCL_EUNSUPPORTED,
                          "twisted elimination requires factors without fill "
                          "and another trisolve than %s",
                          leveled ? lcl_trisolve_name(F->trisolve)
                                  : "hec_level and hec_wait")
               : LCL_OK;
}

static void choose_extension(struct lcl_factors_info *F,
                             const struct lcl_precond_params *params)
{
    const bool iluk = params->type == LCL_PRECOND_ILUK;
    const bool ilut = params->type == LCL_PRECOND_ILUT;
    F->ilu_level = params->ilu_level ? params->ilu_level : iluk;
    F->ilut_p = params->ilut_p ? params->ilut_p : ilut ? ILUT_FILL : 0;
    if (F->ilut_p > 0)
        F->ilut_tol = params->ilut_tol > 0 ? params->ilut_tol : ILUT_TOL;
    F->overlap = params->overlap ? params->overlap : !iluk && !ilut;
}

enum lcl_status lcl_ilu_choose(struct lcl_precond_info *info,
                               const struct lcl_precond_params *params,
                               const struct lcl_log *log)
{
    enum lcl_status st;
    info->factors.trisolve =
        params->trisolve ? params->trisolve : LCL_TRISOLVE_PACKED;
    info->factors.elimination = params->elimination;
    if ((st = check_trisolve(info, log)) < 0)
        return st;
    if (lcl_precond_is_extended(info->type)) {
        if ((st = check_extended(params, log)) < 0)
            return st;
        choose_extension(&info->factors, params);
    }
    return check_elimination(&info->factors, log);
}
