! SPDX-License-Identifier: BSD-3-Clause
! levelcl for Fortran 2008: compiled with the program, linked with the C library.
!
!     type(lcl_context) :: ctx
!     type(lcl_operator) :: A
!     type(lcl_chain) :: chain
!     type(lcl_report) :: report
!     call lcl_context_create(ctx)
!     call lcl_operator_create(A, ctx, row_ptr, col_ind, val)
!     call lcl_chain_create(chain, A, "rtol=1e-10")
!     call lcl_solve(chain, b, x, report)
!     call lcl_destroy(chain); call lcl_destroy(A); call lcl_destroy(ctx)
!
! The procedures are those of C, whose headers describe them, and so is the
! thread-safety. Options are those of lcl_options_parse(), separated by blanks.
! Each procedure has a last argument `status`: 0 is success, negative values are
! errors, positive ones are results worth knowing. Without it an error stops the
! program. The sentences of errors and warnings go to the standard error.
!
! An object must live as long as what was made from it. Assignment copies a
! reference to an object, not the object.
module levelcl
    use, intrinsic :: iso_c_binding
    use, intrinsic :: iso_fortran_env, only: error_unit
    implicit none
    private

    ! --------------------------------------------------------------- constants

    integer(c_int), parameter, public :: LCL_OK = 0
    integer(c_int), parameter, public :: LCL_ITERATION_LIMIT = 1
    integer(c_int), parameter, public :: LCL_STAGNATION = 2
    integer(c_int), parameter, public :: LCL_BREAKDOWN = 3
    integer(c_int), parameter, public :: LCL_NOT_FINITE = 4
    integer(c_int), parameter, public :: LCL_PIVOTS_REPAIRED = 5
    integer(c_int), parameter, public :: LCL_DIVERGED = 6
    integer(c_int), parameter, public :: LCL_EINVAL = -1
    integer(c_int), parameter, public :: LCL_ENOMEM = -2
    integer(c_int), parameter, public :: LCL_EIO = -3
    integer(c_int), parameter, public :: LCL_EFORMAT = -4
    integer(c_int), parameter, public :: LCL_EUNSUPPORTED = -5
    integer(c_int), parameter, public :: LCL_ERANGE = -6
    integer(c_int), parameter, public :: LCL_ENODEVICE = -7
    integer(c_int), parameter, public :: LCL_EDEVICE = -8
    integer(c_int), parameter, public :: LCL_EDEVMEM = -9
    integer(c_int), parameter, public :: LCL_EBUILD = -10
    integer(c_int), parameter, public :: LCL_ESELFTEST = -11
    integer(c_int), parameter, public :: LCL_EPIVOT = -12
    integer(c_int), parameter, public :: LCL_EBUSY = -13
    integer(c_int), parameter, public :: LCL_ECANCELLED = -14
    integer(c_int), parameter, public :: LCL_EPROCESS = -15

    integer(c_int), parameter :: LCL_LOG_WARN = 2

    ! ----------------------------------------------------------------- structs

    type, bind(c), public :: lcl_report
        integer(c_int) :: stop = 0
        integer(c_int) :: iterations = 0
        integer(c_int) :: x_iteration = 0
        integer(c_int) :: restarts = 0
        logical(c_bool) :: exhausted = .false.
        real(c_double) :: norm_b = 0
        real(c_double) :: norm_removed = 0
        real(c_double) :: residual = 0
        real(c_double) :: true_residual = 0
        real(c_double) :: seconds = 0
        type(c_ptr) :: history = c_null_ptr ! lcl_history() copies it
        integer(c_int) :: history_count = 0
        integer(c_int) :: launches = 0
        integer(c_int) :: precond_solves = 0
        integer(c_int) :: precond_updates = 0
        real(c_double) :: backward_error = 0
        integer(c_int) :: norm = 0
    end type lcl_report

    type, bind(c) :: lcl_log
        type(c_funptr) :: fn = c_null_funptr
        type(c_ptr) :: user = c_null_ptr
        integer(c_int) :: level = 0
    end type lcl_log

    type, bind(c) :: lcl_context_params
        type(c_ptr) :: device = c_null_ptr
        type(lcl_log) :: log
        type(c_ptr) :: cache_dir = c_null_ptr
        logical(c_bool) :: no_cache = .false.
        logical(c_bool) :: no_self_test = .false.
        type(c_funptr) :: compiling = c_null_funptr
        type(c_ptr) :: compiling_user = c_null_ptr
        logical(c_bool) :: no_helper = .false.
        logical(c_bool) :: no_pool = .false.
        logical(c_bool) :: profile = .false.
        integer(c_int) :: width = 0
        integer(c_int) :: exchange = 0
    end type lcl_context_params

    type, bind(c) :: lcl_layout
        integer(c_int) :: type = 0
        integer(c_int) :: triangle = 0
        integer(c_int) :: order = 0
        integer(c_int) :: block_size = 0
        integer(c_int) :: base = 0
        integer(c_int64_t) :: rows = 0
        integer(c_int64_t) :: cols = 0
        integer(c_int64_t) :: nnz = 0
        type(c_ptr) :: row_ptr = c_null_ptr
        type(c_ptr) :: row_ptr32 = c_null_ptr
        type(c_ptr) :: row = c_null_ptr
        type(c_ptr) :: col = c_null_ptr
        type(c_ptr) :: val = c_null_ptr
        type(c_ptr) :: upper = c_null_ptr
        type(c_ptr) :: lower = c_null_ptr
        logical(c_bool) :: is_complex = .false.
        logical(c_bool) :: hermitian = .false.
    end type lcl_layout

    ! struct lcl_options in words of 8 bytes: its length, and where `precond`
    ! and `solver` begin; `op` is first
    integer, parameter :: OPTIONS_WORDS = 52
    integer, parameter :: PRECOND_WORD = 4
    integer, parameter :: SOLVER_WORD = 35

    ! ----------------------------------------------------------------- objects

    type, public :: lcl_context
        type(c_ptr) :: c = c_null_ptr
    end type lcl_context

    type, public :: lcl_operator
        type(c_ptr) :: c = c_null_ptr
        integer(c_int64_t) :: rows = 0, cols = 0, nnz = 0
    end type lcl_operator

    type, public :: lcl_precond
        type(c_ptr) :: c = c_null_ptr
        integer(c_int64_t) :: rows = 0
    end type lcl_precond

    type, public :: lcl_solver
        type(c_ptr) :: c = c_null_ptr
        integer(c_int64_t) :: rows = 0
    end type lcl_solver

    type, public :: lcl_chain
        type(c_ptr) :: c = c_null_ptr
        integer(c_int64_t) :: rows = 0
    end type lcl_chain

    ! -------------------------------------------------------------- procedures

    public :: lcl_context_create
    public :: lcl_operator_create, lcl_operator_update, lcl_operator_apply
    public :: lcl_precond_create, lcl_precond_update, lcl_precond_apply
    public :: lcl_solver_create, lcl_chain_create, lcl_chain_update
    public :: lcl_solve, lcl_set_tolerance, lcl_destroy
    public :: lcl_history, lcl_reason, lcl_status_text, lcl_stop_text

    ! A matrix in CSR: row_ptr(1), 0 or 1, is the base of row_ptr and col_ind.
    ! row_ptr has 32 or 64 bits; the columns of a row may be in any order.
    interface lcl_operator_create
        module procedure operator_create_32, operator_create_64
    end interface

    ! Solves A x = b by a solver or a chain; x holds the initial guess on entry.
    ! Of arrays with two dimensions each column is a system with its report.
    interface lcl_solve
        module procedure solver_solve, solver_solve_many
        module procedure chain_solve, chain_solve_many
    end interface

    ! New limits from the next solve on; 0 means the default.
    interface lcl_set_tolerance
        module procedure solver_set_tolerance, chain_set_tolerance
    end interface

    ! Frees an object, which may be empty.
    interface lcl_destroy
        module procedure context_destroy, operator_destroy, precond_destroy
        module procedure solver_destroy, chain_destroy
    end interface

    interface
        subroutine c_log_stderr(user, level, text) bind(c, name="lcl_log_stderr")
            import
            type(c_ptr), value :: user, text
            integer(c_int), value :: level
        end subroutine

        integer(c_int) function c_context_create(out, params) &
            bind(c, name="lcl_context_create")
            import
            type(c_ptr), intent(out) :: out
            type(lcl_context_params), intent(in) :: params
        end function

        subroutine c_context_destroy(ctx) bind(c, name="lcl_context_destroy")
            import
            type(c_ptr), intent(inout) :: ctx
        end subroutine

        integer(c_int) function c_operator_create(out, ctx, L, params) &
            bind(c, name="lcl_operator_create_layout")
            import
            type(c_ptr), intent(out) :: out
            type(c_ptr), value :: ctx, params
            type(lcl_layout), intent(in) :: L
        end function

        integer(c_int) function c_operator_update(A, val) &
            bind(c, name="lcl_operator_update")
            import
            type(c_ptr), value :: A
            real(c_double), intent(in) :: val(*)
        end function

        integer(c_int) function c_operator_apply(A, x, y) &
            bind(c, name="lcl_operator_apply")
            import
            type(c_ptr), value :: A
            real(c_double), intent(in) :: x(*)
            real(c_double), intent(inout) :: y(*)
        end function

        subroutine c_operator_destroy(A) bind(c, name="lcl_operator_destroy")
            import
            type(c_ptr), intent(inout) :: A
        end subroutine

        integer(c_int) function c_choose_method(A, precond, solver) &
            bind(c, name="lcl_choose_method")
            import
            type(c_ptr), value :: A, precond, solver
        end function

        integer(c_int) function c_precond_create(out, A, params) &
            bind(c, name="lcl_precond_create")
            import
            type(c_ptr), intent(out) :: out
            type(c_ptr), value :: A, params
        end function

        integer(c_int) function c_precond_update(M) &
            bind(c, name="lcl_precond_update")
            import
            type(c_ptr), value :: M
        end function

        integer(c_int) function c_precond_apply(M, b, x) &
            bind(c, name="lcl_precond_apply")
            import
            type(c_ptr), value :: M
            real(c_double), intent(in) :: b(*)
            real(c_double), intent(inout) :: x(*)
        end function

        subroutine c_precond_destroy(M) bind(c, name="lcl_precond_destroy")
            import
            type(c_ptr), intent(inout) :: M
        end subroutine

        integer(c_int) function c_solver_create(out, A, M, params) &
            bind(c, name="lcl_solver_create")
            import
            type(c_ptr), intent(out) :: out
            type(c_ptr), value :: A, M, params
        end function

        integer(c_int) function c_solver_solve(S, b, x, report) &
            bind(c, name="lcl_solver_solve")
            import
            type(c_ptr), value :: S
            real(c_double), intent(in) :: b(*)
            real(c_double), intent(inout) :: x(*)
            type(lcl_report), intent(inout) :: report
        end function

        integer(c_int) function c_solver_solve_many(S, B, ldb, X, ldx, count, &
            reports) bind(c, name="lcl_solver_solve_many")
            import
            type(c_ptr), value :: S
            integer(c_int64_t), value :: ldb, ldx
            integer(c_int), value :: count
            real(c_double), intent(in) :: B(*)
            real(c_double), intent(inout) :: X(*)
            type(lcl_report), intent(inout) :: reports(*)
        end function

        integer(c_int) function c_solver_set_tolerance(S, rtol, atol, &
            max_iters) bind(c, name="lcl_solver_set_tolerance")
            import
            type(c_ptr), value :: S
            real(c_double), value :: rtol, atol
            integer(c_int), value :: max_iters
        end function

        subroutine c_solver_destroy(S) bind(c, name="lcl_solver_destroy")
            import
            type(c_ptr), intent(inout) :: S
        end subroutine

        integer(c_int) function c_chain_create(out, A, precond, solver) &
            bind(c, name="lcl_chain_create")
            import
            type(c_ptr), intent(out) :: out
            type(c_ptr), value :: A, precond, solver
        end function

        integer(c_int) function c_chain_update(chain) &
            bind(c, name="lcl_chain_update")
            import
            type(c_ptr), value :: chain
        end function

        integer(c_int) function c_chain_solve(chain, b, x, report) &
            bind(c, name="lcl_chain_solve")
            import
            type(c_ptr), value :: chain
            real(c_double), intent(in) :: b(*)
            real(c_double), intent(inout) :: x(*)
            type(lcl_report), intent(inout) :: report
        end function

        integer(c_int) function c_chain_solve_many(chain, B, ldb, X, ldx, &
            count, reports) bind(c, name="lcl_chain_solve_many")
            import
            type(c_ptr), value :: chain
            integer(c_int64_t), value :: ldb, ldx
            integer(c_int), value :: count
            real(c_double), intent(in) :: B(*)
            real(c_double), intent(inout) :: X(*)
            type(lcl_report), intent(inout) :: reports(*)
        end function

        integer(c_int) function c_chain_set_tolerance(chain, rtol, atol, &
            max_iters) bind(c, name="lcl_chain_set_tolerance")
            import
            type(c_ptr), value :: chain
            real(c_double), value :: rtol, atol
            integer(c_int), value :: max_iters
        end function

        type(c_ptr) function c_chain_reason(chain) &
            bind(c, name="lcl_chain_reason")
            import
            type(c_ptr), value :: chain
        end function

        subroutine c_chain_destroy(chain) bind(c, name="lcl_chain_destroy")
            import
            type(c_ptr), intent(inout) :: chain
        end subroutine

        integer(c_int) function c_options_parse(options, text, log) &
            bind(c, name="lcl_options_parse")
            import
            type(c_ptr), value :: options
            character(kind=c_char), intent(in) :: text(*)
            type(lcl_log), intent(in) :: log
        end function

        type(c_ptr) function c_status_str(status) bind(c, name="lcl_status_str")
            import
            integer(c_int), value :: status
        end function

        type(c_ptr) function c_stop_str(stop) bind(c, name="lcl_stop_str")
            import
            integer(c_int), value :: stop
        end function

        integer(c_size_t) function c_strlen(text) bind(c, name="strlen")
            import
            type(c_ptr), value :: text
        end function
    end interface

