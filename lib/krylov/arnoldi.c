// SPDX-License-Identifier: BSD-3-Clause
// A Krylov basis on the device: its memory and the passes over it.
#include "lib/krylov/arnoldi.h"

#include "host/geometry.h"
#include "host/launch.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/krylov/pipeline.h"

#include <limits.h>

// Columns start at multiples of this many values.
enum { ALIGNED = 64 };

// Chunk sizes at widths above 1.
static const int sizes[LCL_ARNOLDI_SIZES] = {8, 16, 32};
enum { CHUNK = 32, WAVES = 8 };

static int64_t words_of_h(int m)
{
    return GMRES_COLUMN((int64_t)m, (int64_t)m);
}

// ------------------------------------------------------------------- memory

static int64_t padded(int64_t n)
{
    return (n + ALIGNED - 1) / ALIGNED * ALIGNED;
}

static size_t value_bytes(enum lcl_basis_storage storage)
{
    return storage == LCL_BASIS_FP32 ? sizeof(float) : sizeof(double);
}

uint64_t lcl_arnoldi_bytes(int64_t n, int m, enum lcl_basis_storage storage,
                           bool flexible)
{
    return (uint64_t)padded(n) * (uint64_t)m * value_bytes(storage) *
           (flexible ? 2 : 1);
}

// Upper bound on the number of columns that fit on the device, known before
// allocation.
static int columns_that_fit(const struct lcl_caps *caps, int64_t n,
                            enum lcl_basis_storage storage, bool flexible)
{
    const uint64_t column = lcl_arnoldi_bytes(n, 1, storage, flexible);
    const uint64_t single = lcl_arnoldi_bytes(n, 1, storage, false);
    const uint64_t all = caps->global_bytes / column;
    const uint64_t one = caps->max_buffer_bytes / single;
    const uint64_t most = all < one ? all : one;
    return most < LCL_GMRES_MAX_RESTART ? (int)most : LCL_GMRES_MAX_RESTART;
}

static enum lcl_status check_memory(const struct lcl_arnoldi *A)
{
    const struct lcl_caps *caps = lcl_context_caps(A->space.ctx);
    const int most = columns_that_fit(caps, A->n, A->storage, A->flexible);
    if (A->m <= most)
        return LCL_OK;
    return lcl_fail(lcl_context_log(A->space.ctx), LCL_EDEVMEM,
                    "restart %d: the basis needs %llu bytes, but %s has "
                    "%llu bytes and allocates at most %llu bytes at once; "
                    "restart %d is the largest that fits",
                    A->m,
                    (unsigned long long)lcl_arnoldi_bytes(
                        A->n, A->m, A->storage, A->flexible),
                    caps->name, (unsigned long long)caps->global_bytes,
                    (unsigned long long)caps->max_buffer_bytes, most);
}

// ------------------------------------------------------------------- creating

// Work-group size: each wave keeps m + 1 sums in local memory.
static int group_of(const struct lcl_caps *caps)
{
    const int waves = lcl_wave_group(caps, WAVES);
    const int group = lcl_vector_group(caps);
    return waves < group ? waves : group;
}

// A quarter of the groups of other vector kernels, two per compute unit:
// registers allow no more, and each group adds to m + 1 rows of partial sums.
// At most one group per group-sized piece of the vector.
static int groups_for(const struct lcl_caps *caps, int64_t n)
{
    const int group = group_of(caps);
    const int64_t filled = (n + group - 1) / group;
    const int most = (lcl_vector_groups(caps) + 3) / 4;
    return filled < most ? (int)filled : most;
}

// Gets kernels of a source; the storage is given by its number in
// gmres_state.cl.h.
static enum lcl_status get_all(const struct lcl_arnoldi *A, const char *source,
                               int chunk, const struct lcl_kernel_plan *all,
                               size_t count)
{
    const struct lcl_spec spec = {
        .source = source,
        .group = group_of(lcl_context_caps(A->space.ctx)),
        .storage = A->storage == LCL_BASIS_FP32 ? GMRES_FP32 : GMRES_FP64,
        .defines = {{"CHUNK", chunk}},
    };
    return lcl_kernels_get(A->space.ctx, &spec, all, count);
}

static enum lcl_status get_passes(struct lcl_arnoldi *A, int size)
{
    struct lcl_arnoldi_kernels *p = &A->pass[size];
    const struct lcl_kernel_plan all[] = {
        {&p->dots, "gmres_dots"},
        {&p->dots_keep, "gmres_dots_keep"},
        {&p->orthogonalise, "gmres_orthogonalise"},
        {&p->sum, "gmres_sum"},
        {&p->extend, "gmres_extend"},
    };
    return get_all(A, "gmres.cl", A->chunk == CHUNK ? sizes[size] : 0, all,
                   sizeof all / sizeof *all);
}

