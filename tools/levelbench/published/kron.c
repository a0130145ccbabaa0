// SPDX-License-Identifier: BSD-3-Clause
// levelbench kron: products (A (x) M + tau B (x) L) x in one pass and as
// published, and the parts of a solve as in Table 3 and Figure 9 of Ma, Zhao,
// Le, Yuan, "A multi-GPU enabled solver in Kronecker product form for
// multiphysics problems" (2025).
#include "tools/levelbench/published/kron.h"
#include "tools/levelbench/phases.h"
#include "tools/levelbench/table.h"

#include "host/alloc.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/kron/kron.h"
#include "lib/kron/pairs.h"
#include "lib/precond/precond.h"

#include <levelcl/published.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

// The baseline comes first.
static const enum lcl_kron_type types[] = {LCL_KRON_CU, LCL_KRON_OKP,
                                           LCL_KRON_ONE_PASS};
enum { TYPES = sizeof types / sizeof *types };

// Minimum traffic of a product, which reads each matrix once for all stages,
// and its operations as Ma et al. count them: 4 q s^2 for X A^T and X B^T, two
// for each entry and stage, 3 q s for the sums; q rows of M.
struct work_load {
    double bytes, flops;
};

struct figures {
    bool known;
    struct times product;
    double upload; // seconds
    struct phases phases;
    struct lcl_report report;
};

// ------------------------------------------------------------------- problems

// b = K * 1
static enum lcl_status make_rhs(struct kron_problem *Q)
{
    const struct lcl_kron *K = &Q->D.K;
    struct problem *P = &Q->P;
    P->A.rows = P->A.cols = lcl_kron_rows(K);
    P->A.nnz = lcl_kron_entries(K);
    P->b = lcl_malloc((size_t)P->A.rows, sizeof *P->b);
    P->x = lcl_malloc((size_t)P->A.rows, sizeof *P->x);
    if (!P->b || !P->x)
        return LCL_ENOMEM;
    for (int64_t i = 0; i < P->A.rows; ++i)
        P->x[i] = 1;
    return lcl_kron_multiply(K, P->x, P->b);
}

enum lcl_status bench_kron_load(struct kron_problem **out,
                                const struct bench *B, const char *name)
{
    struct kron_problem *Q = *out = lcl_calloc(1, sizeof *Q);
    if (!Q)
        return LCL_ENOMEM;
    const enum lcl_status st =
        lcl_kron_problem(&Q->D, name, lcl_context_log(B->ctx));
    Q->P.name = name;
    Q->P.K = &Q->D.K;
    return st < 0 ? st : make_rhs(Q);
}

void bench_kron_unload(struct kron_problem **problem)
{
    struct kron_problem *Q = *problem;
    if (!Q)
        return;
    lcl_free(Q->P.b);
    lcl_free(Q->P.x);
    lcl_kron_data_finish(&Q->D);
    lcl_free(Q);
    *problem = NULL;
}

// ------------------------------------------------------------------- figures

// The values of both matrices and one column per block of the union of the
// patterns, one row pointer per block row; x and y of all stages.
static struct work_load work_load(const struct problem *P)
{
    const struct lcl_kron *K = P->K;
    const double pairs = (double)lcl_pairs_count(K->M, K->L);
    const double values = lcl_block_values(K->M);
    const double s = K->stages, q = (double)K->M->rows * K->M->block_size;
    const double blocks = (double)(K->M->nnz + K->L->nnz);
    return (struct work_load){
        .bytes = (16 * values + 4) * pairs + 4 * (double)K->M->rows +
                 16 * (double)P->A.rows,
        .flops = 4 * q * s * s + 2 * s * blocks * values + 3 * q * s,
    };
}

// The last solve is traced.
static enum lcl_status solve(struct bench *B, struct work *w, struct figures *f)
{
    lcl_solver *S = NULL;
    enum lcl_status st = lcl_solver_create(&S, w->A, w->M, &B->options.solver);
    if (st == LCL_OK)
        st = bench_solve_twice(B->problem, S, &f->report);
    if (st == LCL_OK)
        st = phases_solve(B, w, S, &f->report, &f->phases);
    f->report.history = NULL; // the solver's
    lcl_solver_destroy(&S);
    return st;
}

