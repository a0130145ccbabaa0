// SPDX-License-Identifier: BSD-3-Clause
// Sparse product C = A B on the device: the pattern once, values as often as
// those of A and B change.
#pragma once

#include "host/program.h"
#include "lib/storage/matrix.h"

// Lanes of the teams of a pass (cl/storage/spgemm.cl), as binary logarithms.
struct lcl_spgemm_team {
    int shift;    // lanes of a team
    int along;    // lanes that share a row of B in the symbolic phase
    int bits;     // slots of the hash table of a team
    int multiply; // lanes of a team in the numeric phase
};

enum { LCL_SPGEMM_PASSES = 2 };

struct lcl_spgemm {
    lcl_context *ctx;
    lcl_kernel *multiply, *multiply_long;
    struct lcl_spgemm_team team[LCL_SPGEMM_PASSES];
    lcl_buffer *long_rows;    // rows of the second pass, int32
    lcl_buffer *longest_rows; // rows of spgemm_long.cl, int32
    int64_t long_count, longest_count;
    // At width 1 (cl/storage/spgemm_serial.cl) without teams: groups, and
    // their marks, uint32; at most one for each entry of A and B
    lcl_buffer *marks; // NULL at other widths
    int64_t groups;
};

// Symbolic phase: *C receives the pattern of A B, with ascending columns, and
// memory for its values. Positions whose sum cancels are stored. A and B have
// block size 1 and ascending columns; their values are not read. Waits for the
// device once, for the number of entries. The caller frees *S and *C; on error
// both are empty. Returns LCL_OK, LCL_EINVAL (A and B do not fit), LCL_EDEVMEM
// (C is larger than the memory of the device), LCL_ESELFTEST (impossible
// counts: the device is faulty), LCL_EBUILD, LCL_EDEVICE or LCL_ENOMEM.
enum lcl_status lcl_spgemm_init(struct lcl_spgemm *S,
                                struct lcl_device_matrix *C, lcl_context *ctx,
                                const struct lcl_device_matrix *A,
                                const struct lcl_device_matrix *B);
// The same if C has at most `most` entries; otherwise C->blocks is their number
// and C has no arrays.
enum lcl_status lcl_spgemm_init_most(struct lcl_spgemm *S,
                                     struct lcl_device_matrix *C,
                                     lcl_context *ctx,
                                     const struct lcl_device_matrix *A,
                                     const struct lcl_device_matrix *B,
                                     int64_t most);
void lcl_spgemm_finish(struct lcl_spgemm *S);

// Numeric phase: the values of C from those of A and B, which have the patterns
// of lcl_spgemm_init(). c_ij is the sum over ascending k of a_ik b_kj, each
// term added with one rounding: the same bits on every device. Enqueued.
// Returns LCL_OK, LCL_ERANGE or LCL_EDEVICE.
enum lcl_status lcl_spgemm_update(const struct lcl_spgemm *S,
                                  const struct lcl_device_matrix *C,
                                  const struct lcl_device_matrix *A,
                                  const struct lcl_device_matrix *B);
