// SPDX-License-Identifier: BSD-3-Clause
// The values of a factor as they are stored for its application (LCL_STORAGE:
// 1 fp64, 2 fp32, 3 bf16), rounded to nearest, ties to even. What is too large
// becomes infinite; in bf16 what is below 2^-126 becomes 0.
#pragma once

// Of the 53 significant bits 8 are kept; a carry may go into the exponent, as
// it should. Then the value is a float.
#define STORE_DROPPED_BITS 45
static inline uint store_bf16(double a)
{
    const ulong bits = as_ulong(a), odd = bits >> STORE_DROPPED_BITS & 1;
    const ulong half_less = (1UL << (STORE_DROPPED_BITS - 1)) - 1;
    const ulong kept = (bits + half_less + odd) >> STORE_DROPPED_BITS;
    const float f =
        convert_float(isfinite(a) ? as_double(kept << STORE_DROPPED_BITS) : a);
    return as_uint(fabs(f) < 0x1p-126f ? copysign(0.0f, f) : f) >> 16;
}

// Whether a value loses its meaning: one that is not finite then, or one below
// the normal floats that is not 0. `limit` is the first that is rounded up to
// infinity.
static inline int store_loses(double a, double limit)
{
    return !(fabs(a) < limit) || (a != 0 && fabs(a) < 0x1p-126);
}
#define STORE_FP32_LIMIT 0x1.ffffffp127
#define STORE_BF16_LIMIT 0x1.ffp127
