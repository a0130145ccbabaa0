// SPDX-License-Identifier: BSD-3-Clause
// The cubes of a mesh.
#include "lib/io/problems/cube.h"

bool lcl_cube_exists(const struct lcl_cube *E, const int64_t node[3], int a)
{
    for (int d = 0; d < 3; ++d)
        if (node[d] == (a >> d & 1 ? 0 : E->n))
            return false;
    return true;
}

void lcl_cube_add(double *block, const struct lcl_cube *E, int a,
                  const signed char *offset)
{
    int c = 0;
    for (int d = 0; d < 3; ++d) {
        const int at = (a >> d & 1) + offset[d];
        if (at < 0 || at > 1)
            return;
        c |= at << d;
    }
    for (int k = 0; k < E->b * E->b; ++k)
        block[k] += E->block[a][c][k];
}
