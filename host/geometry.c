// SPDX-License-Identifier: BSD-3-Clause
// Launch geometry derived from the device capabilities.
#include "host/geometry.h"

#include <stdbool.h>

enum {
    GROUP = 256,
    GROUPS_PER_UNIT = 8,
    MAX_GROUPS = 2048,
    REGISTERS = 65536 // per compute unit
};

static int group_up_to(const struct lcl_caps *caps, int most)
{
    if (caps->width == 1)
        return 1;
    int group = most < caps->max_group_size ? most : caps->max_group_size;
    group -= group % caps->width;
    return group > caps->width ? group : caps->width;
}

int lcl_vector_group(const struct lcl_caps *caps)
{
    return group_up_to(caps, GROUP);
}

int lcl_vector_group_of(const struct lcl_caps *caps, int registers)
{
    const int most = REGISTERS / (GROUPS_PER_UNIT * registers);
    return group_up_to(caps, most < GROUP ? most : GROUP);
}

int lcl_wave_group(const struct lcl_caps *caps, int waves)
{
    while (waves > 1 && waves * caps->width > caps->max_group_size)
        --waves;
    return caps->width == 1 ? 1 : waves * caps->width;
}

int lcl_loose_wave_group(const struct lcl_caps *caps, int waves)
{
    const bool shuffles = caps->exchange == LCL_EXCHANGE_NV_PTX ||
                          caps->exchange == LCL_EXCHANGE_AMD;
    return lcl_wave_group(caps, shuffles ? waves : 1);
}

int lcl_vector_groups(const struct lcl_caps *caps)
{
    const int groups = GROUPS_PER_UNIT * caps->compute_units;
    return groups < 1 ? 1 : groups < MAX_GROUPS ? groups : MAX_GROUPS;
}
