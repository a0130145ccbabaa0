// SPDX-License-Identifier: BSD-3-Clause
// Conversion of specs to #define lines and sources, without a device.
#include "host/program.h"
#include "host/source.h"
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

#define COUNT(list) ((int)(sizeof(list) / sizeof *(list)))

static const struct lcl_spec full = {
    .source = "packed.cl",
    .kernel = "packed",
    .width = 32,
    .exchange = LCL_EXCHANGE_KHR,
    .add = LCL_ATOMIC_ADD_NV_PTX,
    .group = 64,
    .block = 3,
    .storage = 2,
    .wide = 1,
    .loose = 1,
    .single = 1,
    .defines = {{"SUBDOMAIN_ROWS", 512}, {"RING", 1}, {"STAGE_ENTRIES", 3}},
};

static void defines_of(char text[LCL_SPEC_TEXT], const struct lcl_spec *spec)
{
    assert_true(lcl_spec_defines(text, LCL_SPEC_TEXT, spec));
}

static void test_spec__defines_are_these_lines(void **state)
{
    (void)state;
    char text[LCL_SPEC_TEXT];
    defines_of(text, &full);
    assert_string_equal(text, "#define LCL_WIDTH 32\n"
                              "#define LCL_GROUP 64\n"
                              "#define LCL_BLOCK 3\n"
                              "#define LCL_STORAGE 2\n"
                              "#define LCL_WIDE 1\n"
                              "#define LCL_ADD 3\n"
                              "#define LCL_LOOSE 1\n"
                              "#define LCL_SINGLE 1\n"
                              "#define SUBDOMAIN_ROWS 512\n"
                              "#define RING 1\n"
                              "#define STAGE_ENTRIES 3\n"
                              "#define LCL_EXCHANGE_KHR\n");
}

static void test_spec__fields_that_are_zero_give_no_line(void **state)
{
    (void)state;
    char text[LCL_SPEC_TEXT];
    const struct lcl_spec spec = {
        .width = 1,
        .group = 1,
        .defines = {{"RING", 0}},
    };
    defines_of(text, &spec);
    assert_string_equal(text, "#define LCL_WIDTH 1\n"
                              "#define LCL_GROUP 1\n"
                              "#define LCL_EXCHANGE_NONE\n");
}

static void test_spec__equal_specs_give_equal_text(void **state)
{
    (void)state;
    char a[LCL_SPEC_TEXT], b[LCL_SPEC_TEXT];
    struct lcl_spec same = full;
    same.kernel = "another of the same program";
    memset(a, 'a', sizeof a);
    memset(b, 'b', sizeof b);
    defines_of(a, &full);
    defines_of(b, &same);
    assert_string_equal(a, b);
}

static int *field(struct lcl_spec *spec, int i)
{
    int *const fields[] = {&spec->width,
                           &spec->group,
                           &spec->block,
                           &spec->storage,
                           &spec->wide,
                           &spec->loose,
                           &spec->single,
                           &spec->defines[0].value,
                           &spec->defines[2].value};
    return i < COUNT(fields) ? fields[i] : NULL;
}

static void test_spec__each_field_changes_the_text(void **state)
{
    (void)state;
    char before[LCL_SPEC_TEXT], after[LCL_SPEC_TEXT];
    struct lcl_spec spec = full;
    defines_of(before, &full);
    for (int i = 0; field(&spec, i); ++i) {
        spec = full;
        ++*field(&spec, i);
        defines_of(after, &spec);
        assert_string_not_equal(before, after);
    }
}

static void test_spec__each_name_changes_the_text(void **state)
{
    (void)state;
    char before[LCL_SPEC_TEXT], after[LCL_SPEC_TEXT];
    struct lcl_spec spec = full;
    defines_of(before, &full);
    spec.defines[1].name = "RINGS";
    defines_of(after, &spec);
    assert_string_not_equal(before, after);
}