static bool is_modified(const struct lcl_arnoldi *A)
{
    return A->orthogonalisation == LCL_ORTHOGONALISATION_MGS;
}

// Gets all kernels that up to m columns need, so that no step waits for a
// compiler.
static enum lcl_status get_kernels(struct lcl_arnoldi *A)
{
    const struct lcl_kernel_plan all[] = {
        {&A->begin, "gmres_begin"}, {&A->reduce, "gmres_reduce"},
        {&A->step, "gmres_step"},   {&A->solve, "gmres_solve"},
        {&A->add, "gmres_add"},
    };
    const struct lcl_kernel_plan modified = {&A->modified, "gmres_modified"};
    enum lcl_status st =
        get_all(A, "gmres_step.cl", 0, all, sizeof all / sizeof *all);
    if (st == LCL_OK && is_modified(A))
        st = get_all(A, "gmres_modified.cl", 0, &modified, 1);
    for (int s = 0; s < LCL_ARNOLDI_SIZES && st == LCL_OK; ++s) {
        st = get_passes(A, s);
        if (A->chunk > CHUNK || A->m <= sizes[s])
            break;
    }
    return st;
}

static enum lcl_status create_basis(struct lcl_arnoldi *A)
{
    const int64_t values = A->ld * A->m;
    const size_t size = value_bytes(A->storage);
    const enum lcl_status st =
        lcl_buffer_create(&A->V, A->space.ctx, values, size, "Krylov basis");
    return st < 0 || !A->flexible
               ? st
               : lcl_buffer_create(&A->Z, A->space.ctx, values, size,
                                   "preconditioned Krylov basis");
}

enum lcl_status lcl_arnoldi_init(struct lcl_arnoldi *A,
                                 const struct lcl_space *V, int m,
                                 enum lcl_basis_storage storage,
                                 enum lcl_orthogonalisation method,
                                 bool flexible)
{
    lcl_context *ctx = V->ctx;
    const int64_t n = V->n;
    const struct lcl_caps *caps = lcl_context_caps(ctx);
    *A = (struct lcl_arnoldi){.space = *V,
                              .n = n,
                              .ld = padded(n),
                              .m = m,
                              .storage = storage,
                              .orthogonalisation = method,
                              .flexible = flexible,
                              .groups = groups_for(caps, n),
                              .chunk = caps->width == 1 ? INT_MAX : CHUNK};
    const int64_t sums = (int64_t)(m + 1) * A->groups, words = words_of_h(m);
    enum lcl_status st;
    if ((st = check_memory(A)) < 0 || (st = get_kernels(A)) < 0 ||
        (st = create_basis(A)) < 0 ||
        (st = lcl_buffer_create(&A->v, ctx, n, 8, "vector")) < 0 ||
        (st = lcl_buffer_create(&A->w, ctx, n, 8, "vector")) < 0 ||
        (st = lcl_buffer_create(&A->h, ctx, words, 8, "GMRES scalars")) < 0)
        return st;
    return lcl_buffer_create(&A->rows, ctx, sums, 8, "partial sums");
}

void lcl_arnoldi_finish(struct lcl_arnoldi *A)
{
    lcl_buffer **const buffers[] = {&A->V, &A->Z, &A->v,
                                    &A->w, &A->h, &A->rows};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; ++i)
        lcl_buffer_destroy(buffers[i]);
}

// ------------------------------------------------------------------- passes

// Columns first .. first + count - 1 of k, and the kernels for that many.
struct chunk {
    int first, count;
    const struct lcl_arnoldi_kernels *pass;
};

static struct chunk chunk_at(const struct lcl_arnoldi *A, int first, int k)
{
    const int left = k - first, count = left < A->chunk ? left : A->chunk;
    int size = 0;
    while (A->chunk == CHUNK && sizes[size] < count)
        ++size;
    return (struct chunk){first, count, &A->pass[size]};
}

// First column of the last chunk of k columns.
static int last_of(const struct lcl_arnoldi *A, int k)
{
    return (k - 1) / A->chunk * A->chunk;
}

static enum lcl_status dots(const struct lcl_arnoldi *A, struct chunk c, int at)
{
    return LCL_LAUNCH(c.pass->dots, A->groups, lcl_arg_long(A->n),
                      lcl_arg_long(A->ld), lcl_arg_int(c.first),
                      lcl_arg_int(c.count), lcl_arg_buffer(A->V),
                      lcl_arg_buffer(A->w), lcl_arg_buffer(A->rows),
                      lcl_arg_buffer(A->stop), lcl_arg_int(at));
}

