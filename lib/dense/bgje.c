// SPDX-License-Identifier: BSD-3-Clause
// Inversion of a batch of dense blocks on the device.
#include "lib/dense/bgje.h"

#include "host/alloc.h"
#include "host/geometry.h"
#include "host/launch.h"
#include "host/log.h"
#include "host/runtime.h"

#include <levelcl/precond.h>
#include <levelcl/published.h>

enum {
    WAVES = 4,      // per group
    REGISTERS = 128 // 32-bit registers available for a lane's part of a block
};

// ---------------------------------------------------------------------- forms

// Registers for a lane's rows.
static int registers_of(int rows, int lanes, enum lcl_batch_precision precision)
{
    const int words = precision == LCL_BATCH_PRECISION_FP32 ? 1 : 2;
    return (rows + lanes - 1) / lanes * rows * words;
}

struct lcl_bgje_shape lcl_bgje_shape(const struct lcl_caps *caps,
                                     enum lcl_batch_kernel kernel,
                                     enum lcl_batch_precision precision,
                                     int rows)
{
    struct lcl_bgje_shape form = {.lanes = caps->width};
    if (caps->width == 1)
        return form;
    if (kernel != LCL_BATCH_KERNEL_BGJE &&
        kernel != LCL_BATCH_KERNEL_BGJE_SIZED)
        while (form.lanes / 2 >= rows)
            form.lanes /= 2;
    const bool two = kernel == LCL_BATCH_KERNEL_BGJE_MPW2 ||
                     (kernel == LCL_BATCH_KERNEL_AUTO && rows > 8);
    if (two && form.lanes > 1 &&
        registers_of(rows, form.lanes / 2, precision) <= REGISTERS)
        form.lanes /= 2;
    form.local = registers_of(rows, form.lanes, precision) > REGISTERS;
    if (form.local)
        form.lanes = caps->width;
    return form;
}

// --------------------------------------------------------------------- classes

static int64_t rows_of(const int64_t *block_ptr, int64_t b)
{
    return block_ptr[b + 1] - block_ptr[b];
}

static int class_of(const struct lcl_bgje *B, int64_t rows)
{
    int c = 0;
    while (1 << c < rows && !B->published)
        ++c;
    return c;
}

// Finds the nonempty classes by ascending size: their ranges of the list and
// the numbers of rows of their kernels. Sets place[c] to the start of class c
// in the list.
static void find_classes(struct lcl_bgje *B, const int64_t *block_ptr,
                         int64_t place[LCL_BGJE_CLASSES])
{
    int64_t count[LCL_BGJE_CLASSES] = {0}, begin = 0;
    int least[LCL_BGJE_CLASSES] = {0}, most[LCL_BGJE_CLASSES] = {0};
    for (int64_t b = 0; b < B->count; ++b) {
        const int m = (int)rows_of(block_ptr, b), c = class_of(B, m);
        least[c] = count[c] == 0 || m < least[c] ? m : least[c];
        most[c] = m > most[c] ? m : most[c];
        ++count[c];
    }
    for (int c = 0; c < LCL_BGJE_CLASSES; ++c) {
        place[c] = begin;
        if (count[c] > 0)
            B->classes[B->class_count++] = (struct lcl_bgje_class){
                .rows = most[c],
                .equal = least[c] == most[c] && !B->published,
                .first = begin,
                .end = begin + count[c]};
        begin += count[c];
    }
}

bool lcl_bgje_is_published(enum lcl_batch_kernel kernel)
{
    return kernel == LCL_BATCH_KERNEL_BGJE ||
           kernel == LCL_BATCH_KERNEL_BGJE_MPW;
}

int lcl_bgje_padded(const struct lcl_caps *caps, int rows)
{
    const int lanes = caps->width < LCL_BATCH_PUBLISHED_ROWS_MAX
                          ? caps->width
                          : LCL_BATCH_PUBLISHED_ROWS_MAX;
    return rows > lanes ? rows : lanes;
}

static enum lcl_status get_kernel(const struct lcl_bgje *B,
                                  struct lcl_bgje_class *class,
                                  const struct lcl_batch_params *params,
                                  bool uniform)
{
    const struct lcl_caps *caps = lcl_context_caps(B->ctx);
    if (params->kernel == LCL_BATCH_KERNEL_BGJE)
        class->rows = lcl_bgje_padded(caps, class->rows);
    const struct lcl_bgje_shape form =
        lcl_bgje_shape(caps, params->kernel, params->precision, class->rows);
    const bool single = params->precision == LCL_BATCH_PRECISION_FP32;
    const struct lcl_spec spec = {
        .source = "bgje.cl",
        .kernel = "bgje",
        .group = lcl_wave_group(caps, WAVES),
        .block = class->rows,
        .storage = single ? LCL_FACTOR_STORAGE_FP32 : LCL_FACTOR_STORAGE_FP64,
        .defines = {{"LANES_PER_BLOCK", form.lanes},
                    {"EQUAL_BLOCKS", class->equal},
                    {"CONSECUTIVE_BLOCKS", uniform},
                    {"BLOCK_PER_GROUP", form.local},
                    {"NORMS", B->norms}},
    };
    const int64_t blocks = class->end - class->first;
    const int each = form.local ? 1 : spec.group / form.lanes;
    class->groups =
        caps->width == 1 ? lcl_vector_groups(caps) : (blocks + each - 1) / each;
    return lcl_kernel_get(&class->kernel, B->ctx, &spec);
}

// ---------------------------------------------------------------------- arrays

