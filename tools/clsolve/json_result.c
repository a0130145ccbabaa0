// SPDX-License-Identifier: BSD-3-Clause
// The result of a solve as a member of a JSON record.
#include "tools/clsolve/hints.h"
#include "tools/clsolve/json.h"

static void put_history(cJSON *object, const struct lcl_report *report)
{
    const int count = report->history_count;
    cJSON *list = count > 0 ? cJSON_CreateDoubleArray(report->history, count)
                            : cJSON_CreateArray();
    cJSON_AddItemToObject(object, "history", list);
}

static cJSON *attempt(const struct lcl_attempt *a)
{
    cJSON *object = cJSON_CreateObject();
    json_put_text(object, "solver", lcl_solver_name(a->solver));
    if (a->parameter > 0)
        json_put_count(object, "parameter", a->parameter);
    json_put_text(object, "precond", lcl_precond_name(a->precond));
    json_put_text(object, "variant", a->variant);
    json_put_text(object, "status", lcl_status_name(a->status));
    json_put_text(object, "stop", lcl_stop_name(a->stop));
    json_put_count(object, "iterations", a->iterations);
    json_put_number(object, "true_residual", a->true_residual);
    cJSON *seconds = cJSON_AddObjectToObject(object, "seconds");
    json_put_number(seconds, "setup", a->setup_seconds);
    json_put_number(seconds, "solve", a->solve_seconds);
    return object;
}

static void put_attempts(cJSON *object, const struct column *column)
{
    cJSON *list = cJSON_AddArrayToObject(object, "attempts");
    for (int k = 0; k < column->attempts; ++k)
        cJSON_AddItemToArray(list, attempt(&column->attempt[k]));
}

static void put_verdict(cJSON *object, const struct column *column)
{
    const struct lcl_report *report = &column->report;
    json_put_bool(object, "converged", column->outcome == LCL_OK);
    json_put_text(object, "status", lcl_status_name(column->outcome));
    json_put_text(object, "stop", lcl_stop_name(report->stop));
    json_put_text(object, "message", lcl_stop_str(report->stop));
    json_put_count(object, "iterations", report->iterations);
    json_put_count(object, "x_iteration", report->x_iteration);
    json_put_count(object, "restarts", report->restarts);
    json_put_bool(object, "exhausted", report->exhausted);
    json_put_number(object, "norm_b", report->norm_b);
    json_put_number(object, "norm_removed", report->norm_removed);
    json_put_number(object, "residual", report->residual);
    json_put_number(object, "true_residual", report->true_residual);
    json_put_number(object, "backward_error", report->backward_error);
    json_put_text(object, "norm", lcl_norm_name(report->norm));
    json_put_count(object, "precond_solves", report->precond_solves);
    json_put_count(object, "precond_updates", report->precond_updates);
    json_put_number(object, "seconds", report->seconds);
}

static void put_advice(cJSON *result, const struct job *job)
{
    struct hint hint;
    if (!hint_find(&hint, job))
        return;
    json_put_text(result, "to_try", hint.text);
    if (hint.has_command)
        json_put_printed(result, "to_try_command", &hint.cli,
                         cli_print_command);
}

static void put_columns(cJSON *result, const struct job *job)
{
    cJSON *list = cJSON_AddArrayToObject(result, "columns");
    for (int k = 0; k < job->columns; ++k) {
        cJSON *object = cJSON_CreateObject();
        put_verdict(object, &job->column[k]);
        put_history(object, &job->column[k].report);
        put_attempts(object, &job->column[k]);
        cJSON_AddItemToArray(list, object);
    }
}

void json_put_result(cJSON *record, const struct job *job)
{
    cJSON *result = cJSON_AddObjectToObject(record, "result");
    if (job->columns > 1)
        json_put_count(result, "column", job->worst + 1);
    put_verdict(result, &job->column[job->worst]);
    put_advice(result, job);
    json_put_count(result, "launches_per_iteration", job->report.launches);
    if (job_knows_solution(job))
        json_put_number(result, "error", job_error(job));
    if (job->columns > 1) {
        put_columns(result, job);
    } else {
        put_history(result, &job->report);
        put_attempts(result, &job->column[0]);
    }
    if (job->cli.output)
        json_put_name(result, "written", job->cli.output);
}
