// SPDX-License-Identifier: BSD-3-Clause
// Options as text: accepted input, refused input and the messages.
#include "tests/support/test.h"

#include <levelcl/options.h>
#include <levelcl/published.h>

#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define COUNT(list) ((int)(sizeof(list) / sizeof *(list)))

static void keep_last(void *user, enum lcl_log_level level, const char *text)
{
    (void)level;
    snprintf(user, 256, "%s", text);
}

static enum lcl_status parse(struct lcl_options *options, const char *text,
                             char said[256])
{
    const struct lcl_log log = {keep_last, said, LCL_LOG_ERROR};
    said[0] = '\0';
    return lcl_options_parse(options, text, &log);
}

// Expects that `text` is refused with `status` and a message that contains
// `part`, and that the options stay unchanged.
static void assert_refused(const char *text, enum lcl_status status,
                           const char *part)
{
    struct lcl_options options = LCL_OPTIONS_INIT;
    options.solver.rtol = 0.5;
    options.precond.partition.box[0] = 7;
    const struct lcl_options before = options;
    char said[256];
    const enum lcl_status got = parse(&options, text, said);
    if (got != status || !strstr(said, part))
        fail_msg("%s: got %s, \"%s\"; expected %s, \"...%s...\"", text,
                 lcl_status_name(got), said, lcl_status_name(status), part);
    assert_memory_equal(&options, &before, sizeof options);
}

static struct lcl_options parsed(const char *text)
{
    struct lcl_options options = LCL_OPTIONS_INIT;
    char said[256];
    if (parse(&options, text, said) != LCL_OK)
        fail_msg("%s: refused: %s", text, said);
    return options;
}

static void test_options__every_listed_word_is_taken(void **state)
{
    (void)state;
    for (int i = 0; lcl_options_help(i); ++i) {
        const struct lcl_option_help *help = lcl_options_help(i);
        char values[256];
        snprintf(values, sizeof values, "%s", help->values);
        for (char *word = strtok(values, "|"); word; word = strtok(NULL, "|")) {
            char text[256];
            snprintf(text, sizeof text, "%s=%s", help->key, word);
            if (word[0] >= 'a' && word[0] <= 'z' && !strchr(word, ':'))
                parsed(text);
        }
    }
}

static const struct lcl_option_help *help_of(const char *key)
{
    for (int i = 0; lcl_options_help(i); ++i)
        if (strcmp(lcl_options_help(i)->key, key) == 0)
            return lcl_options_help(i);
    fail_msg("no option %s", key);
    return NULL;
}

