// SPDX-License-Identifier: BSD-3-Clause
// The tile table of the adaptive product: which rows a work-group handles at a
// time, and with how many lanes per row.
#pragma once

#include "lib/spmv/row_bins.h"

#include "cl/spmv/adaptive.cl.h"

struct lcl_tile {
    int32_t kind, first, count, row;
};

// Entries from .. to - 1 of a long row; their product is partial sum `slot`.
struct lcl_row_part {
    int32_t row, from, to, slot;
};

// Bin 0 holds the long rows, bin b the rows with 2^lanes[b] lanes each.
enum { LCL_TILE_BINS = 7 };

struct lcl_tiles {
    int group;                // work-group size
    bool as_they_are;         // one bin apart from the long rows: no lists
    int64_t longest;          // most entries of a row that is not long
    int lanes[LCL_TILE_BINS]; // log2
    int bin_of[LCL_ROW_CLASSES];
    struct lcl_tile *table;
    int count;
    struct lcl_row_part *parts;
    int parts_count;
};

// Chooses bins for the row lengths in C, on a device with waves of `width`
// lanes and work-groups of `group` work-items. Classes with few rows join a
// neighbouring bin, so that most matrices need few bins.
void lcl_tiles_choose(struct lcl_tiles *T, const struct lcl_row_classes *C,
                      int width, int group);

// Fills the table from the lists and from the first B->rows[0] rows of the list
// (`long_rows`) and their lengths. Tiles of long rows come first. The other
// tiles are ordered by the part of the matrix that they start in, whatever
// their bin, so that the device reads each part of x and of the entries once.
// Returns LCL_OK, LCL_ERANGE (more than 2^31 tiles) or LCL_ENOMEM; *T is fit
// for lcl_tiles_finish() in any case.
enum lcl_status lcl_tiles_fill(struct lcl_tiles *T,
                               const struct lcl_row_bins *B, int64_t rows,
                               const int32_t *long_rows, const int32_t *lengths,
                               const struct lcl_log *log);
void lcl_tiles_finish(struct lcl_tiles *T);
