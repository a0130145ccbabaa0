// SPDX-License-Identifier: BSD-3-Clause
// The table of the report that says what was solved, and how.
#include "tools/clsolve/html.h"
#include "tools/clsolve/html_report.h"
#include "tools/clsolve/memory.h"
#include "tools/clsolve/method.h"

#include <inttypes.h>

static void put_matrix(FILE *out, const struct job *job)
{
    html_open_fact(out, "matrix");
    html_text(out, "%s: ", job_title(job));
    html_value(out, "rows", (double)job->unknowns, "%s row%s",
               html_count(job->unknowns).text, job->unknowns == 1 ? "" : "s");
    if (!cli_is_kron(&job->cli)) {
        html_text(out, ", ");
        html_value(out, "nnz", (double)job->A.nnz, "%s nonzeros",
                   html_count(job->A.nnz).text);
        if (job_parts(job) == 2)
            html_text(out, ", the real form of %s complex rows",
                      html_count(job->unknowns / 2).text);
    } else {
        html_text(out, ": A (x) M + tau B (x) L, %d stages, tau %g",
                  job->kron.K.stages, job->kron.K.tau);
    }
    html_close_fact(out);
}

static void put_entries(FILE *out, const struct job *job)
{
    const struct facts *facts = &job->facts;
    if (cli_is_kron(&job->cli))
        return;
    html_fact(out, "rows of A",
              "%" PRId64 " to %" PRId64 " entries, %.1f on average",
              facts->row_min, facts->row_max,
              (double)job->A.nnz / (double)job->A.rows);
    html_fact(out, "diagonal", "%s positive, %s negative, %s missing",
              html_count(facts->positive_diagonals).text,
              html_count(facts->negative_diagonals).text,
              html_count(facts->missing_diagonals).text);
    if (html_solves(job))
        return;
    html_open_fact(out, "symmetry");
    html_text(out, "pattern %s, ", facts->pattern_symmetric ? "yes" : "no");
    html_value(out, "asymmetry", facts->asymmetry,
               facts->asymmetry > 0
                   ? "values no: max |a_ij - a_ji| = %.1e max |a_ij|"
                   : "values yes",
               facts->asymmetry);
    html_close_fact(out);
}

static void put_method(FILE *out, const struct job *job)
{
    const char *why = lcl_chain_reason(job->chain);
    char solver[METHOD_TITLE], precond[METHOD_TITLE];
    html_fact(out, "method", "%s, %s", method_solver(solver, job),
              method_precond(precond, job));
    if (*why)
        html_fact(out,
                  html_attempts(job) > 1 ? "reason for the first" : "reason",
                  "%s", why);
}

static void put_goal(FILE *out, const struct job *job)
{
    const struct lcl_solver_params *solver = &job->solver;
    if (job->columns > 1)
        html_fact(out, "right-hand side", "column %d of %d of %s",
                  job->worst + 1, job->columns, job_rhs_title(job));
    else
        html_fact(out, "right-hand side", "%s", job_rhs_title(job));
    if (job->cli.x0)
        html_fact(out, "initial guess", "%s", job_input_title(job->cli.x0));
    html_open_fact(out, "tolerance");
    html_value(out, "rtol", solver->rtol, "||b - A x|| <= %g ||b||",
               solver->rtol);
    if (solver->atol > 0)
        html_text(out, " or %g", solver->atol);
    html_close_fact(out);
}

