// SPDX-License-Identifier: BSD-3-Clause
// The factors of a system by the reference and on the device.
#include "tests/support/factors.h"

#include "lib/factor/triangle_free.h"
#include "lib/ref/schedule.h"
#include "lib/ref/store.h"
#include "tests/support/device.h"

#include <stdlib.h>
#include <string.h>

static void init_reference(struct test_factors *F,
                           const struct lcl_precond_params *params)
{
    const struct test_system *S = F->system;
    const struct lcl_subdomains *P = &S->P;
    const enum lcl_status st =
        S->blocks
            ? lcl_ref_ildu0_block_init(&F->ref_block, &S->B, S->blocks,
                                       S->block, P->part_ptr, P->parts, params)
            : lcl_ref_ildu0_init(&F->ref, &S->B, P->part_ptr, P->parts, params);
    assert_int_equal(st, LCL_OK);
}

// `planes` planes of a step, starting at a slot.
static void place_planes(struct test_factors *F, uint64_t slot, uint32_t rows,
                         uint32_t planes)
{
    const int64_t entries = (int64_t)F->system->block * F->system->block;
    for (uint32_t k = 0; k < planes; ++k, slot += rows)
        for (uint32_t lane = 0; lane < rows; ++lane)
            F->place[slot + lane] = (struct test_place){
                (int64_t)slot * entries + lane, (int64_t)rows};
}

static void place_slots(struct test_factors *F)
{
    const struct lcl_host_schedule *L = &F->schedule;
    F->place = calloc((size_t)L->slots + 1, sizeof *F->place);
    assert_non_null(F->place);
    for (int64_t p = 0; p < L->parts; ++p) {
        const struct lcl_part *part = &L->part[p];
        for (uint32_t s = part->step; s < part->step + part->steps; ++s) {
            const struct lcl_step *step = &L->step[s];
            place_planes(F, part->slot + step->lower, step->rows,
                         step->lower_planes);
            place_planes(F, part->slot + step->upper, step->rows,
                         step->upper_planes);
        }
    }
}

// Entries of the longest row of L or U.
static int planes_max(const struct lcl_host_schedule *L)
{
    int most = 0;
    for (int64_t s = 0; s < L->steps; ++s) {
        const int lower = L->step[s].lower_planes;
        const int upper = L->step[s].upper_planes - 1;
        const int planes = lower > upper ? lower : upper;
        most = planes > most ? planes : most;
    }
    return most;
}

static struct lcl_schedule upload(lcl_context *ctx,
                                  const struct lcl_host_schedule *L)
{
    return (struct lcl_schedule){
        .n = L->n,
        .parts = L->parts,
        .slots = L->slots,
        .part = test_upload(ctx, L->part, L->parts, sizeof *L->part),
        .step = test_upload(ctx, L->step, L->steps, sizeof *L->step),
        .stage = test_upload(ctx, L->stage, L->stages, sizeof *L->stage),
        .col = test_upload(ctx, L->col, L->slots, sizeof *L->col),
        .source = test_upload(ctx, L->source, L->slots, sizeof *L->source),
        .step_of = test_upload(ctx, L->step_of, L->n, sizeof *L->step_of),
        .diagonal = test_upload(ctx, L->diagonal, L->n, sizeof *L->diagonal),
        .rows_max = L->rows_max,
        .stages_max = L->stages_max,
        .stage_entries = L->stage_entries,
        .lanes = L->lanes,
        .planes_max = planes_max(L),
    };
}

static void find_mirrors(lcl_context *ctx, struct lcl_schedule *D)
{
    const struct lcl_spec spec = {.source = "symbolic.cl",
                                  .kernel = "find_mirrors",
                                  .group = test_group(ctx, 1)};
    assert_int_equal(lcl_find_mirrors(D, ctx, test_kernel(ctx, &spec)), LCL_OK);
}

static void poison(lcl_buffer *buffer)
{
    if (buffer)
        assert_int_equal(lcl_buffer_fill(buffer, 0xff), LCL_OK);
}

