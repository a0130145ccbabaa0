// SPDX-License-Identifier: BSD-3-Clause
// levelbench multi: the same system on 1, 2, 4, ... devices of one kind: the
// application of factors (figure 5.8 of Mehta et al., arXiv 2508.04917), the
// product with and without its exchange, one sum over all devices, set-up and
// solve; and the times that a model predicts for these and for more devices,
// from the figures of one device and the latencies.
#include "tools/levelbench/multi.h"
#include "tools/clsolve/timing.h"
#include "tools/levelbench/published/kron.h"

#include "host/clock.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/krylov/krylov.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ROUNDS = 5, LAUNCHES = 40 };

struct row {
    int devices; // 0: one, with an operator that is not distributed
    double setup, update, solve; // seconds
    double of[MULTI_FIGURES];
    int iterations;
    struct profile profile; // of the set-up, the slowest device in each task
    double waits;           // seconds of the set-up, on the same device
};

struct multi {
    struct multi_devices devices;
    struct row plain;
    struct row row[MULTI_DEVICES];
    int rows;
};

// ------------------------------------------------------------------- devices

// Opens all devices with the name of B's device, which comes first.
static enum lcl_status open_devices(struct multi_devices *m,
                                    const struct bench *B)
{
    const struct lcl_log *log = lcl_context_log(B->ctx);
    const char *name = lcl_context_caps(B->ctx)->name;
    int count;
    enum lcl_status st = lcl_device_count(&count, log);
    for (int i = 0; i < count && m->count < MULTI_DEVICES && st >= 0; ++i) {
        struct lcl_caps caps;
        char number[16];
        snprintf(number, sizeof number, "%d", i);
        const struct lcl_context_params params = {
            .device = number, .log = *log, .profile = B->profile};
        if ((st = lcl_device_caps(&caps, i, log)) < 0 ||
            strcmp(caps.name, name) != 0)
            continue;
        st = lcl_context_create(&m->ctx[m->count], &params);
        m->count += st == LCL_OK;
    }
    return st;
}

// ------------------------------------------------------------------- timing

struct measured {
    const lcl_operator *A;
    const lcl_precond *M;
    enum lcl_mode mode; // of products
    enum multi_figure figure;
    double seconds[MULTI_DEVICES];
};

static enum lcl_status once(const struct measured *t, lcl_operator *A,
                            lcl_operator *M, const struct lcl_operands *v)
{
    switch (t->figure) {
    case MULTI_APPLY:
        return lcl_apply(M, LCL_APPLY, v);
    case MULTI_OWN:
        return lcl_apply(lcl_operator_own(A), t->mode, v);
    case MULTI_PRODUCT:
        return lcl_apply(A, t->mode, v);
    case MULTI_SUM:
    case MULTI_FIGURES:
        break;
    }
    return lcl_space_reduce(&A->range, v->sums, 0, 2, A->range.groups);
}

static enum lcl_status repeat(struct measured *t, int rank, lcl_operator *A,
                              lcl_operator *M, const struct lcl_operands *v)
{
    enum lcl_status st;
    if ((st = once(t, A, M, v)) < 0 ||
        (st = lcl_context_wait(A->range.ctx)) < 0 ||
        (st = lcl_space_agree(&A->range, LCL_OK, "")) < 0)
        return st;
    const double start = lcl_now();
    for (int k = 0; k < LAUNCHES && st == LCL_OK; ++k)
        st = once(t, A, M, v);
    if (st == LCL_OK)
        st = lcl_context_wait(A->range.ctx);
    t->seconds[rank] = (lcl_now() - start) / LAUNCHES;
    return st;
}

static enum lcl_status time_rank(void *arg, int rank)
{
    struct measured *t = arg;
    lcl_operator *A = t->A->team->part[rank];
    lcl_operator *M = &lcl_precond_member(t->M, rank)->op;
    lcl_buffer *x = NULL, *y = NULL, *sums = NULL;
    enum lcl_status st;
    if ((st = lcl_space_vector(&x, &A->range)) == LCL_OK &&
        (st = lcl_space_vector(&y, &A->range)) == LCL_OK &&
        (st = lcl_space_sums(&sums, &A->range)) == LCL_OK &&
        (st = lcl_buffer_fill(x, 0)) == LCL_OK &&
        (st = lcl_buffer_fill(sums, 0)) == LCL_OK) {
        const struct lcl_operands v = {
            x, x, y, sums, lcl_context_no_stop(A->range.ctx), 0};
        st = repeat(t, rank, A, M, &v);
    }
    lcl_buffer_destroy(&sums);
    lcl_buffer_destroy(&y);
    lcl_buffer_destroy(&x);
    return st;
}

