// SPDX-License-Identifier: BSD-3-Clause
// Shared by cl/storage/properties.cl and the host.
#pragma once

#include "types.cl.h"

// A row whose couplings add up to at most this share of its diagonal is
// dominated by it: the matrix scaled by its diagonal then has condition number
// 19 at most, if all rows are.
#define PROPERTIES_CLOSE 0.9

// Couplings that add up to more than this multiple of the diagonal: no row of a
// discretised elliptic operator has them, and most rows of a badly scaled one
// do.
#define PROPERTIES_LOOSE 1.5

// A penalty, as finite elements put it on the diagonal of rows whose unknown
// they prescribe: so many times the couplings of the row, and the diagonal of
// rows without one. A tolerance relative to ||b|| says nothing of the others.
#define PROPERTIES_PENALTY 1e5

// Sums over the rows, as in properties.cl; the first PROPERTIES_COUNTS count
// rows, the last two are the asymmetry and its scale.
#define PROPERTIES_COUNTS    4
#define PROPERTIES_SIZES     8
#define PROPERTIES_ASYMMETRY 12
#define PROPERTIES_SUMS      14

// 32 pseudo-random bits for row or column i, and from them its elements of two
// vectors u and w, multiples of 2^-15 in [-1, 1).
static inline lcl_u32 properties_hash(lcl_u64 i)
{
    lcl_u32 h = (lcl_u32)i * 0x9e3779b1u + 0x51ed270bu;
    h = (h ^ (h >> 16)) * 0x85ebca6bu;
    h = (h ^ (h >> 13)) * 0xc2b2ae35u;
    return h ^ (h >> 16);
}

// e where 2^e <= |d| < 2^(e+1); of subnormal numbers -1023.
static inline double properties_exponent(lcl_u64 bits)
{
    return (double)((int)(bits >> 52 & 0x7ff) - 1023);
}

static inline double properties_u(lcl_u32 hash)
{
    return (double)((int)(hash & 0xffff) - 0x8000) * 0x1p-15;
}

static inline double properties_w(lcl_u32 hash)
{
    return (double)((int)(hash >> 16) - 0x8000) * 0x1p-15;
}
