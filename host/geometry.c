// SPDX-License-Identifier: BSD-3-Clause
// Launch geometry that follows from what a device is.
#include "host/geometry.h"

enum { GROUP = 256, GROUPS_PER_UNIT = 8, MAX_GROUPS = 2048 };

int lcl_vector_group(const struct lcl_caps *caps)
{
    if (caps->width == 1)
        return 1;
    int group = GROUP < caps->max_group_size ? GROUP : caps->max_group_size;
    group -= group % caps->width;
    return group > caps->width ? group : caps->width;
}

int lcl_wave_group(const struct lcl_caps *caps, int waves)
{
    while (waves > 1 && waves * caps->width > caps->max_group_size)
        --waves;
    return caps->width == 1 ? 1 : waves * caps->width;
}

int lcl_vector_groups(const struct lcl_caps *caps)
{
    const int groups = GROUPS_PER_UNIT * caps->compute_units;
    return groups < 1 ? 1 : groups < MAX_GROUPS ? groups : MAX_GROUPS;
}
