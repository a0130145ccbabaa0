// SPDX-License-Identifier: BSD-3-Clause
// A coarse space of several ranks.
#include "lib/multilevel/coarse_shared.h"

#include "host/alloc.h"
#include "host/geometry.h"
#include "host/launch.h"
#include "host/log.h"
#include "host/order.h"
#include "host/runtime.h"
#include "lib/matrix/bsr.h"

static const char what[] = "a coarse space of several ranks";

static const struct lcl_log *log_of(const struct lcl_coarse_shared *R)
{
    return lcl_context_log(R->space.ctx);
}

// ------------------------------------------------------------------- own keys

// What the numbers that a rank gives belong to: an unknown, or a place in E.
struct keys {
    int64_t count;
    int64_t *own;      // of the rank
    int64_t most;      // of the numbers of a rank
    int64_t *count_of; // of each rank
    void *all;         // int64_t, of all ranks
};

static void keys_finish(struct keys *K)
{
    lcl_free(K->own);
    lcl_free(K->count_of);
    lcl_free(K->all);
}

static enum lcl_status allocate(struct keys *K, int64_t count,
                                const struct lcl_coarse_shared *R)
{
    K->count = count;
    K->own = lcl_malloc((size_t)count, sizeof *K->own);
    K->count_of = lcl_malloc((size_t)R->space.comm->size, sizeof *K->count_of);
    return K->own && K->count_of ? LCL_OK : lcl_fail_memory(log_of(R), what);
}

static enum lcl_status find_t(struct keys *K, const struct lcl_coarse_shared *R)
{
    const struct lcl_coarse_unknowns *U = &R->unknowns;
    const struct lcl_ghost_level *G = &R->level;
    const enum lcl_status st = allocate(K, U->numbers + G->sums, R);
    for (int64_t q = 0; q < U->numbers && st == LCL_OK; ++q)
        K->own[q] = lcl_coarse_unknown_of(U, U->first + q);
    for (int64_t k = 0; k < G->sums && st == LCL_OK; ++k)
        K->own[U->numbers + k] = U->unknown[G->target[k]];
    return st;
}

// Of the values in own columns, block by block.
static void fill_own(int64_t *key, const struct lcl_coarse_shared *R,
                     const int32_t *row, const int32_t *col, int64_t stride)
{
    const int64_t first = R->unknowns.first;
    const int b = R->unknowns.block;
    for (int64_t k = 0; k < R->values; ++k) {
        const int64_t m = k / (b * b), i = k / b % b, j = k % b;
        key[k] = (first + row[m] * b + i) * stride + first + col[m] * b + j;
    }
}

static enum lcl_status list_own(int64_t *key, const struct lcl_coarse_shared *R,
                                const struct lcl_coarse_pattern *P,
                                int64_t stride)
{
    const size_t count = (size_t)P->entries, size = sizeof(int32_t);
    int32_t *row = lcl_malloc(count, size), *col = lcl_malloc(count, size);
    enum lcl_status st = row && col ? LCL_OK : lcl_fail_memory(log_of(R), what);
    if (st == LCL_OK && count > 0 &&
        (st = lcl_buffer_read(P->entry_row, row, count * size)) == LCL_OK &&
        (st = lcl_buffer_read(P->entry_col, col, count * size)) == LCL_OK)
        fill_own(key, R, row, col, stride);
    lcl_free(col);
    lcl_free(row);
    return st;
}

static enum lcl_status list_level(int64_t *key,
                                  const struct lcl_coarse_shared *R,
                                  int64_t stride)
{
    const struct lcl_coarse_unknowns *U = &R->unknowns;
    struct lcl_bsr E;
    const enum lcl_status st =
        lcl_device_matrix_read(&E, &R->level.product.C, false, log_of(R));
    for (int64_t i = 0; i < U->numbers && st == LCL_OK; ++i)
        for (int64_t k = E.row_ptr[i]; k < E.row_ptr[i + 1]; ++k)
            key[k] = lcl_coarse_unknown_of(U, U->first + i) * stride +
                     U->unknown[E.col_ind[k]];
    lcl_bsr_finish(&E);
    return st;
}

