// SPDX-License-Identifier: BSD-3-Clause
// levelbench multi kron:S: the parts of a solve on 1, 2, 4, ... devices as in
// Figures 10 to 12 of Ma, Zhao, Le, Yuan, "A multi-GPU enabled solver in
// Kronecker product form for multiphysics problems" (2025), by all products,
// and their speed-ups over CU-Solver (Figure 13).
#include "tools/levelbench/multi.h"
#include "tools/levelbench/phases.h"
#include "tools/levelbench/published/kron.h"
#include "tools/levelbench/table.h"

#include "host/alloc.h"
#include "host/log.h"
#include "host/runtime.h"

#include <levelcl/published.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// The baseline comes first; one device has no exchange.
static const struct variant {
    enum lcl_kron_type product;
    enum lcl_kron_exchange_type exchange;
} variants[] = {{LCL_KRON_CU, LCL_KRON_EXCHANGE_STAGED},
                {LCL_KRON_OKP, LCL_KRON_EXCHANGE_BATCHED},
                {LCL_KRON_ONE_PASS, LCL_KRON_EXCHANGE_BATCHED},
                {LCL_KRON_ONE_PASS, LCL_KRON_EXCHANGE_STAGED}};
enum { VARIANTS = sizeof variants / sizeof *variants, NAME = 96 };

// Seconds of a solve on some devices.
struct row {
    int devices;
    struct variant variant;
    char name[NAME]; // of the problem
    int64_t rows, nnz;
    double upload;
    double of[MULTI_FIGURES];
    struct phases phases; // of the slowest device in each phase
    double sum;           // of all phases of one device, the largest
    struct lcl_report report;
};

struct tables {
    const struct multi_devices *devices;
    const char *name;
    struct row row[VARIANTS * MULTI_DEVICES];
    int rows;
};

// ------------------------------------------------------------------- problems

// The name of the problem on `devices` devices.
static enum lcl_status name_problem(char *out, const struct bench *B,
                                    const char *name, int devices)
{
    int stages, end = 0;
    int64_t x = 53, y = 53, z = 54;
    if (!B->weak) {
        snprintf(out, NAME, "%s", name);
        return LCL_OK;
    }
    if ((sscanf(name, "kron:%d%n", &stages, &end) != 1 || name[end]) &&
        (sscanf(name, "kron:%d,%" SCNd64 ",%" SCNd64 ",%" SCNd64 "%n", &stages,
                &x, &y, &z, &end) != 4 ||
         name[end]))
        return lcl_fail(lcl_context_log(B->ctx), LCL_EINVAL,
                        "%s: --weak applies only to kron:S and "
                        "kron:S,NX,NY,NZ",
                        name);
    snprintf(out, NAME, "kron:%d,%" PRId64 ",%" PRId64 ",%" PRId64, stages, x,
             y, z * devices);
    return LCL_OK;
}

// ------------------------------------------------------------------- one row

struct objects {
    lcl_operator *A;
    lcl_precond *M;
    lcl_solver *S;
};

static void finish(struct objects *o)
{
    lcl_solver_destroy(&o->S);
    lcl_precond_destroy(&o->M);
    lcl_operator_destroy(&o->A);
}

static enum lcl_status set_up(struct objects *o, const struct bench *B,
                              const struct multi_devices *D,
                              const struct row *row)
{
    struct lcl_operator_params params = B->options.op;
    enum lcl_status st;
    params.kron = row->variant.product;
    params.kron_exchange = row->variant.exchange;
    if ((st = lcl_operator_create_kron_distributed(
             &o->A, D->ctx, row->devices, B->problem->K, &params)) < 0 ||
        (st = lcl_precond_create(&o->M, o->A, &B->options.precond)) < 0)
        return st;
    return lcl_solver_create(&o->S, o->A, o->M, &B->options.solver);
}

static double uploading(const struct multi_devices *D, int device)
{
    return lcl_context_seconds(D->ctx[device], LCL_PHASE_UPLOAD);
}

