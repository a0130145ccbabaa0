// SPDX-License-Identifier: BSD-3-Clause
// Reports of clsolve: text for people, step by step, and one JSON record.
#pragma once

#include "tools/clsolve/doctor.h"
#include "tools/clsolve/job.h"
#include "tools/clsolve/links.h"

// ---------------------------------------------------------------- text

void text_matrix(const struct job *job);
void text_facts(const struct job *job);
// The processes of MPI, if there are several.
void text_ranks(const struct job *job);
void text_device(const struct lcl_caps *caps);
void text_method(const struct job *job);
// The method that was chosen, and why.
void text_choice(const struct job *job);
void text_precond(const struct job *job);

// With --profile: the set-up by task.
void text_profile(const struct job *job);

// The convergence table, the outcome, the preconditioner, the times.
void text_result(const struct job *job);

// The phases of the run.
void text_times(const struct job *job);

// Advice after a failure.
struct hint;
void text_hint(const struct hint *hint);

// The line of the outcome.
void text_verdict(bool converged, const char *why);

// Of several right-hand sides: the table, the outcome, sums.
void text_columns(const struct job *job);
void text_columns_outcome(const struct job *job);
void text_columns_sums(const struct job *job);

// The files that were read and written.
void text_convert(const struct job *job);

// An entry of the device list; index < 0: with all probed properties.
void text_device_entry(const struct lcl_caps *caps, int index);

// Between each pair of devices.
void text_links(const struct links *links);

// A check of clsolve doctor.
void text_finding(const struct finding *finding);

// ---------------------------------------------------------------- JSON

// Each function prints a record; false if memory or the standard output failed.
bool json_solve(const struct job *job, int exit_code);
bool json_info(const struct job *job, int exit_code);
bool json_convert(const struct job *job);
bool json_devices(const struct lcl_caps *caps, int count,
                  const struct links *links); // NULL: not measured
bool json_doctor(const struct doctor *doctor, int exit_code);
bool json_error(const struct job *job, enum lcl_status status, int exit_code);
