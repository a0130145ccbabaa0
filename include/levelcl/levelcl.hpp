/* SPDX-License-Identifier: BSD-3-Clause */
/* levelcl for C++17: objects that free themselves, exceptions, std::function.
 * Header only; link with the C library.
 *
 *   levelcl::Context ctx;
 *   levelcl::Operator A(ctx, levelcl::csr(n, n, row_ptr, col_ind, val));
 *   levelcl::Chain chain(A, {"rtol=1e-10"});
 *   const levelcl::Report report = chain.solve(b, x);
 *
 * Objects move and do not copy. Each keeps what it was made from alive, so that
 * they may end in any order. Negative statuses are thrown as Error, positive
 * ones are returned. What a callback throws ends the call that it belongs to
 * and reaches the caller of that. A call on an object that was moved from is an
 * Error with LCL_EINVAL. Thread-safety: that of the C library. */
#ifndef LEVELCL_HPP
#define LEVELCL_HPP

#include <levelcl/levelcl.h>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

/* Words that others define as macros, such as OpenFOAM Log; the macros are back
 * at the end. */
#pragma push_macro("Apply")
#undef Apply
#pragma push_macro("Call")
#undef Call
#pragma push_macro("Chain")
#undef Chain
#pragma push_macro("Context")
#undef Context
#pragma push_macro("Create")
#undef Create
#pragma push_macro("Error")
#undef Error
#pragma push_macro("Fill")
#undef Fill
#pragma push_macro("Function")
#undef Function
#pragma push_macro("Log")
#undef Log
#pragma push_macro("Matrix")
#undef Matrix
#pragma push_macro("Messages")
#undef Messages
#pragma push_macro("Monitor")
#undef Monitor
#pragma push_macro("Object")
#undef Object
#pragma push_macro("Operator")
#undef Operator
#pragma push_macro("Options")
#undef Options
#pragma push_macro("Parents")
#undef Parents
#pragma push_macro("Preconditioner")
#undef Preconditioner
#pragma push_macro("Report")
#undef Report
#pragma push_macro("Result")
#undef Result
#pragma push_macro("Solve")
#undef Solve
#pragma push_macro("Solver")
#undef Solver
#pragma push_macro("Solving")
#undef Solving
#pragma push_macro("View")
#undef View
#pragma push_macro("Watch")
#undef Watch
#pragma push_macro("check")
#undef check
#pragma push_macro("log")
#undef log

namespace levelcl
{

/* A negative status, with the sentence of the log. */
class Error : public std::runtime_error
{
  public:
    Error(lcl_status status, const std::string &sentence)
        : std::runtime_error(sentence.empty() ? lcl_status_str(status)
                                              : sentence),
          status_(status)
    {
    }

    lcl_status status() const noexcept
    {
        return status_;
    }

  private:
    lcl_status status_;
};

/* Elements next to each other that somebody else owns: made from whatever
 * std::data() and std::size() take, such as std::vector and std::span. Complex
 * numbers are viewed as pairs of doubles, the vectors and values of complex
 * matrices (layout.h): View<const double>(val).data() is a `val` there. */
template <class T> class View
{
    template <class C>
    using element =
        std::remove_pointer_t<decltype(std::data(std::declval<C &>()))>;

    template <class C>
    static constexpr bool is_complex =
        std::is_same_v<std::remove_const_t<T>, double> &&std::is_same_v<
            std::remove_const_t<element<C>>, std::complex<double>> &&
        (std::is_const_v<T> || !std::is_const_v<element<C>>);

  public:
    View(T *data, std::size_t size) noexcept : data_(data), size_(size)
    {
    }

    template <class C, class = std::enable_if_t<
                           !std::is_same_v<std::decay_t<C>, View> &&
                           std::is_convertible_v<element<C> (*)[], T (*)[]>>>
    View(C &&elements) : data_(std::data(elements)), size_(std::size(elements))
    {
    }

    template <class C, std::enable_if_t<is_complex<C>, int> = 0>
    View(C &&numbers)
        : data_(reinterpret_cast<T *>(std::data(numbers))),
          size_(2 * std::size(numbers))
    {
    }

    T *data() const noexcept
    {
        return data_;
    }
    std::size_t size() const noexcept
    {
        return size_;
    }
    T *begin() const noexcept
    {
        return data_;
    }
    T *end() const noexcept
    {
        return data_ + size_;
    }
    T &operator[](std::size_t at) const
    {
        return data_[at];
    }

  private:
    T *data_;
    std::size_t size_;
};

/* Gets each line of the log but errors, whose sentences are thrown. */
using Log = std::function<void(lcl_log_level level, const char *text)>;

/* Called between batches of iterations; false stops the solve. */
using Monitor = std::function<bool(const lcl_progress_info &progress)>;

/* Computes y = A x. */
using Apply = std::function<void(View<const double> x, View<double> y)>;

namespace detail
{

/* What the library logged and callbacks threw during a call. */
struct Messages {
    Log log;
    std::string sentence;
    std::exception_ptr thrown;

