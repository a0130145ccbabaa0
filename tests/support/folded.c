// SPDX-License-Identifier: BSD-3-Clause
// Factors on chunks of consecutive rows, with the rows ordered as on a device.
#include "tests/support/folded.h"

#include "lib/ref/trisolve.h"
#include "tests/support/device.h"

#include <stdlib.h>

void test_folded_init(struct test_folded *T, lcl_context *ctx,
                      const struct lcl_csr *A, int64_t part_rows,
                      const struct lcl_precond_params *params)
{
    struct test_system *S = &T->S;
    test_system_from(S, *A, part_rows, false);
    if (test_width(ctx) > 1 && params->trisolve <= LCL_TRISOLVE_PACKED)
        test_system_fold(S);
    assert_int_equal(
        lcl_ref_ildu0_init(&T->F, &S->B, S->P.part_ptr, S->P.parts, params),
        LCL_OK);
    T->b = test_vector(A->rows);
    T->x = test_vector(A->rows);
}

void test_folded_finish(struct test_folded *T)
{
    T->S.A = (struct lcl_csr){0};
    lcl_ref_ildu0_finish(&T->F);
    test_system_finish(&T->S);
    free(T->b);
    free(T->x);
}

void test_folded_apply(void *user, const double *r, double *z)
{
    const struct test_folded *T = user;
    const int32_t *perm = T->S.P.row;
    for (int64_t i = 0; i < T->S.B.rows; ++i)
        T->b[i] = r[perm[i]];
    lcl_ref_trisolve(&T->F, T->b, T->x);
    for (int64_t i = 0; i < T->S.B.rows; ++i)
        z[perm[i]] = T->x[i];
}
