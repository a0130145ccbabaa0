// SPDX-License-Identifier: BSD-3-Clause
// Steps of an application that the check of E^-1 takes, too. They are enqueued
// and do nothing where stop[at] is not 0.
#pragma once

#include "lib/multilevel/coarse.h"

// t = Z^T r
enum lcl_status lcl_coarse_restrict(const struct lcl_coarse_space *C,
                                    const lcl_buffer *r, const lcl_buffer *stop,
                                    int at);

// y = r - W e
enum lcl_status lcl_coarse_residual(const struct lcl_coarse_space *C,
                                    const lcl_buffer *r, const lcl_buffer *stop,
                                    int at);