static void begin(struct test_factors *F, lcl_context *ctx,
                  struct test_system *S, int group,
                  const struct lcl_precond_params *params)
{
    const struct lcl_subdomains *P = &S->P;
    const int lanes = S->block > 1 ? 1 : test_width(ctx);
    *F = (struct test_factors){.system = S};
    init_reference(F, params);
    assert_int_equal(lcl_ref_schedule(&F->schedule, &S->B, P->part_ptr,
                                      P->parts, S->level, group, lanes),
                     LCL_OK);
    place_slots(F);
}

// Takes the schedule over.
static void make_device(struct test_factors *F, lcl_context *ctx, int group,
                        const struct lcl_precond_params *params,
                        struct lcl_schedule *schedule)
{
    assert_int_equal(lcl_factor_init(&F->device, ctx, schedule, group,
                                     F->system->block, params),
                     LCL_OK);
    poison(F->device.val);
    poison(F->device.stored);
    poison(F->device.inv_d);
    poison(F->device.repaired);
    poison(F->device.counts);
    poison(F->device.bad);
}

void test_factors_init(struct test_factors *F, lcl_context *ctx,
                       struct test_system *S, int group,
                       const struct lcl_precond_params *params)
{
    begin(F, ctx, S, group, params);
    struct lcl_schedule schedule = upload(ctx, &F->schedule);
    if (S->dilu)
        find_mirrors(ctx, &schedule);
    make_device(F, ctx, group, params, &schedule);
    F->val = test_upload(ctx, test_system_values(S), test_system_value_count(S),
                         sizeof(double));
}

void test_factors_init_from(struct test_factors *F, lcl_context *ctx,
                            struct test_system *S, int group,
                            const struct lcl_precond_params *params,
                            struct lcl_schedule *schedule, lcl_buffer *val)
{
    begin(F, ctx, S, group, params);
    make_device(F, ctx, group, params, schedule);
    F->val = val;
}

enum lcl_status test_factors_run(struct test_factors *F,
                                 struct lcl_repairs *repairs)
{
    const enum lcl_status st = lcl_factor_numeric(&F->device, F->val, repairs);
    return st < 0 || F->device.lost == 0
               ? st
               : lcl_factor_fall_back(&F->device, F->val);
}

static void read_doubles(const lcl_buffer *buffer, double *v, int64_t n)
{
    assert_int_equal(lcl_buffer_bytes(buffer), (size_t)n * sizeof *v);
    assert_int_equal(lcl_buffer_read(buffer, v, (size_t)n * sizeof *v), LCL_OK);
}

// Values of slots that only the other storage formats hold. Columns are those
// of the schedule.
static void decode_slots(const struct test_factors *F, double *v)
{
    const struct lcl_host_schedule *L = &F->schedule;
    const bool bf16 = F->device.storage == LCL_FACTOR_STORAGE_BF16;
    const size_t bytes = lcl_buffer_bytes(F->device.stored);
    uint32_t *word = malloc(bytes);
    assert_non_null(word);
    assert_int_equal(bytes, (size_t)L->slots * sizeof *word);
    assert_int_equal(lcl_buffer_read(F->device.stored, word, bytes), LCL_OK);
    for (int64_t p = 0; p < L->parts; ++p)
        for (uint64_t s = L->part[p].slot;
             s < L->part[p].slot + L->part[p].slots; ++s) {
            const uint32_t bits = bf16 ? word[s] & 0xffff0000u : word[s];
            float value;
            memcpy(&value, &bits, sizeof value);
            v[s] = (double)value;
            if (bf16)
                assert_int_equal(word[s] & 0xffff, L->col[s]);
        }
    free(word);
}

static void read_slots(const struct test_factors *F, double *v)
{
    const int64_t entries = (int64_t)F->system->block * F->system->block;
    if (F->device.val)
        read_doubles(F->device.val, v, F->schedule.slots * entries);
    else
        decode_slots(F, v);
}

