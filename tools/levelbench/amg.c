// SPDX-License-Identifier: BSD-3-Clause
// levelbench amg: the levels of algebraic multigrid and the time of each step
// of its V-cycle, set-up by task, and a solve.
#include "tools/levelbench/bench.h"
#include "tools/levelbench/table.h"

#include "lib/multilevel/hierarchy.h"
#include "lib/precond/precond.h"

#include <stdio.h>
#include <string.h>

// A step of a level in the order of a cycle; those without smoother or coarser
// level have no matrix.
struct step {
    const struct lcl_cycle_matrix *M;
    enum lcl_cycle_step which;
    struct lcl_cycle_vectors vectors;
    struct lcl_operands v;
};

static const enum lcl_cycle_step order[] = {
    LCL_CYCLE_FIRST,   LCL_CYCLE_RESIDUAL, LCL_CYCLE_RESTRICT,
    LCL_CYCLE_PROLONG, LCL_CYCLE_AGAIN,    LCL_CYCLE_LAST,
};
enum { STEPS = sizeof order / sizeof *order };

struct row {
    struct times times[STEPS];
    double sum; // seconds of all
    double bytes;
};

static const char *const heads[] = {
    "rows",        "nonzeros",   "lambda",   "first us", "residual us",
    "restrict us", "prolong us", "again us", "last us",  "sum us",
    "GB/s",        "% copy",     NULL};

// ------------------------------------------------------------------- steps

static enum lcl_status launch_step(void *arg)
{
    const struct step *s = arg;
    return lcl_cycle_step(s->M, s->which, &s->vectors, &s->v);
}

static struct step step_of(const struct lcl_cycle *C, int l,
                           enum lcl_cycle_step which)
{
    const struct lcl_cycle_level *L = &C->level[l], *next = L + 1;
    const bool last = l == C->levels - 1;
    struct step s = {.M = &L->A, .which = which};
    s.vectors = (struct lcl_cycle_vectors){
        .lambda = L->lambda, .b = L->b, .x = L->x, .y = L->y, .out = L->r};
    if (which == LCL_CYCLE_RESTRICT) {
        s.M = last ? NULL : &L->R;
        s.vectors.x = L->r;
        s.vectors.out = last ? NULL : next->b;
    } else if (which == LCL_CYCLE_PROLONG) {
        s.M = last ? NULL : &L->P;
        s.vectors.x = last ? NULL : next->x;
        s.vectors.out = L->y;
    }
    return s;
}

static enum lcl_status measure_level(struct bench *B, const struct lcl_cycle *C,
                                     int l, const lcl_buffer *stop,
                                     struct row *row)
{
    enum lcl_status st = LCL_OK;
    *row = (struct row){.sum = 0};
    for (int k = 0; k < STEPS && st == LCL_OK; ++k) {
        struct step s = step_of(C, l, order[k]);
        s.v.stop = stop;
        if (!s.M || !s.M->D)
            continue;
        st = bench_measure(B, launch_step, &s, &row->times[k]);
        row->sum += row->times[k].median;
        row->bytes += lcl_cycle_step_bytes(s.M, order[k]);
    }
    return st;
}

// ------------------------------------------------------------------- output

static void print_level(const struct bench *B,
                        const struct lcl_precond_info *info, int l,
                        const struct row *row)
{
    const double gbps = row->sum > 0 ? 1e-9 * row->bytes / row->sum : 0;
    printf("%-*d", (int)strlen("problem"), l);
    bench_table_cell(heads[0], "%lld", (long long)info->amg.rows[l]);
    bench_table_cell(heads[1], "%lld", (long long)info->amg.nnz[l]);
    bench_table_cell(heads[2], "%.3f", info->amg.lambda_max[l]);
    for (int k = 0; k < STEPS; ++k)
        bench_table_cell(heads[3 + k], "%.1f", 1e6 * row->times[k].median);
    bench_table_cell(heads[9], "%.1f", 1e6 * row->sum);
    bench_table_cell(heads[10], "%.0f", gbps);
    bench_table_cell(heads[11], "%.1f", 100 * gbps / B->copy_gbps);
    putchar('\n');
}

static void add_level(cJSON *levels, const struct lcl_precond_info *info, int l,
                      const struct row *row)
{
    static const char *const names[STEPS] = {"first_us",    "residual_us",
                                             "restrict_us", "prolong_us",
                                             "again_us",    "last_us"};
    cJSON *level = cJSON_CreateObject();
    cJSON_AddNumberToObject(level, "rows", (double)info->amg.rows[l]);
    cJSON_AddNumberToObject(level, "nnz", (double)info->amg.nnz[l]);
    cJSON_AddNumberToObject(level, "lambda", info->amg.lambda_max[l]);
    for (int k = 0; k < STEPS; ++k)
        cJSON_AddNumberToObject(level, names[k], 1e6 * row->times[k].median);
    cJSON_AddNumberToObject(level, "bytes", row->bytes);
    cJSON_AddItemToArray(levels, level);
}