static enum lcl_status measure(struct bench *B, enum lcl_kron_type type,
                               struct figures *f)
{
    struct setup setup;
    struct work w;
    const enum lcl_kron_type given = B->options.op.kron;
    B->options.op.kron = type;
    enum lcl_status st = bench_set_up_again(B, &w, &B->options.precond, &setup);
    B->options.op.kron = given;
    if (st >= 0)
        st = bench_time_product(B, &w, &f->product);
    if (st >= 0)
        st = solve(B, &w, f);
    f->upload = setup.phase[LCL_PHASE_UPLOAD];
    f->known = st >= 0;
    bench_finish(&w);
    return st == LCL_EUNSUPPORTED ? LCL_OK : st;
}

// ------------------------------------------------------------------- products

static const char *const product_heads[] = {"product", "ms",      "GB/s",
                                            "of copy", "GFLOP/s", "attainable",
                                            "over cu", NULL};

// Roofline of the copy bandwidth.
static double attainable(const struct bench *B, const struct work_load *load)
{
    return B->copy_gbps * load->flops / load->bytes;
}

static void print_product_line(const struct bench *B, int type,
                               const struct work_load *load,
                               const struct figures f[TYPES])
{
    const struct times *t = &f[type].product;
    cJSON *line = bench_line(B, "kron-product", lcl_kron_name(types[type]));
    bench_add_times(line, B, t, load->bytes);
    cJSON_AddNumberToObject(line, "bytes", load->bytes);
    cJSON_AddNumberToObject(line, "gflops", 1e-9 * load->flops / t->median);
    cJSON_AddNumberToObject(line, "flop_per_byte", load->flops / load->bytes);
    cJSON_AddNumberToObject(line, "attainable_gflops", attainable(B, load));
    if (f[0].known)
        cJSON_AddNumberToObject(line, "over_cu",
                                f[0].product.median / t->median);
    bench_print(B, line);
}

static void print_product_row(const struct bench *B, int type,
                              const struct work_load *load,
                              const struct figures f[TYPES])
{
    const double seconds = f[type].product.median;
    const double gbps = 1e-9 * load->bytes / seconds;
    const char *const *head = product_heads;
    printf("%s", B->problem->name);
    bench_table_cell(*head++, "%s", lcl_kron_name(types[type]));
    bench_table_cell(*head++, "%.3f", 1e3 * seconds);
    bench_table_cell(*head++, "%.1f", gbps);
    bench_table_cell(*head++, "%.2f", gbps / B->copy_gbps);
    bench_table_cell(*head++, "%.1f", 1e-9 * load->flops / seconds);
    bench_table_cell(*head++, "%.1f", attainable(B, load));
    if (f[0].known)
        bench_table_cell(*head, "%.2f", f[0].product.median / seconds);
    else
        bench_table_cell(*head, "-");
    putchar('\n');
}

static void print_products(const struct bench *B, const struct figures f[TYPES])
{
    const struct work_load load = work_load(B->problem);
    if (B->tables)
        bench_table_head((int)strlen(B->problem->name), "Products",
                         product_heads);
    for (int type = 0; type < TYPES; ++type) {
        if (f[type].known && B->tables)
            print_product_row(B, type, &load, f);
        else if (f[type].known)
            print_product_line(B, type, &load, f);
    }
}

// ------------------------------------------------------------------- solves

static double all_seconds(const struct figures *f)
{
    return f->upload + f->report.seconds;
}

// The percentage of the total that the phases cover.
static double measured(const struct figures *f)
{
    return 100 * (f->upload + phases_sum(&f->phases)) / all_seconds(f);
}

