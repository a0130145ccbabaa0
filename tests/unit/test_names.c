// SPDX-License-Identifier: BSD-3-Clause
// Every enum value has a name, and invalid values cause no crash.
#include "tests/support/test.h"

#include <levelcl/batch.h>
#include <levelcl/published.h>
#include <levelcl/solver.h>

#define ASSERT_NAMED(name_of, count)                                           \
 do {                                                                          \
  for (int value = 0; value < (int)(count); ++value) {                         \
   assert_non_null(name_of(value));                                            \
   assert_string_not_equal(name_of(value), "unknown");                         \
  }                                                                            \
  assert_string_equal(name_of(count), "unknown");                              \
  assert_string_equal(name_of(-1), "unknown");                                 \
 } while (0)

static void test_names__every_value_has_one(void **state)
{
    (void)state;
    ASSERT_NAMED(lcl_exchange_name, LCL_EXCHANGE_COUNT);
    ASSERT_NAMED(lcl_atomic_add_name, LCL_ATOMIC_ADD_COUNT);
    ASSERT_NAMED(lcl_progress_name, LCL_PROGRESS_COUNT);
    ASSERT_NAMED(lcl_fence_name, LCL_FENCE_COUNT);
    ASSERT_NAMED(lcl_device_type_name, LCL_DEVICE_TYPE_COUNT);
    ASSERT_NAMED(lcl_phase_name, LCL_PHASE_COUNT);
    ASSERT_NAMED(lcl_task_name, LCL_TASK_COUNT);
    ASSERT_NAMED(lcl_solver_name, LCL_SOLVER_COUNT);
    ASSERT_NAMED(lcl_precond_name, LCL_PRECOND_COUNT);
    ASSERT_NAMED(lcl_trisolve_name, LCL_TRISOLVE_COUNT);
    ASSERT_NAMED(lcl_partition_name, LCL_PARTITION_COUNT);
    ASSERT_NAMED(lcl_pivot_name, LCL_PIVOT_COUNT);
    ASSERT_NAMED(lcl_factor_storage_name, LCL_FACTOR_STORAGE_COUNT);
    ASSERT_NAMED(lcl_coarse_name, LCL_COARSE_COUNT);
    ASSERT_NAMED(lcl_amg_coarsening_name, LCL_AMG_COARSENING_COUNT);
    ASSERT_NAMED(lcl_amg_smoother_name, LCL_AMG_SMOOTHER_COUNT);
    ASSERT_NAMED(lcl_block_extraction_name, LCL_BLOCK_EXTRACTION_COUNT);
    ASSERT_NAMED(lcl_block_apply_name, LCL_BLOCK_APPLY_COUNT);
    ASSERT_NAMED(lcl_batch_kernel_name, LCL_BATCH_KERNEL_COUNT);
    ASSERT_NAMED(lcl_batch_precision_name, LCL_BATCH_PRECISION_COUNT);
    ASSERT_NAMED(lcl_batch_singular_name, LCL_BATCH_SINGULAR_COUNT);
    ASSERT_NAMED(lcl_spmv_name, LCL_SPMV_COUNT);
    ASSERT_NAMED(lcl_kron_name, LCL_KRON_COUNT);
    ASSERT_NAMED(lcl_kron_exchange_name, LCL_KRON_EXCHANGE_COUNT);
    ASSERT_NAMED(lcl_basis_storage_name, LCL_BASIS_COUNT);
    ASSERT_NAMED(lcl_orthogonalisation_name, LCL_ORTHOGONALISATION_COUNT);
    ASSERT_NAMED(lcl_side_name, LCL_SIDE_COUNT);
    ASSERT_NAMED(lcl_norm_name, LCL_NORM_COUNT);
}

static void test_names__default_is_the_method_it_stands_for(void **state)
{
    (void)state;
    assert_string_equal(lcl_solver_name(LCL_SOLVER_DEFAULT), "auto");
    assert_string_equal(lcl_precond_name(LCL_PRECOND_DEFAULT), "auto");
    assert_string_equal(lcl_basis_storage_name(LCL_BASIS_DEFAULT), "fp64");
    assert_string_equal(lcl_trisolve_name(LCL_TRISOLVE_DEFAULT), "packed");
    assert_string_equal(lcl_pivot_name(LCL_PIVOT_DEFAULT), "boost");
    assert_string_equal(lcl_block_extraction_name(LCL_BLOCK_EXTRACTION_DEFAULT),
                        "bisect");
    assert_string_equal(lcl_block_apply_name(LCL_BLOCK_APPLY_DEFAULT), "slab");
}

static void test_names__published_names_are_spelt_as_published(void **state)
{
    static const struct {
        enum lcl_trisolve trisolve;
        const char *name;
    } published[] = {
        {LCL_TRISOLVE_SPIN_LOOP_LDS, "spin_loop_lds"},
        {LCL_TRISOLVE_DAG_EC_NO_LDS, "dag_ec_no_lds"},
        {LCL_TRISOLVE_DAG_EC_LDS, "dag_ec_lds"},
        {LCL_TRISOLVE_DAG_EC_LDS_UD, "dag_ec_lds_ud"},
        {LCL_TRISOLVE_DAG_EC_ILD_U0, "dag_ec_ILD_U0"},
        {LCL_TRISOLVE_DAG_VC_ILDU0_FUSED, "dag_vc_ILDU0_fused"},
        {LCL_TRISOLVE_DAG_EC_ILDU0_FUSED, "dag_ec_ILDU0_fused"},
        {LCL_TRISOLVE_HEC_LEVEL, "hec_level"},
        {LCL_TRISOLVE_HEC_WAIT, "hec_wait"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof published / sizeof *published; ++i)
        assert_string_equal(lcl_trisolve_name(published[i].trisolve),
                            published[i].name);
}

static void test_names__every_stop_has_its_own_name_and_sentence(void **state)
{
    (void)state;
    for (int a = LCL_STOP_TIME_LIMIT; a <= LCL_STOP_TEST; ++a) {
        assert_string_not_equal(lcl_stop_name(a), "unknown");
        assert_true((lcl_stop_status(a) == LCL_OK) == (a > 0));
        assert_true(lcl_stop_status(a) >= LCL_OK);
        for (int b = a + 1; b <= LCL_STOP_TEST; ++b) {
            assert_string_not_equal(lcl_stop_name(a), lcl_stop_name(b));
            assert_string_not_equal(lcl_stop_str(a), lcl_stop_str(b));
        }
    }
}

static void test_names__foreign_stops_are_unknown(void **state)
{
    (void)state;
    assert_string_equal(lcl_stop_name(LCL_STOP_TIME_LIMIT - 1), "unknown");
    assert_string_equal(lcl_stop_name(LCL_STOP_TEST + 1), "unknown");
    assert_string_equal(lcl_stop_str(-1000), "unknown stop reason");
    assert_int_equal(lcl_stop_status(LCL_STOP_TEST + 1), LCL_EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names__every_value_has_one),
        cmocka_unit_test(test_names__default_is_the_method_it_stands_for),
        cmocka_unit_test(test_names__published_names_are_spelt_as_published),
        cmocka_unit_test(test_names__every_stop_has_its_own_name_and_sentence),
        cmocka_unit_test(test_names__foreign_stops_are_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
