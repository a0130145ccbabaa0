// SPDX-License-Identifier: BSD-3-Clause
// levelbench: what the device does with the library's kernels, one JSON line a
// figure. Copy bandwidth comes first, so that every figure can be set against
// it; times are medians over batches of launches.
#include "host/alloc.h"
#include "host/clock.h"
#include "host/runtime.h"
#include "host/timer.h"
#include "lib/partition/partition.h"
#include "lib/precond/precond.h"
#include "lib/ref/ildu0.h"
#include "lib/trisolve/packed.h"

#include <levelcl/levelcl.h>

#include <cjson/cJSON.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A batch lasts about this long; a figure is the median of so many batches.
#define BATCH_SECONDS 0.01
enum { BATCHES = 15, MAX_LAUNCHES = 4096, MAX_PROBLEMS = 16 };

struct problem {
    const char *name, *rhs; // a generator or a file; a file or NULL
    struct lcl_csr A;
    double *b, *x;
};

struct bench {
    lcl_context *ctx;
    struct lcl_options options;
    const char *device;
    const struct problem *problem;
    double copy_gbps;
};

struct times {
    double median, p10, p90; // seconds
};

// ------------------------------------------------------------------- timing

typedef enum lcl_status (*launch_fn)(void *arg);

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static struct times summary_of(double seconds[BATCHES])
{
    qsort(seconds, BATCHES, sizeof *seconds, compare_doubles);
    return (struct times){.median = seconds[BATCHES / 2],
                          .p10 = seconds[BATCHES / 10],
                          .p90 = seconds[BATCHES - 1 - BATCHES / 10]};
}

static enum lcl_status time_batch(struct bench *B, launch_fn launch, void *arg,
                                  int launches, double *seconds)
{
    lcl_timer *timer;
    enum lcl_status st = lcl_timer_start(&timer, B->ctx);
    if (st < 0)
        return st;
    for (int i = 0; i < launches && st == LCL_OK; ++i)
        st = launch(arg);
    const enum lcl_status stopped = lcl_timer_stop(&timer, seconds);
    *seconds /= launches;
    return st < 0 ? st : stopped;
}

static enum lcl_status measure(struct bench *B, launch_fn launch, void *arg,
                               struct times *t)
{
    double once, seconds[BATCHES];
    enum lcl_status st;
    if ((st = time_batch(B, launch, arg, 2, &once)) < 0 ||
        (st = time_batch(B, launch, arg, 4, &once)) < 0)
        return st;
    const double want = once > 0 ? BATCH_SECONDS / once : MAX_LAUNCHES;
    const int launches = want < 1              ? 1
                         : want < MAX_LAUNCHES ? (int)want
                                               : MAX_LAUNCHES;
    for (int i = 0; i < BATCHES && st == LCL_OK; ++i)
        st = time_batch(B, launch, arg, launches, &seconds[i]);
    if (st < 0)
        return st;
    *t = summary_of(seconds);
    return LCL_OK;
}

// ------------------------------------------------------------------- output

static cJSON *line_for(const struct bench *B, const char *op,
                       const char *variant)
{
    cJSON *line = cJSON_CreateObject();
    cJSON_AddStringToObject(line, "op", op);
    cJSON_AddStringToObject(line, "variant", variant);
    if (B->problem) {
        cJSON_AddStringToObject(line, "problem", B->problem->name);
        cJSON_AddNumberToObject(line, "rows", (double)B->problem->A.rows);
        cJSON_AddNumberToObject(line, "nnz", (double)B->problem->A.nnz);
    }
    return line;
}

static void add_times(cJSON *line, const struct bench *B, const struct times *t,
                      double bytes)
{
    cJSON_AddNumberToObject(line, "ms", 1e3 * t->median);
    cJSON_AddNumberToObject(line, "p10", 1e3 * t->p10);
    cJSON_AddNumberToObject(line, "p90", 1e3 * t->p90);
    if (bytes > 0) {
        const double gbps = 1e-9 * bytes / t->median;
        cJSON_AddNumberToObject(line, "gbps", gbps);
        if (B->copy_gbps > 0)
            cJSON_AddNumberToObject(line, "of_copy", gbps / B->copy_gbps);
    }
}

static void print_line(cJSON *line)
{
    char *text = cJSON_PrintUnformatted(line);
    if (text)
        puts(text);
    fflush(stdout);
    cJSON_free(text);
    cJSON_Delete(line);
}

// ------------------------------------------------------------------- copy

struct copy {
    lcl_buffer *from, *to;
};

