// SPDX-License-Identifier: BSD-3-Clause
// Operators, preconditioners and solvers on the ranks of MPI, as an application
// uses them. Each rank has its rows of a built-in problem.
#include <levelcl/levelcl.h>
#include <levelcl/opencl.h>
#include <levelcl/published.h>

#include "host/background.h"
#include "tests/mpi/check.h"
#include "tests/support/capture.h"

#include <math.h>
#include <mpi.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static struct test_capture capture;

#define CHECK CHECK_HERE

static lcl_ranks *world; // all ranks

struct system {
    int rank, size;
    lcl_context *ctx;
    struct lcl_rows rows;
    lcl_operator *A;
    double *b, *x, *y; // the rank's parts
};

static bool open(struct system *s, const char *problem)
{
    MPI_Comm_rank(MPI_COMM_WORLD, &s->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &s->size);
    test_capture_init(&capture, LCL_LOG_ERROR);
    const struct lcl_context_params params = {.log = capture.log};
    CHECK(lcl_context_create(&s->ctx, &params) == LCL_OK);
    CHECK(lcl_rows_problem(&s->rows, problem, s->rank, s->size, NULL) ==
          LCL_OK);
    const size_t n = (size_t)s->rows.rows;
    s->b = calloc(n, sizeof *s->b);
    s->x = calloc(n, sizeof *s->x);
    s->y = calloc(n, sizeof *s->y);
    CHECK(s->b && s->x && s->y);
    // the same vector for any number of ranks
    for (size_t i = 0; i < n; ++i)
        s->b[i] = sin(1.0 + 7.3 * (double)(s->rows.first + (int64_t)i));
    CHECK(lcl_operator_create_ranks(&s->A, s->ctx, world, &s->rows, NULL) ==
          LCL_OK);
    return true;
}

static void finish(struct system *s)
{
    lcl_operator_destroy(&s->A);
    lcl_rows_finish(&s->rows);
    lcl_context_destroy(&s->ctx);
    free(s->b);
    free(s->x);
    free(s->y);
}

