// SPDX-License-Identifier: BSD-3-Clause
// Operations that round once, also on devices whose compilers round more often
// or less often than OpenCL requires (LCL_LOOSE):
//     fused(a, b, c)   a b + c, as fma()
//     narrowed(a)      a as a float, to nearest
#pragma once

#include "stored.cl.h"
#include "wave.cl.h"

#ifndef LCL_LOOSE
# define LCL_LOOSE 0 // 1: fma() or conversions to float do not round correctly
#endif

#if !LCL_LOOSE
# define fused(a, b, c) fma(a, b, c)
# define narrowed(a)    convert_float_rte(a)
#else

# define narrowed(a) lcl_fp32_of(a)

// (-1)^sign (high 2^64 + low) 2^exponent; the last bit of low also stands for
// all nonzero bits below it.
struct long_number {
    ulong high, low;
    int exponent;
    uint sign;
};

// |a| = mantissa 2^exponent with 0 < mantissa < 2^64, whose first bit is set.
INLINE ulong mantissa_of(double a, int *exponent)
{
    const ulong bits = as_ulong(a) & 0x7fffffffffffffffUL;
    const int biased = (int)(bits >> 52);
    const ulong fraction = bits & 0xfffffffffffffUL;
    const ulong m = biased > 0 ? fraction | 1UL << 52 : fraction;
    const int shift = (int)clz(m);
    *exponent = max(biased, 1) - 1075 - shift;
    return m << shift;
}

// Shifts to the right; `by` >= 0.
INLINE struct long_number shifted(struct long_number v, int by)
{
    ulong lost = 0;
    v.exponent += by;
    if (by >= 128) {
        lost = v.high | v.low;
        v.high = v.low = 0;
    } else if (by >= 64) {
        lost = v.low | (by > 64 ? v.high << (128 - by) : 0);
        v.low = v.high >> (by - 64);
        v.high = 0;
    } else {
        lost = v.low << 1 << (63 - by);
        v.low = v.low >> by | v.high << 1 << (63 - by);
        v.high >>= by;
    }
    v.low |= lost != 0;
    return v;
}

// The sum of numbers below 2^127 in units of their common exponent.
INLINE struct long_number add_long(struct long_number a, struct long_number b)
{
    const bool less = a.high < b.high || (a.high == b.high && a.low < b.low);
    const struct long_number large = less ? b : a, small = less ? a : b;
    struct long_number sum = large;
    if (a.sign == b.sign) {
        sum.low += small.low;
        sum.high += small.high + (sum.low < small.low);
    } else {
        sum.low -= small.low;
        sum.high -= small.high + (large.low < small.low);
    }
    return sum;
}

// m / 2^by to nearest, ties to even; 0 < by.
INLINE ulong round_shift(ulong m, int by)
{
    const ulong tie = by <= 64 ? 1UL << (by - 1) : 0;
    const ulong kept = by < 64 ? m >> by : 0;
    const ulong rest = by < 64 ? m & ((tie << 1) - 1) : m;
    if (by > 64)
        return 0;
    return kept + (rest > tie || (rest == tie && (kept & 1) != 0));
}

INLINE double to_double(struct long_number v)
{
    const int shift = (int)(v.high != 0 ? clz(v.high) : 64 + clz(v.low));
    if (shift == 128)
        return 0;
    const ulong upper = shift >= 64
                            ? v.low << (shift - 64)
                            : v.high << shift | v.low >> 1 >> (63 - shift);
    const ulong lower = shift >= 64 ? 0 : v.low << shift;
    const int exponent = v.exponent - shift + 127; // of the first bit
    const int dropped = 11 + max(-1022 - exponent, 0);
    const ulong m = round_shift(upper | (lower != 0), dropped);
    ulong bits = m + ((ulong)max(exponent + 1022, 0) << 52);
    if (exponent > 1023)
        bits = 0x7ff0000000000000UL;
    return as_double(bits | (ulong)v.sign << 63);
}

INLINE double fused(double a, double b, double c)
{
    int a_exponent, b_exponent, c_exponent;
    if (!isfinite(a) || !isfinite(b) || a == 0 || b == 0)
        return a * b + c;
    if (!isfinite(c))
        return c;
    // below 2^63, so that sums stay below 2^127; their last bits were 0
    const ulong m = mantissa_of(a, &a_exponent) >> 1;
    const ulong k = mantissa_of(b, &b_exponent) >> 1;
    const uint sign = (uint)((as_ulong(a) ^ as_ulong(b)) >> 63);
    struct long_number product = {mul_hi(m, k), m * k,
                                  a_exponent + b_exponent + 2, sign};
    if (c == 0)
        return to_double(product);
    const ulong l = mantissa_of(c, &c_exponent) >> 2;
    struct long_number term = {l, 0, c_exponent - 62,
                               (uint)(as_ulong(c) >> 63)};
    const int apart = product.exponent - term.exponent;
    if (apart > 0)
        term = shifted(term, apart);
    else
        product = shifted(product, -apart);
    return to_double(add_long(product, term));
}
#endif