static enum lcl_status launch_copy(void *arg)
{
    struct copy *c = arg;
    return lcl_buffer_copy(c->to, c->from);
}

// Far beyond any cache: half a gibibyte on a GPU, an eighth on a CPU.
static enum lcl_status bench_copy(struct bench *B)
{
    const bool cpu = lcl_context_caps(B->ctx)->type == LCL_DEVICE_CPU;
    const int64_t count = cpu ? 1 << 24 : 1 << 26;
    struct copy c = {NULL, NULL};
    struct times t;
    enum lcl_status st;
    if ((st = lcl_buffer_create(&c.from, B->ctx, count, 8, "copy")) == LCL_OK &&
        (st = lcl_buffer_create(&c.to, B->ctx, count, 8, "copy")) == LCL_OK &&
        (st = lcl_buffer_fill(c.from, 1)) == LCL_OK &&
        (st = measure(B, launch_copy, &c, &t)) == LCL_OK) {
        cJSON *line = line_for(B, "copy", "buffer");
        add_times(line, B, &t, 16.0 * (double)count);
        B->copy_gbps = 1e-9 * 16.0 * (double)count / t.median;
        print_line(line);
    }
    lcl_buffer_destroy(&c.to);
    lcl_buffer_destroy(&c.from);
    return st;
}

// ------------------------------------------------------------------- kernels

struct work {
    lcl_precond *M;
    lcl_buffer *b, *x;
};

static enum lcl_status launch_apply(void *arg)
{
    struct work *w = arg;
    return w->M->ops->apply(w->M, w->b, w->x, w->M->system.never, 0);
}

static enum lcl_status launch_spmv(void *arg)
{
    struct work *w = arg;
    return lcl_spmv(&w->M->system.matrix, LCL_SPMV_PLAIN, w->b, w->b, w->x,
                    NULL, w->M->system.never, 0);
}

static enum lcl_status launch_refresh(void *arg)
{
    struct work *w = arg;
    return w->M->ops->update(w->M);
}

// Values and 16-bit columns off the diagonal; 1/d, b and x a row.
static double apply_bytes(const struct lcl_precond_info *info)
{
    return 10.0 * (double)(info->nnz_kept - info->rows) +
           24.0 * (double)info->rows;
}

// A block with its column; a row pointer, and x and y, a block row.
static double spmv_bytes(const struct lcl_device_matrix *A)
{
    return (8.0 * A->block * A->block + 4) * (double)A->blocks +
           (16.0 * A->block + 4) * (double)A->block_rows;
}

static enum lcl_status bench_apply(struct bench *B, struct work *w)
{
    const struct lcl_precond_info *info = lcl_precond_info(w->M);
    struct times t;
    enum lcl_status st = measure(B, launch_apply, w, &t);
    if (st < 0)
        return st;
    cJSON *line = line_for(B, "apply", lcl_trisolve_name(info->trisolve));
    add_times(line, B, &t, apply_bytes(info));
    cJSON_AddNumberToObject(line, "parts", (double)info->parts);
    cJSON_AddNumberToObject(line, "part_rows", (double)info->part_rows_max);
    cJSON_AddNumberToObject(line, "levels", info->levels_mean);
    cJSON_AddNumberToObject(line, "levels_max", (double)info->levels_max);
    cJSON_AddNumberToObject(line, "dropped", info->dropped_share);
    cJSON_AddNumberToObject(line, "group", info->group_size);
    print_line(line);
    return LCL_OK;
}

static enum lcl_status bench_launch(struct bench *B, struct work *w,
                                    launch_fn launch, const char *op,
                                    const char *variant, double bytes)
{
    struct times t;
    const enum lcl_status st = measure(B, launch, w, &t);
    if (st < 0)
        return st;
    cJSON *line = line_for(B, op, variant);
    add_times(line, B, &t, bytes);
    print_line(line);
    return LCL_OK;
}

static enum lcl_status bench_spmv(struct bench *B, struct work *w)
{
    const struct lcl_device_matrix *A = &w->M->system.matrix;
    return bench_launch(B, w, launch_spmv, "spmv", A->block > 1 ? "bsr" : "csr",
                        spmv_bytes(A));
}

static enum lcl_status bench_refresh(struct bench *B, struct work *w)
{
    return bench_launch(B, w, launch_refresh, "refresh",
                        lcl_precond_name(lcl_precond_info(w->M)->type), 0);
}

// ------------------------------------------------------------------- reference

