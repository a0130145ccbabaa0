// SPDX-License-Identifier: BSD-3-Clause
// Teams of LANES_PER_ROW lanes that factorise a row of a subdomain together;
// the entries of the row are in local memory meanwhile.
#pragma once

#include "wave.cl.h"

#ifndef LANES_PER_ROW
# define LANES_PER_ROW LCL_WIDTH // power of two up to LCL_WIDTH
#endif
#ifndef ROW_ENTRIES
# define ROW_ENTRIES 16 // of L and of U, at most
#endif
#ifndef SUBDOMAIN_ROWS
# define SUBDOMAIN_ROWS 64 // at most
#endif

#define TEAMS (LCL_GROUP / LANES_PER_ROW)
#define NONE  0xffff // place of columns that a row lacks

// The largest v of the team. All work-items of the group take part.
INLINE double team_largest(double v, local double *share)
{
    const uint lid = get_local_id(0), lane = lid % LANES_PER_ROW;
    share[lid] = v;
#pragma unroll
    for (uint span = LANES_PER_ROW / 2; span > 0; span /= 2) {
        WAVE_BARRIER();
        if (lane < span)
            share[lid] = fmax(share[lid], share[lid + span]);
    }
    WAVE_BARRIER();
    return share[lid - lane];
}