static enum lcl_status find_e(struct keys *K, const struct lcl_coarse_shared *R,
                              const struct lcl_coarse_pattern *P,
                              int64_t stride)
{
    enum lcl_status st = allocate(K, R->values + R->level.product.C.blocks, R);
    if (st < 0 || (st = list_own(K->own, R, P, stride)) < 0)
        return st;
    return list_level(K->own + R->values, R, stride);
}

// ------------------------------------------------------------------- all keys

static enum lcl_status gather_keys(struct keys *K, struct lcl_comm *comm)
{
    const enum lcl_status st =
        lcl_comm_gather(comm, &K->count, sizeof K->count, K->count_of);
    for (int r = 0; r < comm->size && st == LCL_OK; ++r)
        K->most = lcl_larger(K->most, K->count_of[r]);
    return st < 0 ? st
                  : lcl_gather_parts(&K->all, K->own,
                                     K->count * (int64_t)sizeof *K->own, comm);
}

// Room for the numbers of all ranks.
static size_t most_of(const struct lcl_coarse_shared *R, const struct keys *K)
{
    return (size_t)(K->most * R->space.comm->size);
}

// Lists the numbers of all ranks by key: of each key the `plain[r]` first ones
// of every rank r, then, with `others`, the rest; each by rank.
static int64_t list_numbers(struct lcl_keyed *list, const struct keys *K,
                            const int64_t *plain, bool others, int ranks)
{
    const int64_t *key = K->all;
    int64_t count = 0;
    for (int r = 0; r < ranks; ++r) {
        const int64_t end = others ? K->count_of[r] : plain[r];
        for (int64_t j = 0; j < end; ++j)
            list[count++] = (struct lcl_keyed){
                key[j], (int64_t)(j >= plain[r]) << 40 | (r * K->most + j)};
        key += K->count_of[r];
    }
    lcl_sort_keyed(list, count);
    return count;
}

// Splits the list by target; target[] receives the keys, each once.
static void split(struct lcl_coarse_lists *L, uint32_t *first, uint32_t *place,
                  int64_t *target, const struct lcl_keyed *list, int64_t count)
{
    for (int64_t m = 0; m < count; ++m) {
        if (m == 0 || list[m].key != list[m - 1].key) {
            first[L->targets] = (uint32_t)m;
            target[L->targets++] = list[m].key;
        }
        place[m] = (uint32_t)list[m].value; // without the mark of the rest
    }
    first[L->targets] = (uint32_t)count;
}

static enum lcl_status make_lists(struct lcl_coarse_lists *L, int64_t *target,
                                  const struct lcl_coarse_shared *R,
                                  const struct keys *K, const int64_t *plain,
                                  bool others)
{
    lcl_context *ctx = R->space.ctx;
    const size_t most = most_of(R, K), size = sizeof(uint32_t);
    struct lcl_keyed *list = lcl_malloc(most, sizeof *list);
    uint32_t *first = lcl_malloc(most + 1, size);
    uint32_t *place = lcl_malloc(most, size);
    enum lcl_status st = LCL_ENOMEM;
    if (list && first && place) {
        const int64_t count =
            list_numbers(list, K, plain, others, R->space.comm->size);
        split(L, first, place, target, list, count);
        st = lcl_buffer_create_from(&L->first, ctx, first, L->targets + 1, size,
                                    what);
        if (st == LCL_OK)
            st = lcl_buffer_create_from(&L->place, ctx, place, count, size,
                                        what);
    }
    lcl_free(place);
    lcl_free(first);
    lcl_free(list);
    return st == LCL_ENOMEM ? lcl_fail_memory(log_of(R), what) : st;
}

// ------------------------------------------------------------------- lists

static enum lcl_status list_t(struct lcl_coarse_shared *R, const struct keys *K,
                              const int64_t *plain)
{
    int64_t *unknown = lcl_malloc(most_of(R, K), sizeof *unknown);
    enum lcl_status st =
        unknown ? make_lists(&R->restricted, unknown, R, K, plain, false)
                : lcl_fail_memory(log_of(R), what);
    if (st == LCL_OK)
        st = make_lists(&R->deflated, unknown, R, K, plain, true);
    lcl_free(unknown);
    return st;
}

