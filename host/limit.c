// SPDX-License-Identifier: BSD-3-Clause
// Limits of set-ups.
#include "host/limit.h"

#include "host/clock.h"
#include "host/log.h"

bool lcl_limit_is_over(const struct lcl_limit *L)
{
    return L && ((L->cancelled && atomic_load(L->cancelled)) ||
                 (L->deadline > 0 && lcl_now() > L->deadline));
}

enum lcl_status lcl_limit_look(const struct lcl_limit *L,
                               const struct lcl_log *log)
{
    return lcl_limit_is_over(L) ? lcl_limit_refuse(L, log) : LCL_OK;
}

enum lcl_status lcl_limit_refuse(const struct lcl_limit *L,
                                 const struct lcl_log *log)
{
    const bool cancelled = L->cancelled && atomic_load(L->cancelled);
    const bool late = L->deadline > 0 && lcl_now() > L->deadline;
    lcl_info(log, "a set-up ends early: %s",
             cancelled ? "it was cancelled"
             : late    ? "the time limit is reached"
                       : "it takes far longer than the methods before it");
    return LCL_ECANCELLED;
}