// Times the slowest rank; the fastest of several rounds counts.
enum lcl_status bench_multi_time(double seconds[MULTI_FIGURES],
                                 const lcl_operator *A, const lcl_precond *M,
                                 enum lcl_mode mode)
{
    struct measured t = {A, M, mode, MULTI_APPLY, {0}};
    enum lcl_status st = LCL_OK;
    for (int f = 0; f < MULTI_FIGURES; ++f) {
        seconds[f] = INFINITY;
        t.figure = (enum multi_figure)f;
        for (int k = 0; k < ROUNDS && st == LCL_OK; ++k) {
            double slowest = 0;
            st = lcl_team_run(A->team->team, time_rank, &t);
            for (int r = 0; r < A->info.devices; ++r)
                slowest = fmax(slowest, t.seconds[r]);
            seconds[f] = fmin(seconds[f], slowest);
        }
    }
    return st;
}

// ------------------------------------------------------------------- one row

static enum lcl_status set_up(lcl_operator **A, lcl_precond **M, lcl_solver **S,
                              struct multi *m, struct bench *B, int devices)
{
    const struct lcl_options *o = &B->options;
    const struct lcl_csr *matrix = &B->problem->A;
    lcl_context *const *ctx = m->devices.ctx;
    enum lcl_status st =
        devices == 0
            ? lcl_operator_create(A, ctx[0], matrix, &o->op)
            : lcl_operator_create_distributed(A, ctx, devices, matrix, &o->op);
    if (st < 0 || (st = lcl_precond_create(M, *A, &o->precond)) < 0)
        return st;
    return lcl_solver_create(S, *A, *M, &o->solver);
}

static void finish(lcl_operator **A, lcl_precond **M, lcl_solver **S)
{
    lcl_solver_destroy(S);
    lcl_precond_destroy(M);
    lcl_operator_destroy(A);
}

// Seconds that a device has waited for others.
static double waits_of(const lcl_operator *part)
{
    const struct lcl_comm *C = part->range.comm;
    return C ? C->exchanged.sum_seconds + C->exchanged.halo_seconds : 0;
}

// Times the second set-up, which compiles nothing.
static enum lcl_status time_setup(struct row *row, lcl_operator **A,
                                  lcl_precond **M, lcl_solver **S,
                                  struct multi *m, struct bench *B)
{
    const int count = row->devices > 0 ? row->devices : 1;
    struct profile P[MULTI_DEVICES];
    const double start = lcl_now();
    for (int r = 0; r < count; ++r)
        profile_begin(&P[r], m->devices.ctx[r], start);
    const enum lcl_status st = set_up(A, M, S, m, B, row->devices);
    row->setup = lcl_now() - start;
    for (int r = 0; r < count; ++r) {
        profile_end(&P[r], m->devices.ctx[r], start + row->setup);
        profile_slowest(&row->profile, &P[r]);
    }
    for (int r = 0; r < row->devices && st >= 0; ++r)
        row->waits = fmax(row->waits, waits_of((*A)->team->part[r]));
    return st;
}

// Times the second update of the matrix with new values.
static enum lcl_status time_update(double *seconds, lcl_operator *A,
                                   lcl_precond *M, const struct bench *B)
{
    enum lcl_status st = LCL_OK;
    for (int k = 0; k < 2 && st >= 0; ++k) {
        timing_change(&B->problem->A);
        const double start = lcl_now();
        if ((st = lcl_operator_update(A, B->problem->A.val)) == LCL_OK)
            st = lcl_precond_update(M);
        *seconds = lcl_now() - start;
    }
    return st;
}

