// SPDX-License-Identifier: BSD-3-Clause
// The table of the Krylov methods.
#include "tests/support/test.h"

#include "host/source.h"
#include "lib/krylov/methods.h"

#include <levelcl/published.h>

static int count(const size_t *list)
{
    int n = 0;
    while (n < LCL_KRYLOV_VECTORS && list[n])
        ++n;
    return n;
}

// What is common to all methods refers to members of the method's struct, which
// no two things may share.
static void expect_members(const struct lcl_krylov_method *m)
{
    const int vectors = count(m->vectors);
    const int others = count(m->precond_vectors);
    for (int k = 0; k < vectors; ++k) {
        assert_true(m->vectors[k] + sizeof(void *) <= m->bytes);
        assert_true(m->vectors[k] != m->dots);
        for (int j = 0; j < others; ++j)
            assert_true(m->vectors[k] != m->precond_vectors[j]);
    }
    assert_true(m->cost.vectors >= vectors + others);
}

static void test_methods__every_type_has_one(void **state)
{
    (void)state;
    for (int t = LCL_SOLVER_DEFAULT + 1; t < LCL_SOLVER_COUNT; ++t) {
        const enum lcl_solver_type type = (enum lcl_solver_type)t;
        const struct lcl_krylov_method *m = lcl_krylov_method(type);
        assert_non_null(m);
        assert_true(lcl_solver_facts(type) == &m->facts);
        assert_in_range(m->facts.products, 1, LCL_KRYLOV_PRODUCTS);
        assert_true(m->launches > 0 && m->cost.passes > 0);
        assert_true(m->steps.step || m->cycle);
        assert_true(!m->source == !m->kernels[0].name);
        assert_true(!m->source || lcl_source_name(m->source));
        expect_members(m);
    }
}

static void test_methods__facts_tell_what_a_method_needs(void **state)
{
    const struct lcl_solver_facts *cg = lcl_solver_facts(LCL_SOLVER_CG);
    const struct lcl_solver_facts *minres = lcl_solver_facts(LCL_SOLVER_MINRES);
    const struct lcl_solver_facts *idr = lcl_solver_facts(LCL_SOLVER_IDR);
    (void)state;
    assert_true(cg->symmetric && !cg->definite_precond && cg->products == 1);
    assert_true(cg->definite && !minres->definite && !idr->definite);
    assert_true(minres->symmetric && minres->definite_precond);
    assert_true(idr->idr_s && !idr->restart && !idr->symmetric);
    assert_true(lcl_solver_facts(LCL_SOLVER_GMRES)->restart);
    assert_true(lcl_solver_facts(LCL_SOLVER_CG_PUBLISHED)->no_precond);
    assert_int_equal(lcl_solver_facts(LCL_SOLVER_BICGSTAB)->products, 2);
}

static void test_methods__no_type_has_no_facts(void **state)
{
    static const struct lcl_solver_facts none;
    const enum lcl_solver_type types[] = {LCL_SOLVER_DEFAULT, LCL_SOLVER_COUNT,
                                          (enum lcl_solver_type)(-1)};
    (void)state;
    for (int k = 0; k < 3; ++k)
        assert_memory_equal(lcl_solver_facts(types[k]), &none, sizeof none);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_methods__every_type_has_one),
        cmocka_unit_test(test_methods__facts_tell_what_a_method_needs),
        cmocka_unit_test(test_methods__no_type_has_no_facts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
