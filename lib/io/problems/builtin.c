// SPDX-License-Identifier: BSD-3-Clause
// The built-in problems.
#include "lib/io/problems/problem.h"

#include "host/alloc.h"
#include "host/log.h"
#include "host/parallel.h"
#include "lib/io/problems/grid.h"
#include "lib/io/problems/uniform.h"

#include <string.h>

#define KNOWN                                                                  \
 "expected lap3d:N or lap3d:NXxNYxNZ, also with ,b=B, laplacian1 to "          \
 "laplacian5, convdiff:NXxNYxNZ, convdiff:N,PE, "                              \
 "parabolic, q1:N, q2:M, elasticity:N, blackoil:N, aniso:N,EPS, "              \
 "jump:N,CONTRAST, helmholtz:N,K, kuhn:NX,NY,NZ,B or rows:NxL,MxK, with "      \
 "whole numbers >= 1, "                                                        \
 "others from 1e-100 to 1e100 and blocks B <= 8"

// ---- lap3d: 7-point Laplacian, b x b blocks coupled by C, whose rows sum to 0

static void lap3d_block(const void *user, const struct lcl_site *site, int q,
                        uint64_t *random, double *block)
{
    const int64_t b = *(const int64_t *)user;
    const bool diagonal = q == lcl_seven_point.center;
    const double on = diagonal ? 6 + 0.1 * (double)(b - 1) : -1;
    (void)site;
    (void)random;
    for (int64_t k = 0; k < b * b; ++k)
        block[k] = k % (b + 1) == 0 ? on : diagonal ? -0.1 : 0;
}

// b x b blocks on number[0] x number[1] x number[2] cells.
static enum lcl_status laplacian(const struct lcl_problem_out *to,
                                 const char *name, const int64_t number[3],
                                 int64_t b, const struct lcl_log *log)
{
    const struct lcl_recipe how = {{{number[0], number[1], number[2]}, b},
                                   &lcl_seven_point,
                                   lap3d_block,
                                   &b,
                                   0};
    return lcl_problem_on_grid(to, name, &how, log);
}

static enum lcl_status make_lap3d(const struct lcl_problem_out *to,
                                  const char *name,
                                  const struct lcl_numbers *of,
                                  const struct lcl_log *log)
{
    const int64_t n = of->whole[0];
    return laplacian(to, name, (const int64_t[]){n, n, n}, of->whole[1], log);
}

static enum lcl_status make_lap3d_box(const struct lcl_problem_out *to,
                                      const char *name,
                                      const struct lcl_numbers *of,
                                      const struct lcl_log *log)
{
    return laplacian(to, name, of->whole, of->whole[3], log);
}

// Blocks of 3 of Mehta et al., arXiv 2508.04917, Table 5.1 and section 5.4.
static enum lcl_status make_laplacian(const struct lcl_problem_out *to,
                                      const char *name,
                                      const struct lcl_numbers *of,
                                      const struct lcl_log *log)
{
    static const int64_t cells[5][3] = {{128, 128, 128},
                                        {128, 128, 256},
                                        {256, 256, 128},
                                        {256, 256, 256},
                                        {256, 512, 256}};
    return laplacian(to, name, cells[of->whole[0] - 1], 3, log);
}

// ---- convdiff: -Laplace u + v grad u, upwind differences, v along x, y and z

// v h along x, y, z. The upwind neighbours, -x, -y, -z, precede the center.
static void convdiff_block(const void *user, const struct lcl_site *site, int q,
                           uint64_t *random, double *block)
{
    static const double speed[3] = {1, 0.5, 0.25};
    const int center = lcl_seven_point.center;
    (void)user;
    (void)site;
    (void)random;
    *block = q == center  ? 6 + speed[0] + speed[1] + speed[2]
             : q < center ? -1 - speed[center - 1 - q]
                          : -1;
}

static enum lcl_status make_convdiff(const struct lcl_problem_out *to,
                                     const char *name,
                                     const struct lcl_numbers *of,
                                     const struct lcl_log *log)
{
    const struct lcl_recipe how = {
        {{of->whole[0], of->whole[1], of->whole[2]}, 1},
        &lcl_seven_point,
        convdiff_block,
        NULL,
        0};
    return lcl_problem_on_grid(to, name, &how, log);
}

// ---- parabolic: tau K + M of linear elements on right triangles

enum { PARABOLIC_NX = 1025, PARABOLIC_NY = 513 };

