// SPDX-License-Identifier: BSD-3-Clause
// Autotunes the product of a matrix.
#include "lib/spmv/autotune.h"

#include "host/autotune.h"
#include "host/log.h"
#include "host/runtime.h"

#include <stdio.h>

// Candidates for LCL_SPMV_DEFAULT. The first suits any matrix and needs no
// extra memory.
static const enum lcl_spmv_type candidates[] = {
    LCL_SPMV_CSR,
    LCL_SPMV_SLICED,
    LCL_SPMV_ADAPTIVE,
};

enum {
    CANDIDATES = sizeof candidates / sizeof *candidates,
    SMALL_ROWS = 10000,
    SMALL_ENTRIES = 100000,
    QUESTION = 320,
};

bool lcl_spmv_is_small(const struct lcl_device_matrix *A)
{
    return A->n < SMALL_ROWS || A->blocks * A->block * A->block < SMALL_ENTRIES;
}

// ------------------------------------------------------------------- measuring

static int log2_of(int64_t value)
{
    int log = 0;
    while (value >>= 1)
        ++log;
    return log;
}

// Cache key: equal for matrices that put a similar load on a device.
static void name_question(char text[QUESTION],
                          const struct lcl_device_matrix *A, const char *what)
{
    snprintf(text, QUESTION,
             "product: log2 of rows %d, mean length %lld, blocks of %d: %s",
             log2_of(A->n), (long long)(A->blocks / A->block_rows), A->block,
             what);
}

bool lcl_spmv_recall(int *best, lcl_context *ctx,
                     const struct lcl_device_matrix *A, const char *what,
                     int count)
{
    char question[QUESTION];
    name_question(question, A, what);
    return lcl_autotune_recall(best, ctx, question, count);
}

struct trial {
    lcl_form *form;
    void *arg;
    lcl_context *ctx;
    lcl_buffer *x, *y;
};

static enum lcl_status launch(void *arg, int which)
{
    struct trial *T = arg;
    const struct lcl_operands v = {
        T->x, T->x, T->y, NULL, lcl_context_no_stop(T->ctx), 0};
    return T->form(T->arg, which, &v);
}

enum lcl_status lcl_spmv_measure(int *best, lcl_context *ctx,
                                 const struct lcl_device_matrix *A,
                                 const char *what, int count, lcl_form *form,
                                 void *arg)
{
    struct trial T = {.form = form, .arg = arg, .ctx = ctx};
    char question[QUESTION];
    enum lcl_status st;
    name_question(question, A, what);
    if ((st = lcl_buffer_create(&T.x, ctx, A->block_cols * A->block,
                                sizeof(double), "vector")) == LCL_OK &&
        (st = lcl_buffer_fill(T.x, 0)) == LCL_OK &&
        (st = lcl_buffer_create(&T.y, ctx, A->n, sizeof(double), "vector")) ==
            LCL_OK)
        st = lcl_autotune(best, ctx, question, count, launch, &T);
    lcl_buffer_destroy(&T.y);
    lcl_buffer_destroy(&T.x);
    return st;
}

// ------------------------------------------------------------------- choosing

// Candidates that suit the matrix, after study.
struct field {
    struct lcl_spmv product[CANDIDATES];
    int count;
    char names[QUESTION / 2];
};

static enum lcl_status launch_product(void *arg, int which,
                                      const struct lcl_operands *v)
{
    struct field *F = arg;
    return lcl_multiply(&F->product[which], LCL_APPLY, v);
}

static void study_all(struct field *F, lcl_context *ctx,
                      const struct lcl_device_matrix *A)
{
    size_t at = 0;
    *F = (struct field){.count = 0};
    for (int c = 0; c < CANDIDATES; ++c) {
        struct lcl_spmv *S = &F->product[F->count];
        const enum lcl_status st = lcl_spmv_study(S, candidates[c], ctx, A);
        if (st < 0) {
            lcl_spmv_finish(S);
            continue;
        }
        at += (size_t)snprintf(F->names + at, sizeof F->names - at, "%s%s %s",
                               at > 0 ? ", " : "", lcl_spmv_name(S->type),
                               S->traits);
        at = at < sizeof F->names ? at : sizeof F->names - 1;
        ++F->count;
    }
}

static enum lcl_status measure_all(int *best, struct field *F, lcl_context *ctx,
                                   const struct lcl_device_matrix *A)
{
    enum lcl_status st = LCL_OK;
    for (int c = 0; c < F->count && st == LCL_OK; ++c)
        st = lcl_spmv_create(&F->product[c]);
    return st < 0 ? st
                  : lcl_spmv_measure(best, ctx, A, F->names, F->count,
                                     launch_product, F);
}

// *S = the fastest candidate; on error *S holds no resources.
static enum lcl_status choose_fastest(struct lcl_spmv *S, lcl_context *ctx,
                                      const struct lcl_device_matrix *A)
{
    struct field F;
    int best = 0;
    enum lcl_status st;
    study_all(&F, ctx, A);
    if (lcl_spmv_recall(&best, ctx, A, F.names, F.count))
        st = lcl_spmv_create(&F.product[best]);
    else
        st = measure_all(&best, &F, ctx, A);
    for (int c = 0; c < F.count; ++c)
        if (st < 0 || c != best)
            lcl_spmv_finish(&F.product[c]);
    if (st == LCL_OK)
        *S = F.product[best];
    return st;
}

// On a CPU, blocks as stored are as fast as in slices, and need no copy.
static bool is_best_as_stored(const lcl_context *ctx,
                              const struct lcl_device_matrix *A)
{
    return lcl_spmv_is_small(A) ||
           (A->block > 1 && lcl_context_caps(ctx)->width == 1);
}

enum lcl_status lcl_spmv_autotune(struct lcl_spmv *S, lcl_context *ctx,
                                  const struct lcl_device_matrix *A)
{
    *S = (struct lcl_spmv){.ops = NULL};
    if (!is_best_as_stored(ctx, A)) {
        const enum lcl_log_level level =
            lcl_context_set_log_level(ctx, LCL_LOG_NONE);
        const enum lcl_status st = choose_fastest(S, ctx, A);
        lcl_context_set_log_level(ctx, level);
        if (st == LCL_OK)
            return st;
        lcl_debug(lcl_context_log(ctx),
                  "product: autotuning failed (%s), csr is used",
                  lcl_status_str(st));
    }
    return lcl_spmv_init(S, LCL_SPMV_CSR, ctx, A);
}

enum lcl_status lcl_spmv_init(struct lcl_spmv *S, enum lcl_spmv_type type,
                              lcl_context *ctx,
                              const struct lcl_device_matrix *A)
{
    if (type == LCL_SPMV_DEFAULT)
        return lcl_spmv_autotune(S, ctx, A);
    const enum lcl_status st = lcl_spmv_study(S, type, ctx, A);
    return st < 0 ? st : lcl_spmv_create(S);
}
