// SPDX-License-Identifier: BSD-3-Clause
// Sorts the rows of a matrix by length, on the device: counts the rows of each
// class, then lists the rows of each bin.
#pragma once

#include "lib/storage/matrix.h"

enum { LCL_ROW_CLASSES = 16, LCL_ROW_BINS = 8 };

// Class c holds the rows of 2^(c-1) + 1 to 2^c entries; class 0 those with none
// or one, the last class all longer rows.
struct lcl_row_classes {
    int chunks;      // of consecutive rows: g starts at rows * g / chunks
    uint32_t *count; // at c * chunks + g: number of rows of class c in chunk g
    int64_t rows[LCL_ROW_CLASSES];
};

// Counts on the device and reads back the counts: a few ten thousand numbers.
// Returns LCL_OK, LCL_EDEVMEM, LCL_EDEVICE, LCL_EBUILD or LCL_ENOMEM; *C is fit
// for lcl_row_classes_finish() in any case.
enum lcl_status lcl_row_classes_init(struct lcl_row_classes *C,
                                     lcl_context *ctx,
                                     const struct lcl_device_matrix *A);
void lcl_row_classes_finish(struct lcl_row_classes *C);

// Bins of rows, concatenated in one list; the rows of a bin ascend.
struct lcl_row_bins {
    int count;
    int64_t rows[LCL_ROW_BINS];
    int64_t first[LCL_ROW_BINS]; // offset of the bin in the list
    int chunks;
    uint32_t *place;  // at b * chunks + g: start of bin b's rows of chunk g
    lcl_buffer *list; // int32; NULL until lcl_row_bins_list()
};

// Assigns class c to bin bin_of[c] < count; lcl_row_bins_list() makes the list.
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

// Makes arrays with the first entry (in the type of A's row pointers) and the
// number of entries (int32) of each row of the list. Statuses as
// lcl_row_classes_init().
enum lcl_status lcl_row_extents(lcl_buffer **start, lcl_buffer **length,
                                lcl_context *ctx,
                                const struct lcl_device_matrix *A,
                                const struct lcl_row_bins *B);