static void put_outcome(FILE *out, const struct job *job)
{
    const struct lcl_report *report = &job->report;
    html_open_fact(out, "outcome");
    html_text(out, "%s: %s",
              job->outcome == LCL_OK ? "converged" : "not converged",
              lcl_stop_str(report->stop));
    html_close_fact(out);
    html_open_fact(out, "iterations");
    html_value(out, "iterations", report->iterations, "%s",
               html_count(report->iterations).text);
    if (report->restarts > 0)
        html_text(out, ", %d restart%s", report->restarts,
                  report->restarts == 1 ? "" : "s");
    if (report->x_iteration != report->iterations)
        html_text(out, "; x is the best iterate, of iteration %d",
                  report->x_iteration);
    html_close_fact(out);
    html_open_fact(out, "residual");
    html_value(out, "true_residual", report->true_residual, "%.3e true",
               report->true_residual);
    html_text(out, ", ");
    html_value(out, "residual", report->residual, "%.3e by the recurrence",
               report->residual);
    html_close_fact(out);
    html_fact(out, "backward error", "%.3e", report->backward_error);
    if (job_knows_solution(job))
        html_fact(out, "error", "%.3e, the largest |x_i - 1|", job_error(job));
    if (job->cli.output)
        html_fact(out, "written", "%s", job->cli.output);
}

static void put_subdomains(FILE *out, const struct lcl_precond_info *info)
{
    html_open_fact(out, "subdomains");
    html_text(out, "%s of ", html_count(info->factors.parts).text);
    if (info->factors.part_rows_min < info->factors.part_rows_max)
        html_text(out, "%" PRId64 " to ", info->factors.part_rows_min);
    html_text(out, "%" PRId64 " rows, by %s%s", info->factors.part_rows_max,
              lcl_partition_name(info->factors.partition),
              info->factors.weighted ? " with edge weights" : "");
    html_close_fact(out);
    html_fact(out, "factors", "%.*f MB on the device, %s",
              memory_decimals(info->bytes), 1e-6 * (double)info->bytes,
              lcl_factor_storage_name(info->storage));
}

static void put_precond(FILE *out, const struct job *job)
{
    const struct lcl_precond_info *info = lcl_precond_info(job->M);
    if (job_has_subdomains(job))
        put_subdomains(out, info);
    if (info && info->factors.transversal)
        html_fact(out, "permuted",
                  "columns, so that the largest entries are "
                  "on the diagonal, scaled");
    if (info && info->factors.order > LCL_ORDER_NONE)
        html_fact(out, "order", "%s, of the rows before factors",
                  lcl_order_name(info->factors.order));
    if (info && info->coarse.rows > 0)
        html_fact(out, "coarse", "%s, %s unknowns",
                  lcl_coarse_name(info->coarse.type),
                  html_count(info->coarse.rows).text);
    if (info && info->amg.levels > 0)
        html_fact(out, "multigrid", "%s, %d levels, %.*f MB on the device",
                  lcl_amg_coarsening_name(info->amg.coarsening),
                  info->amg.levels, memory_decimals(info->amg.bytes),
                  1e-6 * (double)info->amg.bytes);
}

static void put_product(FILE *out, const struct job *job)
{
    const struct lcl_operator_info *info = lcl_operator_info(job->op);
    html_fact(out, "product", "%s, %.*f MB on the device",
              info->kron ? lcl_kron_name(info->kron)
                         : lcl_spmv_name(info->spmv),
              memory_decimals(info->bytes), 1e-6 * (double)info->bytes);
}

static void put_memory(FILE *out, const struct job *job)
{
    const struct memory memory = memory_in_use(job);
    const double now = (double)memory.all.buffer_bytes;
    const double most = (double)memory.all.buffer_bytes_max;
    const int d = memory_decimals(memory.all.buffer_bytes);
    html_open_fact(out, "memory");
    html_value(out, "buffer_bytes", now, "%.*f MB on the device%s", d,
               1e-6 * now, job->devices.count > 1 ? "s" : "");
    html_text(out, ", ");
    html_value(out, "buffer_bytes_max", most, "at most %.*f MB", d,
               1e-6 * most);
    html_close_fact(out);
}

void html_facts(FILE *out, const struct job *job)
{
    html_open_table(out, "");
    put_matrix(out, job);
    put_entries(out, job);
    put_method(out, job);
    put_precond(out, job);
    put_product(out, job);
    put_memory(out, job);
    if (html_solves(job)) {
        put_goal(out, job);
        put_outcome(out, job);
    }
    html_close_table(out);
}
