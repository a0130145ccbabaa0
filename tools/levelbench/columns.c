// SPDX-License-Identifier: BSD-3-Clause
// The random right-hand sides together, compared with one of them alone.
#include "tools/levelbench/bench.h"

#include "lib/precond/precond.h"
#include "tools/clsolve/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Sums and maxima over the columns. The status is the first stop that is not a
// success, or else the first stop.
static struct lcl_report joined(const struct lcl_report *report, int count)
{
    struct lcl_report all = report[0];
    for (int j = 1; j < count; ++j) {
        const struct lcl_report *r = &report[j];
        all.seconds += r->seconds;
        all.true_residual = fmax(all.true_residual, r->true_residual);
        if (r->iterations > all.iterations)
            all.iterations = r->iterations;
        if (all.stop > 0 && r->stop < 0)
            all.stop = r->stop;
    }
    return all;
}

static void print(const struct bench *B, const struct work *w,
                  const struct lcl_report *all, double one)
{
    const char *precond = lcl_precond_name(lcl_precond_info(w->M)->type);
    cJSON *line = bench_solve_line(B, precond, all);
    cJSON_AddNumberToObject(line, "columns", B->random);
    cJSON_AddNumberToObject(line, "launches", all->launches);
    cJSON_AddNumberToObject(line, "of_one", all->seconds / one);
    bench_print(B, line);
}

// Times the second of two solves from X = 0.
static enum lcl_status solve_twice(struct bench *B, lcl_solver *S,
                                   const double *b, double *x,
                                   struct lcl_report *report)
{
    const int64_t n = B->problem->A.rows;
    enum lcl_status st = LCL_OK;
    for (int pass = 0; pass < 2 && st >= 0; ++pass) {
        memset(x, 0, (size_t)n * (size_t)B->random * sizeof *x);
        st = lcl_solver_solve_many(S, b, n, x, n, B->random, report);
    }
    return st < 0 ? st : LCL_OK;
}

enum lcl_status bench_columns(struct bench *B, const struct work *w, double one)
{
    const int64_t n = B->problem->A.rows;
    const size_t count = (size_t)B->random, all = (size_t)n * count;
    struct lcl_report *report = calloc(count, sizeof *report);
    double *b = malloc(all * sizeof *b), *x = malloc(all * sizeof *x);
    lcl_solver *S = NULL;
    enum lcl_status st = LCL_ENOMEM;
    if (report && b && x)
        st = lcl_solver_create(&S, w->A, w->M, &B->options.solver);
    for (int j = 0; j < B->random && st == LCL_OK; ++j)
        random_fill(b + j * n, n, (uint64_t)j + 1);
    if (st == LCL_OK && (st = solve_twice(B, S, b, x, report)) == LCL_OK) {
        const struct lcl_report together = joined(report, B->random);
        print(B, w, &together, one);
    }
    lcl_solver_destroy(&S);
    free(b);
    free(x);
    free(report);
    return st;
}
