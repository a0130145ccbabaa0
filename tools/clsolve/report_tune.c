// SPDX-License-Identifier: BSD-3-Clause
// What clsolve tune prints.
#include "tools/clsolve/json.h"
#include "tools/clsolve/tune.h"

#include <math.h>
#include <string.h>

static const struct trial *best_of(const struct tuning *tuning)
{
    const struct trial *first = tuning->count > 0 ? tuning->rank[0] : NULL;
    return first && first->end == TRIAL_CONVERGED ? first : NULL;
}

static const char *name_of(enum trial_end end)
{
    switch (end) {
    case TRIAL_CONVERGED:
        return "converged";
    case TRIAL_LATE:
        return "slower than the best";
    case TRIAL_FAILED:
        return "not converged";
    case TRIAL_REFUSED:
        return "refused";
    case TRIAL_SKIPPED:
        break;
    }
    return "not tried";
}

static const char *why(const struct trial *trial)
{
    return trial->end == TRIAL_FAILED    ? lcl_stop_str(trial->time.stop)
           : trial->end == TRIAL_REFUSED ? trial->why
           : trial->end == TRIAL_SKIPPED
               ? "the set-up with less fill was far too slow"
               : "";
}

// ---------------------------------------------------------------- text

static void print_seconds(double seconds)
{
    if (isnan(seconds))
        printf("%10s", "-");
    else
        printf("%10.4f", seconds);
}

static void print_trial(const struct trial *trial)
{
    const bool converged = trial->end == TRIAL_CONVERGED;
    const char *reason = why(trial);
    print_seconds(trial->time.setup);
    print_seconds(trial->time.refresh);
    print_seconds(trial->time.solve);
    print_seconds(converged ? trial->total : NAN);
    if (isnan(trial->time.solve))
        printf("%11s", "-");
    else
        printf("%11d", trial->time.iterations);
    if (*trial->words)
        printf("  %s", terminal_text(trial->words).text);
    else
        printf("  as given: %s", terminal_text(trial->method).text);
    if (!converged)
        printf("  (%s%s%s)", name_of(trial->end), *reason ? ": " : "",
               terminal_text(reason).text);
    putchar('\n');
}

static void print_best(const struct trial *best)
{
    fputs("\nbest        ", stdout);
    cli_print_command(stdout, &best->cli);
    fputs("\nas text     ", stdout);
    cli_print_pairs(stdout, &best->cli);
    fputs("\nin C:\n", stdout);
    cli_print_c(stdout, &best->cli);
    putchar('\n');
}

void text_trials(const struct tuning *tuning)
{
    printf("%10s%10s%10s%10s%11s\n", "set-up", "refresh", "solve", "total",
           "iterations");
    for (int i = 0; i < tuning->count; ++i)
        print_trial(tuning->rank[i]);
}

void text_tuning(const struct tuning *tuning, const struct job *job)
{
    const struct trial *best = best_of(tuning);
    printf("ranked by   %s, in seconds without compilation\n\n",
           job->cli.many ? "refresh + solve" : "set-up + solve");
    text_trials(tuning);
    if (best)
        print_best(best);
    else
        puts("\nno configuration has solved the system");
}

// ---------------------------------------------------------------- JSON

void json_put_trial(cJSON *object, const struct trial *trial)
{
    json_put_text(object, "options", trial->words);
    json_put_text(object, "method", trial->method);
    json_put_text(object, "end", name_of(trial->end));
    json_put_text(object, "reason", why(trial));
    json_put_count(object, "iterations", trial->time.iterations);
    cJSON *seconds = cJSON_AddObjectToObject(object, "seconds");
    json_put_number(seconds, "setup", trial->time.setup);
    json_put_number(seconds, "refresh", trial->time.refresh);
    json_put_number(seconds, "solve", trial->time.solve);
    json_put_number(seconds, "total", trial->total);
}

static bool put_best(cJSON *record, const struct trial *best)
{
    if (!best)
        return true;
    cJSON *object = cJSON_AddObjectToObject(record, "best");
    return json_put_printed(object, "command", &best->cli, cli_print_command) &&
           json_put_printed(object, "text", &best->cli, cli_print_pairs) &&
           json_put_printed(object, "c", &best->cli, cli_print_c);
}

bool json_tuning(const struct tuning *tuning, const struct job *job,
                 int exit_code)
{
    cJSON *record = json_new("tune");
    json_put_matrix(record, job);
    json_put_device(cJSON_AddObjectToObject(record, "device"),
                    lcl_context_caps(job->ctx));
    json_put_text(record, "for", job->cli.many ? "many" : "one");
    cJSON *list = cJSON_AddArrayToObject(record, "trials");
    for (int i = 0; i < tuning->count; ++i) {
        cJSON *object = cJSON_CreateObject();
        json_put_trial(object, tuning->rank[i]);
        cJSON_AddItemToArray(list, object);
    }
    if (!put_best(record, best_of(tuning))) {
        cJSON_Delete(record);
        return false;
    }
    json_put_count(record, "exit", exit_code);
    return json_print(record);
}
