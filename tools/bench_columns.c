// SPDX-License-Identifier: BSD-3-Clause
// The random right-hand sides together, compared with one of them alone.
#include "tools/bench.h"

#include "lib/precond/precond.h"
#include "tools/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Sums and maxima over the columns.
struct totals {
    double seconds, relres;
    int iterations, launches;
    enum lcl_stop stop; // the first that is not a success, or the first
};

static struct totals totals_of(const struct lcl_report *report, int count)
{
    struct totals t = {.stop = report[0].stop, .launches = report[0].launches};
    for (int j = 0; j < count; ++j) {
        const struct lcl_report *r = &report[j];
        t.seconds += r->seconds;
        t.relres = fmax(t.relres, r->true_residual);
        if (r->iterations > t.iterations)
            t.iterations = r->iterations;
        if (t.stop > 0 && r->stop < 0)
            t.stop = r->stop;
    }
    return t;
}

static void print(const struct bench *B, const struct work *w,
                  const struct totals *t, double one)
{
    cJSON *line = bench_line(B, lcl_solver_name(B->options.solver.type),
                             lcl_precond_name(lcl_precond_info(w->M)->type));
    cJSON_AddNumberToObject(line, "ms", 1e3 * t->seconds);
    cJSON_AddNumberToObject(line, "iters", t->iterations);
    cJSON_AddNumberToObject(line, "relres", t->relres);
    cJSON_AddNumberToObject(line, "ms_per_iter",
                            1e3 * t->seconds / fmax(t->iterations, 1));
    cJSON_AddStringToObject(line, "stop", lcl_stop_name(t->stop));
    cJSON_AddNumberToObject(line, "columns", B->random);
    cJSON_AddNumberToObject(line, "launches", t->launches);
    cJSON_AddNumberToObject(line, "of_one", t->seconds / one);
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
        const struct totals t = totals_of(report, B->random);
        print(B, w, &t, one);
    }
    lcl_solver_destroy(&S);
    free(b);
    free(x);
    free(report);
    return st;
}