// Times the set-up on the slowest device.
static enum lcl_status time_set_up(struct objects *o, struct row *row,
                                   const struct bench *B,
                                   const struct multi_devices *D)
{
    double before[MULTI_DEVICES];
    for (int k = 0; k < row->devices; ++k)
        before[k] = uploading(D, k);
    const enum lcl_status st = set_up(o, B, D, row);
    row->upload = 0;
    for (int k = 0; k < row->devices; ++k)
        row->upload = fmax(row->upload, uploading(D, k) - before[k]);
    return st;
}

// The phases on each device.
struct traces {
    const struct objects *o;
    enum lcl_solver_type solver;
    struct phases_trace of[MULTI_DEVICES];
    struct phases phases[MULTI_DEVICES];
};

static enum lcl_status begin_trace(void *arg, int rank)
{
    struct traces *t = arg;
    return phases_begin(&t->of[rank], t->o->A->team->part[rank],
                        &lcl_precond_member(t->o->M, rank)->op);
}

static enum lcl_status end_trace(void *arg, int rank)
{
    struct traces *t = arg;
    return phases_end(&t->of[rank], t->solver, &t->phases[rank]);
}

// A solve that compiles nothing.
static enum lcl_status solve_traced(struct row *row, const struct bench *B,
                                    const struct objects *o)
{
    const struct problem *P = B->problem;
    struct traces t = {.o = o, .solver = B->options.solver.type};
    lcl_team *team = o->A->team->team;
    memset(P->x, 0, (size_t)P->A.rows * sizeof *P->x);
    enum lcl_status st = lcl_team_run(team, begin_trace, &t);
    if (st == LCL_OK)
        st = lcl_solver_solve(o->S, P->b, P->x, &row->report);
    const enum lcl_status end = lcl_team_run(team, end_trace, &t);
    for (int k = 0; k < row->devices; ++k) {
        phases_maximum(&row->phases, &t.phases[k]);
        row->sum = fmax(row->sum, phases_sum(&t.phases[k]));
    }
    return st < 0 ? st : end;
}

// Measures the second set-up, which compiles nothing.
static enum lcl_status measure(struct row *row, const struct bench *B,
                               const struct multi_devices *D)
{
    struct objects o = {NULL, NULL, NULL};
    enum lcl_status st = LCL_OK;
    bench_random_rhs(B->problem, 1);
    for (int k = 0; k < 2 && st >= 0; ++k) {
        finish(&o);
        st = time_set_up(&o, row, B, D);
    }
    if (st >= 0 && (st = bench_multi_time(row->of, o.A, o.M, LCL_APPLY)) >= 0 &&
        (st = bench_solve_twice(B->problem, o.S, &row->report)) >= 0)
        st = solve_traced(row, B, &o);
    row->report.history = NULL; // belongs to the solver
    finish(&o);
    return st;
}

static enum lcl_status add_row(struct tables *T, struct bench *B, int devices,
                               const struct variant *variant)
{
    struct row *row = &T->row[T->rows];
    struct kron_problem *Q = NULL;
    *row = (struct row){.devices = devices, .variant = *variant};
    enum lcl_status st = name_problem(row->name, B, T->name, devices);
    if (st == LCL_OK)
        st = bench_kron_load(&Q, B, row->name);
    if (st == LCL_OK) {
        B->problem = &Q->P;
        row->rows = Q->P.A.rows;
        row->nnz = Q->P.A.nnz;
        st = measure(row, B, T->devices);
        B->problem = NULL;
    }
    bench_kron_unload(&Q);
    T->rows += st >= 0;
    return st;
}

// ------------------------------------------------------------------- output

static double all_seconds(const struct row *row)
{
    return row->upload + row->report.seconds;
}

// T_dt: the transfers at set-up and of the products.
static double transfers(const struct row *row)
{
    return row->upload + row->phases.copies;
}

// The percentage of the total that the phases cover on one device.
static double measured(const struct row *row)
{
    return 100 * (row->upload + row->sum) / all_seconds(row);
}

// The first row with a product on as many devices, which must exist.
static const struct row *find_row(const struct tables *T, int devices,
                                  enum lcl_kron_type product)
{
    const struct row *row = T->row;
    while (row->devices != devices || row->variant.product != product)
        ++row;
    return row;
}

// Speed of an iteration relative to one device; if the mesh grows, the
// efficiency.
static double gain(const struct tables *T, const struct row *row)
{
    const struct lcl_report *one =
        &find_row(T, 1, row->variant.product)->report;
    const struct lcl_report *own = &row->report;
    return one->seconds / fmax(one->iterations, 1) /
           (own->seconds / fmax(own->iterations, 1));
}

