! SPDX-License-Identifier: BSD-3-Clause
! levelcl.f90 on a device. With an argument: an error without `status`.
program test_levelcl
    use, intrinsic :: iso_c_binding
    use levelcl
    implicit none
    type(lcl_context) :: ctx
    integer(c_int) :: status
    integer :: failures = 0

    call lcl_context_create(ctx, status=status)
    if (status == LCL_ENODEVICE) stop 77
    call check(status == LCL_OK, "a context")
    if (command_argument_count() > 0) call stop_at_an_error()
    call test_operator__applies_matrices_of_each_base()
    call test_operator__rectangular_matrices_have_columns()
    call test_chain__solves_and_takes_new_values()
    call test_solver__has_a_preconditioner()
    call test_columns__have_a_report_each()
    call test_errors__have_a_status()
    call test_texts__are_those_of_the_library()
    call lcl_destroy(ctx)
    call lcl_destroy(ctx)
    if (failures > 0) error stop 1

contains

    subroutine check(condition, what)
        logical, intent(in) :: condition
        character(*), intent(in) :: what
        if (condition) return
        print "(2a)", "not ", what
        failures = failures + 1
    end subroutine

    ! Tridiagonal, -1 2 -1, from `base`, as 32-bit row pointers.
    subroutine line(n, base, row_ptr, col_ind, val)
        integer, intent(in) :: n, base
        integer(c_int), allocatable, intent(out) :: row_ptr(:), col_ind(:)
        real(c_double), allocatable, intent(out) :: val(:)
        integer :: i
        allocate (row_ptr(0), col_ind(0), val(0))
        do i = 1, n
            row_ptr = [row_ptr, size(col_ind) + base]
            if (i > 1) col_ind = [col_ind, i - 2 + base]
            if (i > 1) val = [val, -1d0]
            col_ind = [col_ind, i - 1 + base]
            val = [val, 2d0]
            if (i < n) col_ind = [col_ind, i + base]
            if (i < n) val = [val, -1d0]
        end do
        row_ptr = [row_ptr, size(col_ind) + base]
    end subroutine

    function product_of(x) result(y)
        real(c_double), intent(in) :: x(:)
        real(c_double) :: y(size(x))
        y = 2 * x
        y(2:) = y(2:) - x(:size(x) - 1)
        y(:size(x) - 1) = y(:size(x) - 1) - x(2:)
    end function

    real(c_double) function residual(x, b)
        real(c_double), intent(in) :: x(:), b(:)
        residual = norm2(b - product_of(x)) / norm2(b)
    end function

    function numbers(n) result(x)
        integer, intent(in) :: n
        real(c_double) :: x(n)
        integer :: i
        x = [(sin(3d0 * i), i=1, n)]
    end function

    subroutine test_operator__applies_matrices_of_each_base()
        type(lcl_operator) :: A
        integer(c_int), allocatable :: row_ptr(:), col_ind(:)
        real(c_double), allocatable :: val(:)
        real(c_double) :: x(9), y(9)
        integer :: base
        x = numbers(9)
        do base = 0, 1
            call line(9, base, row_ptr, col_ind, val)
            call lcl_operator_create(A, ctx, row_ptr, col_ind, val)
            y = 0
            call lcl_operator_apply(A, x, y)
            call check(maxval(abs(y - product_of(x))) < 1d-14, "y = A x")
            call lcl_destroy(A)
            call lcl_operator_create(A, ctx, int(row_ptr, c_int64_t), col_ind, &
                val, "spmv=csr block-size=1")
            call lcl_operator_update(A, 3 * val)
            call lcl_operator_apply(A, x, y)
            call check(maxval(abs(y - 3 * product_of(x))) < 1d-13, &
                "y = 3 A x, by row pointers of 64 bits")
            call lcl_destroy(A)
            call check(.not. c_associated(A%c), "freed")
        end do
    end subroutine

    subroutine test_operator__rectangular_matrices_have_columns()
        type(lcl_operator) :: A
        real(c_double) :: y(2)
        call lcl_operator_create(A, ctx, [1, 2, 4], [3, 1, 2], &
            [5d0, 1d0, 2d0], cols=3)
        call lcl_operator_apply(A, [1d0, 2d0, 3d0], y)
        call check(all(abs(y - [15, 5]) < 1d-14), "the product of a 2 x 3 matrix")
        call lcl_operator_apply(A, [1d0, 2d0], y, status)
        call check(status == LCL_EINVAL, "a vector that is too short")
        call lcl_destroy(A)
    end subroutine

    subroutine test_chain__solves_and_takes_new_values()
        type(lcl_operator) :: A
        type(lcl_chain) :: chain
        type(lcl_report) :: report
        integer(c_int), allocatable :: row_ptr(:), col_ind(:)
        real(c_double), allocatable :: val(:), history(:)
        real(c_double) :: b(50), x(50), guess(50)
        call line(50, 1, row_ptr, col_ind, val)
        call lcl_operator_create(A, ctx, row_ptr, col_ind, val)
        call lcl_chain_create(chain, A, "  solver=cg   precond=jacobi ")
        b = numbers(50)
        x = 0
        call lcl_solve(chain, b, x, report, status)
        call check(status == LCL_OK .and. report%stop == 1, "converged")
        call check(residual(x, b) < 1.1d-8, "the residual")
        call check(abs(report%true_residual - residual(x, b)) < 1d-12 &
            .and. abs(report%norm_b - norm2(b)) < 1d-12, "the report")
        history = lcl_history(report)
        call check(size(history) == report%iterations + 1, "the history")
        call check(abs(history(1) - 1) < 1d-14 .and. history(size(history)) <= 1d-8, &
            "ends of the history")
        call lcl_set_tolerance(chain, 1d-3)
        guess = 0
        call lcl_solve(chain, b, guess, report)
        call check(report%iterations < size(history) - 1, "fewer iterations")
        call lcl_operator_update(A, 2 * val)
        call lcl_chain_update(chain)
        call lcl_set_tolerance(chain, 1d-10, max_iters=1000)
        call lcl_solve(chain, b, x, report)
        call check(residual(2 * x, b) < 1.1d-10, "the solution for new values")
        call lcl_destroy(chain)
        call lcl_destroy(A)
    end subroutine

    subroutine test_solver__has_a_preconditioner()
        type(lcl_operator) :: A
        type(lcl_precond) :: M
        type(lcl_solver) :: solver
        type(lcl_report) :: report
        integer(c_int), allocatable :: row_ptr(:), col_ind(:)
        real(c_double), allocatable :: val(:)
        real(c_double) :: b(50), x(50)
        integer :: alone
        call line(50, 0, row_ptr, col_ind, val)
        call lcl_operator_create(A, ctx, row_ptr, col_ind, val)
        b = numbers(50)
        x = 0
        call lcl_solver_create(solver, A, options="solver=cg")
        call lcl_solve(solver, b, x, report)
        alone = report%iterations
        call lcl_destroy(solver)
        call lcl_precond_create(M, A, "precond=ic0 coarse=none")
        call lcl_precond_apply(M, product_of(b), x)
        call check(norm2(x - b) < 1d-5 * norm2(b), "exact factors of a line")
        call lcl_precond_update(M)
        call lcl_solver_create(solver, A, M, "solver=cg")
        call lcl_set_tolerance(solver, 1d-10)
        x = 0
        call lcl_solve(solver, b, x, report)
        call check(residual(x, b) < 1.1d-10, "the residual with IC(0)")
        call check(10 * report%iterations < alone, "IC(0) saves iterations")
        call lcl_destroy(solver)
        call lcl_destroy(M)
        call lcl_destroy(A)
    end subroutine

    subroutine test_columns__have_a_report_each()
        type(lcl_operator) :: A
        type(lcl_chain) :: chain
        type(lcl_solver) :: solver
        type(lcl_report) :: reports(3)
        integer(c_int), allocatable :: row_ptr(:), col_ind(:)
        real(c_double), allocatable :: val(:)
        real(c_double) :: B(40, 3), X(40, 3), Y(40, 3)
        integer :: j
        call line(40, 1, row_ptr, col_ind, val)
        call lcl_operator_create(A, ctx, row_ptr, col_ind, val)
        call lcl_chain_create(chain, A, "solver=cg precond=jacobi")
        call lcl_solver_create(solver, A, options="solver=cg")
        B = reshape(numbers(120), [40, 3])
        X = 0
        Y = 0
        call lcl_solve(chain, B, X, reports)
        call check(all(reports%stop == 1), "all columns")
        call lcl_solve(solver, B, Y, reports)
        do j = 1, 3
            call check(reports(j)%stop == 1, "a column")
            call check(residual(X(:, j), B(:, j)) < 1.1d-8, "a column of X")
            call check(residual(Y(:, j), B(:, j)) < 1.1d-8, "a column of Y")
        end do
        call lcl_solve(chain, B, X(:, :2), reports, status)
        call check(status == LCL_EINVAL, "too few columns")
        call lcl_solve(solver, B, X, reports(:2), status)
        call check(status == LCL_EINVAL, "too few reports")
        call lcl_destroy(solver)
        call lcl_destroy(chain)
        call lcl_destroy(A)
    end subroutine

    subroutine test_errors__have_a_status()
        type(lcl_context) :: none
        type(lcl_operator) :: A
        type(lcl_chain) :: chain
        type(lcl_report) :: report
        real(c_double) :: x(2)
        integer(c_int), allocatable :: no_rows(:)
        call lcl_context_create(none, "nosuchdevice", status)
        call check(status == LCL_ENODEVICE, "no device")
        call lcl_operator_create(A, ctx, [2, 3], [2], [1d0], status=status)
        call check(status == LCL_EINVAL, "base 2")
        call lcl_operator_create(A, ctx, [2_c_int64_t**40, 3_c_int64_t], [2], &
            [1d0], status=status)
        call check(status == LCL_EINVAL, "base 2^40")
        call lcl_operator_create(A, ctx, [1, 2], [1, 1], [1d0], status=status)
        call check(status == LCL_EINVAL, "too many columns")
        call lcl_operator_create(A, ctx, [1, 2], [1], [1d0, 1d0], status=status)
        call check(status == LCL_EINVAL, "too many values")
        call lcl_operator_create(A, ctx, [1, 2], [3], [1d0], status=status)
        call check(status == LCL_EFORMAT, "a column outside of the matrix")
        allocate (no_rows(0))
        call lcl_operator_create(A, ctx, no_rows, no_rows, x(:0), status=status)
        call check(status < 0, "no row pointers")
        call lcl_operator_create(A, ctx, [1, 2, 3], [1, 2], [1d0, -1d0])
        call lcl_chain_create(chain, A, "rtol=1e-9 solvr=cg", status)
        call check(status == LCL_EINVAL, "an unknown option")
        call lcl_operator_update(A, [1d0], status)
        call check(status == LCL_EINVAL, "too few new values")
        call lcl_chain_create(chain, A)
        x = 0
        call lcl_solve(chain, [1d0], x, report, status)
        call check(status == LCL_EINVAL, "a short b")
        call lcl_solve(chain, [1d0, 2d0], x(:1), report, status)
        call check(status == LCL_EINVAL, "a short x")
        call check(size(lcl_history(report)) == 0, "no history")
        call lcl_solve(chain, [1d0, 2d0], x, report)
        call check(all(abs(x - [1, -2]) < 1d-7), "the solution")
        call check(len(lcl_reason(chain)) > 0, "a reason")
        call lcl_destroy(chain)
        call lcl_destroy(A)
    end subroutine

    subroutine test_texts__are_those_of_the_library()
        call check(index(lcl_status_text(LCL_EPIVOT), "pivot") > 0, &
            lcl_status_text(LCL_EPIVOT))
        call check(index(lcl_stop_text(1), "rtol") > 0, lcl_stop_text(1))
    end subroutine

    subroutine stop_at_an_error()
        call lcl_context_create(ctx, "nosuchdevice")
        print "(a)", "went on"
        stop
    end subroutine
end program test_levelcl