    /* `call()` for a C caller, `failed` if it throws. */
    template <class Result, class Call>
    Result guard(Result failed, Call call) noexcept
    {
        try {
            return call();
        } catch (...) {
            if (!thrown)
                thrown = std::current_exception();
            return failed;
        }
    }

    static void hear(void *user, lcl_log_level level, const char *text)
    {
        auto &messages = *static_cast<Messages *>(user);
        messages.guard(false, [&] {
            if (level == LCL_LOG_ERROR)
                messages.sentence = text;
            else if (messages.log)
                messages.log(level, text);
            return true;
        });
    }

    lcl_log logger(lcl_log_level level = LCL_LOG_ERROR)
    {
        return {hear, this, level};
    }

    /* Returns a status that is no error. */
    lcl_status check(lcl_status status)
    {
        const std::exception_ptr raised = std::exchange(thrown, nullptr);
        const std::string reason = std::exchange(sentence, {});
        if (raised)
            std::rethrow_exception(raised);
        if (status < 0)
            throw Error(status, reason);
        return status;
    }
};

/* Throws unless a view has as many elements as expected. */
inline void need(const char *name, std::size_t size, std::int64_t expected)
{
    if (size != static_cast<std::size_t>(expected))
        throw Error(LCL_EINVAL,
                    std::string(name) + " has " + std::to_string(size) +
                        " elements: expected " + std::to_string(expected));
}

/* What an object is made from. */
using Parents = std::vector<std::shared_ptr<void>>;

/* An object of the C library, freed before what it was made from. */
template <class T> class Object
{
  public:
    Object(Object &&) noexcept = default;
    Object &operator=(Object &&) noexcept = default;

    /* The object of C, which stays owned by this one. */
    T *get() const
    {
        if (!made_)
            throw Error(LCL_EINVAL, "the object was moved from");
        return made_.get();
    }

  protected:
    explicit Object(std::shared_ptr<Messages> messages)
        : messages_(std::move(messages))
    {
    }

    /* Creates the object by create(T **); it keeps `parents` alive. */
    template <class Create>
    lcl_status make(void (*destroy)(T **), Parents parents, Create create)
    {
        parents.push_back(messages_);
        auto free = [destroy, parents = std::move(parents)](T *object) {
            destroy(&object);
        };
        T *made = nullptr;
        const lcl_status status = create(&made);
        made_ = std::shared_ptr<T>(made, std::move(free));
        return messages_->check(status);
    }

    /* The status of call(T *); callbacks may move or end this object. */
    template <class Call> lcl_status checked(Call call) const
    {
        T *const object = get();
        const std::shared_ptr<Messages> messages = messages_;
        const std::shared_ptr<T> kept = made_;
        return messages->check(call(object));
    }

    /* Of the object that this one is made from. */
    template <class U>
    static std::shared_ptr<void> alive(const Object<U> &parent)
    {
        parent.get();
        return parent.made_;
    }
    template <class U>
    static std::shared_ptr<Messages> messages_of(const Object<U> &parent)
    {
        parent.get();
        return parent.messages_;
    }

    std::shared_ptr<Messages> messages_;

  private:
    template <class U> friend class Object;

    std::shared_ptr<T> made_;
};

/* A function that C calls with a pointer to this. */
struct Function {
    Messages &messages;
    Apply apply;
    std::size_t rows, cols;