static void print_solve_line(const struct bench *B, int type,
                             const struct figures *f)
{
    const struct phases *p = &f->phases;
    const struct lcl_report *r = &f->report;
    cJSON *line = bench_line(B, "kron-solve", lcl_kron_name(types[type]));
    cJSON_AddStringToObject(line, "solver",
                            lcl_solver_name(B->options.solver.type));
    cJSON_AddStringToObject(line, "precond",
                            lcl_precond_name(B->options.precond.type));
    cJSON_AddNumberToObject(line, "dt_ms", 1e3 * f->upload);
    cJSON_AddNumberToObject(line, "kx_ms", 1e3 * p->product);
    cJSON_AddNumberToObject(line, "precond_ms", 1e3 * p->precond);
    cJSON_AddNumberToObject(line, "gn_ms", 1e3 * p->method);
    cJSON_AddNumberToObject(line, "other_ms", 1e3 * p->other);
    cJSON_AddNumberToObject(line, "between_ms", 1e3 * p->between);
    cJSON_AddNumberToObject(line, "all_ms", 1e3 * all_seconds(f));
    cJSON_AddNumberToObject(line, "measured", measured(f));
    cJSON_AddNumberToObject(line, "iters", r->iterations);
    cJSON_AddNumberToObject(line, "relres", r->true_residual);
    cJSON_AddStringToObject(line, "stop", lcl_stop_name(r->stop));
    bench_print(B, line);
}

static const char *const solve_heads[] = {
    "product",    "T_dt ms",  "T_Kx ms",    "precond ms", "T_Gn ms", "other ms",
    "between ms", "T_all ms", "measured %", "iterations", "end",     NULL};

static void print_solve_row(const struct bench *B, int type,
                            const struct figures *f)
{
    const struct phases *p = &f->phases;
    const char *const *head = solve_heads;
    printf("%s", B->problem->name);
    bench_table_cell(*head++, "%s", lcl_kron_name(types[type]));
    bench_table_cell(*head++, "%.3f", 1e3 * f->upload);
    bench_table_cell(*head++, "%.3f", 1e3 * p->product);
    bench_table_cell(*head++, "%.3f", 1e3 * p->precond);
    bench_table_cell(*head++, "%.3f", 1e3 * p->method);
    bench_table_cell(*head++, "%.3f", 1e3 * p->other);
    bench_table_cell(*head++, "%.3f", 1e3 * p->between);
    bench_table_cell(*head++, "%.3f", 1e3 * all_seconds(f));
    bench_table_cell(*head++, "%.1f", measured(f));
    bench_table_cell(*head++, "%d", f->report.iterations);
    bench_table_cell(*head, "%s", lcl_stop_name(f->report.stop));
    putchar('\n');
}

// Figure 13, and whether the phases add up.
static void print_speed_ups(const struct bench *B,
                            const struct figures f[TYPES])
{
    static const char *const heads[] = {"product", "T_dt",  "T_Kx",
                                        "T_Gn",    "T_all", NULL};
    const struct figures *cu = &f[0];
    for (int type = 0; type < TYPES; ++type)
        if (f[type].known && fabs(measured(&f[type]) - 100) > 5)
            printf("%s, %s: the phases are %.1f %% of T_all, not within 5 %%\n",
                   B->problem->name, lcl_kron_name(types[type]),
                   measured(&f[type]));
    if (!cu->known)
        return;
    bench_table_head((int)strlen(B->problem->name),
                     "Figure 13: speed-up over cu", heads);
    for (int type = 1; type < TYPES; ++type) {
        const struct figures *g = &f[type];
        if (!g->known)
            continue;
        printf("%s", B->problem->name);
        bench_table_cell(heads[0], "%s", lcl_kron_name(types[type]));
        bench_table_cell(heads[1], "%.2f", cu->upload / g->upload);
        bench_table_cell(heads[2], "%.2f",
                         cu->phases.product / g->phases.product);
        bench_table_cell(heads[3], "%.2f",
                         cu->phases.method / g->phases.method);
        bench_table_cell(heads[4], "%.2f", all_seconds(cu) / all_seconds(g));
        putchar('\n');
    }
}

