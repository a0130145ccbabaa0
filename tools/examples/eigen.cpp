// SPDX-License-Identifier: BSD-3-Clause
// A matrix of Eigen, solved by levelcl: diffusion on a square, whose
// conductivity then changes. No array is converted.
//
//     c++ -std=c++17 -O2 eigen.cpp $(pkg-config --cflags --libs levelcl eigen3)
#include <Eigen/SparseCore>
#include <levelcl/levelcl.hpp>

#include <cstdio>
#include <vector>

using Matrix = Eigen::SparseMatrix<double, Eigen::RowMajor>;

// -div(c grad u) on points x points cells, where the left half has c = 1.
static Matrix diffusion(int points, double right)
{
    std::vector<Eigen::Triplet<double>> entries;
    const auto couple = [&](int i, int j, double c) {
        entries.insert(entries.end(),
                       {{i, i, c}, {j, j, c}, {i, j, -c}, {j, i, -c}});
    };
    for (int y = 0; y < points; ++y)
        for (int x = 0; x < points; ++x) {
            const int i = y * points + x;
            const double c = x < points / 2 ? 1 : right;
            entries.emplace_back(i, i, x == 0 ? 2 * c : 0); // u = 0 on the left
            if (x + 1 < points)
                couple(i, i + 1, c);
            if (y + 1 < points)
                couple(i, i + points, c);
        }
    Matrix A(points * points, points * points);
    A.setFromTriplets(entries.begin(), entries.end()); // makes A compressed
    return A;
}

static levelcl::View<const double> values(const Matrix &A)
{
    return {A.valuePtr(), std::size_t(A.nonZeros())};
}

// The arrays of A, which must be compressed, for an operator.
static lcl_layout view(const Matrix &A)
{
    return levelcl::csr(
        A.rows(), A.cols(), {A.outerIndexPtr(), std::size_t(A.rows()) + 1},
        {A.innerIndexPtr(), std::size_t(A.nonZeros())}, values(A));
}

static bool report(const char *name, const levelcl::Report &report,
                   double residual)
{
    std::printf("%s: %d iterations, residual %.1e\n", name,
                report.values.iterations, residual);
    return report.converged() && residual < 1.1e-8;
}

int main()
try {
    const Matrix A = diffusion(100, 10), B = diffusion(100, 1000);
    const Eigen::VectorXd b = Eigen::VectorXd::Ones(A.rows());
    Eigen::VectorXd x = Eigen::VectorXd::Zero(A.rows());

    levelcl::Context ctx;
    levelcl::Operator op(ctx, view(A));
    levelcl::Chain chain(op);
    const levelcl::Report first = chain.solve(b, x);
    bool good = report("first", first, (b - A * x).norm() / b.norm());

    op.update(values(B)); // B has the pattern of A
    chain.update();
    const levelcl::Report second = chain.solve(b, x);
    good &= report("second", second, (b - B * x).norm() / b.norm());
    return good ? 0 : 1;
} catch (const levelcl::Error &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return error.status() == LCL_ENODEVICE ? 77 : 1;
}
