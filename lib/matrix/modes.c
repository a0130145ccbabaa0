// SPDX-License-Identifier: BSD-3-Clause
// Rigid body modes.
#include "host/alloc.h"
#include "host/log.h"
#include "lib/matrix/view.h"

#include <levelcl/matrix.h>

#include <inttypes.h>
#include <math.h>

// The frame of the coordinates.
struct frame {
    double center[3];
    double size; // largest distance from the center along an axis, or 1
};

// Mean of `count` numbers, without overflow of their sum.
static double mean(const double *x, int64_t count)
{
    double sum = 0;
    for (int64_t i = 0; i < count; ++i)
        sum += x[i] / (double)count;
    return sum;
}

static struct frame frame_of(const struct lcl_dense *X)
{
    struct frame F = {{0}, 0};
    for (int64_t d = 0; d < X->cols; ++d) {
        const double *x = X->val + d * X->rows;
        F.center[d] = mean(x, X->rows);
        for (int64_t i = 0; i < X->rows; ++i)
            F.size = fmax(F.size, fabs(x[i] - F.center[d]));
    }
    if (F.size == 0)
        F.size = 1;
    return F;
}

static enum lcl_status check(const struct lcl_dense *X,
                             const struct lcl_log *log)
{
    if (X->rows < 1 || X->cols < 2 || X->cols > 3)
        return lcl_fail(log, LCL_EINVAL,
                        "the coordinates are %" PRId64 " x %" PRId64
                        ": expected one row of 2 or 3 for each node",
                        X->rows, X->cols);
    if (X->rows > INT32_MAX / X->cols)
        return lcl_fail(log, LCL_ERANGE,
                        "the coordinates of %" PRId64
                        " nodes: expected at most %d unknowns",
                        X->rows, INT32_MAX);
    const int64_t k = lcl_find_not_finite(X->val, X->rows * X->cols);
    return k < 0 ? LCL_OK
                 : lcl_fail(log, LCL_EINVAL,
                            "coordinate %" PRId64 " of node %" PRId64
                            " is not finite",
                            k / X->rows, k % X->rows);
}

// The rotation in the plane of axes p and q.
static void put_rotation(double *mode, const struct lcl_dense *X,
                         const struct frame *F, int64_t p, int64_t q)
{
    for (int64_t i = 0; i < X->rows; ++i) {
        const double x = (X->val[i + p * X->rows] - F->center[p]) / F->size;
        const double y = (X->val[i + q * X->rows] - F->center[q]) / F->size;
        mode[i * X->cols + p] = -y;
        mode[i * X->cols + q] = x;
    }
}

enum lcl_status lcl_rigid_body_modes(struct lcl_dense *modes,
                                     const struct lcl_dense *X,
                                     const struct lcl_log *log)
{
    enum lcl_status st;
    if (!modes || !X || !X->val)
        return lcl_misuse(log, "lcl_rigid_body_modes: an argument is NULL");
    *modes = (struct lcl_dense){0};
    if ((st = check(X, log)) < 0)
        return st;
    const struct frame F = frame_of(X);
    if (!isfinite(F.size))
        return lcl_fail(log, LCL_EINVAL,
                        "the differences of the coordinates overflow");
    const int64_t d = X->cols, n = d * X->rows;
    double *mode = lcl_calloc((size_t)(n * d * (d + 1) / 2), sizeof *mode);
    if (!mode)
        return lcl_fail_memory(log, "rigid body modes");
    *modes = (struct lcl_dense){n, d * (d + 1) / 2, mode};
    for (int64_t c = 0; c < d; ++c, mode += n)
        for (int64_t i = 0; i < X->rows; ++i)
            mode[i * d + c] = 1;
    for (int64_t p = 0; p < d; ++p)
        for (int64_t q = p + 1; q < d; ++q, mode += n)
            put_rotation(mode, X, &F, p, q);
    return LCL_OK;
}