// ||b - A x|| / ||b||
static double residual(struct system *s)
{
    double own[2] = {0, 0}, all[2];
    if (lcl_operator_apply(s->A, s->x, s->y) != LCL_OK)
        return INFINITY;
    for (int64_t i = 0; i < s->rows.rows; ++i) {
        own[0] += (s->b[i] - s->y[i]) * (s->b[i] - s->y[i]);
        own[1] += s->b[i] * s->b[i];
    }
    MPI_Allreduce(own, all, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return sqrt(all[0] / all[1]);
}

// All ranks report the same.
static bool is_common(const struct lcl_report *report)
{
    double own[2] = {report->iterations, report->true_residual};
    double least[2], most[2];
    MPI_Allreduce(own, least, 2, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
    MPI_Allreduce(own, most, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return least[0] == most[0] && least[1] == most[1];
}

static bool solves_with(struct system *s, const struct lcl_precond_params *p,
                        enum lcl_solver_type solver)
{
    const struct lcl_solver_params q = {.type = solver};
    struct lcl_report report = LCL_REPORT_INIT;
    lcl_precond *M;
    lcl_solver *S;
    for (int64_t i = 0; i < s->rows.rows; ++i)
        s->x[i] = 0;
    CHECK(lcl_precond_create(&M, s->A, p) == LCL_OK);
    CHECK(lcl_solver_create(&S, s->A, M, &q) == LCL_OK);
    CHECK(lcl_solver_solve(S, s->b, s->x, &report) == LCL_OK);
    CHECK(is_common(&report));
    CHECK(residual(s) <= 1.0001e-8);
    lcl_solver_destroy(&S);
    lcl_precond_destroy(&M);
    return true;
}

static bool solves(struct system *s, enum lcl_precond_type precond,
                   enum lcl_solver_type solver)
{
    const struct lcl_precond_params p = {.type = precond,
                                         .partition = {.rows = 64}};
    return solves_with(s, &p, solver);
}

// One coarse correction of all ranks.
static bool corrects(struct system *s, enum lcl_precond_type precond,
                     enum lcl_solver_type solver)
{
    const struct lcl_precond_params p = {
        .type = precond, .partition = {.rows = 40}, .coarse = LCL_COARSE_MULT};
    return solves_with(s, &p, solver);
}

// On boxes of cells, which the borders of ranks cut.
static bool solves_on_boxes(struct system *s)
{
    struct lcl_precond_params p = {
        .type = LCL_PRECOND_IC0,
        .partition = {.type = LCL_PARTITION_GEOMETRIC, .box = {4, 4, 4}}};
    CHECK(solves_with(s, &p, LCL_SOLVER_CG));
    for (int d = 0; d < 3; ++d)
        p.partition.grid[d] = 9;
    CHECK(solves_with(s, &p, LCL_SOLVER_CG));
    return true;
}

static bool solves_the_laplacian(void)
{
    struct system s = {.rank = 0};
    CHECK(open(&s, "lap3d:9"));
    CHECK(solves_on_boxes(&s));
    CHECK(solves(&s, LCL_PRECOND_IC0, LCL_SOLVER_CG));
    CHECK(solves(&s, LCL_PRECOND_IC0, LCL_SOLVER_CG_PIPELINED));
    CHECK(corrects(&s, LCL_PRECOND_IC0, LCL_SOLVER_CG));
    CHECK(solves(&s, LCL_PRECOND_AS, LCL_SOLVER_CG));
    CHECK(solves(&s, LCL_PRECOND_AMG, LCL_SOLVER_CG));
    finish(&s);
    return true;
}

static bool solves_a_flow(void)
{
    struct system s = {.rank = 0};
    CHECK(open(&s, "convdiff:9,2"));
    CHECK(solves(&s, LCL_PRECOND_ILDU0, LCL_SOLVER_BICGSTAB));
    CHECK(corrects(&s, LCL_PRECOND_ILDU0, LCL_SOLVER_BICGSTAB));
    CHECK(solves(&s, LCL_PRECOND_JACOBI, LCL_SOLVER_GMRES));
    CHECK(solves(&s, LCL_PRECOND_RAS, LCL_SOLVER_BICGSTAB));
    finish(&s);
    return true;
}

// New values: the same matrix times 2.
static bool takes_new_values(void)
{
    struct system s = {.rank = 0};
    CHECK(open(&s, "lap3d:7"));
    for (int64_t k = 0; k < s.rows.row_ptr[s.rows.rows]; ++k)
        s.rows.val[k] *= 2;
    CHECK(lcl_operator_update(s.A, s.rows.val) == LCL_OK);
    for (int64_t i = 0; i < s.rows.rows; ++i)
        s.x[i] = 1;
    CHECK(lcl_operator_apply(s.A, s.x, s.y) == LCL_OK);
    for (int64_t i = 0; i < s.rows.rows; ++i) {
        double sum = 0;
        for (int64_t k = s.rows.row_ptr[i]; k < s.rows.row_ptr[i + 1]; ++k)
            sum += s.rows.val[k];
        CHECK(fabs(s.y[i] - sum) <= 1e-12);
    }
    CHECK(solves(&s, LCL_PRECOND_JACOBI, LCL_SOLVER_CG));
    finish(&s);
    return true;
}

// What is wrong on one rank is an error on all.
static bool refuses_bad_rows(void)
{
    struct system s = {.rank = 0};
    lcl_operator *A;
    CHECK(open(&s, "lap3d:6"));
    if (s.rank == s.size - 1)
        s.rows.col[0] = s.rows.total;
    CHECK(lcl_operator_create_ranks(&A, s.ctx, world, &s.rows, NULL) ==
          LCL_EFORMAT);
    CHECK(!A);
    finish(&s);
    return true;
}

static bool refuses_bad_vectors(void)
{
    struct system s = {.rank = 0};
    lcl_solver *S;
    CHECK(open(&s, "lap3d:6"));
    CHECK(lcl_solver_create(&S, s.A, NULL, NULL) == LCL_OK);
    if (s.rank == 0)
        s.b[0] = NAN;
    CHECK(lcl_solver_solve(S, s.b, s.x, NULL) == LCL_EFORMAT);
    lcl_solver_destroy(&S);
    finish(&s);
    return true;
}

// Another thread may not call MPI. The buffers are not looked at.
static bool refuses_solves_that_do_not_block(void)
{
    struct system s = {.rank = 0};
    lcl_solver *S;
    cl_event done;
    const struct lcl_array_cl none = {(cl_mem)&s, 0};
    const struct lcl_solve_cl solve = {
        .b = none, .x = none, .events = {.done = &done}};
    CHECK(open(&s, "lap3d:6"));
    CHECK(lcl_solver_create(&S, s.A, NULL, NULL) == LCL_OK);
    CHECK(lcl_solver_enqueue_cl(S, &solve, NULL) == LCL_EUNSUPPORTED);
    CHECK(!done);
    lcl_solver_destroy(&S);
    finish(&s);
    return true;
}

// ------------------------------------------------------------------- Kronecker

// A rank's block rows of a system that every rank has generated.
struct kron_system {
    struct system s; // A, vectors and context
    struct lcl_kron_data D;
    struct lcl_rows M, L;
    struct lcl_kron_rows K;
};

static bool cut(struct lcl_rows *R, const struct lcl_bsr *A,
                const struct system *s)
{
    const int64_t values = A->block_size * A->block_size;
    *R = (struct lcl_rows){.total = A->rows};
    lcl_rows_share(A->rows, 1, s->rank, s->size, &R->first, &R->rows);
    const int64_t start = A->row_ptr[R->first];
    const int64_t blocks = A->row_ptr[R->first + R->rows] - start;
    R->row_ptr = calloc((size_t)R->rows + 1, sizeof *R->row_ptr);
    R->col = calloc((size_t)blocks, sizeof *R->col);
    R->val = A->val + start * values;
    CHECK(R->row_ptr && R->col);
    for (int64_t i = 0; i <= R->rows; ++i)
        R->row_ptr[i] = A->row_ptr[R->first + i] - start;
    for (int64_t k = 0; k < blocks; ++k)
        R->col[k] = A->col_ind[start + k];
    return true;
}

static bool open_kron(struct kron_system *q, const char *problem)
{
    struct system *s = &q->s;
    MPI_Comm_rank(MPI_COMM_WORLD, &s->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &s->size);
    CHECK(lcl_context_create(&s->ctx, NULL) == LCL_OK);
    CHECK(lcl_kron_problem(&q->D, problem, NULL) == LCL_OK);
    const struct lcl_kron *K = &q->D.K;
    CHECK(cut(&q->M, K->M, s) && cut(&q->L, K->L, s));
    q->K = (struct lcl_kron_rows){K->stages,        K->A,  K->B, K->tau,
                                  K->M->block_size, &q->M, &q->L};
    s->rows.rows = K->stages * q->M.rows * K->M->block_size;
    const size_t n = (size_t)s->rows.rows;
    s->b = calloc(n, sizeof *s->b);
    s->x = calloc(n, sizeof *s->x);
    s->y = calloc(n, sizeof *s->y);
    CHECK(s->b && s->x && s->y);
    for (size_t i = 0; i < n; ++i)
        s->b[i] = sin(1.0 + 7.3 * (double)i + s->rank);
    return true;
}

static void finish_kron(struct kron_system *q)
{
    struct lcl_rows *const both[] = {&q->M, &q->L};
    for (int k = 0; k < 2; ++k) {
        free(both[k]->row_ptr);
        free(both[k]->col);
    }
    finish(&q->s);
    lcl_kron_data_finish(&q->D);
}

// The product with ones in all rows is that of the host.
static bool multiplies(struct kron_system *q)
{
    const struct lcl_kron *K = &q->D.K;
    const int64_t b = K->M->block_size, n = K->M->rows * b;
    double *ones = calloc((size_t)(K->stages * n), sizeof *ones);
    double *all = calloc((size_t)(K->stages * n), sizeof *all);
    CHECK(ones && all);
    for (int64_t i = 0; i < K->stages * n; ++i)
        ones[i] = 1;
    for (int64_t i = 0; i < q->s.rows.rows; ++i)
        q->s.x[i] = 1;
    CHECK(lcl_kron_multiply(K, ones, all) == LCL_OK);
    CHECK(lcl_operator_apply(q->s.A, q->s.x, q->s.y) == LCL_OK);
    for (int j = 0; j < K->stages; ++j)
        for (int64_t i = 0; i < q->M.rows * b; ++i) {
            const double y = q->s.y[j * q->M.rows * b + i];
            const double expected = all[j * n + q->M.first * b + i];
            CHECK(fabs(y - expected) <= 1e-11 * (1 + fabs(expected)));
        }
    free(all);
    free(ones);
    return true;
}

static bool solves_a_kronecker_system(void)
{
    static const struct lcl_operator_params all[] = {
        {.kron_exchange = LCL_KRON_EXCHANGE_BATCHED},
        {.kron_exchange = LCL_KRON_EXCHANGE_STAGED},
        {.kron = LCL_KRON_OKP},
        {.kron = LCL_KRON_CU}};
    struct kron_system q = {.s = {.rank = 0}};
    CHECK(open_kron(&q, "radau:2,4"));
    for (int k = 0; k < 4; ++k) {
        q.K.tau = q.D.K.tau *= 1 + k;
        lcl_operator_destroy(&q.s.A);
        CHECK(lcl_operator_create_kron_ranks(&q.s.A, q.s.ctx, world, &q.K,
                                             &all[k]) == LCL_OK);
        CHECK(multiplies(&q));
        CHECK(solves(&q.s, LCL_PRECOND_BLOCK_JACOBI, LCL_SOLVER_GMRES));
    }
    q.K.tau = q.D.K.tau *= 2;
    CHECK(lcl_operator_update_kron_rows(q.s.A, &q.K) == LCL_OK);
    CHECK(multiplies(&q));
    finish_kron(&q);
    return true;
}

static enum lcl_status wait_for(void *flag)
{
    const struct timespec pause = {0, 1000000};
    while (!atomic_load((atomic_bool *)flag))
        nanosleep(&pause, NULL);
    return LCL_OK;
}

// The context of the first rank works in the background.
static bool refuses_values_while_busy(void)
{
    struct kron_system q = {.s = {.rank = 0}};
    atomic_bool over = false;
    cl_event done;
    CHECK(open_kron(&q, "radau:2,4"));
    CHECK(lcl_operator_create_kron_ranks(&q.s.A, q.s.ctx, world, &q.K, NULL) ==
          LCL_OK);
    if (q.s.rank == 0)
        CHECK(lcl_background_start(q.s.ctx, wait_for, &over, &done) == LCL_OK);
    CHECK(lcl_operator_update_kron_rows(q.s.A, &q.K) == LCL_EBUSY);
    atomic_store(&over, true);
    if (q.s.rank == 0) {
        lcl_background_wait(q.s.ctx);
        clReleaseEvent(done);
    }
    CHECK(lcl_operator_update_kron_rows(q.s.A, &q.K) == LCL_OK);
    CHECK(multiplies(&q));
    finish_kron(&q);
    return true;
}

// A rank with another step than the others.
static bool refuses_different_systems(void)
{
    struct kron_system q = {.s = {.rank = 0}};
    lcl_operator *A;
    CHECK(open_kron(&q, "radau:2,4"));
    q.K.tau += q.s.rank;
    const enum lcl_status st =
        lcl_operator_create_kron_ranks(&A, q.s.ctx, world, &q.K, NULL);
    CHECK(st == (q.s.size > 1 ? LCL_EINVAL : LCL_OK));
    lcl_operator_destroy(&A);
    finish_kron(&q);
    return true;
}

// Other parameters on the last rank are refused on all.
static bool refuses_other_params(void)
{
    struct system s = {.rank = 0};
    lcl_operator *A;
    lcl_precond *M;
    lcl_solver *S;
    CHECK(open(&s, "lap3d:6"));
    const bool is_last = s.rank == s.size - 1, differs = s.size > 1;
    const struct lcl_operator_params op = {.spmv = is_last ? LCL_SPMV_CSR : 0};
    const struct lcl_precond_params precond = {.amg.theta = is_last ? 0.5 : 0};
    const struct lcl_solver_params solver = {.rtol = is_last ? 1e-3 : 0};
    const enum lcl_status expected = differs ? LCL_EINVAL : LCL_OK;
    CHECK(lcl_operator_create_ranks(&A, s.ctx, world, &s.rows, &op) ==
          expected);
    CHECK(!A == differs);
    CHECK(!differs || strstr(capture.last, "an operator: spmv is 0 on rank 0"));
    CHECK(lcl_precond_create(&M, s.A, &precond) == expected && !M == differs);
    CHECK(!differs ||
          strstr(capture.last, "amg.theta is 0 on rank 0, but 0.5"));
    CHECK(lcl_solver_create(&S, s.A, M, &solver) == expected && !S == differs);
    CHECK(!differs ||
          strstr(capture.last, "a solver: rtol is 0 on rank 0, but"));
    lcl_solver_destroy(&S);
    lcl_precond_destroy(&M);
    lcl_operator_destroy(&A);
    finish(&s);
    return true;
}

// Every number of the solver's parameters is compared.
static bool refuses_other_solvers(void)
{
    static const struct {
        struct lcl_solver_params params;
        const char *name;
    } other[] = {
        {{.atol = 1}, "atol"},
        {{.relative_to = LCL_RELATIVE_TO_R0}, "relative_to"},
        {{.reference = 2}, "reference"},
        {{.max_iters = 9}, "max_iters"},
        {{.stagnation = 9}, "stagnation"},
        {{.idr_s = 2}, "idr_s"},
        {{.restart = 9}, "restart"},
        {{.basis = LCL_BASIS_FP32}, "basis"},
        {{.orthogonalisation = LCL_ORTHOGONALISATION_MGS}, "orthogonalisation"},
        {{.side = LCL_SIDE_LEFT}, "side"},
        {{.monitor_every = 3}, "monitor_every"},
        {{.norm = LCL_NORM_MAX}, "norm"},
        {{.time_limit = 60}, "time_limit"},
        {{.rtol_may_be_zero = true}, "rtol_may_be_zero"},
    };
    struct system s = {.rank = 0};
    CHECK(open(&s, "lap3d:6"));
    for (size_t k = 0; k < sizeof other / sizeof *other && s.size > 1; ++k) {
        lcl_solver *S;
        CHECK(lcl_solver_create(&S, s.A, NULL,
                                s.rank == 0 ? NULL : &other[k].params) ==
              LCL_EINVAL);
        CHECK(!S && strstr(capture.last, other[k].name));
    }
    finish(&s);
    return true;
}

// So are the numbers of boxes.
static bool refuses_other_boxes(void)
{
    struct system s = {.rank = 0};
    CHECK(open(&s, "lap3d:6"));
    for (int d = 0; d < 6 && s.size > 1; ++d) {
        struct lcl_precond_params p = {
            .partition = {.type = LCL_PARTITION_GEOMETRIC,
                          .box = {3, 3, 3},
                          .grid = {6, 6, 6}}};
        lcl_precond *M;
        if (s.rank == s.size - 1)
            *(d < 3 ? &p.partition.box[d] : &p.partition.grid[d - 3]) = 5;
        CHECK(lcl_precond_create(&M, s.A, &p) == LCL_EINVAL && !M);
        CHECK(strstr(capture.last, d < 3 ? "partition.box is 3 on rank 0"
                                         : "partition.grid is 6 on rank 0"));
    }
    finish(&s);
    return true;
}

// An entry of the last rank belongs to no stencil; nor have all rows that many
// cells.
static bool refuses_other_grids(void)
{
    struct lcl_precond_params p = {
        .type = LCL_PRECOND_IC0,
        .partition = {.type = LCL_PARTITION_GEOMETRIC, .box = {3, 3, 3}}};
    struct system s = {.rank = 0};
    lcl_operator *A;
    lcl_precond *M;
    CHECK(open(&s, "lap3d:6"));
    if (s.rank == s.size - 1)
        --s.rows.col[s.rows.row_ptr[s.rows.rows - 1]];
    CHECK(lcl_operator_create_ranks(&A, s.ctx, world, &s.rows, NULL) == LCL_OK);
    CHECK(lcl_precond_create(&M, A, &p) == LCL_EINVAL && !M);
    CHECK(strstr(capture.last, "the pattern is not a 7-point stencil"));
    for (int d = 0; d < 3; ++d)
        p.partition.grid[d] = 5;
    CHECK(lcl_precond_create(&M, A, &p) == LCL_EINVAL && !M);
    CHECK(strstr(capture.last, "216 rows are not a multiple of 5 x 5 x 5"));
    lcl_operator_destroy(&A);
    finish(&s);
    return true;
}

// One rank passes what no rank may.
static bool refuses_bad_params(void)
{
    struct system s = {.rank = 0};
    lcl_operator *A;
    CHECK(open(&s, "lap3d:6"));
    const struct lcl_operator_params op = {.block_size = s.rank == 0 ? 99 : 0};
    CHECK(lcl_operator_create_ranks(&A, s.ctx, world, &s.rows, &op) ==
          LCL_EINVAL);
    CHECK(!A);
    finish(&s);
    return true;
}

// Rows read together are those of the problem that was written.
static bool reads_a_file(const char *path)
{
    struct system s = {.rank = 0};
    struct lcl_csr whole;
    struct lcl_rows R;
    CHECK(open(&s, "convdiff:7,2"));
    CHECK(lcl_csr_problem(&whole, "convdiff:7,2", NULL) == LCL_OK);
    CHECK(s.rank > 0 || lcl_csr_write(&whole, path, NULL) == LCL_OK);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(lcl_ranks_read_rows(&R, world, path, 1, NULL) == LCL_OK);
    CHECK(R.first == s.rows.first && R.rows == s.rows.rows);
    const size_t nnz = (size_t)R.row_ptr[R.rows];
    CHECK(memcmp(R.col, s.rows.col, nnz * sizeof *R.col) == 0);
    CHECK(memcmp(R.val, s.rows.val, nnz * sizeof *R.val) == 0);
    lcl_rows_finish(&R);
    const bool is_last = s.rank == s.size - 1;
    CHECK(lcl_ranks_read_rows(&R, world, is_last ? "none.mtx" : path, 1,
                              NULL) == LCL_EIO);
    MPI_Barrier(MPI_COMM_WORLD);
    if (s.rank == 0)
        remove(path);
    lcl_csr_finish(&whole);
    finish(&s);
    return true;
}

// The same file on all ranks.
static void name_file(char path[64])
{
    int process = (int)getpid();
    MPI_Bcast(&process, 1, MPI_INT, 0, MPI_COMM_WORLD);
    snprintf(path, 64, "mpi_operator_%d.mtx", process);
}

int main(int argc, char **argv)
{
    char path[64];
    MPI_Init(&argc, &argv);
    name_file(path);
    const MPI_Comm all = MPI_COMM_WORLD;
    const bool connected = lcl_ranks_create(&world, &all, NULL) == LCL_OK;
    const bool passed =
        connected && solves_the_laplacian() && solves_a_flow() &&
        takes_new_values() && refuses_bad_rows() && refuses_bad_vectors() &&
        refuses_solves_that_do_not_block() && refuses_other_params() &&
        refuses_other_solvers() && refuses_other_boxes() &&
        refuses_other_grids() && refuses_bad_params() && reads_a_file(path) &&
        solves_a_kronecker_system() && refuses_different_systems() &&
        refuses_values_while_busy();
    if (!passed)
        MPI_Abort(MPI_COMM_WORLD, 1);
    lcl_ranks_destroy(&world);
    MPI_Finalize();
    return 0;
}