static void test_spec__a_parameter_is_set_or_added(void **state)
{
    (void)state;
    char text[LCL_SPEC_TEXT];
    struct lcl_spec spec = {.defines = {{"RING", 1}}};
    lcl_spec_set(&spec, "SUBDOMAIN_ROWS", 64);
    lcl_spec_set(&spec, "RING", 0);
    lcl_spec_set(&spec, "SUBDOMAIN_ROWS", 128);
    defines_of(text, &spec);
    assert_string_equal(text, "#define SUBDOMAIN_ROWS 128\n"
                              "#define LCL_EXCHANGE_NONE\n");
}

static void test_spec__each_exchange_has_its_own_text(void **state)
{
    (void)state;
    char text[LCL_EXCHANGE_COUNT][LCL_SPEC_TEXT];
    for (int e = LCL_EXCHANGE_NONE; e < LCL_EXCHANGE_COUNT; ++e) {
        const struct lcl_spec spec = {.exchange = (enum lcl_exchange)e};
        defines_of(text[e], &spec);
        for (int other = LCL_EXCHANGE_NONE; other < e; ++other)
            assert_string_not_equal(text[e], text[other]);
    }
}

static void test_spec__each_way_to_add_has_its_own_text(void **state)
{
    (void)state;
    char text[LCL_ATOMIC_ADD_COUNT][LCL_SPEC_TEXT];
    for (int a = LCL_ATOMIC_ADD_NONE; a < LCL_ATOMIC_ADD_COUNT; ++a) {
        const struct lcl_spec spec = {.add = (enum lcl_atomic_add)a};
        defines_of(text[a], &spec);
        for (int other = LCL_ATOMIC_ADD_NONE; other < a; ++other)
            assert_string_not_equal(text[a], text[other]);
    }
}

static void test_spec__short_buffers_are_refused_whole(void **state)
{
    (void)state;
    char text[LCL_SPEC_TEXT];
    defines_of(text, &full);
    const size_t needed = strlen(text) + 1;
    for (size_t size = 1; size < needed; ++size) {
        text[size] = '!';
        assert_false(lcl_spec_defines(text, size, &full));
        assert_int_equal(text[size], '!');
    }
    assert_true(lcl_spec_defines(text, needed, &full));
}

static void test_spec__negative_fields_are_refused(void **state)
{
    (void)state;
    char text[LCL_SPEC_TEXT];
    struct lcl_spec spec = full;
    for (int i = 0; field(&spec, i); ++i) {
        spec = full;
        *field(&spec, i) = -1;
        assert_false(lcl_spec_defines(text, sizeof text, &spec));
    }
}

static void test_spec__names_that_are_no_parameters_are_refused(void **state)
{
    (void)state;
    const char *const names[] = {"",     "R",     "ring",     "1ST", "_RING",
                                 "RI-G", "RING ", "LCL_RING", "RiNG"};
    char text[LCL_SPEC_TEXT];
    for (int i = 0; i < COUNT(names); ++i) {
        const struct lcl_spec spec = {.defines = {{names[i], 1}}};
        assert_false(lcl_spec_defines(text, sizeof text, &spec));
    }
    const struct lcl_spec sound = {.defines = {{"LCLS", 1}, {"B2", 1}}};
    assert_true(lcl_spec_defines(text, sizeof text, &sound));
}

static void test_spec__names_that_occur_twice_are_refused(void **state)
{
    (void)state;
    char text[LCL_SPEC_TEXT];
    const struct lcl_spec spec = {.defines = {{"RING", 1}, {"RING", 2}}};
    assert_false(lcl_spec_defines(text, sizeof text, &spec));
}

