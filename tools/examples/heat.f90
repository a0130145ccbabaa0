! SPDX-License-Identifier: BSD-3-Clause
! Implicit steps of the heat equation on a square, whose conductivity grows with
! time: the matrix keeps its pattern, and each step starts from the one before.
!
!     gfortran $(pkg-config --variable=includedir levelcl)/levelcl/levelcl.f90 heat.f90 $(pkg-config --libs levelcl)
program heat
    use, intrinsic :: iso_c_binding, only: c_double, c_int
    use levelcl
    implicit none
    integer, parameter :: n = 64, rows = n * n, steps = 4
    real(c_double), parameter :: dt = 1d-2
    type(lcl_context) :: ctx
    type(lcl_operator) :: A
    type(lcl_chain) :: chain
    type(lcl_report) :: report
    integer(c_int) :: row_ptr(rows + 1), col_ind(5 * rows), status
    real(c_double) :: val(5 * rows), u(rows), b(rows)
    integer :: step, nnz
    logical :: good

    call lcl_context_create(ctx, status=status)
    if (status == LCL_ENODEVICE) stop 77
    if (status < 0) error stop "no context"

    call assemble(1d0)
    call lcl_operator_create(A, ctx, row_ptr, col_ind(:nnz), val(:nnz))
    call lcl_chain_create(chain, A, "rtol=1e-10")

    u = 1 ! warm inside, cold at the boundary
    good = .true.
    do step = 1, steps
        call assemble(1 + step * 0.5d0)
        call lcl_operator_update(A, val(:nnz))
        call lcl_chain_update(chain)
        b = u
        call lcl_solve(chain, b, u, report)
        print "(a, i0, a, i0, a, es7.1, a, f6.4)", "step ", step, ": ", &
            report%iterations, " iterations, residual ", report%true_residual, &
            ", centre ", u(rows / 2 + n / 2)
        good = good .and. report%stop > 0
    end do

    call lcl_destroy(chain)
    call lcl_destroy(A)
    call lcl_destroy(ctx)
    if (.not. good) error stop "a step was not solved"

contains

    ! I - dt c Laplacian, in rows from 1.
    subroutine assemble(c)
        real(c_double), intent(in) :: c
        real(c_double) :: weight
        integer :: x, y, row
        weight = dt * c * (n + 1)**2
        nnz = 0
        do y = 1, n
            do x = 1, n
                row = (y - 1) * n + x
                row_ptr(row) = nnz + 1
                if (y > 1) call entry(row - n, -weight)
                if (x > 1) call entry(row - 1, -weight)
                call entry(row, 1 + 4 * weight)
                if (x < n) call entry(row + 1, -weight)
                if (y < n) call entry(row + n, -weight)
            end do
        end do
        row_ptr(rows + 1) = nnz + 1
    end subroutine

    subroutine entry(col, value)
        integer, intent(in) :: col
        real(c_double), intent(in) :: value
        nnz = nnz + 1
        col_ind(nnz) = col
        val(nnz) = value
    end subroutine
end program heat
