// SPDX-License-Identifier: BSD-3-Clause
// M = A by LU factors of the whole matrix on the host.
#include "host/alloc.h"
#include "host/limit.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/factor/direct.h"
#include "lib/matrix/bsr.h"
#include "lib/operator/callback.h"
#include "lib/precond/precond.h"
#include "lib/storage/to_entries.h"

struct lu {
    struct lcl_direct *direct;
    struct lcl_precond_params params;
    struct lcl_csr first; // the matrix until its values are factored
    double *x;            // n
};

// ------------------------------------------------------------------- matrix

// *A = the single entries. The caller frees it in any case.
static enum lcl_status download(struct lcl_csr *A, const lcl_operator *matrix)
{
    const struct lcl_log *log = lcl_context_log(matrix->range.ctx);
    const bool blocks = matrix->matrix->block > 1;
    struct lcl_device_matrix entries = {.n = 0};
    struct lcl_bsr B = {.rows = 0};
    enum lcl_status st =
        blocks ? lcl_to_entries(&entries, matrix->range.ctx, matrix->matrix)
               : LCL_OK;
    if (st == LCL_OK)
        st = lcl_device_matrix_read(&B, blocks ? &entries : matrix->matrix,
                                    true, log);
    lcl_device_matrix_finish(&entries);
    *A = lcl_bsr_pattern(&B); // and the values
    return st;
}

// ------------------------------------------------------------------- set-up

// KLU cannot be interrupted, so that its estimated work has to fit the limit.
static enum lcl_status expect_affordable(const struct lu *F, lcl_context *ctx)
{
    const struct lcl_log *log = lcl_context_log(ctx);
    const struct lcl_limit *limit = lcl_context_limit(ctx);
    const double operations = lcl_direct_operations(F->direct);
    if (limit && limit->work > 0 && operations > (double)limit->work)
        return lcl_fail(log, LCL_ECANCELLED,
                        "lu: about %.2g operations, more than the %.2g that "
                        "this method may take",
                        operations, (double)limit->work);
    lcl_debug(log, "lu: about %.3g entries, %.3g operations",
              lcl_direct_entries(F->direct), operations);
    return lcl_limit_look(limit, log);
}

static enum lcl_status create(lcl_precond *M,
                              const struct lcl_precond_params *params)
{
    lcl_context *ctx = M->op.range.ctx;
    const struct lcl_log *log = lcl_context_log(ctx);
    enum lcl_status st;
    if (M->whole)
        return lcl_fail(log, LCL_EUNSUPPORTED,
                        "lu factors the whole matrix on the host: it requires "
                        "one device");
    struct lu *F = M->op.state = lcl_calloc(1, sizeof *F);
    if (!F)
        return lcl_fail_memory(log, "a preconditioner");
    F->params = *params;
    F->x = lcl_malloc((size_t)M->op.range.n, sizeof *F->x);
    if (!F->x)
        return lcl_fail_memory(log, "a preconditioner");
    if ((st = download(&F->first, M->matrix)) == LCL_OK &&
        (st = lcl_direct_create(&F->direct, &F->first, log)) == LCL_OK)
        st = expect_affordable(F, ctx);
    M->info.nnz_kept = M->info.nnz;
    return st;
}

static enum lcl_status update(lcl_precond *M)
{
    struct lu *F = M->op.state;
    struct lcl_csr A = F->first;
    F->first = (struct lcl_csr)LCL_CSR_INIT;
    enum lcl_status st = A.row_ptr ? LCL_OK : download(&A, M->matrix);
    if (st == LCL_OK)
        st = lcl_direct_factor(F->direct, A.val,
                               lcl_context_log(M->op.range.ctx));
    lcl_csr_finish(&A);
    M->info.factors.nnz = lcl_direct_nnz(F->direct);
    return st;
}

static void destroy(lcl_operator *A)
{
    struct lu *F = A->state;
    if (!F)
        return;
    lcl_direct_destroy(&F->direct);
    lcl_csr_finish(&F->first);
    lcl_free(F->x);
    lcl_free(F);
}

static enum lcl_status transposed(const lcl_precond *M, lcl_precond **out,
                                  lcl_operator *T)
{
    const struct lu *F = M->op.state;
    return lcl_precond_analyse(out, T, &F->params);
}

// ------------------------------------------------------------------- use

static enum lcl_status apply(lcl_operator *A, enum lcl_mode mode,
                             const struct lcl_operands *v)
{
    const struct lu *F = A->state;
    const size_t bytes = (size_t)A->range.n * sizeof *F->x;
    bool stopped;
    enum lcl_status st;
    (void)mode;
    if ((st = lcl_operands_stopped(v, &stopped)) < 0 || stopped ||
        (st = lcl_buffer_read(v->x, F->x, bytes)) < 0 ||
        (st = lcl_direct_solve(F->direct, F->x,
                               lcl_context_log(A->range.ctx))) < 0)
        return st;
    return lcl_buffer_write(v->y, F->x, bytes);
}

const struct lcl_precond_ops lcl_precond_lu = {
    .op = {.apply = apply, .destroy = destroy},
    .numbering = LCL_NUMBERING_ANY,
    .create = create,
    .update = update,
    .transposed = transposed,
};
