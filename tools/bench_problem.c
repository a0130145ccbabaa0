// SPDX-License-Identifier: BSD-3-Clause
// What is measured: built-in problems and files.
#include "tools/bench.h"

#include "host/alloc.h"

#include <string.h>

static enum lcl_status load_rhs(struct problem *P, const struct lcl_log *log)
{
    struct lcl_dense b;
    const enum lcl_status st = lcl_dense_read(&b, P->rhs, NULL, log);
    if (st < 0)
        return st;
    if (b.rows != P->A.rows || b.cols != 1) {
        lcl_dense_finish(&b);
        return LCL_EFORMAT;
    }
    memcpy(P->b, b.val, (size_t)b.rows * sizeof *P->b);
    lcl_dense_finish(&b);
    return LCL_OK;
}

enum lcl_status bench_load(struct problem *P, char *text,
                           const struct lcl_log *log)
{
    char *comma = strstr(text, ".mtx,");
    *P = (struct problem){.name = text};
    if (comma) {
        comma[4] = '\0';
        P->rhs = comma + 5;
    }
    enum lcl_status st = strstr(text, ".mtx")
                             ? lcl_csr_read(&P->A, text, NULL, log)
                             : lcl_csr_problem(&P->A, text, log);
    if (st < 0)
        return st;
    P->b = lcl_malloc((size_t)P->A.rows, sizeof *P->b);
    P->x = lcl_malloc((size_t)P->A.rows, sizeof *P->x);
    if (!P->b || !P->x)
        return LCL_ENOMEM;
    for (int64_t i = 0; i < P->A.rows; ++i)
        P->x[i] = 1;
    lcl_csr_multiply(&P->A, P->x, P->b);
    return P->rhs ? load_rhs(P, log) : LCL_OK;
}

void bench_unload(struct problem *P)
{
    lcl_csr_finish(&P->A);
    lcl_free(P->b);
    lcl_free(P->x);
}

void bench_random_rhs(const struct problem *P, int seed)
{
    uint64_t state = (uint64_t)seed;
    for (int64_t i = 0; i < P->A.rows; ++i) {
        state = 6364136223846793005u * state + 1442695040888963407u;
        P->b[i] = (double)(int64_t)state / 9223372036854775808.0;
    }
}