    static lcl_status call(void *user, const double *x, double *y)
    {
        const auto &f = *static_cast<Function *>(user);
        return f.messages.guard(LCL_EINVAL, [&] {
            f.apply({x, f.cols}, {y, f.rows});
            return LCL_OK;
        });
    }
};

/* The monitor of the solve in progress. */
struct Watch {
    Messages &messages;
    const Monitor *monitor;

    static bool call(void *user, const lcl_progress_info *progress)
    {
        const auto &watch = *static_cast<Watch *>(user);
        return watch.messages.guard(false, [&] {
            return !watch.monitor || !*watch.monitor ||
                   (*watch.monitor)(*progress);
        });
    }
};

} // namespace detail

/* struct lcl_options from "key=value", as lcl_options_parse(). What `c` points
 * to must live as long as what is made with the options. */
class Options
{
  public:
    Options(std::initializer_list<const char *> texts = {})
    {
        for (const char *text : texts)
            set(text);
    }

    Options &set(const std::string &text)
    {
        detail::Messages messages;
        const lcl_log log = messages.logger();
        messages.check(lcl_options_parse(&c, text.c_str(), &log));
        return *this;
    }

    lcl_options c = LCL_OPTIONS_INIT;
};

namespace detail
{
template <class T>
void need_csr(std::int64_t rows, View<const T> row_ptr,
              View<const std::int32_t> col_ind, View<const double> val)
{
    if (rows < 0)
        throw Error(LCL_EINVAL, "a matrix with a negative number of rows");
    need("row_ptr", row_ptr.size(), rows + 1);
    need("col_ind", col_ind.size(), row_ptr[row_ptr.size() - 1]);
    need("val", val.size(), row_ptr[row_ptr.size() - 1]);
}
} // namespace detail

/* Views of a matrix as struct lcl_csr, sizes checked. */
inline lcl_csr csr(std::int64_t rows, std::int64_t cols,
                   View<const std::int64_t> row_ptr,
                   View<const std::int32_t> col_ind, View<const double> val)
{
    detail::need_csr(rows, row_ptr, col_ind, val);
    /* the library writes to none of them */
    return {rows,
            cols,
            static_cast<std::int64_t>(val.size()),
            const_cast<std::int64_t *>(row_ptr.data()),
            const_cast<std::int32_t *>(col_ind.data()),
            const_cast<double *>(val.data())};
}

/* The same for row pointers of 32 bits, such as those of Eigen; the columns of
 * a row may be in any order. */
inline lcl_layout csr(std::int64_t rows, std::int64_t cols,
                      View<const std::int32_t> row_ptr,
                      View<const std::int32_t> col_ind, View<const double> val)
{
    detail::need_csr(rows, row_ptr, col_ind, val);
    lcl_layout L = LCL_LAYOUT_INIT;
    L.rows = rows;
    L.cols = cols;
    L.nnz = static_cast<std::int64_t>(val.size());
    L.row_ptr32 = row_ptr.data();
    L.col = col_ind.data();
    L.val = val.data();
    return L;
}

class Context : public detail::Object<lcl_context>
{
  public:
    /* `params.log` is not used: `log` gets the lines up to `level`. */
    explicit Context(lcl_context_params params = LCL_CONTEXT_PARAMS_INIT,
                     Log log = {}, lcl_log_level level = LCL_LOG_WARN)
        : Context(lcl_context_create, params, std::move(log), level)
    {
    }