static enum lcl_status measure(struct row *row, struct multi *m,
                               struct bench *B)
{
    lcl_operator *A = NULL;
    lcl_precond *M = NULL;
    lcl_solver *S = NULL;
    struct lcl_report report = LCL_REPORT_INIT;
    enum lcl_status st = set_up(&A, &M, &S, m, B, row->devices);
    if (!B->problem->has_rhs)
        bench_random_rhs(B->problem, 1);
    if (st >= 0) {
        finish(&A, &M, &S);
        st = time_setup(row, &A, &M, &S, m, B);
    }
    if (st >= 0 && row->devices > 0)
        st = bench_multi_time(row->of, A, M, LCL_APPLY_DOT);
    if (st >= 0 && (st = time_update(&row->update, A, M, B)) >= 0)
        st = bench_solve_twice(B->problem, S, &report);
    row->solve = report.seconds;
    row->iterations = report.iterations;
    finish(&A, &M, &S);
    return st;
}

// ------------------------------------------------------------------- output

// Seconds of an iteration by the model: the work of one device divided by the
// number of devices, and the waits in `sums` sums and `products` exchanges.
static double predict(const struct row *one, const struct row *many,
                      int devices, int sums, int products)
{
    const double work = one->solve / fmax(one->iterations, 1);
    const double steps = devices > 1 ? log2(devices) : 0;
    const double exposed =
        fmax(many->of[MULTI_PRODUCT] - many->of[MULTI_OWN], 0);
    const double base = fmax(log2(many->devices), 1);
    return work / devices + steps / base * sums * many->of[MULTI_SUM] +
           (devices > 1 ? products * exposed : 0);
}

static void print_model(const struct bench *B, const struct multi *m)
{
    static const int more[] = {2, 4, 8, 64, 1024};
    const struct row *last = &m->row[m->rows - 1];
    const bool cg = B->options.solver.type == LCL_SOLVER_CG;
    if (m->rows < 2)
        return;
    printf("  model: ms an iteration on");
    for (size_t k = 0; k < sizeof more / sizeof *more; ++k)
        printf("%s %d: %.3f", k ? "," : "", more[k],
               1e3 *
                   predict(&m->row[0], last, more[k], cg ? 2 : 4, cg ? 1 : 2));
    printf("; measured on %d: %.3f\n", last->devices,
           1e3 * last->solve / fmax(last->iterations, 1));
}

// Column k: first that of one device with all rows, then those of the table.
static const struct row *column(const struct multi *m, int k)
{
    return k > 0 ? &m->row[k - 1] : &m->plain;
}

typedef double seconds_fn(const struct row *row, int task);

static double seconds_of(const struct row *row, int task)
{
    return row->profile.task[task].seconds;
}

static double other_seconds(const struct row *row, int task)
{
    (void)task;
    return profile_other(&row->profile);
}

static double waiting_seconds(const struct row *row, int task)
{
    (void)task;
    return row->waits;
}

static void print_line_of(const char *name, const struct multi *m,
                          seconds_fn *seconds, int task)
{
    printf("  %-14s", name);
    for (int k = 0; k <= m->rows; ++k)
        printf(" %10.3f", 1e3 * seconds(column(m, k), task));
    printf("\n");
}

static bool needs_time(const struct multi *m, int task)
{
    for (int k = 0; k <= m->rows; ++k)
        if (seconds_of(column(m, k), task) > 0)
            return true;
    return false;
}

static void print_profile(const struct multi *m)
{
    printf("  %-14s %10s", "set-up, ms", "plain");
    for (int k = 0; k < m->rows; ++k)
        printf(" %10d", m->row[k].devices);
    printf("\n");
    for (int t = 0; t < LCL_TASK_COUNT; ++t)
        if (needs_time(m, t))
            print_line_of(lcl_task_name((enum lcl_task)t), m, seconds_of, t);
    print_line_of("other", m, other_seconds, 0);
    print_line_of("(waits)", m, waiting_seconds, 0);
}

