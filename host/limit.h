// SPDX-License-Identifier: BSD-3-Clause
// When a set-up has to end: long loops of the host look at it after some
// thousand operations each, and so do launches.
#pragma once

#include <levelcl/context.h>

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

// All zero: none.
struct lcl_limit {
    double deadline;              // of lcl_now(), or 0
    const atomic_bool *cancelled; // by another thread, or NULL
    int64_t work;  // operations that find one pattern of factors, or 0
    bool launches; // whether launches end as well: not where a rank of MPI
                   // computes what others wait for
};

// NULL is none.
bool lcl_limit_is_over(const struct lcl_limit *L);

// LCL_OK, or lcl_limit_refuse() if it is over.
enum lcl_status lcl_limit_look(const struct lcl_limit *L,
                               const struct lcl_log *log);

// LCL_ECANCELLED, with a message that says why.
enum lcl_status lcl_limit_refuse(const struct lcl_limit *L,
                                 const struct lcl_log *log);
