// SPDX-License-Identifier: BSD-3-Clause
// The report of --report: one page of HTML about a run.
#pragma once

#include "tools/clsolve/job.h"

#include <stdio.h>

// Writes the page to the file of --report, if it is given, after job_end().
// Returns LCL_OK, LCL_EIO or LCL_ENOMEM with the reason in the messages.
enum lcl_status html_report(struct job *job);

// ---------------------------------------------------------------- sections

// What the preconditioner does with the rows of the matrix.
struct html_rows {
    int32_t *part, *level; // of each row; NULL: not known
};

// Whether the run solves; else the report is about a set-up.
bool html_solves(const struct job *job);

// The number of methods that were tried for the worst column.
int html_attempts(const struct job *job);

// Sections in files of their own.
void html_facts(FILE *out, const struct job *job);
void html_convergence(FILE *out, const struct job *job);
void html_times(FILE *out, const struct job *job);
void html_levels(FILE *out, const struct job *job,
                 const struct html_rows *rows);
void html_multigrid(FILE *out, const struct job *job);
// Return LCL_OK or LCL_ENOMEM.
enum lcl_status html_pattern(FILE *out, const struct job *job);
enum lcl_status html_partition(FILE *out, const struct job *job,
                               const struct html_rows *rows);