static enum lcl_status dots_keep(const struct lcl_arnoldi *A, struct chunk c,
                                 int column, const lcl_buffer *z, int at)
{
    return LCL_LAUNCH(
        c.pass->dots_keep, A->groups, lcl_arg_long(A->n), lcl_arg_long(A->ld),
        lcl_arg_int(c.first), lcl_arg_int(c.count), lcl_arg_buffer(A->V),
        lcl_arg_buffer(A->w), lcl_arg_buffer(A->rows), lcl_arg_buffer(A->stop),
        lcl_arg_int(at), lcl_arg_int(column), lcl_arg_buffer(z),
        lcl_arg_buffer(A->Z));
}

// Over the ranks: V^T w for k columns and, if `more` is 1, <w, w>.
static enum lcl_status reduce(const struct lcl_arnoldi *A, int k, int more)
{
    const struct lcl_dots dots[] = {
        {.a = A->V, .b = A->w, .count = k, .ld = A->ld}, lcl_dot(A->w, A->w)};
    return lcl_space_reduce_dots(&A->space, A->rows, 0, dots, 1 + more,
                                 A->groups);
}

// h1 = V^T w for k columns; stores z in column k - 1 of Z.
static enum lcl_status first_dots(const struct lcl_arnoldi *A, int k,
                                  const lcl_buffer *z, int at)
{
    enum lcl_status st = LCL_OK;
    for (int first = 0; first < k && st == LCL_OK; first += A->chunk) {
        const struct chunk c = chunk_at(A, first, k);
        st = A->flexible && first == 0 ? dots_keep(A, c, k - 1, z, at)
                                       : dots(A, c, at);
    }
    if (st < 0 || (st = reduce(A, k, 0)) < 0)
        return st;
    return LCL_LAUNCH(A->reduce, k, lcl_arg_int(A->groups),
                      lcl_arg_buffer(A->rows), lcl_arg_buffer(A->h),
                      lcl_arg_buffer(A->stop), lcl_arg_int(at));
}

// The weights a c of a sum: c starts at word `word` of h; `keep` adds the sum
// to y.
struct weights {
    double a;
    int word;
    bool keep;
};

// y = y + a B c, or y = a B c; B is v->x.
static enum lcl_status sum(const struct lcl_arnoldi *A, struct chunk c,
                           struct weights w, const struct lcl_operands *v)
{
    return LCL_LAUNCH(
        c.pass->sum, A->groups, lcl_arg_long(A->n), lcl_arg_long(A->ld),
        lcl_arg_int(c.first), lcl_arg_int(c.count), lcl_arg_double(w.a),
        lcl_arg_int(w.keep), lcl_arg_buffer(v->x), lcl_arg_buffer(A->h),
        lcl_arg_int(w.word + c.first), lcl_arg_buffer(v->y),
        lcl_arg_buffer(v->stop), lcl_arg_int(v->at));
}

// w = w - V c for all chunks of k columns except the last.
static enum lcl_status subtract_front(const struct lcl_arnoldi *A, int k,
                                      int word, int at)
{
    const int last = last_of(A, k);
    const struct weights w = {.a = -1, .word = word, .keep = true};
    const struct lcl_operands v = {
        .x = A->V, .y = A->w, .stop = A->stop, .at = at};
    enum lcl_status st = LCL_OK;
    for (int first = 0; first < last && st == LCL_OK; first += A->chunk)
        st = sum(A, chunk_at(A, first, k), w, &v);
    return st;
}

// w = w - V h1; computes rows of V^T w and <w, w>.
static enum lcl_status orthogonalise(const struct lcl_arnoldi *A, int k, int at)
{
    const int last = last_of(A, k);
    const struct chunk c = chunk_at(A, last, k);
    enum lcl_status st = subtract_front(A, k, GMRES_H1, at);
    if (st < 0)
        return st;
    st = LCL_LAUNCH(c.pass->orthogonalise, A->groups, lcl_arg_long(A->n),
                    lcl_arg_long(A->ld), lcl_arg_int(c.first),
                    lcl_arg_int(c.count), lcl_arg_buffer(A->V),
                    lcl_arg_buffer(A->h), lcl_arg_int(GMRES_H1 + c.first),
                    lcl_arg_buffer(A->w), lcl_arg_buffer(A->rows),
                    lcl_arg_buffer(A->stop), lcl_arg_int(at));
    for (int first = 0; first < last && st == LCL_OK; first += A->chunk)
        st = dots(A, chunk_at(A, first, k), at);
    return st < 0 ? st : reduce(A, k, 1);
}

