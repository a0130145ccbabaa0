// SPDX-License-Identifier: BSD-3-Clause
// The rows of a matrix on the device by their length, found there: how many
// there are of each class, then lists of the rows of each bin.
#pragma once

#include "lib/operator/matrix.h"

enum { LCL_ROW_CLASSES = 16, LCL_ROW_BINS = 8 };

// Class c has the rows of 2^(c-1) + 1 to 2^c entries; 0 those of none and one,
// the last one all that are longer.
struct lcl_row_classes {
    int chunks;      // of consecutive rows: rows * g / chunks on
    uint32_t *count; // c * chunks + g: rows of class c in chunk g
    int64_t rows[LCL_ROW_CLASSES];
};

// Counts on the device and reads the counts: a few ten thousand numbers.
// Returns LCL_OK, LCL_EDEVMEM, LCL_EDEVICE, LCL_EBUILD or LCL_ENOMEM; *C is fit
// for lcl_row_classes_finish() in any case.
enum lcl_status lcl_row_classes_init(struct lcl_row_classes *C,
                                     lcl_context *ctx,
                                     const struct lcl_device_matrix *A);
void lcl_row_classes_finish(struct lcl_row_classes *C);

// Bins of rows, one after another in one list; rows of a bin ascend.
struct lcl_row_bins {
    int count;
    int64_t rows[LCL_ROW_BINS];
    int64_t first[LCL_ROW_BINS]; // where the bin starts in the list
    int chunks;
    uint32_t *place;  // b * chunks + g: where bin b's rows of chunk g start
    lcl_buffer *list; // int32; NULL: not made
};

// Puts class c into bin bin_of[c] < count; the list is made by the call after.
// Returns LCL_OK or LCL_ENOMEM; *B is fit for lcl_row_bins_finish() in any
// case.
enum lcl_status lcl_row_bins_init(struct lcl_row_bins *B, lcl_context *ctx,
                                  const struct lcl_row_classes *C,
                                  const int bin_of[LCL_ROW_CLASSES], int count);
// Statuses as lcl_row_classes_init().
enum lcl_status lcl_row_bins_list(struct lcl_row_bins *B, lcl_context *ctx,
                                  const struct lcl_device_matrix *A,
                                  const int bin_of[LCL_ROW_CLASSES]);
void lcl_row_bins_finish(struct lcl_row_bins *B);

// The first entry (as A's row pointers) and the number of entries (int32) of
// each row of the list. Statuses as above.
enum lcl_status lcl_row_extents(lcl_buffer **start, lcl_buffer **length,
                                lcl_context *ctx,
                                const struct lcl_device_matrix *A,
                                const struct lcl_row_bins *B);
