// SPDX-License-Identifier: BSD-3-Clause
// Ranks that read one file together.
#pragma once

#include "lib/comm/comm.h"

#include <levelcl/matrix.h>

// As lcl_rows_read(), collective: ranks read a plain Matrix Market file in
// slices of lines and send the entries to the ranks that own their rows, so
// that none holds the whole matrix. Messages go to the log of the rank. An
// error is one on all ranks; LCL_EINVAL also if files that are not compressed
// differ: each rank compares its part with the file of one other rank.
enum lcl_status lcl_rows_read_shared(struct lcl_rows *out, const char *path,
                                     int block, struct lcl_comm *C);