    /* The same by another function, such as one that calls
     * lcl_context_create_cl(). */
    template <class Create, class = std::enable_if_t<std::is_invocable_v<
                                Create, lcl_context **, lcl_context_params *>>>
    explicit Context(Create create,
                     lcl_context_params params = LCL_CONTEXT_PARAMS_INIT,
                     Log log = {}, lcl_log_level level = LCL_LOG_WARN)
        : Object(std::make_shared<detail::Messages>())
    {
        messages_->log = std::move(log);
        params.log = messages_->logger(level);
        make(lcl_context_destroy, {},
             [&](lcl_context **out) { return create(out, &params); });
    }

    const lcl_caps &caps() const
    {
        return *lcl_context_caps(get());
    }

    /* Memory of its objects; info() has that of each. */
    lcl_memory_info memory() const
    {
        return lcl_context_memory(get());
    }
};

class Operator : public detail::Object<lcl_operator>
{
  public:
    /* A need live only during the call. */
    Operator(const Context &context, const lcl_csr &A,
             const Options &options = {})
        : Object(messages_of(context))
    {
        make(lcl_operator_destroy, {alive(context)}, [&](lcl_operator **out) {
            return lcl_operator_create(out, context.get(), &A, &options.c.op);
        });
    }

    Operator(const Context &context, const lcl_bsr &A,
             const Options &options = {})
        : Object(messages_of(context))
    {
        make(lcl_operator_destroy, {alive(context)}, [&](lcl_operator **out) {
            return lcl_operator_create_bsr(out, context.get(), &A,
                                           &options.c.op);
        });
    }

    Operator(const Context &context, const lcl_layout &L,
             const Options &options = {})
        : Object(messages_of(context))
    {
        make(lcl_operator_destroy, {alive(context)}, [&](lcl_operator **out) {
            return lcl_operator_create_layout(out, context.get(), &L,
                                              &options.c.op);
        });
    }

    /* y = A x by a function, on the host. */
    Operator(const Context &context, std::int64_t rows, std::int64_t cols,
             Apply apply)
        : Operator(context, std::make_shared<detail::Function>(detail::Function{
                                *messages_of(context), std::move(apply),
                                static_cast<std::size_t>(rows),
                                static_cast<std::size_t>(cols)}))
    {
    }

    const struct lcl_operator_info &info() const
    {
        return *lcl_operator_info(get());
    }

    /* Replaces the values, in the order of the matrix. */
    void update(View<const double> val)
    {
        detail::need("val", val.size(), info().nnz);
        checked([&](auto *o) { return lcl_operator_update(o, val.data()); });
    }

    /* Near-null vectors, one after the other. */
    void set_near_nullspace(View<const double> vectors, std::int64_t count)
    {
        detail::need("vectors", vectors.size(), info().rows * count);
        const lcl_dense B = {info().rows, count,
                             const_cast<double *>(vectors.data())};
        checked(
            [&](auto *o) { return lcl_operator_set_near_nullspace(o, &B); });
    }

    /* The null space: N, or that of the vector of ones. */
    void set_nullspace(const lcl_nullspace &N = LCL_NULLSPACE_INIT)
    {
        checked([&](auto *o) { return lcl_operator_set_nullspace(o, &N); });
    }

    void apply(View<const double> x, View<double> y) const
    {
        detail::need("x", x.size(), info().cols);
        detail::need("y", y.size(), info().rows);
        checked(
            [&](auto *o) { return lcl_operator_apply(o, x.data(), y.data()); });
    }

    void apply_transpose(View<const double> x, View<double> y) const
    {
        detail::need("x", x.size(), info().rows);
        detail::need("y", y.size(), info().cols);
        checked([&](auto *o) {
            return lcl_operator_apply_transpose(o, x.data(), y.data());
        });
    }

