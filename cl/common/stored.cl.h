// SPDX-License-Identifier: BSD-3-Clause
// Storage formats of values: double, float, or bf16, the upper half of a float
// (same range, 8 significant bits).
#pragma once

#define LCL_STORED_FP64 1 // enum lcl_factor_storage
#define LCL_STORED_FP32 2
#define LCL_STORED_BF16 3

// The smallest values that round to infinity.
#define LCL_FP32_LIMIT 0x1.ffffffp127
#define LCL_BF16_LIMIT 0x1.ffp127

// Rounds a to nearest, ties to even; overflow becomes infinity. Converts no
// value that overflows, for hosts that trap it: on a CPU they run the kernels.
static inline float lcl_fp32_of(double a)
{
    const uint sign = (uint)(as_ulong(a) >> 63) << 31;
    const float f = convert_float_rte(fmin(fabs(a), 0x1.fffffep127));
    const uint special = isnan(a) ? 0x7fc00000 : 0x7f800000;
    return as_float(sign | (fabs(a) < LCL_FP32_LIMIT ? as_uint(f) : special));
}

// Rounds a to nearest, ties to even; overflow becomes infinity, magnitudes
// below 2^-126 become 0. Keeps 8 of the 53 significant bits; a carry into the
// exponent is correct. The result is exact as a float.
static inline uint lcl_bf16_of(double a)
{
    const uint dropped = 45;
    const ulong bits = as_ulong(a), odd = bits >> dropped & 1;
    const ulong half_less = (1UL << (dropped - 1)) - 1;
    const ulong kept = (bits + half_less + odd) >> dropped;
    const float f = lcl_fp32_of(isfinite(a) ? as_double(kept << dropped) : a);
    return as_uint(fabs(f) < 0x1p-126f ? copysign(0.0f, f) : f) >> 16;
}

static inline double lcl_bf16_value(uint bits)
{
    return (double)as_float(bits << 16);
}

static inline uint lcl_stored_bytes(uint storage)
{
    return storage == LCL_STORED_FP32 ? 4 : storage == LCL_STORED_BF16 ? 2 : 8;
}

// Value k of the array at `a`.
static inline double lcl_stored_get(global const void *a, uint storage, uint k)
{
    if (storage == LCL_STORED_FP32)
        return ((global const float *)a)[k];
    if (storage == LCL_STORED_BF16)
        return lcl_bf16_value(((global const ushort *)a)[k]);
    return ((global const double *)a)[k];
}

static inline void lcl_stored_put(global void *a, uint storage, uint k,
                                  double v)
{
    if (storage == LCL_STORED_FP32)
        ((global float *)a)[k] = lcl_fp32_of(v);
    else if (storage == LCL_STORED_BF16)
        ((global ushort *)a)[k] = lcl_bf16_of(v);
    else
        ((global double *)a)[k] = v;
}

// Whether a value is lost as a float or in bf16: it is then infinite or NaN, or
// it is nonzero and below the normal floats. `limit` is that of the format.
static inline int lcl_stored_loses(double a, double limit)
{
    return !(fabs(a) < limit) || (a != 0 && fabs(a) < 0x1p-126);
}

// Adds to the 64-bit count in counts[1] (low half) and counts[2] (high half).
static inline void lcl_stored_count(global int *counts, int lost)
{
    const uint before = (uint)atomic_add(&counts[1], lost);
    if (before + (uint)lost < before)
        atomic_inc(&counts[2]);
}