static void print_solves(const struct bench *B, const struct figures f[TYPES])
{
    char title[96];
    snprintf(title, sizeof title, "Figure 9: phases of solves by %s, %s",
             lcl_solver_name(B->options.solver.type),
             lcl_precond_name(B->options.precond.type));
    if (B->tables)
        bench_table_head((int)strlen(B->problem->name), title, solve_heads);
    for (int type = 0; type < TYPES; ++type) {
        if (f[type].known && B->tables)
            print_solve_row(B, type, &f[type]);
        else if (f[type].known)
            print_solve_line(B, type, &f[type]);
    }
    if (B->tables)
        print_speed_ups(B, f);
}

// Omits products that the device cannot run.
static enum lcl_status bench_products(struct bench *B, void *arg)
{
    (void)arg;
    struct figures f[TYPES] = {{.known = false}};
    enum lcl_status st = LCL_OK;
    for (int type = 0; type < TYPES && st >= 0; ++type)
        st = measure(B, types[type], &f[type]);
    if (st < 0)
        return st;
    print_products(B, f);
    print_solves(B, f);
    fflush(stdout);
    return LCL_OK;
}

// ------------------------------------------------------------------- names

enum lcl_status bench_kron_run(struct bench *B,
                               enum lcl_status (*fn)(struct bench *B,
                                                     void *arg),
                               void *arg)
{
    struct lcl_solver_params *p = &B->options.solver;
    const struct lcl_solver_params asked = *p;
    if (p->rtol == 0 && p->atol == 0)
        p->atol = 1e-8;
    if (p->rtol == 0)
        p->rtol = 1e-6;
    const enum lcl_status st = fn(B, arg);
    *p = asked;
    return st;
}

static enum lcl_status bench_stokes(struct bench *B, void *arg)
{
    const enum lcl_status st = bench_products(B, arg);
    return st < 0 ? st : bench_radau(B);
}

static enum lcl_status run_name(struct bench *B, const char *name)
{
    struct kron_problem *Q;
    enum lcl_status st = bench_kron_load(&Q, B, name);
    B->problem = Q ? &Q->P : NULL;
    if (st == LCL_OK)
        st = name[0] == 'k'   ? bench_kron_run(B, bench_products, NULL)
             : name[0] == 's' ? bench_kron_run(B, bench_stokes, NULL)
                              : bench_radau(B);
    B->problem = NULL;
    bench_kron_unload(&Q);
    return st;
}

// ------------------------------------------------------------------- life

// Whether a problem was named.
struct tables {
    bool named;
};

// Selects GMRES as in the paper, otherwise IDR(s), without preconditioner.
static void create(void *state, struct lcl_options *options)
{
    (void)state;
    options->precond.type = LCL_PRECOND_NONE;
    if (lcl_options_parse(options, "solver=gmres", NULL) < 0)
        options->solver.type = LCL_SOLVER_IDR;
}

static enum lcl_status add_problem(void *state, struct bench *B)
{
    (void)state;
    return lcl_fail(
        lcl_context_log(B->ctx), LCL_EINVAL,
        "%s is not a Kronecker system: expected kron:S, radau:S,N or "
        "stokes:S,N",
        B->problem->name);
}

static bool run_named(void *state, struct bench *B, const char *name,
                      enum lcl_status *st)
{
    struct tables *T = state;
    if (!is_kron_name(name))
        return false;
    T->named = true;
    *st = run_name(B, name);
    return true;
}

static enum lcl_status finish(void *state, struct bench *B)
{
    static const char *const names[] = {"kron:2", "kron:3", "kron:4", "kron:8"};
    const struct tables *T = state;
    enum lcl_status st = LCL_OK;
    for (int i = 0; !T->named && i < 4 && st >= 0; ++i)
        st = run_name(B, names[i]);
    return st;
}

const struct bench_tables bench_kron = {
    .name = "kron",
    .state_bytes = sizeof(struct tables),
    .create = create,
    .problem = add_problem,
    .run_named = run_named,
    .finish = finish,
};