// Uploads the blocks of each class, in input order.
static enum lcl_status upload_list(struct lcl_bgje *B, const int64_t *block_ptr,
                                   int64_t place[LCL_BGJE_CLASSES])
{
    int32_t *list = lcl_malloc((size_t)B->count, sizeof *list);
    if (!list)
        return lcl_fail_memory(lcl_context_log(B->ctx), "a list of blocks");
    for (int64_t b = 0; b < B->count; ++b)
        list[place[class_of(B, rows_of(block_ptr, b))]++] = (int32_t)b;
    const enum lcl_status st = lcl_buffer_create_from(
        &B->list, B->ctx, list, B->count, sizeof *list, "list of blocks");
    lcl_free(list);
    return st;
}

static enum lcl_status upload(struct lcl_bgje *B, const int64_t *block_ptr,
                              int64_t place[LCL_BGJE_CLASSES])
{
    enum lcl_status st;
    if ((st = upload_list(B, block_ptr, place)) < 0 ||
        (st = lcl_buffer_create_from(&B->block_ptr, B->ctx, block_ptr,
                                     B->count + 1, sizeof *block_ptr,
                                     "block pointers")) < 0)
        return st;
    return lcl_buffer_create_from(&B->starts, B->ctx, B->at, B->count,
                                  sizeof *B->at, "starts of blocks");
}

// Creates dummy buffers for the arguments that a kernel for equal sizes never
// reads.
static enum lcl_status create_dummies(struct lcl_bgje *B)
{
    lcl_buffer **const all[] = {&B->list, &B->block_ptr, &B->starts};
    enum lcl_status st = LCL_OK;
    for (size_t i = 0; i < sizeof all / sizeof *all && st == LCL_OK; ++i)
        st = lcl_buffer_create(all[i], B->ctx, 1, 8, "no list of blocks");
    return st;
}

static bool are_equal(const int64_t *block_ptr, int64_t count)
{
    for (int64_t b = 1; b < count; ++b)
        if (rows_of(block_ptr, b) != rows_of(block_ptr, 0))
            return false;
    return true;
}

static enum lcl_status prepare(struct lcl_bgje *B, const int64_t *block_ptr,
                               const struct lcl_batch_params *params)
{
    int64_t place[LCL_BGJE_CLASSES];
    const bool uniform = are_equal(block_ptr, B->count) && !B->published;
    find_classes(B, block_ptr, place);
    enum lcl_status st =
        uniform ? create_dummies(B) : upload(B, block_ptr, place);
    for (int c = 0; c < B->class_count && st == LCL_OK; ++c)
        st = get_kernel(B, &B->classes[c], params, uniform);
    return st;
}

static enum lcl_status check_rows(const struct lcl_bgje *B,
                                  const int64_t *block_ptr,
                                  enum lcl_batch_kernel kernel)
{
    const int most = LCL_BATCH_PUBLISHED_ROWS_MAX;
    for (int64_t b = 0; b < B->count && B->published; ++b)
        if (rows_of(block_ptr, b) > most)
            return lcl_fail(lcl_context_log(B->ctx), LCL_EUNSUPPORTED,
                            "%s inverts blocks of at most %d rows, block %lld "
                            "has %lld",
                            lcl_batch_kernel_name(kernel), most, (long long)b,
                            (long long)rows_of(block_ptr, b));
    return LCL_OK;
}

enum lcl_status lcl_bgje_init(struct lcl_bgje *B, lcl_context *ctx,
                              const int64_t *block_ptr, int64_t count,
                              const struct lcl_batch_params *params, bool norms)
{
    *B = (struct lcl_bgje){.ctx = ctx,
                           .count = count,
                           .published = lcl_bgje_is_published(params->kernel),
                           .norms = norms};
    if (count > INT32_MAX)
        return lcl_fail(lcl_context_log(ctx), LCL_ERANGE,
                        "%lld blocks, expected fewer than 2^31",
                        (long long)count);
    B->at = lcl_malloc((size_t)count, sizeof *B->at);
    if (!B->at)
        return lcl_fail_memory(lcl_context_log(ctx), "starts of blocks");
    for (int64_t b = 0; b < count; ++b) {
        const int64_t m = rows_of(block_ptr, b);
        B->at[b] = B->entries;
        B->entries += m * m;
    }
    enum lcl_status st = check_rows(B, block_ptr, params->kernel);
    if (st == LCL_OK)
        st = prepare(B, block_ptr, params);
    if (st < 0)
        lcl_bgje_finish(B);
    return st;
}

void lcl_bgje_finish(struct lcl_bgje *B)
{
    lcl_buffer_destroy(&B->list);
    lcl_buffer_destroy(&B->block_ptr);
    lcl_buffer_destroy(&B->starts);
    lcl_free(B->at);
    B->at = NULL;
}

enum lcl_status lcl_bgje_run(const struct lcl_bgje *B, const lcl_buffer *blocks,
                             lcl_buffer *inverse, lcl_buffer *info,
                             lcl_buffer *norms, bool identity)
{
    enum lcl_status st = LCL_OK;
    for (int c = 0; c < B->class_count && st == LCL_OK; ++c) {
        const struct lcl_bgje_class *class = &B->classes[c];
        st = LCL_LAUNCH(class->kernel, class->groups,
                        lcl_arg_long(class->first), lcl_arg_long(class->end),
                        lcl_arg_buffer(B->list), lcl_arg_buffer(B->block_ptr),
                        lcl_arg_buffer(B->starts), lcl_arg_buffer(blocks),
                        lcl_arg_buffer(inverse), lcl_arg_buffer(info),
                        lcl_arg_buffer(B->norms ? norms : inverse),
                        lcl_arg_int(identity));
    }
    return st;
}
