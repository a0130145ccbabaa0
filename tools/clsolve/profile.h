// SPDX-License-Identifier: BSD-3-Clause
// A set-up by task: time, least memory traffic, launches. Printed by clsolve
// and levelbench.
#pragma once

#include <levelcl/context.h>
#include <levelcl/matrix.h>

#include <cjson/cJSON.h>

struct profile {
    struct lcl_task_info task[LCL_TASK_COUNT];
    double total; // seconds, without reading
    double copy;  // bytes per second; 0: unknown
};

// Store the counts of the context and the time `now` (in seconds) at the start
// of a set-up, and the differences to them at its end.
void profile_begin(struct profile *P, const lcl_context *ctx, double now);
void profile_end(struct profile *P, const lcl_context *ctx, double now);

// *P = the slowest of both in each task.
void profile_slowest(struct profile *P, const struct profile *other);

// The task read, which the library does not time: reads `text` bytes, writes
// the arrays of A, if it has any.
void profile_set_read(struct profile *P, double seconds, int64_t text,
                      const struct lcl_csr *A);

// Seconds of the set-up without the upload, and of those between tasks.
double profile_setup(const struct profile *P);
double profile_other(const struct profile *P);

void profile_print(const struct profile *P);
// Adds the same figures to a record.
void profile_add(cJSON *record, const struct profile *P);
