// SPDX-License-Identifier: BSD-3-Clause
// Limits of set-ups: long loops of the host check them every few thousand
// operations, and launches check them as well.
#pragma once

#include <levelcl/context.h>

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

// All zero: none.
struct lcl_limit {
    double deadline;              // by lcl_now(), or 0
    const atomic_bool *cancelled; // set by another thread, or NULL
    int64_t work;  // limit of operations to find one pattern of factors, or 0
    bool launches; // whether launches end as well: not if other ranks of MPI
                   // wait for their results
};

// Whether the limit has been reached. NULL: no limit.
bool lcl_limit_is_over(const struct lcl_limit *L);

// Returns LCL_OK or, if the limit has been reached, lcl_limit_refuse().
enum lcl_status lcl_limit_look(const struct lcl_limit *L,
                               const struct lcl_log *log);

// Returns LCL_ECANCELLED, with a message about the reason.
enum lcl_status lcl_limit_refuse(const struct lcl_limit *L,
                                 const struct lcl_log *log);
