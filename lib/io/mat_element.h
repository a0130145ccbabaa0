// SPDX-License-Identifier: BSD-3-Clause
// Data elements of MATLAB's MAT-files, version 5. Source of the format:
// "MAT-File Format", The MathWorks.
#pragma once

#include "lib/io/stream.h"

enum lcl_mat_type {
    LCL_MAT_INT8 = 1,
    LCL_MAT_INT32 = 5,
    LCL_MAT_UINT32 = 6,
    LCL_MAT_SINGLE = 7,
    LCL_MAT_DOUBLE = 9,
    LCL_MAT_INT64 = 12,
    LCL_MAT_UINT64 = 13,
    LCL_MAT_MATRIX = 14,
    LCL_MAT_COMPRESSED = 15,
};

// Bytes in memory, from which elements are taken.
struct lcl_mat_view {
    const unsigned char *at, *end;
    bool big; // the first byte of a number is the highest one
};

struct lcl_mat_element {
    int type;
    bool big;
    const unsigned char *bytes;
    int64_t size;
};

// Takes the next element, without its padding. False: there is none, or it is
// longer than the view.
bool lcl_mat_take(struct lcl_mat_element *E, struct lcl_mat_view *V);

// How many numbers an element has; 0 if its type is none of numbers.
int64_t lcl_mat_count(const struct lcl_mat_element *E);
bool lcl_mat_are_integers(const struct lcl_mat_element *E);
// Number k of them.
double lcl_mat_number(const struct lcl_mat_element *E, int64_t k);

// The bytes of the next element of a file, unpacked if it is compressed, as an
// element of the type MATRIX or of another one; NULL at the end of the file.
// The caller frees *bytes with lcl_free(). Returns LCL_OK, LCL_EIO (truncated,
// damaged) or LCL_ENOMEM.
enum lcl_status lcl_mat_next(unsigned char **bytes, struct lcl_mat_view *V,
                             lcl_stream *stream);