static void parabolic_block(const void *user, const struct lcl_site *site,
                            int q, uint64_t *random, double *block)
{
    const double tau = 1e-2, h = 1.0 / (PARABOLIC_NX - 1), m = h * h / 12;
    const signed char *offset = lcl_triangles.offset[q];
    (void)user;
    (void)random;
    if (q != lcl_triangles.center) {
        const bool on_axis = offset[0] == 0 || offset[1] == 0;
        *block = on_axis ? m - tau : m;
        return;
    }
    double stiffness = 0, mass = 0;
    for (int p = 0; p < lcl_triangles.count; ++p) {
        if (p == q || !(site->present >> p & 1))
            continue;
        offset = lcl_triangles.offset[p];
        stiffness += offset[0] == 0 || offset[1] == 0;
        mass += m;
    }
    *block = tau * stiffness + mass;
}

static enum lcl_status make_parabolic(const struct lcl_problem_out *to,
                                      const char *name,
                                      const struct lcl_numbers *of,
                                      const struct lcl_log *log)
{
    const struct lcl_recipe how = {{{PARABOLIC_NX, PARABOLIC_NY, 1}, 1},
                                   &lcl_triangles,
                                   parabolic_block,
                                   NULL,
                                   0};
    (void)of;
    return lcl_problem_on_grid(to, name, &how, log);
}

// ---- kuhn: random blocks on a tetrahedral mesh, heavy on the diagonal

static void kuhn_block(const void *user, const struct lcl_site *site, int q,
                       uint64_t *random, double *block)
{
    const int64_t b = *(const int64_t *)user;
    (void)site;
    for (int64_t k = 0; k < b * b; ++k) {
        const bool on = q == lcl_tetrahedra.center && k % (b + 1) == 0;
        block[k] = (on ? 20 : 0) + lcl_uniform(random) - 0.5;
    }
}

// b = number[3] unknowns on each of number[0] x number[1] x number[2] nodes.
static struct lcl_recipe kuhn_recipe(const int64_t *number, uint64_t seed)
{
    return (struct lcl_recipe){{{number[0], number[1], number[2]}, number[3]},
                               &lcl_tetrahedra,
                               kuhn_block,
                               &number[3],
                               seed};
}

static enum lcl_status make_kuhn(const struct lcl_problem_out *to,
                                 const char *name, const struct lcl_numbers *of,
                                 const struct lcl_log *log)
{
    const struct lcl_recipe how = kuhn_recipe(of->whole, LCL_KUHN_SEED);
    return lcl_problem_on_grid(to, name, &how, log);
}

enum lcl_status lcl_problem_kuhn(struct lcl_bsr *A, const char *name,
                                 const int64_t *number, uint64_t seed,
                                 const struct lcl_log *log)
{
    const struct lcl_recipe how = kuhn_recipe(number, seed);
    return lcl_problem_blocks_on_grid(A, name, &how, log);
}

// ---- q2: K (x) M + M (x) K of quadratic elements on an interval

// Rows of five values, the diagonal in the middle. Inner nodes only: odd nodes
// are ends of elements and have five entries, the others three.
struct band {
    int64_t n;
    double (*stiffness)[5];
    double (*mass)[5];
    int64_t *before; // n + 1: number of entries before each row
};

static void band_finish(struct band *B)
{
    lcl_free(B->stiffness);
    lcl_free(B->mass);
    lcl_free(B->before);
}

static enum lcl_status band_init(struct band *B, int64_t elements,
                                 const struct lcl_log *log)
{
    B->n = 2 * elements - 1;
    B->stiffness = lcl_calloc((size_t)B->n, sizeof *B->stiffness);
    B->mass = lcl_calloc((size_t)B->n, sizeof *B->mass);
    B->before = lcl_calloc((size_t)B->n + 1, sizeof *B->before);
    if (B->stiffness && B->mass && B->before)
        return LCL_OK;
    return lcl_fail_memory(log, "the bands of a built-in problem");
}

static bool in_band(const struct band *B, int64_t i, int d)
{
    const int width = i & 1 ? 2 : 1;
    return d >= -width && d <= width && i + d >= 0 && i + d < B->n;
}

static void band_count(struct band *B)
{
    for (int64_t i = 0; i < B->n; ++i) {
        B->before[i + 1] = B->before[i];
        for (int d = -2; d <= 2; ++d)
            B->before[i + 1] += in_band(B, i, d);
    }
}

