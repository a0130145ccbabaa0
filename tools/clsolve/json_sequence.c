// SPDX-License-Identifier: BSD-3-Clause
// The JSON record of a sequence of systems.
#include "tools/clsolve/json.h"
#include "tools/clsolve/sequence.h"

static void put_verdict(cJSON *object, const struct step *step)
{
    const struct lcl_report *report = &step->report;
    json_put_bool(object, "converged", step->outcome == LCL_OK);
    json_put_text(object, "status", lcl_status_name(step->outcome));
    json_put_text(object, "stop", lcl_stop_name(report->stop));
    json_put_text(object, "message", lcl_stop_str(report->stop));
    json_put_count(object, "iterations", step->iterations);
    json_put_number(object, "true_residual", report->true_residual);
    json_put_number(object, "backward_error", report->backward_error);
    json_put_count(object, "columns", step->columns);
    json_put_count(object, "columns_failed", step->failed);
}

static void put_written(cJSON *object, const struct sequence *S, int k)
{
    char name[CLI_PATH];
    if (S->step[k].written && cli_step_name(name, S->output, k + 1))
        json_put_name(object, "written", name);
}

static cJSON *step_of(const struct sequence *S, int k)
{
    const struct step *step = &S->step[k];
    cJSON *object = cJSON_CreateObject();
    json_put_count(object, "step", k + 1);
    json_put_name(object, "matrix", step->matrix);
    if (step->rhs)
        json_put_name(object, "rhs", step->rhs);
    json_put_text(object, "set_up", step_set_up_name(step->set_up));
    json_put_text(object, "start", step_start_name(step->start));
    json_put_text(object, "solver", lcl_solver_name(step->solver));
    json_put_text(object, "precond", lcl_precond_name(step->precond));
    put_verdict(object, step);
    put_written(object, S, k);
    cJSON *seconds = cJSON_AddObjectToObject(object, "seconds");
    json_put_number(seconds, "read", step->read_seconds);
    json_put_number(seconds, "set_up", step->set_up_seconds);
    json_put_number(seconds, "solve", step->solve_seconds);
    return object;
}

static void put_steps(cJSON *record, const struct sequence *S)
{
    cJSON *list = cJSON_AddArrayToObject(record, "steps");
    for (int k = 0; k < S->solved; ++k)
        cJSON_AddItemToArray(list, step_of(S, k));
    json_put_count(record, "systems", S->count);
    json_put_count(record, "failed", sequence_failed(S));
    if (!S->advises)
        return;
    json_put_text(record, "to_try", S->hint.text);
    if (S->hint.has_command)
        json_put_printed(record, "to_try_command", &S->hint.cli,
                         cli_print_command);
}

bool json_sequence(const struct job *job, const struct sequence *S,
                   enum lcl_status status, int exit_code)
{
    cJSON *record = json_new("sequence");
    json_put_device(cJSON_AddObjectToObject(record, "device"),
                    lcl_context_caps(job->ctx));
    json_put_devices(record, &job->devices);
    put_steps(record, S);
    if (status < 0)
        json_put_error(record, job, status);
    if (job->op)
        json_put_state(record, job);
    json_put_warnings(record, job);
    json_put_count(record, "exit", exit_code);
    return json_print(record);
}