static void test_spec__largest_values_fit_the_usual_buffer(void **state)
{
    (void)state;
    static const char *const names[LCL_SPEC_DEFINES] = {
        "PARAMETER_WITH_A_LONG_NAME_A", "PARAMETER_WITH_A_LONG_NAME_B",
        "PARAMETER_WITH_A_LONG_NAME_C", "PARAMETER_WITH_A_LONG_NAME_D",
        "PARAMETER_WITH_A_LONG_NAME_E", "PARAMETER_WITH_A_LONG_NAME_F",
        "PARAMETER_WITH_A_LONG_NAME_G", "PARAMETER_WITH_A_LONG_NAME_H"};
    char text[LCL_SPEC_TEXT];
    struct lcl_spec spec = {.exchange = LCL_EXCHANGE_NV_PTX};
    for (int i = 0; field(&spec, i); ++i)
        *field(&spec, i) = INT32_MAX;
    for (int i = 0; i < LCL_SPEC_DEFINES; ++i)
        spec.defines[i] = (struct lcl_define){names[i], INT32_MAX};
    defines_of(text, &spec);
}

// Moves *at to the end of the section that starts with this line.
static void expect_part(const char **at, const char *first_line)
{
    assert_memory_equal(*at, first_line, strlen(first_line));
    const char *next = strstr(*at + 1, "#line 1 ");
    *at = next ? next : *at + strlen(*at);
}

static void test_spec__source_is_defines_what_is_included_and_kernel(void **st)
{
    (void)st;
    char defines[LCL_SPEC_TEXT];
    defines_of(defines, &full);
    char *source = lcl_program_source(&full);
    assert_non_null(source);
    assert_memory_equal(source, defines, strlen(defines));
    const char *at = source + strlen(defines);
    expect_part(&at, "#line 1 \"types.cl.h\"\n");
    expect_part(&at, "#line 1 \"factor.cl.h\"\n");
    expect_part(&at, "#line 1 \"stored.cl.h\"\n");
    expect_part(&at, "#line 1 \"slot.cl.h\"\n");
    expect_part(&at, "#line 1 \"wave.cl.h\"\n");
    expect_part(&at, "#line 1 \"packed_ring.cl.h\"\n");
    expect_part(&at, "#line 1 \"packed.cl\"\n");
    assert_string_equal(at, "");
    assert_null(strstr(source, "#include"));
    free(source);
}

static void test_spec__a_header_stands_once_and_after_what_it_needs(void **st)
{
    (void)st;
    const struct lcl_spec spec = {.source = "symbolic.cl"};
    char *source = lcl_program_source(&spec);
    assert_non_null(source);
    const char *at = strstr(source, "#line 1 ");
    assert_non_null(at);
    expect_part(&at, "#line 1 \"sort.cl.h\"\n");
    expect_part(&at, "#line 1 \"types.cl.h\"\n");
    expect_part(&at, "#line 1 \"factor.cl.h\"\n");
    expect_part(&at, "#line 1 \"symbolic.cl.h\"\n");
    expect_part(&at, "#line 1 \"wave.cl.h\"\n");
    expect_part(&at, "#line 1 \"reorder.cl.h\"\n");
    expect_part(&at, "#line 1 \"schedule.cl.h\"\n");
    expect_part(&at, "#line 1 \"symbolic.cl\"\n");
    assert_string_equal(at, "");
    free(source);
}

static void test_spec__unknown_source_is_null(void **state)
{
    (void)state;
    struct lcl_spec spec = full;
    spec.source = "no_such.cl";
    assert_null(lcl_program_source(&spec));
    spec = full;
    spec.group = -1;
    assert_null(lcl_program_source(&spec));
}

static void test_spec__parameters_unknown_to_the_source_are_found(void **state)
{
    (void)state;
    struct lcl_spec spec = full;
    assert_null(lcl_program_unknown(&spec));
    lcl_spec_set(&spec, "STAGES", 0); // not set
    assert_null(lcl_program_unknown(&spec));
    lcl_spec_set(&spec, "STAGES", 2);
    assert_string_equal(lcl_program_unknown(&spec), "STAGES");
}

static int named(const struct lcl_spec *spec)
{
    int count = 0;
    while (count < LCL_SPEC_DEFINES && spec->defines[count].name)
        ++count;
    return count;
}