contains

    ! ------------------------------------------------------------------- texts

    function text_of(c) result(text)
        type(c_ptr), intent(in) :: c
        character(:), allocatable :: text
        character(kind=c_char), pointer :: letters(:)
        integer :: i
        if (.not. c_associated(c)) then
            text = ""
            return
        end if
        call c_f_pointer(c, letters, [c_strlen(c)])
        allocate (character(size(letters)) :: text)
        do i = 1, size(letters)
            text(i:i) = letters(i)
        end do
    end function

    function letters_of(text) result(letters)
        character(*), intent(in) :: text
        character(kind=c_char) :: letters(len(text))
        integer :: i
        do i = 1, len(text)
            letters(i) = text(i:i)
        end do
    end function

    ! The meaning of a status.
    function lcl_status_text(status) result(text)
        integer(c_int), intent(in) :: status
        character(:), allocatable :: text
        text = text_of(c_status_str(status))
    end function

    ! The meaning of `stop` of a report.
    function lcl_stop_text(stop) result(text)
        integer(c_int), intent(in) :: stop
        character(:), allocatable :: text
        text = text_of(c_stop_str(stop))
    end function

    ! Why a chain begins with its first method.
    function lcl_reason(chain) result(text)
        type(lcl_chain), intent(in) :: chain
        character(:), allocatable :: text
        text = text_of(c_chain_reason(chain%c))
    end function

    ! The residual after each iteration; before the next solve.
    function lcl_history(report) result(history)
        type(lcl_report), intent(in) :: report
        real(c_double), allocatable :: history(:)
        real(c_double), pointer :: c(:)
        if (report%history_count > 0) then
            call c_f_pointer(report%history, c, [report%history_count])
            history = c
        else
            allocate (history(0))
        end if
    end function

    ! ------------------------------------------------------------------ errors

    ! Hands a status to the caller, or stops the program at an error.
    subroutine finish(got, status)
        integer(c_int), intent(in) :: got
        integer(c_int), intent(out), optional :: status
        if (present(status)) then
            status = got
        else if (got < 0) then
            write (error_unit, "(2a)") "levelcl: ", lcl_status_text(got)
            error stop 1
        end if
    end subroutine

    ! LCL_EINVAL, with a sentence, unless an array has the expected size.
    integer(c_int) function sized(name, got, expected) result(status)
        character(*), intent(in) :: name
        integer(c_int64_t), intent(in) :: got, expected
        status = LCL_OK
        if (got == expected) return
        write (error_unit, "(3a, i0, a, i0)") "levelcl: ", name, " has ", got, &
            " elements: expected ", expected
        status = LCL_EINVAL
    end function

    function logger() result(log)
        type(lcl_log) :: log
        log = lcl_log(c_funloc(c_log_stderr), c_null_ptr, LCL_LOG_WARN)
    end function

    ! struct lcl_options from words such as "rtol=1e-6".
    integer(c_int) function parse(options, text) result(status)
        integer(c_int64_t), intent(out), target :: options(OPTIONS_WORDS)
        character(*), intent(in), optional :: text
        character(:), allocatable :: rest
        integer :: length
        status = LCL_OK
        options = 0
        if (.not. present(text)) return
        rest = trim(adjustl(text))
        do while (len(rest) > 0 .and. status == LCL_OK)
            length = index(rest // " ", " ") - 1
            status = c_options_parse(c_loc(options), &
                rest(:length) // c_null_char, logger())
            rest = trim(adjustl(rest(length + 1:)))
        end do
    end function

    ! ----------------------------------------------------------------- context

    ! `device` is a number from 0 or a part of a name; by default the first GPU,
    ! else the first CPU.
    subroutine lcl_context_create(ctx, device, status)
        type(lcl_context), intent(out) :: ctx
        character(*), intent(in), optional :: device
        integer(c_int), intent(out), optional :: status
        character(kind=c_char), allocatable, target :: name(:)
        type(lcl_context_params) :: params
        if (present(device)) then
            name = letters_of(trim(device) // c_null_char)
            params%device = c_loc(name)
        end if
        params%log = logger()
        call finish(c_context_create(ctx%c, params), status)
    end subroutine

    subroutine context_destroy(ctx)
        type(lcl_context), intent(inout) :: ctx
        call c_context_destroy(ctx%c)
    end subroutine

    ! ---------------------------------------------------------------- operator

    subroutine operator_create_32(A, ctx, row_ptr, col_ind, val, options, &
        cols, status)
        type(lcl_operator), intent(out) :: A
        type(lcl_context), intent(in) :: ctx
        integer(c_int32_t), intent(in), contiguous, target :: row_ptr(:)
        integer(c_int32_t), intent(in), contiguous, target :: col_ind(:)
        real(c_double), intent(in), contiguous, target :: val(:)
        character(*), intent(in), optional :: options
        integer, intent(in), optional :: cols
        integer(c_int), intent(out), optional :: status
        type(lcl_layout) :: L
        if (size(row_ptr) > 0) then
            L%row_ptr32 = c_loc(row_ptr)
            L%base = row_ptr(1)
            L%nnz = int(row_ptr(size(row_ptr)), c_int64_t) - L%base
        end if
        L%rows = size(row_ptr, kind=c_int64_t) - 1
        call operator_create(A, ctx, L, col_ind, val, options, cols, status)
    end subroutine

    subroutine operator_create_64(A, ctx, row_ptr, col_ind, val, options, &
        cols, status)
        type(lcl_operator), intent(out) :: A
        type(lcl_context), intent(in) :: ctx
        integer(c_int64_t), intent(in), contiguous, target :: row_ptr(:)
        integer(c_int32_t), intent(in), contiguous, target :: col_ind(:)
        real(c_double), intent(in), contiguous, target :: val(:)
        character(*), intent(in), optional :: options
        integer, intent(in), optional :: cols
        integer(c_int), intent(out), optional :: status
        type(lcl_layout) :: L
        if (size(row_ptr) > 0) then
            L%row_ptr = c_loc(row_ptr)
            ! another one is no base, and would not fit
            L%base = int(max(-1_c_int64_t, min(row_ptr(1), 2_c_int64_t)), c_int)
            L%nnz = row_ptr(size(row_ptr)) - L%base
        end if
        L%rows = size(row_ptr, kind=c_int64_t) - 1
        call operator_create(A, ctx, L, col_ind, val, options, cols, status)
    end subroutine

    subroutine operator_create(A, ctx, L, col_ind, val, options, cols, status)
        type(lcl_operator), intent(inout) :: A
        type(lcl_context), intent(in) :: ctx
        type(lcl_layout), intent(inout) :: L
        integer(c_int32_t), intent(in), contiguous, target :: col_ind(:)
        real(c_double), intent(in), contiguous, target :: val(:)
        character(*), intent(in), optional :: options
        integer, intent(in), optional :: cols
        integer(c_int), intent(out), optional :: status
        integer(c_int64_t), target :: words(OPTIONS_WORDS)
        integer(c_int) :: got
        if (present(cols)) L%cols = cols
        got = sized("col_ind", size(col_ind, kind=c_int64_t), L%nnz)
        if (got == LCL_OK) &
            got = sized("val", size(val, kind=c_int64_t), L%nnz)
        if (got == LCL_OK) got = parse(words, options)
        if (got == LCL_OK) then
            L%col = c_loc(col_ind)
            L%val = c_loc(val)
            got = c_operator_create(A%c, ctx%c, L, c_loc(words))
        end if
        if (got >= 0) then
            A%rows = L%rows
            A%cols = merge(L%cols, L%rows, L%cols > 0)
            A%nnz = L%nnz
        end if
        call finish(got, status)
    end subroutine

    ! New values for the same pattern, in the order of the matrix.
    subroutine lcl_operator_update(A, val, status)
        type(lcl_operator), intent(in) :: A
        real(c_double), intent(in), contiguous :: val(:)
        integer(c_int), intent(out), optional :: status
        integer(c_int) :: got
        got = sized("val", size(val, kind=c_int64_t), A%nnz)
        if (got == LCL_OK) got = c_operator_update(A%c, val)
        call finish(got, status)
    end subroutine

    ! y = A x
    subroutine lcl_operator_apply(A, x, y, status)
        type(lcl_operator), intent(in) :: A
        real(c_double), intent(in), contiguous :: x(:)
        real(c_double), intent(inout), contiguous :: y(:)
        integer(c_int), intent(out), optional :: status
        integer(c_int) :: got
        got = sized("x", size(x, kind=c_int64_t), A%cols)
        if (got == LCL_OK) got = sized("y", size(y, kind=c_int64_t), A%rows)
        if (got == LCL_OK) got = c_operator_apply(A%c, x, y)
        call finish(got, status)
    end subroutine

    subroutine operator_destroy(A)
        type(lcl_operator), intent(inout) :: A
        call c_operator_destroy(A%c)
    end subroutine

    ! ---------------------------------------------------------- preconditioner

    ! By default the one that the matrix suggests.
    subroutine lcl_precond_create(M, A, options, status)
        type(lcl_precond), intent(out) :: M
        type(lcl_operator), intent(in) :: A
        character(*), intent(in), optional :: options
        integer(c_int), intent(out), optional :: status
        integer(c_int64_t), target :: words(OPTIONS_WORDS)
        integer(c_int) :: got
        got = parse(words, options)
        if (got == LCL_OK) got = c_choose_method(A%c, &
            c_loc(words(PRECOND_WORD + 1)), c_null_ptr)
        if (got == LCL_OK) got = c_precond_create(M%c, A%c, &
            c_loc(words(PRECOND_WORD + 1)))
        M%rows = A%rows
        call finish(got, status)
    end subroutine

    ! Factors the values that the operator has now.
    subroutine lcl_precond_update(M, status)
        type(lcl_precond), intent(in) :: M
        integer(c_int), intent(out), optional :: status
        call finish(c_precond_update(M%c), status)
    end subroutine

    ! x = M^-1 b
    subroutine lcl_precond_apply(M, b, x, status)
        type(lcl_precond), intent(in) :: M
        real(c_double), intent(in), contiguous :: b(:)
        real(c_double), intent(inout), contiguous :: x(:)
        integer(c_int), intent(out), optional :: status
        integer(c_int) :: got
        got = system_sized(size(b, kind=c_int64_t), size(x, kind=c_int64_t), &
            M%rows)
        if (got == LCL_OK) got = c_precond_apply(M%c, b, x)
        call finish(got, status)
    end subroutine

    integer(c_int) function system_sized(b, x, rows) result(status)
        integer(c_int64_t), intent(in) :: b, x, rows
        status = sized("b", b, rows)
        if (status == LCL_OK) status = sized("x", x, rows)
    end function

    subroutine precond_destroy(M)
        type(lcl_precond), intent(inout) :: M
        call c_precond_destroy(M%c)
    end subroutine

    ! ------------------------------------------------------------------ solver

    subroutine lcl_solver_create(S, A, M, options, status)
        type(lcl_solver), intent(out) :: S
        type(lcl_operator), intent(in) :: A
        type(lcl_precond), intent(in), optional :: M
        character(*), intent(in), optional :: options
        integer(c_int), intent(out), optional :: status
        integer(c_int64_t), target :: words(OPTIONS_WORDS)
        type(c_ptr) :: preconditioner
        integer(c_int) :: got
        preconditioner = c_null_ptr
        if (present(M)) preconditioner = M%c
        got = parse(words, options)
        if (got == LCL_OK) got = c_solver_create(S%c, A%c, preconditioner, &
            c_loc(words(SOLVER_WORD + 1)))
        S%rows = A%rows
        call finish(got, status)
    end subroutine

    subroutine solver_solve(S, b, x, report, status)
        type(lcl_solver), intent(in) :: S
        real(c_double), intent(in), contiguous :: b(:)
        real(c_double), intent(inout), contiguous :: x(:)
        type(lcl_report), intent(inout) :: report
        integer(c_int), intent(out), optional :: status
        integer(c_int) :: got
        got = system_sized(size(b, kind=c_int64_t), size(x, kind=c_int64_t), &
            S%rows)
        if (got == LCL_OK) got = c_solver_solve(S%c, b, x, report)
        call finish(got, status)
    end subroutine

    subroutine solver_solve_many(S, B, X, reports, status)
        type(lcl_solver), intent(in) :: S
        real(c_double), intent(in), contiguous :: B(:, :)
        real(c_double), intent(inout), contiguous :: X(:, :)
        type(lcl_report), intent(inout), contiguous :: reports(:)
        integer(c_int), intent(out), optional :: status
        integer(c_int) :: got
        got = columns_sized(shape(B), shape(X), size(reports), S%rows)
        if (got == LCL_OK) got = c_solver_solve_many(S%c, B, S%rows, X, &
            S%rows, size(B, 2), reports)
        call finish(got, status)
    end subroutine

    integer(c_int) function columns_sized(b, x, reports, rows) result(status)
        integer, intent(in) :: b(2), x(2), reports
        integer(c_int64_t), intent(in) :: rows
        status = system_sized(int(b(1), c_int64_t), int(x(1), c_int64_t), rows)
        if (status == LCL_OK) status = sized("the second dimension of X", &
            int(x(2), c_int64_t), int(b(2), c_int64_t))
        if (status == LCL_OK) status = sized("reports", &
            int(reports, c_int64_t), int(b(2), c_int64_t))
    end function

    subroutine solver_set_tolerance(S, rtol, atol, max_iters, status)
        type(lcl_solver), intent(in) :: S
        real(c_double), intent(in) :: rtol
        real(c_double), intent(in), optional :: atol
        integer, intent(in), optional :: max_iters
        integer(c_int), intent(out), optional :: status
        call finish(c_solver_set_tolerance(S%c, rtol, number_of(atol), &
            count_of(max_iters)), status)
    end subroutine

    pure real(c_double) function number_of(value)
        real(c_double), intent(in), optional :: value
        number_of = 0
        if (present(value)) number_of = value
    end function

    pure integer(c_int) function count_of(value)
        integer, intent(in), optional :: value
        count_of = 0
        if (present(value)) count_of = value
    end function

    subroutine solver_destroy(S)
        type(lcl_solver), intent(inout) :: S
        call c_solver_destroy(S%c)
    end subroutine

    ! ------------------------------------------------------------------- chain

    subroutine lcl_chain_create(chain, A, options, status)
        type(lcl_chain), intent(out) :: chain
        type(lcl_operator), intent(in) :: A
        character(*), intent(in), optional :: options
        integer(c_int), intent(out), optional :: status
        integer(c_int64_t), target :: words(OPTIONS_WORDS)
        integer(c_int) :: got
        got = parse(words, options)
        if (got == LCL_OK) got = c_chain_create(chain%c, A%c, &
            c_loc(words(PRECOND_WORD + 1)), c_loc(words(SOLVER_WORD + 1)))
        chain%rows = A%rows
        call finish(got, status)
    end subroutine

    ! Takes the values that the operator has now.
    subroutine lcl_chain_update(chain, status)
        type(lcl_chain), intent(in) :: chain
        integer(c_int), intent(out), optional :: status
        call finish(c_chain_update(chain%c), status)
    end subroutine

    subroutine chain_solve(chain, b, x, report, status)
        type(lcl_chain), intent(in) :: chain
        real(c_double), intent(in), contiguous :: b(:)
        real(c_double), intent(inout), contiguous :: x(:)
        type(lcl_report), intent(inout) :: report
        integer(c_int), intent(out), optional :: status
        integer(c_int) :: got
        got = system_sized(size(b, kind=c_int64_t), size(x, kind=c_int64_t), &
            chain%rows)
        if (got == LCL_OK) got = c_chain_solve(chain%c, b, x, report)
        call finish(got, status)
    end subroutine

    subroutine chain_solve_many(chain, B, X, reports, status)
        type(lcl_chain), intent(in) :: chain
        real(c_double), intent(in), contiguous :: B(:, :)
        real(c_double), intent(inout), contiguous :: X(:, :)
        type(lcl_report), intent(inout), contiguous :: reports(:)
        integer(c_int), intent(out), optional :: status
        integer(c_int) :: got
        got = columns_sized(shape(B), shape(X), size(reports), chain%rows)
        if (got == LCL_OK) got = c_chain_solve_many(chain%c, B, chain%rows, X, &
            chain%rows, size(B, 2), reports)
        call finish(got, status)
    end subroutine

    subroutine chain_set_tolerance(chain, rtol, atol, max_iters, status)
        type(lcl_chain), intent(in) :: chain
        real(c_double), intent(in) :: rtol
        real(c_double), intent(in), optional :: atol
        integer, intent(in), optional :: max_iters
        integer(c_int), intent(out), optional :: status
        call finish(c_chain_set_tolerance(chain%c, rtol, number_of(atol), &
            count_of(max_iters)), status)
    end subroutine

    subroutine chain_destroy(chain)
        type(lcl_chain), intent(inout) :: chain
        call c_chain_destroy(chain%c)
    end subroutine
end module levelcl