static enum lcl_status list_e(struct lcl_coarse_shared *R, const struct keys *K)
{
    lcl_context *ctx = R->space.ctx;
    int64_t *place = lcl_malloc(most_of(R, K), sizeof *place);
    enum lcl_status st =
        place ? make_lists(&R->entries, place, R, K, K->count_of, false)
              : lcl_fail_memory(log_of(R), what);
    if (st == LCL_OK)
        st = lcl_buffer_create_narrow(&R->entry_place, ctx, place,
                                      R->entries.targets, what);
    if (st == LCL_OK)
        st = lcl_buffer_create(&R->entry, ctx, R->entries.targets,
                               sizeof(double), what);
    lcl_free(place);
    return st;
}

static enum lcl_status place_level(struct lcl_coarse_shared *R)
{
    const int64_t count = R->level.product.C.blocks;
    uint32_t *place = lcl_malloc((size_t)count, sizeof *place);
    if (!place)
        return lcl_fail_memory(log_of(R), what);
    for (int64_t k = 0; k < count; ++k)
        place[k] = (uint32_t)(R->values + k);
    const enum lcl_status st = lcl_buffer_create_from(
        &R->level_place, R->space.ctx, place, count, sizeof *place, what);
    lcl_free(place);
    return st;
}

// ------------------------------------------------------------------- set-up

static enum lcl_status get_kernels(struct lcl_coarse_shared *R)
{
    const enum lcl_status st = lcl_vector_kernel(
        &R->collect, R->space.ctx, "schwarz.cl", "schwarz_collect");
    return st < 0 ? st : lcl_vector_ops_init(&R->ops, R->space.ctx, 1);
}

struct exchange {
    struct keys t, e;
    int64_t *plain; // of each rank
};

static enum lcl_status find_own(struct exchange *X, struct lcl_coarse_shared *R,
                                const struct lcl_coarse_pattern *P,
                                int64_t stride)
{
    enum lcl_status st;
    X->plain = lcl_malloc((size_t)R->space.comm->size, sizeof *X->plain);
    if (!X->plain)
        return lcl_fail_memory(log_of(R), what);
    if ((st = find_t(&X->t, R)) < 0 || (st = find_e(&X->e, R, P, stride)) < 0 ||
        (st = place_level(R)) < 0)
        return st;
    return get_kernels(R);
}

static enum lcl_status create_gathered(struct lcl_coarse_gathered *N,
                                       const struct lcl_coarse_shared *R,
                                       const struct keys *K)
{
    const struct lcl_buffer_plan both[] = {
        {&N->given, K->most, sizeof(double), what},
        {&N->all, K->most * R->space.comm->size, sizeof(double), what},
    };
    return lcl_buffers_create(R->space.ctx, both, 2);
}

static enum lcl_status exchange(struct exchange *X, struct lcl_coarse_shared *R)
{
    struct lcl_comm *comm = R->space.comm;
    const struct lcl_coarse_unknowns *U = &R->unknowns;
    enum lcl_status st;
    if ((st = lcl_comm_gather(comm, &U->numbers, sizeof U->numbers, X->plain)) <
            0 ||
        (st = gather_keys(&X->t, comm)) < 0 ||
        (st = gather_keys(&X->e, comm)) < 0 ||
        (st = list_t(R, &X->t, X->plain)) < 0 || (st = list_e(R, &X->e)) < 0 ||
        (st = create_gathered(&R->t, R, &X->t)) < 0)
        return st;
    return create_gathered(&R->e, R, &X->e);
}

static enum lcl_status connect(struct exchange *X, struct lcl_coarse_shared *R)
{
    const struct lcl_space *V = &R->space;
    enum lcl_status st = lcl_space_end(V, exchange(X, R));
    if ((st = lcl_space_agree(V, st, what)) < 0 ||
        (st = lcl_gathering_init(&R->t.gathering, V, X->t.most)) < 0)
        return st;
    return lcl_gathering_init(&R->e.gathering, V, X->e.most);
}