static double *reference_val(const struct test_factors *F)
{
    return F->system->blocks ? F->ref_block.val : F->ref.val;
}

static double *reference_inv_d(const struct test_factors *F)
{
    return F->system->blocks ? F->ref_block.inv_d : F->ref.inv_d;
}

// The block of the reference for a slot of the device.
typedef void visit_fn(const struct test_factors *F, uint64_t slot, int sign,
                      double *block, double *slots);

static void put_block(const struct test_factors *F, uint64_t slot, int sign,
                      double *block, double *slots)
{
    const struct test_place *place = &F->place[slot];
    for (int e = 0; e < F->system->block * F->system->block; ++e)
        slots[place->first + e * place->stride] = sign * block[e];
}

static void get_block(const struct test_factors *F, uint64_t slot, int sign,
                      double *block, double *slots)
{
    const struct test_place *place = &F->place[slot];
    for (int e = 0; e < F->system->block * F->system->block; ++e)
        block[e] =
            sign * lcl_ref_rounded(slots[place->first + e * place->stride],
                                   F->device.storage);
}

// Visits every slot with its block of the reference.
static void for_each_block(const struct test_factors *F, visit_fn *visit,
                           double *slots)
{
    const struct lcl_host_schedule *L = &F->schedule;
    const uint64_t entries = (uint64_t)(F->system->block * F->system->block);
    for (int64_t p = 0; p < L->parts; ++p) {
        const struct lcl_part *part = &L->part[p];
        for (uint64_t s = part->slot; s < part->slot + part->slots; ++s)
            if (L->source[s] < LCL_FILL)
                visit(F, s, 1, reference_val(F) + L->source[s] * entries,
                      slots);
        for (uint32_t i = part->row; i < part->row + part->rows; ++i) {
            const struct lcl_step *step = &L->step[part->step + L->step_of[i]];
            visit(F, part->slot + step->upper + i - part->row - step->first, -1,
                  reference_inv_d(F) + i * entries, slots);
        }
    }
}

static void compare_inv_d(const struct test_factors *F, double tolerance)
{
    const int64_t n = F->schedule.n;
    double *inv_d = test_vector(n);
    read_doubles(F->device.inv_d, inv_d, n);
    test_expect_near("1/d", inv_d, reference_inv_d(F), n, tolerance);
    free(inv_d);
}

void test_factors_compare(const struct test_factors *F, double tolerance)
{
    const int64_t entries = (int64_t)F->system->block * F->system->block;
    const int64_t count = F->schedule.slots * entries;
    double *got = test_vector(count), *expected = test_vector(count);
    for_each_block(F, put_block, expected);
    read_slots(F, got);
    for (int64_t p = 0; p < F->schedule.parts; ++p) {
        const struct lcl_part *part = &F->schedule.part[p];
        const int64_t first = (int64_t)part->slot * entries;
        test_expect_near("slot", got + first, expected + first,
                         part->slots * entries, tolerance);
    }
    if (F->device.inv_d)
        compare_inv_d(F, tolerance);
    free(got);
    free(expected);
}

void test_factors_adopt(struct test_factors *F)
{
    const int64_t entries = (int64_t)F->system->block * F->system->block;
    const int64_t count = F->schedule.slots * entries;
    double *slots = test_vector(count);
    read_slots(F, slots);
    for_each_block(F, get_block, slots);
    free(slots);
}

int64_t test_factors_repaired(const struct test_factors *F)
{
    return F->system->blocks ? F->ref_block.repaired : F->ref.repaired;
}

bool test_factors_bad(const struct test_factors *F, int64_t i)
{
    return F->system->blocks ? F->ref_block.bad[i] : F->ref.bad[i];
}

void test_factors_finish(struct test_factors *F)
{
    lcl_ref_ildu0_finish(&F->ref);
    lcl_ref_ildu0_block_finish(&F->ref_block);
    free(F->place);
    lcl_host_schedule_finish(&F->schedule);
    lcl_factor_finish(&F->device);
    lcl_buffer_destroy(&F->val);
}
