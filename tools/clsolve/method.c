// SPDX-License-Identifier: BSD-3-Clause
// Names of methods in reports.
#include "tools/clsolve/method.h"

#include <stdio.h>

const char *method_solver(char title[METHOD_TITLE], const struct job *job)
{
    const struct lcl_solver_params *solver = &job->solver;
    const char *name = lcl_solver_name(solver->type);
    if (lcl_solver_facts(solver->type)->idr_s)
        snprintf(title, METHOD_TITLE, "%s(%d)%s", name, solver->idr_s,
                 solver->side == LCL_SIDE_LEFT ? " from the left" : "");
    else if (job_has_basis(job))
        snprintf(title, METHOD_TITLE, "%s(%d)%s in %s", name, solver->restart,
                 solver->orthogonalisation == LCL_ORTHOGONALISATION_MGS
                     ? " by mgs"
                     : "",
                 lcl_basis_storage_name(solver->basis));
    else
        snprintf(title, METHOD_TITLE, "%s", name);
    return title;
}

const char *method_precond(char title[METHOD_TITLE], const struct job *job)
{
    const struct lcl_precond_info *info = lcl_precond_info(job->M);
    const char *name = lcl_precond_name(info ? info->type : LCL_PRECOND_NONE);
    snprintf(title, METHOD_TITLE, job_has_subdomains(job) ? "%s (%s)" : "%s",
             name, info ? lcl_trisolve_name(info->factors.trisolve) : "");
    return title;
}

const char *method_attempt(char title[METHOD_TITLE],
                           const struct lcl_attempt *attempt)
{
    char parameter[16] = "";
    if (attempt->parameter > 0)
        snprintf(parameter, sizeof parameter, "(%d)", attempt->parameter);
    snprintf(title, METHOD_TITLE,
             *attempt->variant ? "%s%s, %s (%s)" : "%s%s, %s",
             lcl_solver_name(attempt->solver), parameter,
             lcl_precond_name(attempt->precond), attempt->variant);
    return title;
}

const char *method_outcome(const struct lcl_attempt *attempt)
{
    return attempt->status == LCL_OK ? "converged"
           : attempt->stop           ? lcl_stop_name(attempt->stop)
                                     : lcl_status_str(attempt->status);
}