// The constant is the value of the option, and so is its text.
#define EXPECT_C(key, word, member, constant)                                  \
 do {                                                                          \
  const struct lcl_option_help *help = help_of(key);                           \
  const size_t length = strlen(help->constants);                               \
  assert_string_equal(help->field, #member);                                   \
  assert_memory_equal(help->constants, #constant, length);                     \
  assert_int_equal(strcasecmp(&#constant[length], word), 0);                   \
  assert_int_equal(parsed(key "=" word).member, constant);                     \
 } while (0)

static void test_options__values_have_constants_in_c(void **state)
{
    (void)state;
    EXPECT_C("solver", "cg", solver.type, LCL_SOLVER_CG);
    EXPECT_C("basis", "fp32", solver.basis, LCL_BASIS_FP32);
    EXPECT_C("orthogonalisation", "mgs", solver.orthogonalisation,
             LCL_ORTHOGONALISATION_MGS);
    EXPECT_C("side", "left", solver.side, LCL_SIDE_LEFT);
    EXPECT_C("norm", "max", solver.norm, LCL_NORM_MAX);
    EXPECT_C("precond", "amg", precond.type, LCL_PRECOND_AMG);
    EXPECT_C("amg-coarsening", "sa", precond.amg.coarsening, LCL_AMG_SA);
    EXPECT_C("amg-smoother", "ildu0", precond.amg.smoother, LCL_AMG_ILDU0);
    EXPECT_C("amg-storage", "bf16", precond.amg.storage,
             LCL_FACTOR_STORAGE_BF16);
    EXPECT_C("refresh", "on_slow", precond.refresh, LCL_REFRESH_ON_SLOW);
    EXPECT_C("amg-refresh", "full", precond.amg.refresh, LCL_AMG_REFRESH_FULL);
    EXPECT_C("trisolve", "hec_level", precond.trisolve, LCL_TRISOLVE_HEC_LEVEL);
    EXPECT_C("pivot", "shift", precond.pivot, LCL_PIVOT_SHIFT);
    EXPECT_C("factor-storage", "bf16", precond.storage,
             LCL_FACTOR_STORAGE_BF16);
    EXPECT_C("block-extraction", "cached", precond.block_jacobi.extraction,
             LCL_BLOCK_EXTRACTION_CACHED);
    EXPECT_C("block-apply", "spmv", precond.block_jacobi.apply,
             LCL_BLOCK_APPLY_SPMV);
    EXPECT_C("kron-product", "okp", op.kron, LCL_KRON_OKP);
    EXPECT_C("communication", "reproducible", op.communication,
             LCL_COMMUNICATION_REPRODUCIBLE);
    EXPECT_C("kron-exchange", "staged", op.kron_exchange,
             LCL_KRON_EXCHANGE_STAGED);
    EXPECT_C("spmv", "hec", op.spmv, LCL_SPMV_HEC);
    EXPECT_C("coarse", "mult", precond.coarse, LCL_COARSE_MULT);
    EXPECT_C("partition", "natural", precond.partition.type,
             LCL_PARTITION_NATURAL);
    EXPECT_C("weights", "on", precond.partition.weights, LCL_WEIGHTS_ON);
    assert_null(help_of("rtol")->constants);
    assert_string_equal(help_of("rtol")->field, "solver.rtol");
}

static void test_options__enums_are_set_by_name(void **state)
{
    (void)state;
    assert_int_equal(parsed("solver=bicgstab").solver.type,
                     LCL_SOLVER_BICGSTAB);
    assert_int_equal(parsed("solver=cg").solver.type, LCL_SOLVER_CG);
    assert_int_equal(parsed("solver=minres").solver.type, LCL_SOLVER_MINRES);
    assert_int_equal(parsed("solver=cg_published").solver.type,
                     LCL_SOLVER_CG_PUBLISHED);
    assert_int_equal(parsed("solver=cg_pipelined").solver.type,
                     LCL_SOLVER_CG_PIPELINED);
    assert_int_equal(parsed("precond=ic0").precond.type, LCL_PRECOND_IC0);
    assert_int_equal(parsed("solver=idr").solver.type, LCL_SOLVER_IDR);
    assert_int_equal(parsed("solver=gmres").solver.type, LCL_SOLVER_GMRES);
    assert_int_equal(parsed("solver=fgmres").solver.type, LCL_SOLVER_FGMRES);
    assert_int_equal(parsed("basis=fp64").solver.basis, LCL_BASIS_FP64);
    assert_int_equal(parsed("basis=fp32").solver.basis, LCL_BASIS_FP32);
    assert_int_equal(parsed("precond=jacobi").precond.type, LCL_PRECOND_JACOBI);
    assert_int_equal(parsed("precond=ildu0").precond.type, LCL_PRECOND_ILDU0);
    assert_int_equal(parsed("pivot=shift").precond.pivot, LCL_PIVOT_SHIFT);
    assert_int_equal(parsed("coarse=mult").precond.coarse, LCL_COARSE_MULT);
    assert_int_equal(parsed("coarse=auto").precond.coarse, LCL_COARSE_AUTO);
    assert_int_equal(parsed("trisolve=dag_vc_ILDU0_fused").precond.trisolve,
                     LCL_TRISOLVE_DAG_VC_ILDU0_FUSED);
    assert_int_equal(parsed("trisolve=hec_level").precond.trisolve,
                     LCL_TRISOLVE_HEC_LEVEL);
    assert_int_equal(parsed("trisolve=hec_wait").precond.trisolve,
                     LCL_TRISOLVE_HEC_WAIT);
    assert_int_equal(parsed("factor-storage=bf16").precond.storage,
                     LCL_FACTOR_STORAGE_BF16);
    assert_int_equal(parsed("factor-storage=adaptive").precond.storage,
                     LCL_FACTOR_STORAGE_ADAPTIVE);
    assert_int_equal(parsed("precond=block-jacobi").precond.type,
                     LCL_PRECOND_BLOCK_JACOBI);
    assert_int_equal(
        parsed("block-extraction=shared_mpw").precond.block_jacobi.extraction,
        LCL_BLOCK_EXTRACTION_SHARED_MPW);
    assert_int_equal(parsed("block-apply=spmv").precond.block_jacobi.apply,
                     LCL_BLOCK_APPLY_SPMV);
    assert_int_equal(parsed("block-apply=sa_spmv").precond.block_jacobi.apply,
                     LCL_BLOCK_APPLY_SA_SPMV);
    assert_int_equal(parsed("weights=off").precond.partition.weights,
                     LCL_WEIGHTS_OFF);
    assert_int_equal(parsed("partition=match").precond.partition.type,
                     LCL_PARTITION_MATCH);
    assert_int_equal(parsed("partition=natural").precond.partition.type,
                     LCL_PARTITION_NATURAL);
}

static void test_options__numbers_are_set(void **state)
{
    (void)state;
    assert_true(parsed("rtol=1e-6").solver.rtol == 1e-6);
    assert_false(parsed("rtol=1e-6").solver.rtol_may_be_zero);
    assert_true(parsed("rtol=0").solver.rtol_may_be_zero);
    assert_true(parsed("time-limit=2.5").solver.time_limit == 2.5);
    assert_true(parsed("atol=0").solver.atol == 0);
    assert_true(parsed("atol=2.5").solver.atol == 2.5);
    assert_true(parsed("pivot-tol=1e-3").precond.pivot_tol == 1e-3);
    assert_int_equal(parsed("max-iters=500").solver.max_iters, 500);
    assert_int_equal(parsed("max-iters=2147483647").solver.max_iters,
                     INT32_MAX);
    assert_int_equal(parsed("stagnation=9").solver.stagnation, 9);
    assert_int_equal(parsed("idr-s=8").solver.idr_s, 8);
    assert_int_equal(parsed("restart=1").solver.restart, 1);
    assert_int_equal(parsed("restart=1024").solver.restart, 1024);
    assert_int_equal(parsed("subdomain-rows=512").precond.partition.rows, 512);
    assert_int_equal(parsed("subdomain-rows=auto").precond.partition.rows, 0);
    assert_int_equal(parsed("block-size=1").op.block_size, 1);
    assert_int_equal(parsed("block-size=8").op.block_size, 8);
    assert_int_equal(parsed("block-size=auto").op.block_size, 0);
    assert_int_equal(parsed("max-block-size=1").precond.block_jacobi.max_rows,
                     1);
    assert_int_equal(parsed("max-block-size=32").precond.block_jacobi.max_rows,
                     32);
    assert_int_equal(parsed("spmv=auto").op.spmv, LCL_SPMV_DEFAULT);
    assert_int_equal(parsed("spmv=sliced").op.spmv, LCL_SPMV_SLICED);
    assert_int_equal(parsed("spmv=hec").op.spmv, LCL_SPMV_HEC);
    assert_int_equal(parsed("hec-width=3").op.hec_width, 3);
}

static void test_options__geometric_takes_a_box_and_a_grid(void **state)
{
    (void)state;
    const struct lcl_options box = parsed("partition=geometric:16,8,4");
    assert_int_equal(box.precond.partition.type, LCL_PARTITION_GEOMETRIC);
    assert_int_equal(box.precond.partition.box[0], 16);
    assert_int_equal(box.precond.partition.box[1], 8);
    assert_int_equal(box.precond.partition.box[2], 4);
    const struct lcl_options grid = parsed("grid=64,32,1");
    assert_int_equal(grid.precond.partition.grid[0], 64);
    assert_int_equal(grid.precond.partition.grid[2], 1);
}

static void test_options__bad_numbers_are_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "max-block-size=0",
        "max-block-size=33",
        "max-block-size=-1",
        "max-block-size=8x",
        "max-block-size=",
        "rtol=",
        "rtol=1",
        "rtol=-1e-8",
        "rtol=nan",
        "rtol=inf",
        "rtol=1e-8x",
        "rtol= 1e-8",
        "rtol=0x1p-9",
        "rtol=1e-999",
        "rtol=1e",
        "rtol=--1",
        "atol=1e999",
        "atol=-0.1",
        "atol=nan",
        "pivot-tol=0",
        "pivot-tol=2",
        "max-iters=0",
        "max-iters=-5",
        "max-iters=1.5",
        "max-iters=10k",
        "max-iters=",
        "stagnation=0",
        "idr-s=0",
        "idr-s=9",
        "idr-s=4.0",
        "idr-s=",
        "restart=0",
        "restart=-1",
        "restart=1025",
        "restart=30.5",
        "restart=",
        "grid=8,8",
        "grid=8,8,0",
        "grid=8,8,8,8",
        "grid=8,8,8 ",
        "grid=",
        "subdomain-rows=0",
        "subdomain-rows=-1",
        "subdomain-rows=automatic",
        "block-size=0",
        "block-size=9",
        "block-size=-1",
        "block-size=3x",
        "block-size=",
        "max-iters=2147483648",
        "stagnation=99999999999999999999999",
    };
    for (int i = 0; i < COUNT(bad); ++i)
        assert_refused(bad[i], LCL_EINVAL, "bad value");
}

static void test_options__bad_partitions_are_refused(void **state)
{
    (void)state;
    assert_refused("partition=geometric", LCL_EINVAL, "geometric:16,16,8");
    assert_refused("partition=geometric:", LCL_EINVAL, "geometric:16,16,8");
    assert_refused("partition=geometric:3,3,x", LCL_EINVAL, "16,16,8");
    assert_refused("partition=geomteric:4,4,4", LCL_EINVAL, "'geometric'");
    assert_refused("partition=mets", LCL_EINVAL, "did you mean 'metis'?");
    assert_refused("partition=labels", LCL_EINVAL, "unknown value 'labels'");
    assert_refused("partition=file:labels.txt", LCL_EINVAL, "labels");
}

static void test_options__nearest_name_is_in_the_sentence(void **state)
{
    (void)state;
    assert_refused("precond=idlu0", LCL_EINVAL,
                   "unknown value 'idlu0' for precond: did you mean 'ildu0'?");
    assert_refused("precnd=ildu0", LCL_EINVAL,
                   "unknown option 'precnd': did you mean 'precond'?");
    assert_refused("solver=BiCGStab", LCL_EINVAL, "did you mean 'bicgstab'?");
    assert_refused("basis=bf16", LCL_EINVAL, "expected fp64|fp32");
    assert_refused("pivot=zzzzzz", LCL_EINVAL,
                   "expected fail|boost|replace|shift");
    assert_refused("zzzzzzzz=1", LCL_EINVAL, "unknown option 'zzzzzzzz'");
    assert_refused("=1", LCL_EINVAL, "unknown option ''");
    assert_refused("rtol", LCL_EINVAL, "expected key=value, found 'rtol'");
    assert_refused("", LCL_EINVAL, "expected key=value");
}

static void test_options__names_of_later_releases_are_recognised(void **state)
{
    (void)state;
    static const char *const later[] = {
        "devices=0,1",
    };
    for (int i = 0; i < COUNT(later); ++i)
        assert_refused(later[i], LCL_EUNSUPPORTED, "is not implemented yet");
}

static void test_options__long_words_are_survived(void **state)
{
    (void)state;
    char text[4096];
    memset(text, 'a', sizeof text);
    text[sizeof text - 1] = '\0';
    assert_refused(text, LCL_EINVAL, "expected key=value");
    text[2000] = '=';
    assert_refused(text, LCL_EINVAL, "unknown option 'aaaa");
    memcpy(text, "partition=", 10);
    text[2000] = 'a';
    assert_refused(text, LCL_EINVAL, "unknown value 'aaaa");
}

static void test_options__decimal_point_holds_in_any_locale(void **state)
{
    (void)state;
    if (!setlocale(LC_NUMERIC, "de_DE.UTF-8"))
        skip();
    const double rtol = parsed("rtol=2.5e-3").solver.rtol;
    setlocale(LC_NUMERIC, "C");
    assert_true(rtol == 2.5e-3);
}

static void test_options__silent_without_a_log(void **state)
{
    (void)state;
    struct lcl_options options = LCL_OPTIONS_INIT;
    assert_int_equal(lcl_options_parse(&options, "rtol=x", NULL), LCL_EINVAL);
    assert_int_equal(lcl_options_parse(&options, "rtol=.5", NULL), LCL_OK);
}

static void test_options__help_ends_with_null(void **state)
{
    (void)state;
    assert_null(lcl_options_help(-1));
    assert_null(lcl_options_help(1000));
    for (int i = 0; lcl_options_help(i); ++i)
        assert_true(strlen(lcl_options_help(i)->help) <= 72);
}

static void test_nearest__swapped_letters_are_the_nearest(void **state)
{
    (void)state;
    static const char *const names[] = {"ilu0", "ildu0", "jacobi", "rtol"};
    assert_string_equal(lcl_nearest("idlu0", names, 4), "ildu0");
    assert_string_equal(lcl_nearest("jakobi", names, 4), "jacobi");
    assert_string_equal(lcl_nearest("RTOL", names, 4), "rtol");
    assert_string_equal(lcl_nearest("ilu", names, 4), "ilu0");
}

static void test_nearest__beginnings_are_nearer_than_similar_names(void **state)
{
    (void)state;
    static const char *const names[] = {"cg", "bicgstab", "idr", "reason"};
    assert_string_equal(lcl_nearest("bicg", names, 4), "bicgstab");
    assert_string_equal(lcl_nearest("BiCG", names, 4), "bicgstab");
    assert_string_equal(lcl_nearest("rea", names, 4), "reason");
    assert_string_equal(lcl_nearest("gc", names, 4), "cg");
    assert_string_equal(lcl_nearest("idrs", names, 4), "idr");
}

static void test_nearest__nothing_near_is_null(void **state)
{
    (void)state;
    static const char *const names[] = {"metis", "natural"};
    assert_null(lcl_nearest("geometric", names, 2));
    assert_null(lcl_nearest("", names, 2));
    assert_null(lcl_nearest("metis", names, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_options__every_listed_word_is_taken),
        cmocka_unit_test(test_options__values_have_constants_in_c),
        cmocka_unit_test(test_options__enums_are_set_by_name),
        cmocka_unit_test(test_options__numbers_are_set),
        cmocka_unit_test(test_options__geometric_takes_a_box_and_a_grid),
        cmocka_unit_test(test_options__bad_numbers_are_refused),
        cmocka_unit_test(test_options__bad_partitions_are_refused),
        cmocka_unit_test(test_options__nearest_name_is_in_the_sentence),
        cmocka_unit_test(test_options__names_of_later_releases_are_recognised),
        cmocka_unit_test(test_options__long_words_are_survived),
        cmocka_unit_test(test_options__decimal_point_holds_in_any_locale),
        cmocka_unit_test(test_options__silent_without_a_log),
        cmocka_unit_test(test_options__help_ends_with_null),
        cmocka_unit_test(test_nearest__swapped_letters_are_the_nearest),
        cmocka_unit_test(
            test_nearest__beginnings_are_nearer_than_similar_names),
        cmocka_unit_test(test_nearest__nothing_near_is_null),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
