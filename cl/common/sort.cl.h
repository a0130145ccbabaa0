// SPDX-License-Identifier: BSD-3-Clause
// Sorting by a group, of a subdomain's worth of keys.
#pragma once

// Bitonic sorting network whose comparators all put the smaller key first, so
// that what would lie behind the last key counts as larger than all. Runs of
// `top` sorted keys are merged in pairs: by comparing them back to back, then
// at halved strides. Comparator t has the keys low_of() and high_of() it.
static inline uint low_of(uint t, uint stride)
{
    return 2 * t - (t & (stride - 1));
}

static inline uint high_of(uint low, uint stride, uint top)
{
    return low ^ (stride == top ? 2 * stride - 1 : stride);
}

// Comparators that `count` keys need at a stride.
static inline uint pairs_at(uint stride, uint count)
{
    return (count + 2 * stride - 1) / (2 * stride) * stride;
}
