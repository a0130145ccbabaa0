// SPDX-License-Identifier: BSD-3-Clause
// What clsolve compare prints.
#include "tools/clsolve/compare.h"
#include "tools/clsolve/json.h"

static const char *const names[2] = {"a", "b"};

static const char *words_of(const struct contestant *C)
{
    return C->words ? C->words : "as given";
}

static const char *verdict(const struct comparison *P)
{
    return P->high < 1  ? "b is faster"
           : P->low > 1 ? "a is faster"
                        : "neither is faster with this confidence";
}

// ---------------------------------------------------------------- text

static void print_contestant(const struct contestant *C, const char *name)
{
    printf("%-10s%10.4f%10.4f%10.4f%11d  %s\n", name, C->setup_median,
           C->solve_median, C->total_median, C->iterations,
           terminal_text(words_of(C)).text);
    if (!C->converged)
        printf("%-10snot converged: %s\n", "", lcl_stop_str(C->stop));
}

void text_comparison(const struct comparison *P)
{
    printf("medians     of %d alternating runs each, in seconds without "
           "compilation\n\n",
           P->runs);
    printf("%-10s%10s%10s%10s%11s\n", "", "set-up", "solve", "total",
           "iterations");
    for (int i = 0; i < 2; ++i)
        print_contestant(&P->of[i], names[i]);
    printf(
        "\nratio       %.4f, the median of the ratios b / a of the totals of "
        "%d pairs of runs\n",
        P->median, P->runs);
    printf("confidence  %.1f %%: from %.4f to %.4f, number %d and %d of the "
           "sorted ratios\n",
           100 * P->interval.coverage, P->low, P->high, P->interval.rank,
           P->runs + 1 - P->interval.rank);
    printf("result      %s\n", verdict(P));
}

// ---------------------------------------------------------------- JSON

static void put_contestant(cJSON *record, const struct contestant *C,
                           const char *name)
{
    cJSON *object = cJSON_AddObjectToObject(record, name);
    json_put_text(object, "options", C->words ? C->words : "");
    json_put_bool(object, "converged", C->converged);
    json_put_text(object, "stop", lcl_stop_name(C->stop));
    json_put_count(object, "iterations", C->iterations);
    cJSON *seconds = cJSON_AddObjectToObject(object, "seconds");
    json_put_number(seconds, "setup", C->setup_median);
    json_put_number(seconds, "solve", C->solve_median);
    json_put_number(seconds, "total", C->total_median);
}

bool json_comparison(const struct comparison *P, const struct job *job,
                     int exit_code)
{
    cJSON *record = json_new("compare");
    json_put_matrix(record, job);
    json_put_device(cJSON_AddObjectToObject(record, "device"),
                    lcl_context_caps(job->ctx));
    json_put_count(record, "runs", P->runs);
    for (int i = 0; i < 2; ++i)
        put_contestant(record, &P->of[i], names[i]);
    cJSON *ratio = cJSON_AddObjectToObject(record, "ratio");
    json_put_text(ratio, "method", "order statistics of paired runs");
    json_put_number(ratio, "median", P->median);
    json_put_number(ratio, "low", P->low);
    json_put_number(ratio, "high", P->high);
    json_put_number(ratio, "confidence", P->interval.coverage);
    json_put_text(record, "result", verdict(P));
    json_put_count(record, "exit", exit_code);
    return json_print(record);
}
