/* SPDX-License-Identifier: BSD-3-Clause */
/* Inverses of many small dense blocks at once. */
#ifndef LEVELCL_BATCH_H
#define LEVELCL_BATCH_H

#include <levelcl/context.h>

LCL_BEGIN_DECLS

/* Rows of a block. */
enum { LCL_BATCH_ROWS_MAX = 64 };

/* How lanes are assigned to blocks; <levelcl/published.h> has other values. All
 * do the same arithmetic. These sort blocks by their rows, rounded up to a
 * power of two, and launch one kernel per class, which pads them to the largest
 * block of the class. BGJE: Anzt, Dongarra, Flegar, Quintana-Orti, Parallel
 * Computing 81 (2019). */
enum lcl_batch_kernel {
    LCL_BATCH_KERNEL_AUTO = 0,       /* BGJE_MPW_SIZED or BGJE_MPW2, by size */
    LCL_BATCH_KERNEL_BGJE_SIZED = 3, /* one block per wave, one row per lane */
    LCL_BATCH_KERNEL_BGJE_MPW_SIZED = 4, /* as many blocks per wave as fit, one
                                            row per lane */
    LCL_BATCH_KERNEL_BGJE_MPW2 = 5, /* the same with two rows per lane: each
                                       exchanged number is used twice */
    LCL_BATCH_KERNEL_COUNT = 6,
};

/* Precision of the inversion. */
enum lcl_batch_precision {
    LCL_BATCH_PRECISION_DEFAULT = 0, /* FP64 */
    LCL_BATCH_PRECISION_FP64,
    LCL_BATCH_PRECISION_FP32,
    LCL_BATCH_PRECISION_COUNT,
};

/* Handling of singular blocks: a column has no pivot that is finite and has a
 * finite inverse, or the inverse overflows. */
enum lcl_batch_singular {
    LCL_BATCH_SINGULAR_DEFAULT = 0, /* FAIL */
    LCL_BATCH_SINGULAR_FAIL,        /* LCL_EPIVOT, no inverses written */
    LCL_BATCH_SINGULAR_IDENTITY,    /* the identity replaces the inverse */
    LCL_BATCH_SINGULAR_KEEP,        /* the block itself replaces the inverse */
    LCL_BATCH_SINGULAR_COUNT,
};

/* All zero is the default. */
struct lcl_batch_params {
    enum lcl_batch_kernel kernel;
    enum lcl_batch_precision precision;
    enum lcl_batch_singular singular;
};

#define LCL_BATCH_PARAMS_INIT LCL_ZERO

/* Inverts `count` blocks, of any mix of sizes, by Gauss-Jordan elimination with
 * partial pivoting on the device. Block b has block_ptr[b + 1] - block_ptr[b]
 * rows, 1 to LCL_BATCH_ROWS_MAX, and block_ptr[0] = 0. Blocks are square,
 * row-major and contiguous; so are the inverses. (Or both column-major.) The
 * caller owns all arrays; `inverse` may be `blocks`. `info`, `count` numbers or
 * NULL, gets 0 or, for a singular block, the one-based column without a pivot.
 * NULL params mean the defaults.
 * Returns LCL_OK; LCL_PIVOTS_REPAIRED (singular blocks, replaced according to
 * params->singular); LCL_EPIVOT (the message names the first singular block;
 * info is written, `inverse` is not); LCL_EINVAL (an argument is NULL, count is
 * negative, parameters); LCL_EFORMAT (block_ptr: the message names the block);
 * LCL_EUNSUPPORTED (a block too large for the kernel: the message names it);
 * LCL_ERANGE (2^31 blocks or more); LCL_EDEVMEM; LCL_EDEVICE; LCL_EBUILD;
 * LCL_ENOMEM. */
LCL_NODISCARD LCL_API enum lcl_status lcl_batch_invert(
    lcl_context *ctx, double *inverse, const double *blocks,
    const int64_t *block_ptr, int64_t count, int32_t *info,
    const struct lcl_batch_params *params);

/* Names used in output and accepted as input: "bgje_mpw", "fp32",
 * "identity". */
LCL_API const char *lcl_batch_kernel_name(enum lcl_batch_kernel kernel);
LCL_API const char *lcl_batch_precision_name(
    enum lcl_batch_precision precision);
LCL_API const char *lcl_batch_singular_name(enum lcl_batch_singular singular);

LCL_END_DECLS

#endif