static void test_spec__defaults_are_left_out(void **state)
{
    (void)state;
    struct lcl_spec spec = {
        .source = "csr.cl",
        .defines = {{"LANES_PER_ROW", 1}, {"VECTORS", 1}, {"LISTED", 0}}};
    lcl_source_drop_defaults(&spec);
    // where VECTORS is given, the source defines more than its value
    assert_int_equal(named(&spec), 1);
    assert_string_equal(spec.defines[0].name, "VECTORS");
    spec.defines[0] = (struct lcl_define){"LANES_PER_ROW", 2};
    lcl_source_drop_defaults(&spec);
    assert_int_equal(named(&spec), 1);
    assert_int_equal(spec.defines[0].value, 2);
}

#define PLAIN .width = 1, .group = 1

// bgje.cl has blocks of 4 by default: 1 is not a default everywhere.
static void test_spec__bundles_serve_plain_specs(void **state)
{
    static const struct {
        struct lcl_spec spec;
        const char *source;
        int block;
    } cases[] = {
        {{.source = "csr.cl", PLAIN}, "solve.cl", 0},
        {{.source = "csr.cl", PLAIN, .block = 1}, "solve.cl", 0},
        {{.source = "csr.cl", .width = 1, .group = 64}, "csr.cl", 0},
        {{.source = "csr.cl", .width = 4, .group = 1}, "csr.cl", 0},
        {{.source = "csr.cl", PLAIN, .wide = 1}, "csr.cl", 0},
        {{.source = "csr.cl", PLAIN, .defines = {{"VECTORS", 2}}}, "csr.cl", 0},
        {{.source = "judge.cl", PLAIN, .block = 3}, "blocks.cl", 3},
        {{.source = "judge.cl", PLAIN}, "solve.cl", 0},
        {{.source = "slices.cl", PLAIN}, "products.cl", 0},
        {{.source = "products.cl", PLAIN}, "products.cl", 0},
        {{.source = "dilu.cl", PLAIN, .storage = 2}, "stored.cl", 0},
        {{.source = "dilu.cl", PLAIN}, "dilu.cl", 0},
        {{.source = "store.cl", PLAIN, .block = 2, .storage = 3},
         "stored_blocks.cl",
         2},
        {{.source = "bgje.cl", PLAIN, .block = 1}, "bgje.cl", 1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        struct lcl_spec spec = cases[i].spec;
        lcl_source_bundle(&spec);
        assert_string_equal(spec.source, cases[i].source);
        assert_int_equal(spec.block, cases[i].block);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spec__defines_are_these_lines),
        cmocka_unit_test(test_spec__fields_that_are_zero_give_no_line),
        cmocka_unit_test(test_spec__equal_specs_give_equal_text),
        cmocka_unit_test(test_spec__each_field_changes_the_text),
        cmocka_unit_test(test_spec__each_name_changes_the_text),
        cmocka_unit_test(test_spec__a_parameter_is_set_or_added),
        cmocka_unit_test(test_spec__each_exchange_has_its_own_text),
        cmocka_unit_test(test_spec__each_way_to_add_has_its_own_text),
        cmocka_unit_test(test_spec__short_buffers_are_refused_whole),
        cmocka_unit_test(test_spec__negative_fields_are_refused),
        cmocka_unit_test(test_spec__names_that_are_no_parameters_are_refused),
        cmocka_unit_test(test_spec__names_that_occur_twice_are_refused),
        cmocka_unit_test(test_spec__largest_values_fit_the_usual_buffer),
        cmocka_unit_test(
            test_spec__source_is_defines_what_is_included_and_kernel),
        cmocka_unit_test(
            test_spec__a_header_stands_once_and_after_what_it_needs),
        cmocka_unit_test(test_spec__unknown_source_is_null),
        cmocka_unit_test(test_spec__parameters_unknown_to_the_source_are_found),
        cmocka_unit_test(test_spec__defaults_are_left_out),
        cmocka_unit_test(test_spec__bundles_serve_plain_specs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
