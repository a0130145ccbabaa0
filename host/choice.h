// SPDX-License-Identifier: BSD-3-Clause
// Which of several equal forms of a kernel is fastest on this device: measured
// once, then remembered on disk.
#pragma once

#include <levelcl/context.h>

// Enqueues one launch of candidate `which`.
typedef enum lcl_status lcl_candidate(void *arg, int which);

// Whether the answer to `question` is known: *best is then one of 0 .. count
// - 1. The question is a text that names the kernel and the class of problems
// for which the answer holds.
bool lcl_choice_recall(int *best, lcl_context *ctx, const char *question,
                       int count);

// Remembers that answer.
void lcl_choice_store(lcl_context *ctx, const char *question, int best);

// Sets *best to the fastest of the candidates 0 .. count - 1, launching each a
// few times, and remembers it; the results of the launches are of no interest.
// Returns LCL_OK, LCL_ENOMEM, LCL_EDEVICE or what a launch returns.
enum lcl_status lcl_choose(int *best, lcl_context *ctx, const char *question,
                           int count, lcl_candidate *launch, void *arg);
