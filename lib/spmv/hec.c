// SPDX-License-Identifier: BSD-3-Clause
// Conversion to HEC: the widths of its parts on the host, the rest on the
// device.
#include "lib/spmv/hec.h"

#include "host/alloc.h"
#include "host/geometry.h"
#include "host/launch.h"
#include "host/log.h"
#include "host/runtime.h"

enum {
    CSR_COST = 3, // of an entry in CSR, compared with a slot of ELL: lanes read
                  // places far apart
    WIDEST = 1024 // ELL part, unless its width is given
};

// ------------------------------------------------------------------- split

// Number of entries of row i that may be in ELL.
static int64_t movable(const int64_t *row_ptr, int64_t i, int kept)
{
    const int64_t length = row_ptr[i + 1] - row_ptr[i];
    return length > kept ? length - kept : 0;
}

static int64_t longest(const int64_t *row_ptr, int64_t rows, int kept)
{
    int64_t most = 0;
    for (int64_t i = 0; i < rows; ++i)
        if (movable(row_ptr, i, kept) > most)
            most = movable(row_ptr, i, kept);
    return most;
}

// The largest k such that a third of the rows have k entries or more: a further
// column of n slots would take longer than the entries that it replaces.
static int64_t choose_width(const int64_t *row_ptr, int64_t rows, int kept,
                            int64_t most)
{
    int64_t count[WIDEST + 1] = {0}, longer = 0;
    int64_t width = most < WIDEST ? most : WIDEST;
    for (int64_t i = 0; i < rows; ++i) {
        const int64_t length = movable(row_ptr, i, kept);
        ++count[length < WIDEST ? length : WIDEST];
    }
    for (; width > 0; --width)
        if (CSR_COST * (longer += count[width]) >= rows)
            break;
    return width;
}

enum lcl_status lcl_hec_split_init(struct lcl_hec_split *H,
                                   const int64_t *row_ptr, int64_t rows,
                                   int kept, int64_t width,
                                   const struct lcl_log *log)
{
    const int64_t most = longest(row_ptr, rows, kept);
    *H = (struct lcl_hec_split){.rows = rows, .width = width};
    if (width < 0 || width > most)
        return lcl_fail(log, LCL_EINVAL,
                        "an ELL part of %lld columns: the longest row of the "
                        "matrix has entries for 0 to %lld",
                        (long long)width, (long long)most);
    if (width == 0)
        H->width = choose_width(row_ptr, rows, kept, most);
    H->csr_ptr = lcl_malloc((size_t)rows + 1, sizeof *H->csr_ptr);
    if (!H->csr_ptr)
        return lcl_fail_memory(log, "row pointers");
    H->csr_ptr[0] = 0;
    for (int64_t i = 0; i < rows; ++i) {
        const int64_t count = movable(row_ptr, i, kept);
        H->csr_ptr[i + 1] = H->csr_ptr[i] + (row_ptr[i + 1] - row_ptr[i]) -
                            (count < H->width ? count : H->width);
    }
    return LCL_OK;
}

void lcl_hec_split_finish(struct lcl_hec_split *H)
{
    lcl_free(H->csr_ptr);
    *H = (struct lcl_hec_split){.csr_ptr = NULL};
}

// ------------------------------------------------------------------- matrix

static enum lcl_status get_kernel(lcl_kernel **out, lcl_context *ctx,
                                  const struct lcl_device_matrix *A,
                                  const char *name)
{
    const struct lcl_spec spec = {
        .source = "hec.cl",
        .kernel = name,
        .group = lcl_vector_group(lcl_context_caps(ctx)),
        .wide = A->wide,
    };
    return lcl_kernel_get(out, ctx, &spec);
}

static enum lcl_status upload_csr_ptr(struct lcl_hec *H, lcl_context *ctx,
                                      const int64_t *csr_ptr, bool wide)
{
    const char *what = "row pointers";
    return wide ? lcl_buffer_create_from(&H->csr_ptr, ctx, csr_ptr, H->rows + 1,
                                         sizeof *csr_ptr, what)
                : lcl_buffer_create_narrow(&H->csr_ptr, ctx, csr_ptr,
                                           H->rows + 1, what);
}

enum lcl_status lcl_hec_init(struct lcl_hec *H, lcl_context *ctx,
                             const struct lcl_device_matrix *A,
                             const struct lcl_hec_split *split, int32_t spare)
{
    const int64_t n = split->rows, rest = split->csr_ptr[n];
    const int64_t stride =
        (n + LCL_HEC_ALIGN - 1) / LCL_HEC_ALIGN * LCL_HEC_ALIGN;
    *H = (struct lcl_hec){.rows = n, .width = split->width, .stride = stride};
    const struct lcl_buffer_plan buffers[] = {
        {&H->ell_col, H->width * stride, sizeof(int32_t), "columns in ELL"},
        {&H->ell_val, H->width * stride, sizeof(double), "values in ELL"},
        {&H->csr_col, rest, sizeof(int32_t), "columns beside ELL"},
        {&H->csr_val, rest, sizeof(double), "values beside ELL"},
    };
    lcl_kernel *columns;
    enum lcl_status st;
    if ((st = lcl_buffers_create(ctx, buffers,
                                 sizeof buffers / sizeof *buffers)) < 0 ||
        (st = upload_csr_ptr(H, ctx, split->csr_ptr, A->wide)) < 0 ||
        (st = get_kernel(&H->values, ctx, A, "hec_values")) < 0 ||
        (st = get_kernel(&columns, ctx, A, "hec_columns")) < 0)
        return st;
    return LCL_LAUNCH(columns, A->groups, lcl_arg_long(n),
                      lcl_arg_int((int32_t)H->width), lcl_arg_long(stride),
                      lcl_arg_int(spare), lcl_arg_buffer(A->row_ptr),
                      lcl_arg_buffer(A->col), lcl_arg_buffer(H->csr_ptr),
                      lcl_arg_buffer(H->ell_col), lcl_arg_buffer(H->csr_col));
}

void lcl_hec_finish(struct lcl_hec *H)
{
    lcl_buffer_destroy(&H->ell_col);
    lcl_buffer_destroy(&H->ell_val);
    lcl_buffer_destroy(&H->csr_ptr);
    lcl_buffer_destroy(&H->csr_col);
    lcl_buffer_destroy(&H->csr_val);
}

enum lcl_status lcl_hec_update(const struct lcl_hec *H,
                               const struct lcl_device_matrix *A)
{
    return LCL_LAUNCH(H->values, A->groups, lcl_arg_long(H->rows),
                      lcl_arg_int((int32_t)H->width), lcl_arg_long(H->stride),
                      lcl_arg_buffer(A->row_ptr), lcl_arg_buffer(A->val),
                      lcl_arg_buffer(H->csr_ptr), lcl_arg_buffer(H->ell_val),
                      lcl_arg_buffer(H->csr_val));
}

uint64_t lcl_hec_bytes(const struct lcl_hec *H)
{
    return lcl_buffer_bytes(H->ell_col) + lcl_buffer_bytes(H->ell_val) +
           lcl_buffer_bytes(H->csr_ptr) + lcl_buffer_bytes(H->csr_col) +
           lcl_buffer_bytes(H->csr_val);
}