static void band_assemble(struct band *B, int64_t elements)
{
    static const double stiffness[3][3] = {
        {7, -8, 1}, {-8, 16, -8}, {1, -8, 7}};
    static const double mass[3][3] = {{4, 2, -1}, {2, 16, 2}, {-1, 2, 4}};
    const double h = 1 / (double)elements;
    for (int64_t e = 0; e < elements; ++e)
        for (int a = 0; a < 3; ++a)
            for (int c = 0; c < 3; ++c) {
                const int64_t i = 2 * e + a - 1, j = 2 * e + c - 1;
                if (i < 0 || j < 0 || i >= B->n || j >= B->n)
                    continue;
                B->stiffness[i][c - a + 2] += stiffness[a][c] / (3 * h);
                B->mass[i][c - a + 2] += mass[a][c] * h / 30;
            }
}

// Writes the row of node (i, j), which starts at entry k.
static void q2_row(struct lcl_csr *A, const struct band *B, int64_t i,
                   int64_t j, int64_t k)
{
    for (int q = -2; q <= 2; ++q) {
        if (!in_band(B, j, q))
            continue;
        for (int p = -2; p <= 2; ++p) {
            if (!in_band(B, i, p))
                continue;
            A->col_ind[k] = (int32_t)(i + p + B->n * (j + q));
            A->val[k++] = B->stiffness[i][p + 2] * B->mass[j][q + 2] +
                          B->mass[i][p + 2] * B->stiffness[j][q + 2];
        }
    }
}

struct q2 {
    struct lcl_csr *A;
    const struct band *B;
    int64_t chunks;
};

static void q2_chunk(void *arg, int64_t chunk)
{
    const struct q2 *Q = arg;
    const struct band *B = Q->B;
    const int64_t rows = Q->A->rows, n = B->n;
    const int64_t end = lcl_chunk_start(rows, Q->chunks, chunk + 1);
    int64_t row = lcl_chunk_start(rows, Q->chunks, chunk);
    for (; row < end; ++row) {
        const int64_t i = row % n, j = row / n, *before = B->before;
        const int64_t k =
            before[j] * before[n] + (before[j + 1] - before[j]) * before[i];
        Q->A->row_ptr[row] = k;
        q2_row(Q->A, B, i, j, k);
    }
}

static enum lcl_status make_q2(const struct lcl_problem_out *to,
                               const char *name, const struct lcl_numbers *of,
                               const struct lcl_log *log)
{
    enum lcl_status st;
    struct lcl_csr *A = to->A;
    struct band B = {0};
    // the largest n with n * n rows
    if (of->whole[0] > (46340 + 1) / 2)
        return lcl_problem_fail_range(name, log);
    if ((st = band_init(&B, of->whole[0], log)) < 0)
        goto out;
    band_assemble(&B, of->whole[0]);
    band_count(&B);
    const int64_t rows = B.n * B.n, entries = B.before[B.n];
    if ((st = lcl_problem_allocate(A, rows, entries * entries, log)) < 0)
        goto out;
    struct q2 Q = {A, &B, lcl_chunks(rows)};
    A->row_ptr[rows] = A->nnz;
    lcl_parallel(Q.chunks, q2_chunk, &Q);
out:
    band_finish(&B);
    return st;
}

// ---- names

// Of lcl_problem_is_complex(), which does not allocate.
enum { NAME_MAX_BYTES = 256 };

// The last number of `format` is at most `last_most`. Numbers missing from the
// name are 1.
struct problem {
    const char *format;
    int64_t last_most; // 0: any number
    lcl_problem_make *make;
    bool is_complex;
};

static const struct problem problems[] = {
    {"lap3d:#", 0, make_lap3d, false},
    {"lap3d:#,b=#", LCL_BLOCK_MAX, make_lap3d, false},
    {"lap3d:#x#x#", 0, make_lap3d_box, false},
    {"lap3d:#x#x#,b=#", LCL_BLOCK_MAX, make_lap3d_box, false},
    {"laplacian#", 5, make_laplacian, false},
    {"convdiff:#x#x#", 0, make_convdiff, false},
    {"parabolic", 0, make_parabolic, false},
    {"q2:#", 0, make_q2, false},
    {"kuhn:#,#,#,#", LCL_BLOCK_MAX, make_kuhn, false},
    {"rows:#x#,#x#", 0, lcl_problem_rows, false},
    {"aniso:#,~", 0, lcl_problem_aniso, false},
    {"jump:#,~", 0, lcl_problem_jump, false},
    {"convdiff:#,~", 0, lcl_problem_recirculating, false},
    {"q1:#", 0, lcl_problem_q1, false},
    {"elasticity:#", 0, lcl_problem_elasticity, false},
    {"blackoil:#", 0, lcl_problem_blackoil, false},
    {"helmholtz:#,~", 0, lcl_problem_helmholtz, true},
};

