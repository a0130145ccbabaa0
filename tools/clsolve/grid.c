// SPDX-License-Identifier: BSD-3-Clause
// Grids of built-in problems.
#include "tools/clsolve/grid.h"

#include <levelcl/matrix.h>

#include <stdlib.h>
#include <string.h>

enum { MOST = 1000000 }; // cells along an axis

// Up to three whole numbers, separated by ',' or 'x'; returns their count.
static int read_numbers(const char *text, int64_t number[3])
{
    int count = 0;
    while (count < 3) {
        char *end;
        const long value = strtol(text, &end, 10);
        if (end == text || value < 1 || value > MOST)
            break;
        number[count++] = value;
        if (*end != ',' && *end != 'x')
            break;
        text = end + 1;
    }
    return count;
}

static void set(struct grid *grid, int64_t nx, int64_t ny, int64_t nz)
{
    grid->n[0] = nx;
    grid->n[1] = ny;
    grid->n[2] = nz;
}

// The kinds of problems, by the numbers in their names.
static bool of_problem(struct grid *grid, const char *name)
{
    static const char *const cubes[] = {
        "lap3d:",    "convdiff:", "aniso:",    "jump:",
        "blackoil:", "kuhn:",     "helmholtz:"};
    int64_t n[3] = {1, 1, 1};
    const char *colon = strchr(name, ':');
    const int count = colon ? read_numbers(colon + 1, n) : 0;
    if (strcmp(name, "parabolic") == 0)
        set(grid, 1025, 513, 1);
    else if (strncmp(name, "q1:", 3) == 0)
        set(grid, n[0] - 1, n[0] - 1, n[0] - 1);
    else if (strncmp(name, "q2:", 3) == 0)
        set(grid, 2 * n[0] - 1, 2 * n[0] - 1, 1);
    else if (strncmp(name, "elasticity:", 11) == 0)
        set(grid, n[0], n[0] + 1, n[0] + 1);
    for (size_t k = 0; k < sizeof cubes / sizeof *cubes; ++k)
        if (strncmp(name, cubes[k], strlen(cubes[k])) == 0)
            set(grid, n[0], count == 3 ? n[1] : n[0], count == 3 ? n[2] : n[0]);
    return grid->n[0] > 0;
}

bool grid_find(struct grid *grid, const struct cli *cli, int64_t rows)
{
    const int64_t *given = cli->options.precond.partition.grid;
    *grid = (struct grid){.rows = 0};
    if (given[0] > 0)
        set(grid, given[0], given[1], given[2]);
    else if (!cli->problem || !of_problem(grid, cli->problem))
        return false;
    const int64_t plane = grid->n[0] * grid->n[1];
    if (plane < 1 || grid->n[2] < 1 || plane > rows ||
        plane * grid->n[2] > rows)
        return false;
    grid->rows = rows / (plane * grid->n[2]);
    return grid->rows * plane * grid->n[2] == rows &&
           grid->rows <= LCL_BLOCK_MAX;
}