static const char *const heads[] = {
    "devices",    "product", "exchange", "T_dt ms",    "T_Kx ms",  "precond ms",
    "T_c ms",     "T_Gn ms", "other ms", "between ms", "T_all ms", "measured %",
    "iterations", "end",     "times",    NULL};

static void print_row(const struct tables *T, const struct row *row, int width)
{
    const struct phases *p = &row->phases;
    const char *const *head = heads;
    printf("%-*s", width, row->name);
    bench_table_cell(*head++, "%d", row->devices);
    bench_table_cell(*head++, "%s", lcl_kron_name(row->variant.product));
    bench_table_cell(*head++, "%s",
                     lcl_kron_exchange_name(row->variant.exchange));
    bench_table_cell(*head++, "%.3f", 1e3 * transfers(row));
    bench_table_cell(*head++, "%.3f", 1e3 * p->product);
    bench_table_cell(*head++, "%.3f", 1e3 * p->precond);
    bench_table_cell(*head++, "%.3f", 1e3 * p->communication);
    bench_table_cell(*head++, "%.3f", 1e3 * p->method);
    bench_table_cell(*head++, "%.3f", 1e3 * p->other);
    bench_table_cell(*head++, "%.3f", 1e3 * p->between);
    bench_table_cell(*head++, "%.3f", 1e3 * all_seconds(row));
    bench_table_cell(*head++, "%.1f", measured(row));
    bench_table_cell(*head++, "%d", row->report.iterations);
    bench_table_cell(*head++, "%s", lcl_stop_name(row->report.stop));
    bench_table_cell(*head, "%.2f", gain(T, row));
    putchar('\n');
}

static const char *const speed_up_heads[] = {"devices", "product", "exchange",
                                             "T_dt",    "T_Kx",    "T_c",
                                             "T_Gn",    "T_all",   NULL};

static void print_ratio(const char *head, double cu, double own)
{
    if (cu > 0 && own > 0)
        bench_table_cell(head, "%.2f", cu / own);
    else
        bench_table_cell(head, "-");
}

static void print_speed_up(const struct tables *T, const struct row *row,
                           int width)
{
    const struct row *cu = find_row(T, row->devices, LCL_KRON_CU);
    const struct phases *p = &row->phases, *q = &cu->phases;
    const char *const *head = speed_up_heads;
    printf("%-*s", width, row->name);
    bench_table_cell(*head++, "%d", row->devices);
    bench_table_cell(*head++, "%s", lcl_kron_name(row->variant.product));
    bench_table_cell(*head++, "%s",
                     lcl_kron_exchange_name(row->variant.exchange));
    print_ratio(*head++, transfers(cu), transfers(row));
    print_ratio(*head++, q->product, p->product);
    print_ratio(*head++, q->communication, p->communication);
    print_ratio(*head++, q->method, p->method);
    print_ratio(*head, all_seconds(cu), all_seconds(row));
    putchar('\n');
}

static void print_speed_ups(const struct tables *T, int width)
{
    bench_table_head(width, "Figure 13: speed-up over cu", speed_up_heads);
    for (int k = 0; k < T->rows; ++k)
        if (T->row[k].variant.product != LCL_KRON_CU)
            print_speed_up(T, &T->row[k], width);
}

static void print_table(const struct bench *B, const struct tables *T)
{
    char title[96];
    int width = 0;
    snprintf(title, sizeof title, "Figures 10 to 12: solves by %s, %s, %s",
             lcl_solver_name(B->options.solver.type),
             lcl_precond_name(B->options.precond.type),
             B->weak ? "of a mesh that grows with the devices" : "of one mesh");
    for (int k = 0; k < T->rows; ++k)
        width = bench_table_wider(width, T->row[k].name);
    bench_table_head(width, title, heads);
    for (int k = 0; k < T->rows; ++k)
        print_row(T, &T->row[k], width);
    for (int k = 0; k < T->rows; ++k)
        if (fabs(measured(&T->row[k]) - 100) > 5)
            printf("%s on %d devices, %s, %s: the phases are %.1f %% of T_all, "
                   "not within 5 %%\n",
                   T->row[k].name, T->row[k].devices,
                   lcl_kron_name(T->row[k].variant.product),
                   lcl_kron_exchange_name(T->row[k].variant.exchange),
                   measured(&T->row[k]));
    print_speed_ups(T, width);
}