// Whether the name matches the format of P and its numbers are valid.
static bool match(const struct problem *P, char *name,
                  struct lcl_numbers *numbers)
{
    int last = -1;
    for (const char *f = P->format; *f; ++f)
        last += *f == '#';
    return lcl_problem_match(P->format, name, numbers) &&
           !(P->last_most > 0 && numbers->whole[last] > P->last_most);
}

// NULL: none matches the name.
static const struct problem *find(char *name, struct lcl_numbers *numbers)
{
    for (size_t i = 0; i < sizeof problems / sizeof *problems; ++i) {
        *numbers = (struct lcl_numbers){{1, 1, 1, 1}, 0};
        if (match(&problems[i], name, numbers))
            return &problems[i];
    }
    return NULL;
}

bool lcl_problem_is_complex(const char *name)
{
    struct lcl_numbers numbers;
    char copy[NAME_MAX_BYTES];
    if (!name || strlen(name) >= sizeof copy)
        return false;
    strcpy(copy, name);
    const struct problem *P = find(copy, &numbers);
    return P && P->is_complex;
}

static enum lcl_status make_named(const struct lcl_problem_out *to, char *name,
                                  const struct lcl_log *log)
{
    struct lcl_numbers numbers;
    const struct problem *P = find(name, &numbers);
    if (P) {
        const enum lcl_status st = P->make(to, name, &numbers, log);
        if (to->rows)
            to->rows->is_complex = P->is_complex;
        return st;
    }
    return lcl_fail(log, LCL_EINVAL, "unknown problem '%s': " KNOWN, name);
}

enum lcl_status lcl_problem_coordinates(struct lcl_dense *X, const char *name,
                                        const struct lcl_log *log)
{
    struct lcl_numbers of;
    enum lcl_status st;
    if (!X || !name)
        return lcl_misuse(log, "lcl_problem_coordinates: an argument is NULL");
    *X = (struct lcl_dense){0};
    char *copy = lcl_strdup(name);
    if (!copy)
        return lcl_fail_memory(log, "the name of a problem");
    if (lcl_problem_match("elasticity:#", copy, &of))
        st = lcl_problem_elasticity_nodes(X, name, of.whole[0], log);
    else
        st = lcl_fail(log, LCL_EINVAL,
                      "'%s' is no problem with coordinates: expected "
                      "elasticity:N",
                      name);
    if (st < 0)
        lcl_dense_finish(X);
    lcl_free(copy);
    return st;
}

static enum lcl_status make_copied(const struct lcl_problem_out *to,
                                   const char *name, const struct lcl_log *log)
{
    char *copy = lcl_strdup(name);
    if (!copy)
        return lcl_fail_memory(log, "the name of a problem");
    const enum lcl_status st = make_named(to, copy, log);
    lcl_free(copy);
    return st;
}

enum lcl_status lcl_csr_problem(struct lcl_csr *A, const char *name,
                                const struct lcl_log *log)
{
    if (!A || !name)
        return lcl_misuse(log, "lcl_csr_problem: an argument is NULL");
    *A = (struct lcl_csr){0};
    const enum lcl_status st =
        make_copied(&(struct lcl_problem_out){.A = A}, name, log);
    if (st < 0)
        lcl_csr_finish(A);
    return st;
}

enum lcl_status lcl_rows_problem(struct lcl_rows *out, const char *name,
                                 int rank, int size, const struct lcl_log *log)
{
    struct lcl_csr whole = {0};
    const struct lcl_problem_out to = {&whole, out, {1, rank, size}};
    if (!out || !name)
        return lcl_misuse(log, "lcl_rows_problem: an argument is NULL");
    *out = (struct lcl_rows){0};
    enum lcl_status st = lcl_share_check(&to.share, log);
    if (st == LCL_OK)
        st = make_copied(&to, name, log);
    const bool is_complex = out->is_complex;
    if (st == LCL_OK && whole.row_ptr)
        st = lcl_rows_of_rank(out, &whole, &to.share, log);
    lcl_csr_finish(&whole);
    out->is_complex = is_complex;
    if (st < 0)
        lcl_rows_finish(out);
    return st;
}