enum lcl_status lcl_coarse_shared_connect(struct lcl_coarse_shared *R,
                                          const struct lcl_coarse_pattern *P,
                                          int64_t stride, enum lcl_status own)
{
    struct exchange X = {.plain = NULL};
    R->values = P->entries * R->unknowns.block * R->unknowns.block;
    if (own == LCL_OK)
        own = find_own(&X, R, P, stride);
    enum lcl_status st = lcl_space_agree(&R->space, own, what);
    if (st == LCL_OK)
        st = connect(&X, R);
    keys_finish(&X.t);
    keys_finish(&X.e);
    lcl_free(X.plain);
    return st;
}

enum lcl_status lcl_coarse_shared_init(struct lcl_coarse_shared *R,
                                       const struct lcl_coarse_site *S,
                                       enum lcl_status own)
{
    struct lcl_coarse_unknowns *U = &R->unknowns;
    *R = (struct lcl_coarse_shared){.space = S->halo->space};
    enum lcl_status st = lcl_coarse_unknowns_init(U, &R->level, S, own);
    if (st == LCL_OK)
        st = lcl_buffer_create_from(&R->list, R->space.ctx, U->unknown,
                                    U->local, sizeof *U->unknown, what);
    return lcl_space_agree(&R->space, st, what);
}

static lcl_buffer **buffer_at(struct lcl_coarse_shared *R, size_t k)
{
    lcl_buffer **const all[] = {
        &R->list,           &R->t.given,
        &R->t.all,          &R->e.given,
        &R->e.all,          &R->restricted.first,
        &R->entries.first,  &R->restricted.place,
        &R->entries.place,  &R->entry,
        &R->deflated.first, &R->deflated.place,
        &R->entry_place,    &R->level_place,
    };
    return k < sizeof all / sizeof *all ? all[k] : NULL;
}

void lcl_coarse_shared_finish(struct lcl_coarse_shared *R)
{
    for (size_t k = 0; buffer_at(R, k); ++k)
        lcl_buffer_destroy(buffer_at(R, k));
    lcl_gathering_finish(&R->t.gathering);
    lcl_gathering_finish(&R->e.gathering);
    lcl_ghost_level_finish(&R->level);
    lcl_coarse_unknowns_finish(&R->unknowns);
}

uint64_t lcl_coarse_shared_bytes(const struct lcl_coarse_shared *R)
{
    struct lcl_coarse_shared copy = *R;
    uint64_t bytes = lcl_ghost_level_bytes(&R->level);
    for (size_t k = 0; buffer_at(&copy, k); ++k)
        bytes += lcl_buffer_bytes(*buffer_at(&copy, k));
    return bytes;
}

// ------------------------------------------------------------------- use

// y[k] = the sum for target k of what the ranks give
static enum lcl_status collect(const struct lcl_coarse_shared *R,
                               const struct lcl_coarse_gathered *N,
                               const struct lcl_coarse_lists *L,
                               const lcl_buffer *y, const lcl_buffer *stop,
                               int at)
{
    const enum lcl_status st =
        lcl_gathering_run(&N->gathering, N->given, N->all);
    return st < 0
               ? st
               : LCL_LAUNCH(R->collect, R->space.groups,
                            lcl_arg_long(L->targets), lcl_arg_buffer(L->first),
                            lcl_arg_buffer(L->place), lcl_arg_buffer(N->all),
                            lcl_arg_buffer(y), lcl_arg_buffer(stop),
                            lcl_arg_int(at));
}

enum lcl_status lcl_coarse_shared_assemble(const struct lcl_coarse_shared *R,
                                           lcl_buffer *matrix)
{
    const struct lcl_device_matrix *E = &R->level.product.C;
    enum lcl_status st;
    if ((st = lcl_scatter(&R->ops, E->blocks, R->level_place, E->val,
                          R->e.given)) < 0 ||
        (st = collect(R, &R->e, &R->entries, R->entry,
                      lcl_context_no_stop(R->space.ctx), 0)) < 0)
        return st;
    return lcl_scatter(&R->ops, R->entries.targets, R->entry_place, R->entry,
                       matrix);
}

enum lcl_status lcl_coarse_shared_gather(const struct lcl_coarse_shared *R,
                                         bool deflated, lcl_buffer *t,
                                         const struct lcl_operands *v)
{
    return collect(R, &R->t, deflated ? &R->deflated : &R->restricted, t,
                   v->stop, v->at);
}