// Modified Gram-Schmidt: w = w - V h1 column by column; stores z in column k -
// 1 of Z.
static enum lcl_status modified_gram_schmidt(const struct lcl_arnoldi *A, int k,
                                             const lcl_buffer *z, int at)
{
    const struct chunk one = chunk_at(A, 0, 1);
    enum lcl_status st =
        A->flexible ? dots_keep(A, one, k - 1, z, at) : dots(A, one, at);
    for (int pass = 1; pass <= k && st == LCL_OK; ++pass)
        if ((st = lcl_space_reduce(&A->space, A->rows, pass - 1, 1,
                                   A->groups)) == LCL_OK)
            st = LCL_LAUNCH(A->modified, A->groups, lcl_arg_long(A->n),
                            lcl_arg_long(A->ld), lcl_arg_int(pass),
                            lcl_arg_int(k), lcl_arg_buffer(A->V),
                            lcl_arg_buffer(A->h), lcl_arg_buffer(A->w),
                            lcl_arg_buffer(A->rows), lcl_arg_buffer(A->stop),
                            lcl_arg_int(at));
    return st < 0 ? st : lcl_space_reduce(&A->space, A->rows, k, 1, A->groups);
}

// v and column k = (w - V h2) / nu; of modified Gram-Schmidt h2 is 0.
static enum lcl_status extend(const struct lcl_arnoldi *A, int k, int at)
{
    const int last = is_modified(A) ? k - 1 : last_of(A, k);
    const struct chunk c = chunk_at(A, last, k);
    const int word = GMRES_H2(A->m);
    const enum lcl_status st =
        is_modified(A) ? LCL_OK : subtract_front(A, k, word, at);
    if (st < 0)
        return st;
    return LCL_LAUNCH(
        c.pass->extend, A->groups, lcl_arg_long(A->n), lcl_arg_long(A->ld),
        lcl_arg_int(c.first), lcl_arg_int(c.count), lcl_arg_buffer(A->V),
        lcl_arg_buffer(A->h), lcl_arg_int(word + c.first), lcl_arg_buffer(A->w),
        lcl_arg_buffer(A->v), lcl_arg_buffer(A->state), lcl_arg_buffer(A->stop),
        lcl_arg_int(at));
}

// ------------------------------------------------------------------- steps

enum lcl_status lcl_arnoldi_begin(const struct lcl_arnoldi *A, int it,
                                  double limit, int groups,
                                  const lcl_buffer *sums, const lcl_buffer *r)
{
    return LCL_LAUNCH(A->begin, A->groups, lcl_arg_int(it), lcl_arg_int(A->m),
                      lcl_arg_long(A->n), lcl_arg_double(limit),
                      lcl_arg_int(groups), lcl_arg_buffer(sums),
                      lcl_arg_buffer(r), lcl_arg_buffer(A->V),
                      lcl_arg_buffer(A->v), lcl_arg_buffer(A->h),
                      lcl_arg_buffer(A->state), lcl_arg_buffer(A->stop));
}

enum lcl_status lcl_arnoldi_step(const struct lcl_arnoldi *A, int it, int j,
                                 double limit, const lcl_buffer *z, int before,
                                 int after)
{
    enum lcl_status st = is_modified(A)
                             ? modified_gram_schmidt(A, j + 1, z, before)
                             : first_dots(A, j + 1, z, before);
    if (st == LCL_OK && !is_modified(A))
        st = orthogonalise(A, j + 1, before);
    if (st < 0 ||
        (st = LCL_LAUNCH(A->step, 1, lcl_arg_int(it), lcl_arg_int(j),
                         lcl_arg_int(A->m), lcl_arg_int(!is_modified(A)),
                         lcl_arg_double(limit), lcl_arg_int(A->groups),
                         lcl_arg_buffer(A->rows), lcl_arg_buffer(A->h),
                         lcl_arg_buffer(A->state), lcl_arg_buffer(A->stop),
                         lcl_arg_int(before))) < 0)
        return st;
    return j + 1 < A->m ? extend(A, j + 1, after) : LCL_OK;
}

enum lcl_status lcl_arnoldi_solve(const struct lcl_arnoldi *A, int k,
                                  const lcl_buffer *stop, int at)
{
    return LCL_LAUNCH(A->solve, 1, lcl_arg_int(k), lcl_arg_int(A->m),
                      lcl_arg_buffer(A->h), lcl_arg_buffer(stop),
                      lcl_arg_int(at));
}

enum lcl_status lcl_arnoldi_combine(const struct lcl_arnoldi *A, int k,
                                    bool keep, const struct lcl_operands *v)
{
    struct weights w = {.a = 1, .word = GMRES_SOLUTION(A->m), .keep = keep};
    enum lcl_status st = LCL_OK;
    for (int first = 0; first < k && st == LCL_OK;) {
        const struct chunk c = chunk_at(A, first, k);
        st = sum(A, c, w, v);
        first += c.count;
        w.keep = true;
    }
    return st;
}
