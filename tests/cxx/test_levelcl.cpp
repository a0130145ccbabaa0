// SPDX-License-Identifier: BSD-3-Clause
// <levelcl/levelcl.hpp> as a program outside the project uses it, on a device.
#include <levelcl/levelcl.hpp>

#include <array>
#include <cmath>
#include <complex>
#include <cstdio>
#include <random>
#include <stdexcept>
#include <type_traits>
#if __cplusplus >= 202002L
# include <span>
#endif

namespace
{

int failures;

#define CHECK(condition)                                                       \
 do {                                                                          \
  if (!(condition)) {                                                          \
   std::printf("%s:%d: not %s\n", __FILE__, __LINE__, #condition);             \
   ++failures;                                                                 \
  }                                                                            \
 } while (0)

// Checks that call() throws an Error with this status and text.
template <class Call>
void check_error(lcl_status status, const char *text, Call call)
{
    try {
        call();
    } catch (const levelcl::Error &error) {
        CHECK(error.status() == status);
        if (std::string(error.what()).find(text) == std::string::npos)
            std::printf("'%s' has no '%s'\n", error.what(), text), ++failures;
        return;
    }
    std::printf("no error with '%s'\n", text);
    ++failures;
}

std::vector<double> random_vector(std::size_t n)
{
    std::mt19937 random(5);
    std::normal_distribution<double> normal;
    std::vector<double> b(n);
    for (double &value : b)
        value = normal(random);
    return b;
}

double relative_residual(const lcl_csr &A, const std::vector<double> &x,
                         const std::vector<double> &b)
{
    std::vector<double> y(b.size());
    double r = 0, norm = 0;
    lcl_csr_multiply(&A, x.data(), y.data());
    for (std::size_t i = 0; i < b.size(); ++i) {
        r += (b[i] - y[i]) * (b[i] - y[i]);
        norm += b[i] * b[i];
    }
    return std::sqrt(r / norm);
}

// A system that the tests share.
struct System {
    levelcl::Matrix A = levelcl::Matrix::problem("lap3d:8");
    std::vector<double> b = random_vector(512), x = std::vector<double>(512);
};

void test_chain__solves(const levelcl::Context &ctx)
{
    System s;
    levelcl::Operator A(ctx, s.A);
    levelcl::Chain chain(A, {"rtol=1e-10"});
    const levelcl::Report report = chain.solve(s.b, s.x);
    CHECK(report.converged() && report.values.stop == LCL_STOP_RTOL);
    CHECK(relative_residual(s.A, s.x, s.b) < 1.1e-10);
    CHECK(report.history.size() == std::size_t(report.values.iterations) + 1);
    CHECK(chain.attempts().size() == 1 && !chain.reason().empty());
    chain.set_tolerance(1e-12);
    CHECK(chain.solve(s.b, s.x).values.true_residual <= 1e-12);
}

void test_update__solves_with_the_new_values(const levelcl::Context &ctx)
{
    System s;
    levelcl::Operator A(ctx, s.A);
    levelcl::Preconditioner M(A, {"precond=ic0"});
    levelcl::Solver solver(A, M, {"solver=cg"});
    std::vector<double> val(s.A->val, s.A->val + s.A->nnz);
    for (double &value : val)
        value *= value > 0 ? 3 : 2;
    A.update(val);
    CHECK(M.update() == LCL_OK);
    const lcl_csr &old = s.A;
    const lcl_csr scaled = levelcl::csr(
        512, 512, {old.row_ptr, 513}, {old.col_ind, std::size_t(old.nnz)}, val);
    CHECK(solver.solve(s.b, s.x).converged());
    CHECK(relative_residual(scaled, s.x, s.b) < 1e-7);
}

void test_views__take_contiguous_containers(const levelcl::Context &ctx)
{
    const std::array<std::int64_t, 3> row_ptr = {0, 1, 3};
    const std::int32_t col_ind[] = {0, 0, 1};
    const std::vector<double> val = {2, 1, 4};
    levelcl::Operator A(ctx, levelcl::csr(2, 2, row_ptr, col_ind, val));
    const double x[] = {1, 2};
    std::array<double, 2> y{};
    A.apply(x, y);
    CHECK(y[0] == 2 && y[1] == 9);
    A.apply(std::vector<double>{2, 0}, y);
    CHECK(y[0] == 4 && y[1] == 2);
#if __cplusplus >= 202002L
    const std::span<const double> given(x);
    std::vector<double> result(2);
    const levelcl::View<double> taken = std::span(result);
    levelcl::Operator(ctx, levelcl::csr(2, 2, std::span(row_ptr),
                                        std::span(col_ind), std::span(val)))
        .apply(given.first(2), taken);
    CHECK(std::span<double>(taken)[1] == 9);
#endif
    A.apply_transpose(x, y);
    CHECK(y[0] == 4 && y[1] == 8);
    levelcl::Preconditioner(A, {"precond=jacobi"}).apply_transpose(x, y);
    CHECK(y[0] == 0.5 && y[1] == 0.5);
    // couplings of half a diagonal entry need no factors
    CHECK(levelcl::Preconditioner(A).info().type == LCL_PRECOND_JACOBI);
#if __cplusplus >= 202002L
    A.apply(std::span<const double>(val).first(2), std::span<double>(y));
    CHECK(y[0] == 4 && y[1] == 6);
#endif
    static_assert(!std::is_constructible_v<levelcl::View<double>,
                                           const std::vector<double> &>);
    static_assert(!std::is_constructible_v<levelcl::View<const double>,
                                           std::vector<float> &>);
}

void test_csr__takes_row_pointers_of_32_bits(const levelcl::Context &ctx)
{
    const std::vector<int> row_ptr = {0, 1, 3};
    const std::vector<int> col_ind = {0, 1, 0};
    std::vector<double> val = {2, 4, 1};
    levelcl::Operator A(ctx, levelcl::csr(2, 2, row_ptr, col_ind, val));
    const std::array<double, 2> x = {1, 2};
    std::array<double, 2> y{};
    A.apply(x, y);
    CHECK(y[0] == 2 && y[1] == 9);
    val = {1, 2, 3};
    A.update(val);
    A.apply(x, y);
    CHECK(y[0] == 1 && y[1] == 7);
    check_error(LCL_EINVAL, "row_ptr has 3 elements: expected 4",
                [&] { (void)levelcl::csr(3, 3, row_ptr, col_ind, val); });
    check_error(LCL_EINVAL, "col_ind has 2 elements: expected 3", [&] {
        (void)levelcl::csr(2, 2, row_ptr, {col_ind.data(), 2}, val);
    });
    check_error(LCL_EINVAL, "negative",
                [&] { (void)levelcl::csr(-1, 2, row_ptr, col_ind, val); });
}

void test_layouts__are_operators(const levelcl::Context &ctx)
{
    const std::int32_t row[] = {1, 0, 1}, col[] = {1, 0, 0};
    const double x[] = {1, 2}, val[] = {4, 2, 1};
    lcl_layout lower = LCL_LAYOUT_INIT;
    lower.type = LCL_LAYOUT_COO;
    lower.triangle = LCL_TRIANGLE_LOWER;
    lower.rows = 2;
    lower.nnz = 3;
    lower.row = row;
    lower.col = col;
    lower.val = val;
    levelcl::Operator A(ctx, lower);
    double y[2];
    A.apply(x, y);
    CHECK(y[0] == 4 && y[1] == 9);
    A.update(std::vector<double>{1, 1, 3});
    A.apply(x, y);
    CHECK(y[0] == 7 && y[1] == 5);
}

void test_chain__can_be_cancelled(const levelcl::Context &ctx)
{
    System s;
    levelcl::Operator A(ctx, s.A);
    levelcl::Options options{"rtol=1e-10"};
    options.c.solver.monitor_every = 1;
    levelcl::Chain chain(A, options);
    const auto cancel = [&](const lcl_progress_info &) {
        chain.cancel();
        return true;
    };
    CHECK(chain.solve(s.b, s.x, cancel).values.stop == LCL_STOP_CANCELLED);
    std::vector<double> val(s.A->val, s.A->val + s.A->nnz);
    for (double &value : val)
        value *= 2;
    A.update(val);
    chain.cancel();
    check_error(LCL_ECANCELLED, "", [&] { chain.update(); });
    CHECK(chain.solve(s.b, s.x).converged());
    check_error(LCL_ECANCELLED, "",
                [&] { levelcl::Chain(A, {"time-limit=1e-9"}); });
}

// [1 + i, 0; 2, 3 - i] (1, i) = (1 + i, 3 + 3 i)
void test_complex__numbers_are_pairs(const levelcl::Context &ctx)
{
    using Complex = std::complex<double>;
    const std::vector<std::int64_t> row_ptr = {0, 1, 3};
    const std::vector<std::int32_t> col = {0, 0, 1};
    std::vector<Complex> val = {{1, 1}, {2, 0}, {3, -1}};
    const std::array<Complex, 2> b = {Complex(1, 1), Complex(3, 3)};
    std::vector<Complex> x(2), y(2);
    lcl_layout L = LCL_LAYOUT_INIT;
    L.rows = 2;
    L.nnz = 3;
    L.row_ptr = row_ptr.data();
    L.col = col.data();
    L.val = levelcl::View<const double>(val).data();
    L.is_complex = true;
    levelcl::Operator A(ctx, L);
    CHECK(A.info().is_complex && A.info().rows == 4);
    levelcl::Chain chain(A, {"rtol=1e-12"});
    CHECK(chain.solve(b, x).converged());
    CHECK(std::abs(x[0] - 1.0) < 1e-10);
    CHECK(std::abs(x[1] - Complex(0, 1)) < 1e-10);
    for (Complex &v : val)
        v *= Complex(0, 1);
    A.update(val);
    A.apply(x, y);
    CHECK(std::abs(y[1] - Complex(-3, 3)) < 1e-9);
    static_assert(!std::is_constructible_v<levelcl::View<double>,
                                           const std::vector<Complex> &>);
    static_assert(!std::is_constructible_v<levelcl::View<double>,
                                           std::vector<std::complex<float>> &>);
}

void test_objects__move_and_end_in_any_order(const levelcl::Context &shared)
{
    System s;
    static_assert(!std::is_copy_constructible_v<levelcl::Context> &&
                  !std::is_copy_constructible_v<levelcl::Operator> &&
                  !std::is_copy_constructible_v<levelcl::Preconditioner> &&
                  !std::is_copy_constructible_v<levelcl::Matrix> &&
                  !std::is_copy_assignable_v<levelcl::Solver> &&
                  std::is_nothrow_move_constructible_v<levelcl::Chain>);
    const auto solver = [&] {
        lcl_context_params params = LCL_CONTEXT_PARAMS_INIT;
        params.no_self_test = true;
        levelcl::Context ctx(params);
        CHECK(ctx.caps().fp64 && ctx.get() != shared.get());
        levelcl::Operator A(ctx, s.A);
        levelcl::Operator moved = std::move(A);
        return levelcl::Solver(moved, levelcl::Preconditioner(moved));
    };
    levelcl::Solver S = solver();
    CHECK(S.solve(s.b, s.x).converged());
    S = solver();
    CHECK(S.solve(s.b, s.x).values.iterations == 0);
    levelcl::Matrix other = levelcl::Matrix::problem("lap3d:2");
    other = std::move(s.A);
    CHECK(other->rows == 512);
}

template <class Call> void check_moved(Call call)
{
    check_error(LCL_EINVAL, "moved from", call);
}

void test_objects__that_were_moved_from_throw(const levelcl::Context &shared)
{
    System s;
    lcl_context_params params = LCL_CONTEXT_PARAMS_INIT;
    params.no_self_test = true;
    levelcl::Context ctx(params), context = std::move(ctx);
    check_moved([&] { ctx.caps(); });
    check_moved([&] { ctx.memory(); });
    check_moved([&] { ctx.get(); });
    check_moved([&] { levelcl::Operator(ctx, s.A); });
    check_moved([&] { levelcl::Operator(ctx, 1, 1, {}); });
    levelcl::Operator A(shared, s.A), op = std::move(A);
    check_moved([&] { A.info(); });
    check_moved([&] { A.update(s.b); });
    check_moved([&] { A.set_near_nullspace(s.b, 1); });
    check_moved([&] { A.set_nullspace(); });
    check_moved([&] { A.apply(s.b, s.x); });
    check_moved([&] { A.apply_transpose(s.b, s.x); });
    check_moved([&] { levelcl::Preconditioner{A}; });
    check_moved([&] { levelcl::Preconditioner(A, levelcl::Apply()); });
    check_moved([&] { levelcl::Solver{A}; });
    check_moved([&] { levelcl::Chain{A}; });
    levelcl::Preconditioner M(op, {"precond=jacobi"}), jacobi = std::move(M);
    check_moved([&] { M.info(); });
    check_moved([&] { M.update(); });
    check_moved([&] { M.apply(s.b, s.x); });
    check_moved([&] { M.apply_transpose(s.b, s.x); });
    check_moved([&] { levelcl::Solver(op, M); });
    levelcl::Solver S(op, jacobi), solver = std::move(S);
    check_moved([&] { (void)S.solve(s.b, s.x); });
    check_moved([&] { (void)S.solve_many(s.b, s.x, 1); });
    check_moved([&] { S.info(); });
    check_moved([&] { S.set_tolerance(1); });
    check_moved([&] { S.cancel(); });
    levelcl::Chain C(op), chain = std::move(C);
    check_moved([&] { (void)C.solve(s.b, s.x); });
    check_moved([&] { C.update(); });
    check_moved([&] { C.set_tolerance(1); });
    check_moved([&] { C.cancel(); });
    check_moved([&] { C.attempts(); });
    check_moved([&] { C.reason(); });
    const levelcl::Matrix matrix = std::move(s.A);
    check_moved([&] { (void)s.A->rows; });
    check_moved([&] { levelcl::Operator(shared, s.A); });
    A = std::move(op);
    C = std::move(chain);
    CHECK(A.info().rows == 512 && C.solve(s.b, s.x).converged());
}

void test_objects__may_move_and_end_in_their_monitor(
    const levelcl::Context &ctx)
{
    System s;
    levelcl::Operator A(ctx, s.A);
    levelcl::Options options{"solver=cg"};
    options.c.solver.monitor_every = 1;
    auto solver = std::make_unique<levelcl::Solver>(A, options);
    const levelcl::Report report =
        solver->solve(s.b, s.x, [&](const lcl_progress_info &) {
            solver.reset();
            return true;
        });
    CHECK(report.converged() && report.history.size() > 5);
    CHECK(report.history[0] > report.history.back());
    levelcl::Chain chain(A, options), other(A);
    CHECK(chain
              .solve(s.b, s.x,
                     [&](const lcl_progress_info &progress) {
                         if (progress.iteration == 0)
                             other = std::move(chain);
                         return true;
                     })
              .converged());
    CHECK(other.solve(s.b, s.x).values.iterations == 0);
}

void test_errors__have_status_and_sentence(const levelcl::Context &ctx)
{
    System s;
    levelcl::Operator A(ctx, s.A);
    levelcl::Solver solver(A);
    std::vector<double> shorter(511), not_finite(512, NAN);
    check_error(LCL_EINVAL, "b has 511 elements: expected 512",
                [&] { (void)solver.solve(shorter, s.x); });
    check_error(LCL_EINVAL, "y has 511", [&] { A.apply(s.b, shorter); });
    check_error(LCL_EINVAL, "val has 512", [&] { A.update(s.b); });
    check_error(LCL_EINVAL, "vectors has 511",
                [&] { A.set_near_nullspace(shorter, 1); });
    check_error(LCL_EINVAL, "null vector 0", [&] { A.set_nullspace(); });
    check_error(LCL_EFORMAT, "NaN",
                [&] { (void)solver.solve(not_finite, s.x); });
    check_error(LCL_EINVAL, "did you mean 'max-iters'",
                [] { levelcl::Options{"max-itrs=3"}; });
    check_error(LCL_EIO, "nowhere.mtx",
                [] { levelcl::Matrix::read("/nowhere.mtx"); });
    check_error(LCL_ENODEVICE, "nosuchdevice", [] {
        lcl_context_params params = LCL_CONTEXT_PARAMS_INIT;
        params.device = "nosuchdevice";
        levelcl::Context none(params);
    });
    const std::vector<std::int64_t> row_ptr = {0, 2, 1};
    const std::vector<std::int32_t> col_ind = {0};
    const std::vector<double> val = {1};
    check_error(LCL_EFORMAT, "row", [&] {
        levelcl::Operator(ctx, levelcl::csr(2, 2, row_ptr, col_ind, val));
    });
    check_error(LCL_EINVAL, "row_ptr has 3 elements",
                [&] { levelcl::csr(3, 2, row_ptr, col_ind, val); });
    check_error(LCL_EINVAL, "negative", [&] {
        levelcl::csr(-1, 2, std::vector<std::int64_t>(), col_ind, val);
    });
    CHECK(solver.solve(s.b, s.x).converged());
}

void test_monitor__watches_stops_and_throws(const levelcl::Context &ctx)
{
    System s;
    levelcl::Operator A(ctx, s.A);
    levelcl::Options options{"solver=cg"};
    options.c.solver.monitor_every = 1;
    levelcl::Solver solver(A, options);
    int calls = 0;
    const levelcl::Report all =
        solver.solve(s.b, s.x, [&](const lcl_progress_info &progress) {
            ++calls;
            return progress.residual > 0;
        });
    CHECK(all.converged() && calls > 5);
    s.x.assign(512, 0);
    CHECK(
        solver.solve(s.b, s.x, [](const lcl_progress_info &) { return false; })
            .values.stop == LCL_STOP_MONITOR);
    try {
        (void)solver.solve(s.b, s.x, [](const lcl_progress_info &) -> bool {
            throw std::out_of_range("mine");
        });
        CHECK(!"thrown");
    } catch (const std::out_of_range &error) {
        CHECK(error.what() == std::string("mine"));
    }
    check_error(LCL_EINVAL, "own solve", [&] {
        (void)solver.solve(s.b, s.x, [&](const lcl_progress_info &) {
            return solver.solve(s.b, s.x).converged();
        });
    });
    CHECK(solver.solve(s.b, s.x).converged());
    solver.set_tolerance(1e-12);
    CHECK(solver.solve(s.b, s.x).values.true_residual <= 1e-12);
}

void test_solve_many__solves_columns(const levelcl::Context &ctx)
{
    System s;
    levelcl::Operator A(ctx, s.A);
    levelcl::Options options{"solver=cg"};
    options.c.solver.monitor_every = 1;
    levelcl::Solver solver(A, options);
    const std::vector<double> B = random_vector(3 * 512);
    std::vector<double> X(3 * 512);
    const std::vector<levelcl::Report> reports = solver.solve_many(B, X, 3);
    CHECK(reports.size() == 3);
    for (std::size_t j = 0; j < reports.size(); ++j) {
        const std::vector<double> b(&B[j * 512], &B[j * 512] + 512);
        const std::vector<double> x(&X[j * 512], &X[j * 512] + 512);
        CHECK(relative_residual(s.A, x, b) < 1.1e-8);
        s.x.assign(512, 0);
        const levelcl::Report alone = solver.solve(b, s.x);
        CHECK(reports[j].converged() && alone.history == reports[j].history);
        CHECK(x == s.x);
    }
    CHECK(solver.solve_many(B, X, 3)[2].values.iterations == 0);
#if __cplusplus >= 202002L
    const auto two = std::span(B).first(1024);
    CHECK(solver.solve_many(two, std::span(X).last(1024), 2).size() == 2);
#endif
}

void test_solve_many__a_chain_has_attempts_of_each_column(
    const levelcl::Context &ctx)
{
    System s;
    levelcl::Operator A(ctx, s.A);
    levelcl::Chain chain(A);
    const std::vector<double> B = random_vector(2 * 512);
    std::vector<double> X(2 * 512);
    const std::vector<levelcl::Report> reports = chain.solve_many(B, X, 2);
    CHECK(reports.size() == 2);
    for (std::size_t j = 0; j < reports.size(); ++j) {
        const std::vector<double> b(&B[j * 512], &B[j * 512] + 512);
        const std::vector<double> x(&X[j * 512], &X[j * 512] + 512);
        const auto tried = chain.attempts(static_cast<int>(j));
        CHECK(reports[j].converged() && relative_residual(s.A, x, b) < 1.1e-8);
        CHECK(tried.size() == 1 &&
              tried[0].iterations == reports[j].values.iterations);
    }
    CHECK(chain.attempts(2).empty());
}

void test_solve_many__checks_and_fails_by_column(const levelcl::Context &ctx)
{
    const std::array<std::int64_t, 3> row_ptr = {0, 1, 2};
    const std::array<std::int32_t, 2> col_ind = {0, 1};
    const std::array<double, 2> val = {1, -1};
    levelcl::Operator A(ctx, levelcl::csr(2, 2, row_ptr, col_ind, val));
    levelcl::Solver solver(A, {"solver=cg", "norm=max"});
    CHECK(solver.info().norm == LCL_NORM_MAX && solver.info().rtol == 1e-8);
    const std::array<double, 6> B = {3, 0, 1, 1, 0, 2};
    std::array<double, 6> X{}, not_finite = {0, 0, NAN};
    const auto reports = solver.solve_many(B, X, 3);
    CHECK(reports[0].converged() && reports[2].converged());
    CHECK(reports[0].values.norm_b == 3 && X[0] == 3 && X[5] == -2);
    CHECK(reports[1].status == LCL_BREAKDOWN &&
          reports[1].values.stop == LCL_STOP_INDEFINITE_MATRIX);
    check_error(LCL_EINVAL, "B has 6 elements: expected 4",
                [&] { (void)solver.solve_many(B, X, 2); });
    check_error(LCL_EINVAL, "B has 6",
                [&] { (void)solver.solve_many(B, X, -3); });
    check_error(LCL_EINVAL, "X has 0 elements",
                [&] { (void)solver.solve_many(B, std::vector<double>(), 3); });
    check_error(LCL_EINVAL, "", [&] {
        (void)solver.solve_many(std::vector<double>(), std::vector<double>(),
                                0);
    });
    check_error(LCL_EFORMAT, "column 1",
                [&] { (void)solver.solve_many(not_finite, X, 3); });
    check_error(LCL_EINVAL, "overlap",
                [&] { (void)solver.solve_many(X, X, 3); });
}

void test_solve_many__the_monitor_ends_all(const levelcl::Context &ctx)
{
    System s;
    levelcl::Operator A(ctx, s.A);
    levelcl::Options options{"solver=cg"};
    options.c.solver.monitor_every = 1;
    levelcl::Solver solver(A, options);
    const std::vector<double> B = random_vector(2 * 512);
    std::vector<double> X(2 * 512);
    const auto stops = [](const lcl_progress_info &) { return false; };
    const auto reports = solver.solve_many(B, X, 2, stops);
    CHECK(reports[0].values.stop == LCL_STOP_MONITOR);
    CHECK(reports[0].status == LCL_ITERATION_LIMIT);
    CHECK(reports[1].values.stop == LCL_STOP_MONITOR);
    CHECK(!reports[1].converged() && !reports[1].history.empty());
    check_error(LCL_EINVAL, "own solve", [&] {
        (void)solver.solve_many(B, X, 2, [&](const lcl_progress_info &) {
            return solver.solve_many(B, X, 2)[0].converged();
        });
    });
    CHECK(solver.solve_many(B, X, 2)[1].converged());
}

void test_memory__is_that_of_the_objects(const levelcl::Context &)
{
    System s;
    lcl_context_params params = LCL_CONTEXT_PARAMS_INIT;
    params.no_self_test = true;
    levelcl::Context ctx(params);
    const lcl_memory_info empty = ctx.memory();
    {
        levelcl::Operator A(ctx, s.A);
        levelcl::Preconditioner M(A, {"precond=ilu0", "coarse=none"});
        CHECK(M.info().bytes > 0);
        CHECK(ctx.memory().buffer_bytes - empty.buffer_bytes >=
              A.info().bytes + M.info().bytes);
    }
    CHECK(ctx.memory().buffer_bytes == empty.buffer_bytes);
}

void test_functions__solve_and_throw(const levelcl::Context &ctx)
{
    System s;
    bool fails = false;
    const auto product = [&](levelcl::View<const double> x,
                             levelcl::View<double> y) {
        if (fails)
            throw std::out_of_range("mine");
        lcl_csr_multiply(&static_cast<const lcl_csr &>(s.A), x.data(),
                         y.data());
    };
    levelcl::Operator A(ctx, 512, 512, product);
    levelcl::Preconditioner M(
        A, [](levelcl::View<const double> x, levelcl::View<double> y) {
            for (std::size_t i = 0; i < x.size(); ++i)
                y[i] = x[i] / 6;
        });
    levelcl::Solver solver(A, M, {"solver=cg"});
    CHECK(solver.solve(s.b, s.x).converged());
    CHECK(relative_residual(s.A, s.x, s.b) < 1.1e-8);
    fails = true;
    try {
        A.apply(s.b, s.x);
        CHECK(!"thrown");
    } catch (const std::out_of_range &) {
    }
}

void test_log__gets_warnings(const levelcl::Context &)
{
    const std::array<std::int64_t, 3> row_ptr = {0, 2, 4};
    const std::array<std::int32_t, 4> col_ind = {0, 1, 0, 1};
    const std::array<double, 4> val = {1, 2, 2, 4};
    std::string warnings;
    lcl_context_params params = LCL_CONTEXT_PARAMS_INIT;
    params.no_self_test = true;
    levelcl::Context ctx(params, [&](lcl_log_level level, const char *text) {
        CHECK(level == LCL_LOG_WARN);
        warnings += text;
    });
    levelcl::Operator A(ctx, levelcl::csr(2, 2, row_ptr, col_ind, val),
                        {"block-size=1"});
    levelcl::Preconditioner M(A, {"precond=ilu0"});
    CHECK(M.info().pivots_repaired == 1);
    CHECK(warnings.find("pivot") != std::string::npos);
}

} // namespace

int main()
{
    int devices = 0;
    if (lcl_device_count(&devices, nullptr) != LCL_OK || devices == 0)
        return 77;
    const levelcl::Context ctx;
    test_chain__solves(ctx);
    test_chain__can_be_cancelled(ctx);
    test_update__solves_with_the_new_values(ctx);
    test_views__take_contiguous_containers(ctx);
    test_csr__takes_row_pointers_of_32_bits(ctx);
    test_layouts__are_operators(ctx);
    test_complex__numbers_are_pairs(ctx);
    test_objects__move_and_end_in_any_order(ctx);
    test_objects__that_were_moved_from_throw(ctx);
    test_objects__may_move_and_end_in_their_monitor(ctx);
    test_errors__have_status_and_sentence(ctx);
    test_monitor__watches_stops_and_throws(ctx);
    test_solve_many__solves_columns(ctx);
    test_solve_many__a_chain_has_attempts_of_each_column(ctx);
    test_solve_many__checks_and_fails_by_column(ctx);
    test_solve_many__the_monitor_ends_all(ctx);
    test_memory__is_that_of_the_objects(ctx);
    test_functions__solve_and_throw(ctx);
    test_log__gets_warnings(ctx);
    return failures != 0;
}
