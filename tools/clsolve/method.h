// SPDX-License-Identifier: BSD-3-Clause
// Names of methods in reports.
#pragma once

#include "tools/clsolve/job.h"

enum { METHOD_TITLE = 128 };

// Of the method in use, as "gmres(30) in fp64" and "ildu0 (packed)"; return the
// text.
const char *method_solver(char title[METHOD_TITLE], const struct job *job);
const char *method_precond(char title[METHOD_TITLE], const struct job *job);

// A method that was tried, as "idr(8), ras (fp64 factors)".
const char *method_attempt(char title[METHOD_TITLE],
                           const struct lcl_attempt *attempt);

// What came of it: the name of its stop or the text of its status.
const char *method_outcome(const struct lcl_attempt *attempt);
