// SPDX-License-Identifier: BSD-3-Clause
// The table of the adaptive product: which rows a group of work-items takes at
// a time, and with how many lanes each.
#pragma once

#include "lib/operator/row_bins.h"

// As adaptive.cl has them.
enum { LCL_TILE_WHOLE = 7, LCL_TILE_SUMMED = 8 };

struct lcl_tile {
    int32_t kind, first, count, row;
};

// Entries from .. to - 1 of a row, whose product is partial sum `slot`.
struct lcl_part {
    int32_t row, from, to, slot;
};

// Bin 0 has the long rows, bin b those with 2^lanes[b] lanes each.
enum { LCL_TILE_BINS = 7 };

struct lcl_tiles {
    int group;        // work-items
    bool as_they_are; // one bin but for long rows: there is no need for lists
    int64_t longest;  // entries of a row that is not long
    int lanes[LCL_TILE_BINS]; // log2
    int bin_of[LCL_ROW_CLASSES];
    struct lcl_tile *table;
    int count;
    struct lcl_part *parts;
    int parts_count;
};

// Chooses bins for a matrix with such rows, on a device whose waves have
// `width` lanes and groups `group` work-items. The classes that a bin has and
// that hold few rows go to a neighbour, so that most matrices need few bins.
void lcl_tiles_choose(struct lcl_tiles *T, const struct lcl_row_classes *C,
                      int width, int group);

// Fills the table from the lists and from the first B->rows[0] rows of the list
// and their lengths. Tiles of long rows come first; of the others those that
// start in the same part of the matrix stand together, whatever their bin, so
// that what they read of x and of the entries is read once. Returns LCL_OK,
// LCL_ERANGE (more than 2^31 tiles) or LCL_ENOMEM; *T is fit for
// lcl_tiles_finish() in any case.
enum lcl_status lcl_tiles_fill(struct lcl_tiles *T,
                               const struct lcl_row_bins *B, int64_t rows,
                               const int32_t *long_rows, const int32_t *lengths,
                               const struct lcl_log *log);
void lcl_tiles_finish(struct lcl_tiles *T);
