// SPDX-License-Identifier: BSD-3-Clause
// What must hold of an answer of the library.
#pragma once

#include "tests/honesty/judge.h"
#include "tests/honesty/runner.h"

struct answer {
    const struct trial *T;
    const struct exact *E;
    const struct lcl_csr *A; // of a callback's products
    enum lcl_status status;
    const struct lcl_report *report;
    const double *b, *start, *x;
};

// Notes the first fault of an answer; `message` is the library's last error.
void check_answer(struct outcome *out, const struct answer *a,
                  const char *message);