  private:
    Operator(const Context &context, std::shared_ptr<detail::Function> function)
        : Object(messages_of(context))
    {
        make(lcl_operator_destroy, {alive(context), function},
             [&](lcl_operator **out) {
                 return lcl_operator_create_callback(
                     out, context.get(),
                     static_cast<std::int64_t>(function->rows),
                     static_cast<std::int64_t>(function->cols),
                     detail::Function::call, function.get());
             });
    }
};

class Preconditioner : public detail::Object<lcl_precond>
{
  public:
    /* By default the one that the matrix suggests. */
    explicit Preconditioner(const Operator &A, const Options &options = {})
        : Object(messages_of(A)), rows_(A.info().rows)
    {
        struct lcl_precond_params params = options.c.precond;
        make(lcl_precond_destroy, {alive(A)}, [&](lcl_precond **out) {
            const lcl_status st = lcl_choose_method(A.get(), &params, nullptr);
            return st < 0 ? st : lcl_precond_create(out, A.get(), &params);
        });
    }

    /* y = M^-1 x by a function, on the host. */
    Preconditioner(const Operator &A, Apply apply)
        : Preconditioner(A, std::make_shared<detail::Function>(detail::Function{
                                *messages_of(A), std::move(apply),
                                static_cast<std::size_t>(A.info().rows),
                                static_cast<std::size_t>(A.info().rows)}))
    {
    }

    const struct lcl_precond_info &info() const
    {
        return *lcl_precond_info(get());
    }

    /* Factors the values that the operator has now. */
    lcl_status update()
    {
        return checked([&](auto *o) { return lcl_precond_update(o); });
    }

    void apply(View<const double> b, View<double> x) const
    {
        detail::need("b", b.size(), rows_);
        detail::need("x", x.size(), rows_);
        checked(
            [&](auto *o) { return lcl_precond_apply(o, b.data(), x.data()); });
    }

    void apply_transpose(View<const double> b, View<double> x) const
    {
        detail::need("b", b.size(), rows_);
        detail::need("x", x.size(), rows_);
        checked([&](auto *o) {
            return lcl_precond_apply_transpose(o, b.data(), x.data());
        });
    }

  private:
    Preconditioner(const Operator &A,
                   std::shared_ptr<detail::Function> function)
        : Object(messages_of(A)), rows_(A.info().rows)
    {
        make(lcl_precond_destroy, {alive(A), function}, [&](lcl_precond **out) {
            return lcl_precond_create_callback(
                out, A.get(), detail::Function::call, function.get());
        });
    }

    std::int64_t rows_;
};

/* The end of a solve. */
struct Report {
    lcl_status status;           /* OK, or why there is no solution */
    lcl_report values;           /* without history */
    std::vector<double> history; /* residual after each iteration */

