// SPDX-License-Identifier: BSD-3-Clause
// Kronecker systems, from four files or built in.
#include "tools/clsolve/job.h"

#include <inttypes.h>

// ---------------------------------------------------------------- M and L

static enum lcl_status read_sparse(struct job *job, struct lcl_csr *A,
                                   const char *path)
{
    struct lcl_read_info info;
    const enum lcl_status st = lcl_csr_read(A, path, &info, &job->log);
    if (st < 0)
        return st;
    job->read.duplicates += info.duplicates;
    job->read.explicit_zeros += info.explicit_zeros;
    job->read.bytes += info.bytes;
    if (A->rows != A->cols)
        return messages_fail(&job->messages, LCL_EFORMAT,
                             "%s is %" PRId64 " x %" PRId64
                             ": M and L must be square",
                             path, A->rows, A->cols);
    return LCL_OK;
}

// A matrix with full blocks has full blocks of every divisor of their size.
int job_common_block(const struct lcl_csr *M, const struct lcl_csr *L)
{
    int a = lcl_csr_natural_block(M), b = lcl_csr_natural_block(L);
    while (b != 0) {
        const int rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

enum lcl_status job_into_blocks(struct job *job, const struct lcl_csr *M,
                                const struct lcl_csr *L, int b)
{
    const char *const *path = job->cli.kron;
    enum lcl_status st;
    if (M->cols != L->cols)
        return messages_fail(&job->messages, LCL_EFORMAT,
                             "%s has %" PRId64 " rows, %s has %" PRId64
                             ": M and L must have the same size",
                             path[0], M->cols, path[1], L->cols);
    if (M->cols % b != 0) {
        job->phase = JOB_USAGE;
        return messages_fail(&job->messages, LCL_EINVAL,
                             "block size %d does not divide the %" PRId64
                             " rows of %s",
                             b, M->cols, path[0]);
    }
    st = lcl_bsr_from_csr(&job->kron.M, M, b, &job->log);
    return st < 0 ? st : lcl_bsr_from_csr(&job->kron.L, L, b, &job->log);
}

static enum lcl_status read_matrices(struct job *job)
{
    const int asked = job->cli.options.op.block_size;
    struct lcl_csr M = {0}, L = {0};
    enum lcl_status st;
    if ((st = read_sparse(job, &M, job->cli.kron[0])) == LCL_OK &&
        (st = read_sparse(job, &L, job->cli.kron[1])) == LCL_OK)
        st = job_into_blocks(job, &M, &L,
                             asked ? asked : job_common_block(&M, &L));
    lcl_csr_finish(&M);
    lcl_csr_finish(&L);
    return st;
}

// ---------------------------------------------------------------- A and B

static enum lcl_status check_stages(struct job *job, const struct lcl_dense *X,
                                    const char *path, int stages)
{
    if (X->rows != X->cols)
        return messages_fail(&job->messages, LCL_EFORMAT,
                             "%s is %" PRId64 " x %" PRId64
                             ": A and B must be square",
                             path, X->rows, X->cols);
    if (X->rows < 1 || X->rows > LCL_KRON_STAGES_MAX)
        return messages_fail(&job->messages, LCL_EFORMAT,
                             "%s has %" PRId64 " rows: expected 1 to %d, one "
                             "per stage",
                             path, X->rows, LCL_KRON_STAGES_MAX);
    if (stages > 0 && X->rows != stages)
        return messages_fail(&job->messages, LCL_EFORMAT,
                             "%s has %d rows, %s has %" PRId64
                             ": A and B must have the same size",
                             job->cli.kron[2], stages, path, X->rows);
    return LCL_OK;
}

// Reads a matrix into `out`, row-major; *stages is 0 or the required size, and
// is set.
static enum lcl_status read_stages(struct job *job, const char *path,
                                   double *out, int *stages)
{
    struct lcl_dense X;
    enum lcl_status st = lcl_dense_read(&X, path, NULL, &job->log);
    if (st < 0)
        return st;
    if ((st = check_stages(job, &X, path, *stages)) == LCL_OK) {
        *stages = (int)X.rows;
        for (int64_t i = 0; i < X.rows; ++i)
            for (int64_t j = 0; j < X.cols; ++j)
                out[i * X.cols + j] = X.val[i + j * X.rows];
    }
    lcl_dense_finish(&X);
    return st;
}

// ---------------------------------------------------------------- all

enum lcl_status job_read_stages(struct job *job)
{
    struct lcl_kron_data *D = &job->kron;
    const char *const *path = job->cli.kron;
    int stages = 0;
    enum lcl_status st;
    job->phase = JOB_INPUT;
    if ((st = read_stages(job, path[2], D->A, &stages)) < 0 ||
        (st = read_stages(job, path[3], D->B, &stages)) < 0)
        return st;
    D->K = (struct lcl_kron){stages, D->A, D->B, job->cli.tau, &D->M, &D->L};
    return LCL_OK;
}

static enum lcl_status read_files(struct job *job)
{
    enum lcl_status st;
    if ((st = job_read_stages(job)) < 0 || (st = read_matrices(job)) < 0)
        return st;
    return lcl_kron_check(&job->kron.K, &job->log);
}

enum lcl_status job_read_kron(struct job *job)
{
    if (job->cli.kron[0])
        return read_files(job);
    job->phase = JOB_USAGE;
    return lcl_kron_problem(&job->kron, job->cli.problem, &job->log);
}
