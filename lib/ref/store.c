// SPDX-License-Identifier: BSD-3-Clause
// Reference of the storage formats of factor values: halfword by halfword.
#include "lib/ref/store.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { BF16_DIGITS = 8 };

// a = m 2^e with 1/2 <= |m| < 1; keeps the leading digits of m.
static double round_bf16(double a)
{
    int e;
    if (!isfinite(a))
        return a;
    const double m = ldexp(frexp(a, &e), BF16_DIGITS);
    const double rounded = ldexp(nearbyint(m), e - BF16_DIGITS);
    return fabs(rounded) < (double)FLT_MIN ? copysign(0, a) : rounded;
}

double lcl_ref_rounded(double a, enum lcl_factor_storage storage)
{
    switch (storage) {
    case LCL_FACTOR_STORAGE_FP32:
        return (double)(float)a;
    case LCL_FACTOR_STORAGE_BF16:
        return (double)(float)round_bf16(a);
    case LCL_FACTOR_STORAGE_DEFAULT:
    case LCL_FACTOR_STORAGE_FP64:
    case LCL_FACTOR_STORAGE_ADAPTIVE:
    case LCL_FACTOR_STORAGE_COUNT:
        break;
    }
    return a;
}

bool lcl_ref_loses(double a, enum lcl_factor_storage storage)
{
    return !isfinite(lcl_ref_rounded(a, storage)) ||
           (storage > LCL_FACTOR_STORAGE_FP64 && a != 0 &&
            fabs(a) < (double)FLT_MIN);
}

static uint32_t bf16_of(double a)
{
    const float f = (float)round_bf16(a);
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits >> 16;
}

void lcl_ref_store_fp32(float *stored, const struct lcl_host_schedule *L,
                        int block, const double *val)
{
    const uint64_t entries = (uint64_t)(block * block);
    for (int64_t p = 0; p < L->parts; ++p) {
        const uint64_t first = L->part[p].slot * entries;
        for (uint64_t i = first; i < first + L->part[p].slots * entries; ++i)
            stored[i] = (float)val[i];
    }
}

// Halfword `h` of a slot: its column, a value, or unused.
static uint32_t halfword(int h, int entries, uint16_t col, const double *val,
                         uint64_t stride)
{
    if (h == 0)
        return col;
    return h <= entries ? bf16_of(val[(uint64_t)(h - 1) * stride]) : 0;
}

static void store_plane(uint32_t *stored, const struct lcl_host_schedule *L,
                        int block, const double *val, uint64_t slot,
                        uint64_t rows)
{
    const int entries = block * block, words = LCL_BF16_WORDS(entries);
    for (uint64_t lane = 0; lane < rows; ++lane)
        for (int k = 0; k < words; ++k) {
            const double *a = val + slot * (uint64_t)entries + lane;
            const uint16_t col = L->col[slot + lane];
            stored[slot * (uint64_t)words + (uint64_t)k * rows + lane] =
                halfword(2 * k, entries, col, a, rows) |
                halfword(2 * k + 1, entries, col, a, rows) << 16;
        }
}

void lcl_ref_store_bf16(uint32_t *stored, const struct lcl_host_schedule *L,
                        int block, const double *val)
{
    for (int64_t p = 0; p < L->parts; ++p) {
        const struct lcl_part *part = &L->part[p];
        for (uint32_t s = part->step; s < part->step + part->steps; ++s) {
            const struct lcl_step *step = &L->step[s];
            for (int k = 0; k < step->lower_planes; ++k)
                store_plane(stored, L, block, val,
                            part->slot + step->lower + (uint64_t)k * step->rows,
                            step->rows);
            for (int k = 0; k < step->upper_planes; ++k)
                store_plane(stored, L, block, val,
                            part->slot + step->upper + (uint64_t)k * step->rows,
                            step->rows);
        }
    }
}
