// SPDX-License-Identifier: BSD-3-Clause
// One implicit time step of u_t = div(k grad u) + f on n x n inner points of
// the unit square, u = 0 around it: (I + dt A(t)) u_new = u_old + dt f, where A
// has the conductivity k half way between points. One work-item per point.

static double conductivity(double x, double y, double t)
{
    return 1 + 0.9 * sin(6 * x + 4 * t) * cos(5 * y - 3 * t);
}

// The values of row `row` of I + dt A(t), by ascending columns.
kernel void values(int n, double dt, double t, global const long *row_ptr,
                   global double *val)
{
    const int row = (int)get_global_id(0), i = row % n, j = row / n;
    const double h = 1.0 / (n + 1), x = (i + 1) * h, y = (j + 1) * h;
    const double scale = dt / (h * h);
    const double south = scale * conductivity(x, y - h / 2, t);
    const double west = scale * conductivity(x - h / 2, y, t);
    const double east = scale * conductivity(x + h / 2, y, t);
    const double north = scale * conductivity(x, y + h / 2, t);
    long k = row_ptr[row];
    if (j > 0)
        val[k++] = -south;
    if (i > 0)
        val[k++] = -west;
    val[k++] = 1 + south + west + east + north;
    if (i < n - 1)
        val[k++] = -east;
    if (j < n - 1)
        val[k] = -north;
}

// b = u + dt f, f = x (1 - y)
kernel void right_hand_side(int n, double dt, global const double *u,
                            global double *b)
{
    const int row = (int)get_global_id(0), i = row % n, j = row / n;
    const double h = 1.0 / (n + 1), x = (i + 1) * h, y = (j + 1) * h;
    b[row] = u[row] + dt * x * (1 - y);
}
