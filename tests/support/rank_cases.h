// SPDX-License-Identifier: BSD-3-Clause
// Cases for ranks that any transport connects. They assert nothing, as cmocka
// knows one thread only.
#pragma once

#include "lib/comm/comm.h"

// All ranks call it. Returns LCL_OK; LCL_ESELFTEST if a result is wrong, which
// it prints; or the error of a call that had to succeed.
typedef enum lcl_status lcl_test_rank_fn(struct lcl_comm *C);

struct lcl_test_rank_case {
    const char *name;
    lcl_test_rank_fn *run;
};

// Ends with an element without a name.
extern const struct lcl_test_rank_case lcl_test_rank_cases[];

// Calls that wait for other ranks: a sum of one number, sums of many, and a
// message to the next rank of more bytes than MPI sends before they are
// received.
lcl_test_rank_fn lcl_test_rank_sum, lcl_test_rank_sums, lcl_test_rank_ring;

// Gathers `rounds` times, in between exchanges of changing buffers.
enum lcl_status lcl_test_rank_mix(struct lcl_comm *C, int rounds);
