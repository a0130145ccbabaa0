// SPDX-License-Identifier: BSD-3-Clause
// Shared by the generators of built-in problems: parses names with numbers and
// allocates the matrices.
#include "host/alloc.h"
#include "host/log.h"
#include "lib/io/number.h"
#include "lib/io/problems/problem.h"

// Reads a number of the given kind at `name`. Returns the position after it, or
// NULL.
static char *read_number(char kind, char *name, int64_t *whole, double *real)
{
    if (kind == '#') {
        name = lcl_parse_int(name, whole);
        return name && *whole >= 1 ? name : NULL;
    }
    name = lcl_parse_double(name, real);
    return name && *real >= 1e-100 && *real <= 1e100 ? name : NULL;
}

static bool match(const char *format, char *name, struct lcl_numbers *numbers)
{
    int64_t *whole = numbers->whole;
    for (; *format && name; ++format)
        if (*format == '#' || *format == '~') {
            name = read_number(*format, name, whole, &numbers->real);
            whole += *format == '#';
        } else if (*name++ != *format) {
            return false;
        }
    return name && *name == '\0';
}

bool lcl_problem_match(const char *format, char *name,
                       struct lcl_numbers *numbers)
{
    struct lcl_c_locale locale;
    if (!lcl_c_locale_enter(&locale))
        return false;
    const bool matches = match(format, name, numbers);
    lcl_c_locale_leave(&locale);
    return matches;
}

enum lcl_status lcl_problem_fail_range(const char *name,
                                       const struct lcl_log *log)
{
    return lcl_fail(log, LCL_ERANGE, "problem '%s': expected at most %d rows",
                    name, INT32_MAX);
}

enum lcl_status lcl_problem_allocate(struct lcl_csr *A, int64_t rows,
                                     int64_t nnz, const struct lcl_log *log)
{
    A->rows = A->cols = rows;
    A->nnz = nnz;
    A->row_ptr = lcl_calloc((size_t)rows + 1, sizeof *A->row_ptr);
    A->col_ind = lcl_malloc((size_t)nnz, sizeof *A->col_ind);
    A->val = lcl_malloc((size_t)nnz, sizeof *A->val);
    if (A->row_ptr && A->col_ind && A->val)
        return LCL_OK;
    return lcl_fail_memory(log, "a built-in problem");
}