    bool converged() const noexcept
    {
        return status == LCL_OK;
    }
    std::string message() const
    {
        return lcl_stop_str(values.stop);
    }
};

namespace detail
{

/* Copies the history, which belongs to the solver. */
inline Report report(lcl_status status, lcl_report values)
{
    const double *history = std::exchange(values.history, nullptr);
    return {status, values,
            std::vector<double>(history, history + values.history_count)};
}

/* What solvers and chains have in common. */
template <class T> class Solving : public Object<T>
{
  protected:
    explicit Solving(const Operator &A)
        : Object<T>(Object<T>::messages_of(A)),
          watch_(std::make_shared<Watch>(Watch{*this->messages_, nullptr})),
          rows_(A.info().rows)
    {
    }

    lcl_solver_params watched(lcl_solver_params params) const
    {
        params.monitor = Watch::call;
        params.monitor_user = watch_.get();
        return params;
    }

    template <class Solve>
    Report run(Solve solve, View<const double> b, View<double> x,
               const Monitor &monitor)
    {
        need("b", b.size(), rows_);
        need("x", x.size(), rows_);
        const std::shared_ptr<void> kept = Object<T>::alive(*this);
        lcl_report values = LCL_REPORT_INIT;
        const lcl_status status = watch(monitor, [&](T *object) {
            return solve(object, b.data(), x.data(), &values);
        });
        return report(status, values);
    }

    template <class Solve>
    std::vector<Report> run_many(Solve solve, View<const double> B,
                                 View<double> X, int count,
                                 const Monitor &monitor)
    {
        need("B", B.size(), rows_ * count);
        need("X", X.size(), rows_ * count);
        std::vector<lcl_report> values(std::size_t(count > 0 ? count : 0));
        const std::shared_ptr<void> kept = Object<T>::alive(*this);
        const std::int64_t n = rows_;
        watch(monitor, [&](T *object) {
            return solve(object, B.data(), n, X.data(), n, count,
                         values.data());
        });
        std::vector<Report> reports;
        for (const lcl_report &column : values)
            reports.push_back(report(lcl_stop_status(column.stop), column));
        return reports;
    }

    /* Calls the library, which calls the monitor. */
    template <class Call> lcl_status watch(const Monitor &monitor, Call call)
    {
        return this->checked([&](T *object) {
            const std::shared_ptr<Watch> watch = watch_;
            if (watch->monitor)
                throw Error(LCL_EINVAL, "a monitor cannot start its own solve");
            watch->monitor = &monitor;
            const lcl_status status = call(object);
            watch->monitor = nullptr;
            return status;
        });
    }

    std::shared_ptr<Watch> watch_;

  private:
    std::int64_t rows_;
};

} // namespace detail

class Solver : public detail::Solving<lcl_solver>
{
  public:
    explicit Solver(const Operator &A, const Options &options = {}) : Solving(A)
    {
        create(A, nullptr, {alive(A), watch_}, options);
    }

    Solver(const Operator &A, const Preconditioner &M,
           const Options &options = {})
        : Solving(A)
    {
        create(A, M.get(), {alive(A), alive(M), watch_}, options);
    }

    /* x holds the initial guess on entry. */
    [[nodiscard]] Report solve(View<const double> b, View<double> x,
                               const Monitor &monitor = {})
    {
        return run(lcl_solver_solve, b, x, monitor);
    }

    /* Solves A X = B for `count` columns; X holds the initial guesses on entry.
     * A column that fails does not end the others, unless the monitor stopped
     * it: the stop reason of those after it is LCL_STOP_NONE. Returns a report
     * for each. */
    [[nodiscard]] std::vector<Report> solve_many(View<const double> B,
                                                 View<double> X, int count,
                                                 const Monitor &monitor = {})
    {
        return run_many(lcl_solver_solve_many, B, X, count, monitor);
    }

    /* The parameters in use. */
    const struct lcl_solver_params &info() const
    {
        return *lcl_solver_info(get());
    }

    void set_tolerance(double rtol, double atol = 0, int max_iters = 0)
    {
        checked([&](auto *o) {
            return lcl_solver_set_tolerance(o, rtol, atol, max_iters);
        });
    }

    /* Ends the solve in progress, or if there is none the next one; from any
     * thread. */
    void cancel() const
    {
        lcl_solver_cancel(get());
    }

  private:
    void create(const Operator &A, lcl_precond *M, detail::Parents parents,
                const Options &options)
    {
        const lcl_solver_params params = watched(options.c.solver);
        make(lcl_solver_destroy, std::move(parents), [&](lcl_solver **out) {
            return lcl_solver_create(out, A.get(), M, &params);
        });
    }
};

class Chain : public detail::Solving<lcl_chain>
{
  public:
    explicit Chain(const Operator &A, const Options &options = {}) : Solving(A)
    {
        const lcl_solver_params params = watched(options.c.solver);
        make(lcl_chain_destroy, {alive(A), watch_}, [&](lcl_chain **out) {
            return lcl_chain_create(out, A.get(), &options.c.precond, &params);
        });
    }

