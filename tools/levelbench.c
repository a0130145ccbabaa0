// SPDX-License-Identifier: BSD-3-Clause
// levelbench: what the device does with the library's kernels, one JSON line a
// figure, or as published tables. Copy bandwidth comes first, so that every
// figure can be set against it; times are medians over batches of launches.
#include "tools/bench.h"

#include <stdio.h>
#include <stdlib.h>
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

// With the problem's own right-hand side, then with random ones.
static enum lcl_status bench_solves(struct bench *B, lcl_precond *M)
{
    enum lcl_status st = bench_solve(B, M);
    for (B->seed = 1; B->seed <= B->random && st == LCL_OK; ++B->seed) {
        bench_random_rhs(B->problem, B->seed);
        st = bench_solve(B, M);
    }
    B->seed = 0;
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
        st = bench_solves(B, w.M);
    bench_finish(&w);
    return st;
}

// ------------------------------------------------------------------- text

static void print_log(void *user, enum lcl_log_level level, const char *text)
{
    (void)user, (void)level;
    fprintf(stderr, "levelbench: %s\n", text);
}

static void print_help(void)
{
    puts(
        "usage: levelbench [--device D] [--random N] [--KEY VALUE ...] "
        "PROBLEM ...\n"
        "       levelbench dd [--json] [--device D] [--KEY VALUE ...] "
        "PROBLEM ...\n"
        "       levelbench bgje [--json] [--device D] [--batch N] [--n ROWS] "
        "[batch:M,COUNT | PROBLEM ...]\n"
        "PROBLEM is the name of a built-in problem, A.mtx or A.mtx,b.mtx;\n"
        "KEY VALUE are the options of clsolve and hold for the problems that\n"
        "follow. One JSON line a figure: copy, then for each problem setup,\n"
        "apply, spmv, refresh and bicgstab; this for N random right-hand\n"
        "sides, too, since that of a built-in problem, A * ones, lies where a\n"
        "coarse correction is exact.\n"
        "dd prints Tables 5.2 to 5.6 of arXiv 2508.04917 for the device, a row\n"
        "a problem: lower solves and applications by published name, partitions,\n"
        "and solves beside a baseline, which is spin_loop_lds or, where the\n"
        "device cannot run that, no preconditioner. The options precond and\n"
        "trisolve do not matter there. With --json the figures come as lines.\n"
        "bgje prints how fast batches of dense blocks are inverted, as Figures 5\n"
        "and 6 of Anzt et al., Parallel Computing 81 (2019), do: for numbers of\n"
        "blocks of 32 and 16 rows up to N, and for N blocks of 1 to 32 rows; N\n"
        "is 500000, on a CPU 20000. Or for COUNT blocks of M rows alone. Then, as\n"
        "Figures 9 and 11, how fast block-Jacobi is set up by each extraction on\n"
        "matrices of ROWS rows, 1000000 or on a CPU 100000, and how fast it is\n"
        "applied; for a PROBLEM, as Figure 10, how fast it is set up. With one of\n"
        "--batch and --n the other part is left out.");
}

// ------------------------------------------------------------------- command

struct command {
    struct bench bench;
    bench_dd *dd; // NULL: lines
    bool bgje;
    int64_t batch; // blocks of bgje; 0: as published
    int64_t rows;  // of the matrices of bgje; 0: as published
    int first;     // argument
    struct lcl_log log;
};

static enum lcl_status set_option(struct command *c, const char *key,
                                  const char *value)
{
    char text[256];
    snprintf(text, sizeof text, "%s=%s", key, value);
    return lcl_options_parse(&c->bench.options, text, &c->log);
}

static enum lcl_status run_problem(struct command *c, char *name)
{
    struct bench *B = &c->bench;
    struct problem P;
    enum lcl_status st = bench_load(&P, name, &c->log);
    B->problem = &P;
    if (st == LCL_OK)
        st = c->dd     ? bench_dd_problem(c->dd, B)
             : c->bgje ? bench_block_jacobi_problem(B)
                       : bench_problem(B);
    B->problem = NULL;
    bench_unload(&P);
    return st;
}

static enum lcl_status run_bgje_problem(struct command *c, char *name)
{
    return strncmp(name, "batch:", strlen("batch:")) == 0
               ? bench_bgje_problem(&c->bench, name)
               : run_problem(c, name);
}

