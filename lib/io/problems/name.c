// SPDX-License-Identifier: BSD-3-Clause
// Shared by the generators of built-in problems: parses names with numbers and
// allocates the matrices.
#include "host/alloc.h"
#include "host/log.h"
#include "lib/io/number.h"
#include "lib/io/problems/problem.h"

bool lcl_problem_match(const char *format, char *name, int64_t *number)
{
    for (; *format; ++format) {
        if (*format != '#') {
            if (*name++ != *format)
                return false;
            continue;
        }
        name = lcl_parse_int(name, number);
        if (!name || *number++ < 1)
            return false;
    }
    return *name == '\0';
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