    [[nodiscard]] Report solve(View<const double> b, View<double> x,
                               const Monitor &monitor = {})
    {
        return run(lcl_chain_solve, b, x, monitor);
    }

    /* As that of Solver; a column that a method does not solve goes on with the
     * next ones. */
    [[nodiscard]] std::vector<Report> solve_many(View<const double> B,
                                                 View<double> X, int count,
                                                 const Monitor &monitor = {})
    {
        return run_many(lcl_chain_solve_many, B, X, count, monitor);
    }

    /* Takes the values that the operator has now. */
    lcl_status update()
    {
        return checked([&](auto *o) { return lcl_chain_update(o); });
    }

    void set_tolerance(double rtol, double atol = 0, int max_iters = 0)
    {
        checked([&](auto *o) {
            return lcl_chain_set_tolerance(o, rtol, atol, max_iters);
        });
    }

    /* Ends the solve or the update in progress, also in a set-up, or if there
     * is none the next one; from any thread. The update throws an Error with
     * LCL_ECANCELLED. */
    void cancel() const
    {
        lcl_chain_cancel(get());
    }

    /* What came of the methods that the last solve tried, for one of several
     * columns; valid until the next one. */
    std::vector<lcl_attempt> attempts(int column = 0) const
    {
        std::vector<lcl_attempt> tried;
        while (const lcl_attempt *attempt = lcl_chain_column_attempt(
                   get(), column, static_cast<int>(tried.size())))
            tried.push_back(*attempt);
        return tried;
    }

    std::string reason() const
    {
        return lcl_chain_reason(get());
    }
};

/* A matrix from a file or a built-in problem, with its arrays. */
class Matrix
{
  public:
    static Matrix read(const std::string &path)
    {
        return Matrix([&](lcl_csr *A, const lcl_log *log) {
            return lcl_csr_read(A, path.c_str(), nullptr, log);
        });
    }

    static Matrix problem(const std::string &name)
    {
        return Matrix([&](lcl_csr *A, const lcl_log *log) {
            return lcl_csr_problem(A, name.c_str(), log);
        });
    }

    Matrix(Matrix &&other) noexcept
        : A_(std::exchange(other.A_, lcl_csr LCL_CSR_INIT))
    {
    }
    Matrix &operator=(Matrix &&other) noexcept
    {
        std::swap(A_, other.A_);
        return *this;
    }
    ~Matrix()
    {
        lcl_csr_finish(&A_);
    }

    operator const lcl_csr &() const
    {
        return *operator->();
    }
    const lcl_csr *operator->() const
    {
        if (!A_.row_ptr)
            throw Error(LCL_EINVAL, "the matrix was moved from");
        return &A_;
    }

  private:
    template <class Fill> explicit Matrix(Fill fill)
    {
        detail::Messages messages;
        const lcl_log log = messages.logger();
        messages.check(fill(&A_, &log));
    }

    lcl_csr A_ = LCL_CSR_INIT;
};

} // namespace levelcl

#pragma pop_macro("Apply")
#pragma pop_macro("Call")
#pragma pop_macro("Chain")
#pragma pop_macro("Context")
#pragma pop_macro("Create")
#pragma pop_macro("Error")
#pragma pop_macro("Fill")
#pragma pop_macro("Function")
#pragma pop_macro("Log")
#pragma pop_macro("Matrix")
#pragma pop_macro("Messages")
#pragma pop_macro("Monitor")
#pragma pop_macro("Object")
#pragma pop_macro("Operator")
#pragma pop_macro("Options")
#pragma pop_macro("Parents")
#pragma pop_macro("Preconditioner")
#pragma pop_macro("Report")
#pragma pop_macro("Result")
#pragma pop_macro("Solve")
#pragma pop_macro("Solver")
#pragma pop_macro("Solving")
#pragma pop_macro("View")
#pragma pop_macro("Watch")
#pragma pop_macro("check")
#pragma pop_macro("log")

#endif
