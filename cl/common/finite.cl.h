// SPDX-License-Identifier: BSD-3-Clause
// Looks for values that are not finite among many: isfinite() is a call on
// CPUs.
#pragma once

#define NOT_FINITE 0x7ff00000u // the largest exponent_of()

// Ascends with the exponent.
static inline uint exponent_of(double v)
{
    return (uint)(as_ulong(v) >> 32) & NOT_FINITE;
}
