// SPDX-License-Identifier: BSD-3-Clause
// The report of clsolve --dry-run.
#include "tools/clsolve/dry_run.h"
#include "tools/clsolve/json.h"
#include "tools/clsolve/report.h"

#include <inttypes.h>
#include <stdio.h>

static void megabytes(const char *label, const char *name, uint64_t bytes)
{
    printf("%-12s%-10s%12.1f MB\n", label, name, 1e-6 * (double)bytes);
}

void text_estimate(const struct lcl_estimate *e, const struct lcl_caps *caps)
{
    const char *label = "memory";
    text_device(caps);
    printf("method      %s, %s\n", lcl_solver_name(e->solver),
           lcl_precond_name(e->precond));
    if (*e->reason)
        printf("            because %s\n", e->reason);
    if (e->parts > 0)
        printf("subdomains  about %" PRId64 "\n", e->parts);
    for (int k = 0; k < LCL_ESTIMATE_COUNT; ++k) {
        if (e->bytes[k] == 0)
            continue;
        megabytes(label, lcl_estimate_name((enum lcl_estimate_object)k),
                  e->bytes[k]);
        label = "";
    }
    megabytes("", "total", e->total);
    megabytes("", "device", caps->global_bytes);
    printf("iteration   %.1f MB at least\n", 1e-6 * (double)e->traffic);
}

// ---------------------------------------------------------------- JSON

static cJSON *estimate(const struct lcl_estimate *e,
                       const struct lcl_caps *caps)
{
    cJSON *object = cJSON_CreateObject();
    json_put_device(cJSON_AddObjectToObject(object, "device"), caps);
    json_put_text(object, "solver", lcl_solver_name(e->solver));
    json_put_text(object, "precond", lcl_precond_name(e->precond));
    json_put_text(object, "reason", e->reason);
    json_put_count(object, "rows", e->rows);
    json_put_count(object, "parts", e->parts);
    cJSON *bytes = cJSON_AddObjectToObject(object, "bytes");
    for (int k = 0; k < LCL_ESTIMATE_COUNT; ++k)
        json_put_count(bytes, lcl_estimate_name((enum lcl_estimate_object)k),
                       (int64_t)e->bytes[k]);
    json_put_count(bytes, "total", (int64_t)e->total);
    json_put_count(object, "traffic", (int64_t)e->traffic);
    return object;
}

bool json_estimates(const struct lcl_estimate *all, const struct job *job)
{
    cJSON *record = json_new("dry-run");
    json_put_matrix(record, job);
    cJSON *list = cJSON_AddArrayToObject(record, "estimates");
    for (int k = 0; k < job->devices.count; ++k)
        cJSON_AddItemToArray(
            list, estimate(&all[k], lcl_context_caps(job->devices.ctx[k])));
    json_put_count(record, "exit", 0);
    return json_print(record);
}