// The same factors as plain sequential C wants them: L and U apart, in CSR.
struct reference {
    struct lcl_partition P;
    struct lcl_csr R; // A reordered
    int64_t *map;
    struct lcl_ref_ildu0 F;
    struct lcl_csr L, U;
};

static void reference_finish(struct reference *ref)
{
    lcl_csr_finish(&ref->L);
    lcl_csr_finish(&ref->U);
    lcl_ref_ildu0_finish(&ref->F);
    lcl_free(ref->map);
    lcl_csr_finish(&ref->R);
    lcl_partition_finish(&ref->P);
}

static enum lcl_status allocate_triangle(struct lcl_csr *T, int64_t n,
                                         int64_t nnz)
{
    *T = (struct lcl_csr){.rows = n,
                          .cols = n,
                          .row_ptr = lcl_calloc((size_t)n + 1, 8),
                          .col_ind = lcl_malloc((size_t)nnz, 4),
                          .val = lcl_malloc((size_t)nnz, 8)};
    return T->row_ptr && T->col_ind && T->val ? LCL_OK : LCL_ENOMEM;
}

static void append(struct lcl_csr *T, int64_t i, int32_t j, double v)
{
    T->col_ind[T->nnz] = j;
    T->val[T->nnz++] = v;
    T->row_ptr[i + 1] = T->nnz;
}

static enum lcl_status split_factors(struct reference *ref)
{
    const struct lcl_csr *R = &ref->R;
    enum lcl_status st;
    if ((st = allocate_triangle(&ref->L, R->rows, R->nnz)) < 0 ||
        (st = allocate_triangle(&ref->U, R->rows, R->nnz)) < 0)
        return st;
    for (int64_t p = 0; p < ref->P.parts; ++p)
        for (int64_t i = ref->P.part_ptr[p]; i < ref->P.part_ptr[p + 1]; ++i) {
            ref->L.row_ptr[i + 1] = ref->L.nnz;
            ref->U.row_ptr[i + 1] = ref->U.nnz;
            for (int64_t k = R->row_ptr[i]; k < R->row_ptr[i + 1]; ++k) {
                const int32_t j = R->col_ind[k];
                if (j != i && j >= ref->P.part_ptr[p] &&
                    j < ref->P.part_ptr[p + 1])
                    append(j < i ? &ref->L : &ref->U, i, j, ref->F.val[k]);
            }
        }
    return LCL_OK;
}

// L y = b, then x_i = y_i / d_i - sum_j u_ij x_j.
static void solve_reference(const struct reference *ref, const double *b,
                            double *x)
{
    const struct lcl_csr *L = &ref->L, *U = &ref->U;
    for (int64_t i = 0; i < L->rows; ++i) {
        double s = b[i];
        for (int64_t k = L->row_ptr[i]; k < L->row_ptr[i + 1]; ++k)
            s -= L->val[k] * x[L->col_ind[k]];
        x[i] = s;
    }
    for (int64_t i = U->rows; i-- > 0;) {
        double s = x[i] * ref->F.inv_d[i];
        for (int64_t k = U->row_ptr[i]; k < U->row_ptr[i + 1]; ++k)
            s -= U->val[k] * x[U->col_ind[k]];
        x[i] = s;
    }
}

static enum lcl_status reference_init(struct reference *ref,
                                      const struct bench *B)
{
    const struct lcl_csr *A = &B->problem->A;
    enum lcl_status st;
    *ref = (struct reference){.map = NULL};
    if ((st = lcl_packed_partition(&ref->P, B->ctx, A, 1,
                                   &B->options.precond.partition)) < 0 ||
        (st = lcl_csr_reorder(&ref->R, &ref->map, A, ref->P.perm,
                              ref->P.inverse, lcl_context_log(B->ctx))) < 0 ||
        (st = lcl_ref_ildu0_init(&ref->F, &ref->R, ref->P.part_ptr,
                                 ref->P.parts, &B->options.precond)) < 0)
        return st;
    return split_factors(ref);
}

static struct times time_reference(const struct reference *ref,
                                   const struct problem *P)
{
    double seconds[BATCHES];
    solve_reference(ref, P->b, P->x);
    for (int i = 0; i < BATCHES; ++i) {
        const double start = lcl_now();
        solve_reference(ref, P->b, P->x);
        seconds[i] = lcl_now() - start;
    }
    return summary_of(seconds);
}

