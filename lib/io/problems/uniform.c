// SPDX-License-Identifier: BSD-3-Clause
// Skips random numbers: the next state is T times the state, where T is a
// matrix of bits.
#include "lib/io/problems/uniform.h"

// Column i is the image of bit i.
struct bits {
    uint64_t column[64];
};

static uint64_t multiply(const struct bits *T, uint64_t x)
{
    uint64_t y = 0;
    for (int i = 0; i < 64; ++i)
        y ^= T->column[i] & -(x >> i & 1);
    return y;
}

static struct bits square(const struct bits *T)
{
    struct bits S;
    for (int i = 0; i < 64; ++i)
        S.column[i] = multiply(T, T->column[i]);
    return S;
}

// T^count times the state, by repeated squaring of T.
uint64_t lcl_uniform_skip(uint64_t state, int64_t count)
{
    struct bits T;
    for (int i = 0; i < 64; ++i) {
        T.column[i] = UINT64_C(1) << i;
        lcl_uniform(&T.column[i]);
    }
    for (; count > 0; count /= 2) {
        if (count % 2 != 0)
            state = multiply(&T, state);
        T = square(&T);
    }
    return state;
}