static void print_summary(const struct bench *B,
                          const struct lcl_precond_info *info,
                          struct setup *setup, const struct times *cycle,
                          const struct lcl_report *report)
{
    const double gbps = 1e-9 * (double)info->amg.traffic / cycle->median;
    setup->profile.copy = 1e9 * B->copy_gbps;
    printf("complexity %.3f, %.1f MB on the device, cycle %.4f ms, %d "
           "launches, %.1f GB/s (%.1f %% of a copy)\n",
           info->amg.complexity, 1e-6 * (double)info->amg.bytes,
           1e3 * cycle->median, info->launches, gbps,
           100 * gbps / B->copy_gbps);
    printf("%s: %d iterations, %.3f ms, %s\n\n",
           lcl_solver_name(B->options.solver.type), report->iterations,
           1e3 * report->seconds, lcl_stop_name(report->stop));
    profile_print(&setup->profile);
}

static void add_summary(const struct bench *B, cJSON *line,
                        const struct lcl_precond_info *info,
                        const struct setup *setup, const struct times *cycle,
                        const struct lcl_report *report)
{
    bench_add_times(line, B, cycle, (double)info->amg.traffic);
    cJSON_AddNumberToObject(line, "complexity", info->amg.complexity);
    cJSON_AddNumberToObject(line, "amg_bytes", (double)info->amg.bytes);
    cJSON_AddNumberToObject(line, "launches", info->launches);
    cJSON_AddNumberToObject(line, "iters", report->iterations);
    cJSON_AddNumberToObject(line, "solve_ms", 1e3 * report->seconds);
    cJSON_AddStringToObject(line, "stop", lcl_stop_name(report->stop));
    profile_add(line, &setup->profile);
}

// ------------------------------------------------------------------- problem

static enum lcl_status measure_levels(struct bench *B, const struct work *w,
                                      cJSON *levels)
{
    const struct lcl_hierarchy *H = w->M->op.state;
    const struct lcl_precond_info *info = lcl_precond_info(w->M);
    lcl_buffer *stop = NULL;
    enum lcl_status st =
        lcl_buffer_create(&stop, B->ctx, 1, sizeof(int32_t), "a stopping flag");
    if (st == LCL_OK)
        st = lcl_buffer_fill(stop, 0);
    for (int l = 0; l < H->levels && st == LCL_OK; ++l) {
        struct row row;
        st = measure_level(B, &H->cycle, l, stop, &row);
        if (st == LCL_OK && levels)
            add_level(levels, info, l, &row);
        else if (st == LCL_OK)
            print_level(B, info, l, &row);
    }
    lcl_buffer_destroy(&stop);
    return st;
}

static enum lcl_status measure(struct bench *B, struct work *w,
                               struct setup *setup)
{
    const struct lcl_precond_info *info = lcl_precond_info(w->M);
    cJSON *line = NULL, *levels = NULL;
    struct lcl_report report;
    struct times cycle;
    enum lcl_status st;
    if (B->tables) {
        printf("\n%s\n", B->problem->name);
        bench_table_head((int)strlen("problem"), "Levels and steps of a cycle",
                         heads);
    } else {
        line = bench_line(B, "amg", "levels");
        levels = cJSON_AddArrayToObject(line, "amg_levels");
    }
    if ((st = measure_levels(B, w, levels)) == LCL_OK &&
        (st = bench_time_apply(B, w, &cycle)) == LCL_OK)
        st = bench_run_solver(B, w, &report, NULL);
    if (st < 0) {
        cJSON_Delete(line);
        return st;
    }
    if (B->tables) {
        print_summary(B, info, setup, &cycle, &report);
    } else {
        add_summary(B, line, info, setup, &cycle, &report);
        bench_print(B, line);
    }
    fflush(stdout);
    return LCL_OK;
}

// The second set-up counts; the first one compiles.
static enum lcl_status add_problem(void *state, struct bench *B)
{
    struct lcl_precond_params params = B->options.precond;
    struct setup setup;
    struct work w;
    (void)state;
    params.type = LCL_PRECOND_AMG;
    if (!B->problem->has_rhs)
        bench_random_rhs(B->problem, 1);
    enum lcl_status st = bench_set_up_again(B, &w, &params, &setup);
    if (st >= 0)
        st = measure(B, &w, &setup);
    bench_finish(&w);
    return st;
}

// ------------------------------------------------------------------- life

static void create(void *state, struct lcl_options *options)
{
    (void)state;
    options->solver.type = LCL_SOLVER_CG;
}

const struct bench_tables bench_amg = {
    .name = "amg",
    .needs_problem = true,
    .profile = true,
    .create = create,
    .problem = add_problem,
};
