// SPDX-License-Identifier: BSD-3-Clause
// lu_invert for one type of numbers; included once for each.
// REAL: the type; NAME(f): the name of a function.

// Exchanges the rows of A so that entry (k, k) is the largest from there down.
static bool NAME(pivot)(int n, int k, REAL *A, int *row)
{
    int largest = k;
    for (int i = k + 1; i < n; ++i)
        if (fabs((double)A[i * n + k]) > fabs((double)A[largest * n + k]))
            largest = i;
    for (int j = 0; j < n && largest != k; ++j) {
        const REAL kept = A[k * n + j];
        A[k * n + j] = A[largest * n + j];
        A[largest * n + j] = kept;
    }
    const int kept = row[k];
    row[k] = row[largest];
    row[largest] = kept;
    return A[k * n + k] != 0;
}

// P A = L U in place; row i of P A is row[i] of A.
static bool NAME(factor)(int n, REAL *A, int *row)
{
    for (int i = 0; i < n; ++i)
        row[i] = i;
    for (int k = 0; k < n; ++k) {
        if (!NAME(pivot)(n, k, A, row))
            return false;
        for (int i = k + 1; i < n; ++i) {
            const REAL l = A[i * n + k] /= A[k * n + k];
            for (int j = k + 1; j < n; ++j)
                A[i * n + j] -= l * A[k * n + j];
        }
    }
    return true;
}

// X = U^-1 L^-1 P, all columns at once.
bool NAME(lu_invert)(int n, REAL *A, REAL *X)
{
    int row[LU_MOST];
    if (!NAME(factor)(n, A, row))
        return false;
    for (int i = 0; i < n; ++i) {
        for (int c = 0; c < n; ++c)
            X[i * n + c] = row[i] == c;
        for (int j = 0; j < i; ++j)
            for (int c = 0; c < n; ++c)
                X[i * n + c] -= A[i * n + j] * X[j * n + c];
    }
    for (int i = n; i-- > 0;) {
        for (int j = i + 1; j < n; ++j)
            for (int c = 0; c < n; ++c)
                X[i * n + c] -= A[i * n + j] * X[j * n + c];
        for (int c = 0; c < n; ++c)
            X[i * n + c] /= A[i * n + i];
    }
    return true;
}

#undef REAL
#undef NAME
