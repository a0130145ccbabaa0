// SPDX-License-Identifier: BSD-3-Clause
// What clsolve warm prints.
#include "tools/clsolve/json.h"
#include "tools/clsolve/terminal.h"
#include "tools/clsolve/warm.h"

#include <inttypes.h>

// ---------------------------------------------------------------- text

// A driver with a cache of its own does not tell what it compiles.
static void print_line(const struct warming *warming, const char *label,
                       const struct lcl_build_info *builds, double seconds)
{
    char found[64] = "";
    if (!warming->by_driver)
        snprintf(found, sizeof found, ": %d compiled, %d found",
                 builds->compiled, builds->from_cache);
    printf("%-12s%8.2f s%5d programs%s", label, seconds,
           builds->compiled + builds->from_cache, found);
}

void text_warm_class(const struct warming *warming)
{
    const struct warm_result *result = &warming->result[warming->count - 1];
    if (result->exit_code) {
        printf("%-12s%sfailed%s\n", result->class->name,
               terminal_colour(stdout, COLOUR_BAD),
               terminal_colour(stdout, COLOUR_NONE));
        return;
    }
    print_line(warming, result->class->name, &result->builds, result->seconds);
    putchar('\n');
}

void text_warm_sum(const struct warming *warming)
{
    const struct lcl_build_info sum = warm_sum(warming);
    print_line(warming, "total", &sum, warming->seconds);
    if (warming->by_driver)
        printf(", %" PRId64 " kernels compiled", warming->kernels);
    printf("\nkept in     %s\n", terminal_text(warming->folder).text);
}

// ---------------------------------------------------------------- JSON

static void put_builds(cJSON *object, const struct lcl_build_info *builds,
                       double total)
{
    json_put_count(object, "programs", builds->compiled + builds->from_cache);
    json_put_count(object, "from_cache", builds->from_cache);
    cJSON *seconds = cJSON_AddObjectToObject(object, "seconds");
    json_put_number(seconds, "total", total);
}

bool json_warm(const struct warming *warming, int exit_code)
{
    const struct lcl_build_info sum = warm_sum(warming);
    cJSON *record = json_new("warm");
    cJSON *list = cJSON_AddArrayToObject(record, "classes");
    for (int k = 0; k < warming->count; ++k) {
        const struct warm_result *result = &warming->result[k];
        cJSON *object = cJSON_CreateObject();
        json_put_text(object, "class", result->class->name);
        put_builds(object, &result->builds, result->seconds);
        cJSON_AddItemToArray(list, object);
    }
    put_builds(record, &sum, warming->seconds);
    json_put_count(record, "compiled",
                   warming->by_driver ? warming->kernels : sum.compiled);
    json_put_name(record, "folder", warming->folder);
    json_put_count(record, "exit", exit_code);
    return json_print(record);
}