// On a CPU the apply is set against one thread of plain C on the same factors:
// run both on one thread to compare (PoCL 3: POCL_MAX_PTHREAD_COUNT=1).
static enum lcl_status bench_reference(struct bench *B)
{
    struct reference ref;
    if (lcl_context_caps(B->ctx)->type != LCL_DEVICE_CPU)
        return LCL_OK;
    const enum lcl_status st = reference_init(&ref, B);
    if (st >= 0) {
        const struct times t = time_reference(&ref, B->problem);
        cJSON *line = line_for(B, "apply", "reference");
        add_times(line, B, &t, 0);
        print_line(line);
    }
    reference_finish(&ref);
    return st;
}

// ------------------------------------------------------------------- solve

static enum lcl_status bench_solve(struct bench *B, lcl_precond *M)
{
    const struct problem *P = B->problem;
    lcl_solver *S = NULL;
    struct lcl_report r = {.stop = LCL_STOP_NONE};
    enum lcl_status st = lcl_solver_create(&S, M, &B->options.solver);
    for (int pass = 0; pass < 2 && st >= 0; ++pass) {
        memset(P->x, 0, (size_t)P->A.rows * sizeof *P->x);
        st = lcl_solver_solve(S, P->b, P->x, &r);
    }
    if (st >= 0) {
        cJSON *line = line_for(B, "bicgstab",
                               lcl_precond_name(lcl_precond_info(M)->type));
        cJSON_AddNumberToObject(line, "ms", 1e3 * r.seconds);
        cJSON_AddNumberToObject(line, "iters", r.iterations);
        cJSON_AddNumberToObject(line, "relres", r.true_residual);
        cJSON_AddNumberToObject(line, "ms_per_iter",
                                1e3 * r.seconds / fmax(r.iterations, 1));
        cJSON_AddStringToObject(line, "stop", lcl_stop_name(r.stop));
        print_line(line);
    }
    lcl_solver_destroy(&S);
    return st < 0 ? st : LCL_OK;
}

static void print_setup(const struct bench *B, const double *before,
                        double seconds)
{
    cJSON *line = line_for(B, "setup", "phases");
    cJSON_AddNumberToObject(line, "ms", 1e3 * seconds);
    for (int p = 0; p < LCL_PHASE_COUNT; ++p)
        cJSON_AddNumberToObject(
            line, lcl_phase_name((enum lcl_phase)p),
            1e3 * (lcl_context_seconds(B->ctx, (enum lcl_phase)p) - before[p]));
    print_line(line);
}

static enum lcl_status set_up(struct bench *B, lcl_precond **M)
{
    double before[LCL_PHASE_COUNT];
    for (int p = 0; p < LCL_PHASE_COUNT; ++p)
        before[p] = lcl_context_seconds(B->ctx, (enum lcl_phase)p);
    const double start = lcl_now();
    const enum lcl_status st =
        lcl_precond_create(M, B->ctx, &B->problem->A, &B->options.precond);
    if (st >= 0)
        print_setup(B, before, lcl_now() - start);
    return st;
}

static bool has_subdomains(const lcl_precond *M)
{
    return lcl_precond_info(M)->parts > 0;
}

static enum lcl_status bench_problem(struct bench *B)
{
    const int64_t n = B->problem->A.rows;
    struct work w = {NULL, NULL, NULL};
    enum lcl_status st = set_up(B, &w.M);
    if (st >= 0 &&
        (st = lcl_buffer_create(&w.b, B->ctx, n, 8, "vector")) == LCL_OK &&
        (st = lcl_buffer_create(&w.x, B->ctx, n, 8, "vector")) == LCL_OK &&
        (st = lcl_system_put(&w.M->system, B->problem->b, w.b)) == LCL_OK &&
        (st = bench_apply(B, &w)) == LCL_OK &&
        (!has_subdomains(w.M) || (st = bench_reference(B)) == LCL_OK) &&
        (st = bench_spmv(B, &w)) == LCL_OK &&
        (st = bench_refresh(B, &w)) == LCL_OK)
        st = bench_solve(B, w.M);
    lcl_buffer_destroy(&w.x);
    lcl_buffer_destroy(&w.b);
    lcl_precond_destroy(&w.M);
    return st;
}

// ------------------------------------------------------------------- problems

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

// "NAME" or "A.mtx" or "A.mtx,b.mtx"; without b the right-hand side is A * 1.
static enum lcl_status load(struct problem *P, char *text,
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

static void unload(struct problem *P)
{
    lcl_csr_finish(&P->A);
    lcl_free(P->b);
    lcl_free(P->x);
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
    enum lcl_status st = load(&P, name, log);
    B->problem = &P;
    if (st == LCL_OK)
        st = bench_problem(B);
    B->problem = NULL;
    unload(&P);
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
