// SPDX-License-Identifier: BSD-3-Clause
// Autotuning: measures once which of several equivalent kernel variants is
// fastest on this device and caches the answer on disk.
#pragma once

#include <levelcl/context.h>

// Enqueues one launch of candidate `which`.
typedef enum lcl_status lcl_candidate(void *arg, int which);

// Whether the answer to `question` is known; then *best is from 0 to count - 1.
// The question is a text that names the kernel and the class of problems for
// which the answer holds.
bool lcl_autotune_recall(int *best, lcl_context *ctx, const char *question,
                         int count);

// Stores the answer.
void lcl_autotune_store(lcl_context *ctx, const char *question, int best);

// Launches each of the candidates 0 .. count - 1 a few times, sets *best to the
// fastest and stores it; ignores the numerical results of the launches.
// Returns LCL_OK, LCL_ENOMEM, LCL_EDEVICE or the status of a launch.
enum lcl_status lcl_autotune(int *best, lcl_context *ctx, const char *question,
                             int count, lcl_candidate *launch, void *arg);
