// SPDX-License-Identifier: BSD-3-Clause
// levelbench setup: the set-up of a preconditioner by task. After one set-up
// that compiles, prints the one with the median time of --repeat others.
#include "tools/levelbench/bench.h"

#include "host/alloc.h"

#include <stdio.h>
#include <stdlib.h>

enum { REPEAT = 5 };

static int compare_totals(const void *a, const void *b)
{
    const struct profile *x = a, *y = b;
    return x->total < y->total ? -1 : x->total > y->total;
}

static enum lcl_status run_once(struct bench *B, struct profile *P)
{
    struct work w;
    struct setup setup;
    const enum lcl_status st = bench_set_up(B, &w, &B->options.precond, &setup);
    bench_finish(&w);
    *P = setup.profile;
    return st;
}

static enum lcl_status run_all(struct bench *B, struct profile *all, int count)
{
    enum lcl_status st = run_once(B, &all[0]);
    for (int i = 0; i < count && st >= 0; ++i)
        st = run_once(B, &all[i]);
    qsort(all, (size_t)count, sizeof *all, compare_totals);
    return st;
}

static void print(const struct bench *B, struct profile *P)
{
    const struct problem *problem = B->problem;
    P->copy = 1e9 * B->copy_gbps;
    profile_set_read(P, problem->read_seconds, problem->read.bytes,
                     &problem->A);
    if (B->tables) {
        printf("\n%s\n", problem->name);
        profile_print(P);
        fflush(stdout);
        return;
    }
    cJSON *line =
        bench_line(B, "setup-tasks", lcl_precond_name(B->options.precond.type));
    profile_add(line, P);
    bench_print(B, line);
}

static enum lcl_status add_problem(void *state, struct bench *B)
{
    const int count = B->repeat > 0 ? B->repeat : REPEAT;
    struct profile *all = lcl_calloc((size_t)count, sizeof *all);
    (void)state;
    if (!all)
        return LCL_ENOMEM;
    const enum lcl_status st = run_all(B, all, count);
    if (st >= 0)
        print(B, &all[count / 2]);
    lcl_free(all);
    return st < 0 ? st : LCL_OK;
}

const struct bench_tables bench_setup = {
    .name = "setup",
    .needs_problem = true,
    .profile = true,
    .problem = add_problem,
};