static void print_line(struct bench *B, const struct tables *T,
                       const struct row *row)
{
    const struct phases *p = &row->phases;
    const struct problem named = {.name = row->name,
                                  .A = {.rows = row->rows, .nnz = row->nnz}};
    B->problem = &named;
    cJSON *line = bench_line(B, B->weak ? "multi-kron-weak" : "multi-kron",
                             lcl_kron_name(row->variant.product));
    cJSON_AddStringToObject(line, "exchange",
                            lcl_kron_exchange_name(row->variant.exchange));
    cJSON_AddNumberToObject(line, "devices", row->devices);
    cJSON_AddStringToObject(line, "solver",
                            lcl_solver_name(B->options.solver.type));
    cJSON_AddStringToObject(line, "precond",
                            lcl_precond_name(B->options.precond.type));
    cJSON_AddNumberToObject(line, "dt_ms", 1e3 * transfers(row));
    cJSON_AddNumberToObject(line, "kx_ms", 1e3 * p->product);
    cJSON_AddNumberToObject(line, "precond_ms", 1e3 * p->precond);
    cJSON_AddNumberToObject(line, "c_ms", 1e3 * p->communication);
    cJSON_AddNumberToObject(line, "gn_ms", 1e3 * p->method);
    cJSON_AddNumberToObject(line, "other_ms", 1e3 * p->other);
    cJSON_AddNumberToObject(line, "between_ms", 1e3 * p->between);
    cJSON_AddNumberToObject(line, "all_ms", 1e3 * all_seconds(row));
    cJSON_AddNumberToObject(line, "measured", measured(row));
    cJSON_AddNumberToObject(line, "own_product_ms", 1e3 * row->of[MULTI_OWN]);
    cJSON_AddNumberToObject(line, "product_ms", 1e3 * row->of[MULTI_PRODUCT]);
    cJSON_AddNumberToObject(line, "sum_us", 1e6 * row->of[MULTI_SUM]);
    cJSON_AddNumberToObject(line, "iters", row->report.iterations);
    cJSON_AddNumberToObject(line, "relres", row->report.true_residual);
    cJSON_AddStringToObject(line, "stop", lcl_stop_name(row->report.stop));
    cJSON_AddNumberToObject(line, "times", gain(T, row));
    bench_print(B, line);
    B->problem = NULL;
}

// ------------------------------------------------------------------- tables

static enum lcl_status fill_tables(struct bench *B, void *arg)
{
    struct tables *T = arg;
    enum lcl_status st = LCL_OK;
    for (int devices = 1; devices <= T->devices->count; devices *= 2)
        for (int k = 0; k < VARIANTS && st >= 0; ++k)
            if (devices > 1 || k == 0 ||
                variants[k].product != variants[k - 1].product)
                st = add_row(T, B, devices, &variants[k]);
    return st;
}

// Replaces CG with IC(0), the default for matrices, by the method of the paper.
static void choose_method(struct lcl_options *options)
{
    if (options->solver.type != LCL_SOLVER_CG)
        return;
    options->solver.type = LCL_SOLVER_GMRES;
    if (options->precond.type == LCL_PRECOND_IC0)
        options->precond.type = LCL_PRECOND_NONE;
}

enum lcl_status bench_multi_kron(struct bench *B, const struct multi_devices *D,
                                 const char *name)
{
    struct tables *T = lcl_calloc(1, sizeof *T);
    const struct lcl_options asked = B->options;
    if (!T)
        return LCL_ENOMEM;
    T->devices = D;
    T->name = name;
    choose_method(&B->options);
    const enum lcl_status st = bench_kron_run(B, fill_tables, T);
    if (st >= 0 && B->tables)
        print_table(B, T);
    for (int k = 0; k < T->rows && st >= 0 && !B->tables; ++k)
        print_line(B, T, &T->row[k]);
    fflush(stdout);
    B->options = asked;
    lcl_free(T);
    return st;
}
