// SPDX-License-Identifier: BSD-3-Clause
// Loads problems: built-in ones and files.
#include "tools/levelbench/bench.h"

#include "host/alloc.h"
#include "host/clock.h"
#include "tools/clsolve/random.h"

#include <string.h>

// Takes ownership of b.
static enum lcl_status adopt_rhs(struct problem *P, struct lcl_dense *b)
{
    const bool fits = b->rows == P->A.rows && b->cols == 1;
    if (fits)
        memcpy(P->b, b->val, (size_t)b->rows * sizeof *P->b);
    lcl_dense_finish(b);
    P->has_rhs = true;
    return fits ? LCL_OK : LCL_EFORMAT;
}

// b = A * 1
static enum lcl_status make_rhs(struct problem *P)
{
    P->b = lcl_malloc((size_t)P->A.rows, sizeof *P->b);
    P->x = lcl_malloc((size_t)P->A.rows, sizeof *P->x);
    if (!P->b || !P->x)
        return LCL_ENOMEM;
    for (int64_t i = 0; i < P->A.rows; ++i)
        P->x[i] = 1;
    lcl_csr_multiply(&P->A, P->x, P->b);
    return LCL_OK;
}

enum lcl_status bench_load(struct problem *P, char *text,
                           const struct lcl_log *log)
{
    char *mtx = strstr(text, ".mtx"), *petsc = strstr(text, ".petsc");
    char *suffix = mtx ? mtx : petsc;
    char *comma = suffix ? strchr(suffix, ',') : NULL;
    struct lcl_dense b;
    *P = (struct problem){.name = text};
    if (comma) {
        *comma = '\0';
        P->rhs = comma + 1;
    }
    const double start = lcl_now();
    enum lcl_status st = suffix ? lcl_csr_read(&P->A, text, &P->read, log)
                                : lcl_csr_problem(&P->A, text, log);
    P->read_seconds = lcl_now() - start;
    if (st < 0 || (st = make_rhs(P)) < 0 || !P->rhs)
        return st;
    st = lcl_dense_read(&b, P->rhs, NULL, log);
    return st < 0 ? st : adopt_rhs(P, &b);
}

enum lcl_status bench_load_text(struct problem *P, char *text,
                                const struct lcl_log *log)
{
    char *path[4] = {text};
    struct lcl_dense b;
    enum lcl_status st;
    *P = (struct problem){.name = text};
    for (int f = 1; f < 4 && path[f - 1]; ++f)
        if ((path[f] = strchr(path[f - 1], ',')))
            *path[f]++ = '\0';
    if (!path[1] || !path[2])
        return LCL_EINVAL;
    P->rhs = path[3];
    const double start = lcl_now();
    st = lcl_csr_read_text(&P->A, path[0], path[1], path[2], &P->read, log);
    P->read_seconds = lcl_now() - start;
    if (st < 0 || (st = make_rhs(P)) < 0 || !P->rhs)
        return st;
    st = lcl_dense_read_text(&b, P->rhs, log);
    return st < 0 ? st : adopt_rhs(P, &b);
}

void bench_unload(struct problem *P)
{
    lcl_csr_finish(&P->A);
    lcl_free(P->b);
    lcl_free(P->x);
}

void bench_random_rhs(const struct problem *P, int seed)
{
    random_fill(P->b, P->A.rows, (uint64_t)seed);
}