static enum lcl_status run_figures(struct command *c)
{
    enum lcl_status st = LCL_OK;
    if (c->batch > 0 || c->rows == 0)
        st = bench_bgje(&c->bench, c->batch);
    if (st == LCL_OK && (c->rows > 0 || c->batch == 0))
        st = bench_block_jacobi(&c->bench, c->rows);
    return st;
}

static enum lcl_status parse_number(const char *text, int64_t *number)
{
    *number = atoll(text);
    return *number > 0 ? LCL_OK : LCL_EINVAL;
}

static enum lcl_status run_bgje(struct command *c, int argc, char **argv)
{
    enum lcl_status st = LCL_OK;
    bool named = false;
    for (int i = c->first; i < argc && st >= 0; ++i) {
        if (strcmp(argv[i], "--json") == 0)
            continue;
        if (strncmp(argv[i], "--", 2) != 0) {
            named = true;
            st = run_bgje_problem(c, argv[i]);
        } else if (i + 1 < argc && strcmp(argv[i], "--batch") == 0) {
            st = parse_number(argv[++i], &c->batch);
        } else if (i + 1 < argc && strcmp(argv[i], "--n") == 0) {
            st = parse_number(argv[++i], &c->rows);
        } else if (i + 1 < argc && strcmp(argv[i], "--device") == 0) {
            ++i;
        } else {
            st = LCL_EINVAL;
        }
    }
    return st < 0 || named ? st : run_figures(c);
}

static enum lcl_status run_arguments(struct command *c, int argc, char **argv)
{
    enum lcl_status st = LCL_OK;
    for (int i = c->first; i < argc && st >= 0; ++i) {
        if (strncmp(argv[i], "--", 2) != 0)
            st = run_problem(c, argv[i]);
        else if (c->dd && strcmp(argv[i], "--json") == 0)
            continue;
        else if (i + 1 == argc)
            st = LCL_EINVAL;
        else if (strcmp(argv[i], "--device") == 0)
            ++i;
        else if (strcmp(argv[i], "--random") == 0)
            c->bench.random = atoi(argv[++i]);
        else {
            st = set_option(c, argv[i] + 2, argv[i + 1]);
            ++i;
        }
    }
    return st;
}

static void print_device(const struct bench *B)
{
    printf("%s, copies at %.1f GB/s\n", lcl_context_caps(B->ctx)->name,
           B->copy_gbps);
}

static enum lcl_status run(struct command *c, int argc, char **argv)
{
    struct bench *B = &c->bench;
    const struct lcl_context_params params = {.device = B->device,
                                              .log = c->log};
    enum lcl_status st;
    if ((st = lcl_context_create(&B->ctx, &params)) < 0 ||
        (st = bench_copy(B)) < 0)
        return st;
    if (B->tables)
        print_device(B);
    if (c->bgje)
        return run_bgje(c, argc, argv);
    if ((st = run_arguments(c, argc, argv)) == LCL_OK && B->tables)
        bench_dd_print(c->dd);
    return st;
}

// What has to be known before the first argument is acted on.
static enum lcl_status look_ahead(struct command *c, int argc, char **argv)
{
    bool json = false;
    const bool dd = strcmp(argv[1], "dd") == 0;
    c->bgje = strcmp(argv[1], "bgje") == 0;
    c->first = dd || c->bgje ? 2 : 1;
    if (c->first == argc && !c->bgje)
        return LCL_EINVAL;
    for (int i = c->first; i < argc; ++i) {
        json |= strcmp(argv[i], "--json") == 0;
        if (i + 1 < argc && strcmp(argv[i], "--device") == 0)
            c->bench.device = argv[i + 1];
    }
    c->bench.tables = c->first == 2 && !json;
    return dd ? bench_dd_create(&c->dd) : LCL_OK;
}

int main(int argc, char **argv)
{
    struct command c = {.log = {.fn = print_log, .level = LCL_LOG_WARN}};
    if (argc < 2 || strcmp(argv[1], "--help") == 0) {
        print_help();
        return argc < 2 ? 2 : 0;
    }
    enum lcl_status st = look_ahead(&c, argc, argv);
    if (st == LCL_OK)
        st = run(&c, argc, argv);
    bench_dd_destroy(&c.dd);
    lcl_context_destroy(&c.bench.ctx);
    if (st < 0)
        fprintf(stderr, "levelbench: %s\n", lcl_status_str(st));
    return st < 0 ? st == LCL_EINVAL ? 2 : 4 : 0;
}