static void print_table(const struct bench *B, const struct multi *m)
{
    const struct row *one = &m->row[0];
    printf("\n%s\n  devices  set-up  update  apply (times)  own product  "
           "product  "
           "(times)   sum  iterations  solve (times)\n",
           B->problem->name);
    printf("    plain %7.1f %7.1f %61d %6.1f (%5.2f)\n", 1e3 * m->plain.setup,
           1e3 * m->plain.update, m->plain.iterations, 1e3 * m->plain.solve,
           one->solve / m->plain.solve);
    for (int k = 0; k < m->rows; ++k) {
        const struct row *r = &m->row[k];
        printf(
            "  %7d %7.1f %7.1f %6.3f (%5.2f) %12.3f %8.3f  (%5.2f) %5.1f %11d "
            "%6.1f (%5.2f)\n",
            r->devices, 1e3 * r->setup, 1e3 * r->update,
            1e3 * r->of[MULTI_APPLY], one->of[MULTI_APPLY] / r->of[MULTI_APPLY],
            1e3 * r->of[MULTI_OWN], 1e3 * r->of[MULTI_PRODUCT],
            one->of[MULTI_PRODUCT] / r->of[MULTI_PRODUCT],
            1e6 * r->of[MULTI_SUM], r->iterations, 1e3 * r->solve,
            one->solve / r->solve);
    }
    printf("  ms, sums in us\n");
    if (B->profile)
        print_profile(m);
    print_model(B, m);
    fflush(stdout);
}

static void print_solve(const struct bench *B, const struct row *r)
{
    cJSON *line =
        bench_line(B, "multi-solve", lcl_solver_name(B->options.solver.type));
    cJSON_AddNumberToObject(line, "devices", r->devices);
    cJSON_AddNumberToObject(line, "ms", 1e3 * r->solve);
    cJSON_AddNumberToObject(line, "setup_ms", 1e3 * r->setup);
    cJSON_AddNumberToObject(line, "update_ms", 1e3 * r->update);
    cJSON_AddNumberToObject(line, "iters", r->iterations);
    if (B->profile) {
        cJSON_AddNumberToObject(line, "waits_ms", 1e3 * r->waits);
        profile_add(line, &r->profile);
    }
    bench_print(B, line);
}

static void print_lines(const struct bench *B, const struct multi *m)
{
    static const char *const name[] = {"multi-apply", "multi-own-product",
                                       "multi-product", "multi-sum"};
    print_solve(B, &m->plain);
    for (int k = 0; k < m->rows; ++k) {
        const struct row *r = &m->row[k];
        for (int f = 0; f < MULTI_FIGURES; ++f) {
            cJSON *line = bench_line(B, name[f], "");
            cJSON_AddNumberToObject(line, "devices", r->devices);
            cJSON_AddNumberToObject(line, "ms", 1e3 * r->of[f]);
            bench_print(B, line);
        }
        print_solve(B, r);
    }
}

// ------------------------------------------------------------------- tables

static enum lcl_status need_devices(struct multi *m, const struct bench *B)
{
    return m->devices.count > 0 ? LCL_OK : open_devices(&m->devices, B);
}

static enum lcl_status add_problem(void *state, struct bench *B)
{
    struct multi *m = state;
    enum lcl_status st = need_devices(m, B);
    if (B->weak)
        return lcl_fail(lcl_context_log(B->ctx), LCL_EINVAL,
                        "--weak applies only to kron:S and kron:S,NX,NY,NZ");
    m->rows = 0;
    m->plain = (struct row){.devices = 0};
    if (st >= 0)
        st = measure(&m->plain, m, B);
    for (int devices = 1; devices <= m->devices.count && st >= 0;
         devices *= 2) {
        struct row *row = &m->row[m->rows];
        *row = (struct row){.devices = devices};
        st = measure(row, m, B);
        m->rows += st >= 0;
    }
    if (st < 0)
        return st;
    if (B->tables)
        print_table(B, m);
    else
        print_lines(B, m);
    return LCL_OK;
}

static bool run_named(void *state, struct bench *B, const char *name,
                      enum lcl_status *st)
{
    struct multi *m = state;
    if (!is_kron_name(name))
        return false;
    if ((*st = need_devices(m, B)) >= 0)
        *st = bench_multi_kron(B, &m->devices, name);
    return true;
}

static void create(void *state, struct lcl_options *options)
{
    (void)state;
    options->solver.type = LCL_SOLVER_CG;
    options->precond.type = LCL_PRECOND_IC0;
}

static void destroy(void *state)
{
    struct multi *m = state;
    for (int k = 0; k < m->devices.count; ++k)
        lcl_context_destroy(&m->devices.ctx[k]);
}

const struct bench_tables bench_multi = {
    .name = "multi",
    .state_bytes = sizeof(struct multi),
    .needs_problem = true,
    .create = create,
    .problem = add_problem,
    .run_named = run_named,
    .destroy = destroy,
};
