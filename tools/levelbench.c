// SPDX-License-Identifier: BSD-3-Clause
// levelbench: what the device does with the library's kernels, one JSON line a
// figure. Copy bandwidth comes first, so that every figure can be set against
// it; times are medians over batches of launches.
#include "tools/bench.h"

#include <stdio.h>
#include <string.h>

static enum lcl_status bench_apply(struct bench *B, struct work *w)
{
    struct times t;
    const enum lcl_status st = bench_time_apply(B, w, &t);
    if (st == LCL_OK)
        bench_print_apply(B, w, &t);
    return st;
}

static enum lcl_status bench_solve(struct bench *B, lcl_precond *M)
{
    struct lcl_report report;
    const enum lcl_status st = bench_run_solver(B, M, &report);
    if (st == LCL_OK)
        bench_print_solve(B, lcl_precond_name(lcl_precond_info(M)->type),
                          &report);
    return st;
}

static bool has_subdomains(const lcl_precond *M)
{
    return lcl_precond_info(M)->parts > 0;
}

static enum lcl_status bench_problem(struct bench *B)
{
    struct work w;
    struct setup setup;
    enum lcl_status st = bench_set_up(B, &w, &B->options.precond, &setup);
    if (st == LCL_OK)
        bench_print_setup(B, "phases", &setup);
    if (st == LCL_OK && (st = bench_apply(B, &w)) == LCL_OK &&
        (!has_subdomains(w.M) || (st = bench_reference(B)) == LCL_OK) &&
        (st = bench_spmv(B, &w)) == LCL_OK &&
        (st = bench_refresh(B, &w)) == LCL_OK)
        st = bench_solve(B, w.M);
    bench_finish(&w);
    return st;
}

// ------------------------------------------------------------------- command

static void print_log(void *user, enum lcl_log_level level, const char *text)
{
    (void)user, (void)level;
    fprintf(stderr, "levelbench: %s\n", text);
}

static void print_help(void)
{
    puts("usage: levelbench [--device D] [--KEY VALUE ...] PROBLEM ...\n"
         "PROBLEM is the name of a built-in problem, A.mtx or A.mtx,b.mtx;\n"
         "KEY VALUE are the options of clsolve and hold for the problems that\n"
         "follow. One JSON line a figure: copy, then for each problem setup,\n"
         "apply, spmv, refresh and bicgstab.");
}

static enum lcl_status set_option(struct bench *B, const char *key,
                                  const char *value, const struct lcl_log *log)
{
    char text[256];
    snprintf(text, sizeof text, "%s=%s", key, value);
    return lcl_options_parse(&B->options, text, log);
}

static enum lcl_status run_problem(struct bench *B, char *name,
                                   const struct lcl_log *log)
{
    struct problem P;
    enum lcl_status st = bench_load(&P, name, log);
    B->problem = &P;
    if (st == LCL_OK)
        st = bench_problem(B);
    B->problem = NULL;
    bench_unload(&P);
    return st;
}

static enum lcl_status run(struct bench *B, int argc, char **argv,
                           const struct lcl_log *log)
{
    const struct lcl_context_params params = {.device = B->device, .log = *log};
    enum lcl_status st;
    if ((st = lcl_context_create(&B->ctx, &params)) < 0 ||
        (st = bench_copy(B)) < 0)
        return st;
    for (int i = 1; i < argc && st >= 0; ++i) {
        if (strncmp(argv[i], "--", 2) != 0)
            st = run_problem(B, argv[i], log);
        else if (i + 1 == argc)
            st = LCL_EINVAL;
        else if (strcmp(argv[i], "--device") == 0)
            ++i;
        else {
            st = set_option(B, argv[i] + 2, argv[i + 1], log);
            ++i;
        }
    }
    return st;
}

int main(int argc, char **argv)
{
    const struct lcl_log log = {.fn = print_log, .level = LCL_LOG_WARN};
    struct bench B = {.device = NULL};
    if (argc < 2 || strcmp(argv[1], "--help") == 0) {
        print_help();
        return argc < 2 ? 2 : 0;
    }
    for (int i = 1; i + 1 < argc; ++i)
        if (strcmp(argv[i], "--device") == 0)
            B.device = argv[i + 1];
    const enum lcl_status st = run(&B, argc, argv, &log);
    lcl_context_destroy(&B.ctx);
    if (st < 0)
        fprintf(stderr, "levelbench: %s\n", lcl_status_str(st));
    return st < 0 ? st == LCL_EINVAL ? 2 : 4 : 0;
}
