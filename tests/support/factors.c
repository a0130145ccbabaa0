// SPDX-License-Identifier: BSD-3-Clause
// The factors of a system, by the reference and on the device.
#include "tests/support/factors.h"

#include "lib/ref/layout.h"
#include "tests/support/device.h"

#include <stdlib.h>

static struct lcl_device_layout upload(lcl_context *ctx,
                                       const struct lcl_layout *L)
{
    return (struct lcl_device_layout){
        .n = L->n,
        .parts = L->parts,
        .slots = L->slots,
        .part = test_upload(ctx, L->part, L->parts, sizeof *L->part),
        .step = test_upload(ctx, L->step, L->steps, sizeof *L->step),
        .sweep = test_upload(ctx, L->sweep, L->sweeps, sizeof *L->sweep),
        .col = test_upload(ctx, L->col, L->slots, sizeof *L->col),
        .source = test_upload(ctx, L->source, L->slots, sizeof *L->source),
        .step_of = test_upload(ctx, L->step_of, L->n, sizeof *L->step_of),
        .diagonal = test_upload(ctx, L->diagonal, L->n, sizeof *L->diagonal),
        .rows_max = L->rows_max,
        .sweeps_max = L->sweeps_max,
        .sweep_entries = L->sweep_entries,
    };
}

void test_factors_init(struct test_factors *F, lcl_context *ctx,
                       struct test_system *S, int group,
                       const struct lcl_precond_params *params)
{
    const struct lcl_partition *P = &S->P;
    *F = (struct test_factors){.system = S};
    assert_int_equal(
        lcl_ref_ildu0_init(&F->ref, &S->B, P->part_ptr, P->parts, params),
        LCL_OK);
    assert_int_equal(lcl_ref_layout(&F->layout, &S->B, P->part_ptr, P->parts,
                                    S->level, group, NULL),
                     LCL_OK);
    struct lcl_device_layout layout = upload(ctx, &F->layout);
    assert_int_equal(lcl_factor_init(&F->device, ctx, &layout, group, params),
                     LCL_OK);
    F->val = test_upload(ctx, S->B.val, S->B.nnz, sizeof(double));
    assert_int_equal(lcl_buffer_fill(F->device.val, 0xff), LCL_OK);
    assert_int_equal(lcl_buffer_fill(F->device.inv_d, 0xff), LCL_OK);
    assert_int_equal(lcl_buffer_fill(F->device.repaired, 0xff), LCL_OK);
    assert_int_equal(lcl_buffer_fill(F->device.bad, 0xff), LCL_OK);
}

enum lcl_status test_factors_run(struct test_factors *F,
                                 struct lcl_repairs *repairs)
{
    return lcl_factor_numeric(&F->device, F->val, repairs);
}

static void read_doubles(const lcl_buffer *buffer, double *v, int64_t n)
{
    assert_int_equal(lcl_buffer_bytes(buffer), (size_t)n * sizeof *v);
    assert_int_equal(lcl_buffer_read(buffer, v, (size_t)n * sizeof *v), LCL_OK);
}

// The reference's values in the order of the slots.
static void to_slots(const struct test_factors *F, double *slots)
{
    const struct lcl_layout *L = &F->layout;
    for (int64_t s = 0; s < L->slots; ++s)
        slots[s] = 0;
    for (int64_t p = 0; p < L->parts; ++p) {
        const struct lcl_part *part = &L->part[p];
        for (uint64_t s = part->slot; s < part->slot + part->slots; ++s)
            if (L->source[s] >= 0)
                slots[s] = F->ref.val[part->entry + (uint64_t)L->source[s]];
        for (uint32_t i = part->row; i < part->row + part->rows; ++i) {
            const struct lcl_step *step = &L->step[part->step + L->step_of[i]];
            slots[part->slot + step->upper + i - part->row - step->first] =
                F->ref.inv_d[i];
        }
    }
}

void test_factors_compare(const struct test_factors *F, double tolerance)
{
    const int64_t slots = F->layout.slots, n = F->layout.n;
    double *got = test_vector(slots), *expected = test_vector(slots);
    double *inv_d = test_vector(n);
    to_slots(F, expected);
    read_doubles(F->device.val, got, slots);
    read_doubles(F->device.inv_d, inv_d, n);
    for (int64_t p = 0; p < F->layout.parts; ++p) {
        const struct lcl_part *part = &F->layout.part[p];
        test_expect_near("slot", got + part->slot, expected + part->slot,
                         part->slots, tolerance);
    }
    test_expect_near("1/d", inv_d, F->ref.inv_d, n, tolerance);
    free(got);
    free(expected);
    free(inv_d);
}

void test_factors_finish(struct test_factors *F)
{
    lcl_ref_ildu0_finish(&F->ref);
    lcl_layout_finish(&F->layout);
    lcl_factor_finish(&F->device);
    lcl_buffer_destroy(&F->val);
}
