! What the kernels share: arguments, the division of columns among images, and the report of the Parallel Research
! Kernels.
!
! Where a kernel's head says how to run it: with more images than cores, --oversubscribe --bind-to none; one image alone
! needs OMPI_MCA_osc=pt2pt in the environment.
module kernel
    use, intrinsic :: iso_fortran_env, only: int64, output_unit, real64
    implicit none
    private
    public :: argument, conclude, first_of, refuse, seconds, size_of, title

contains

    ! Starts the report.
    subroutine title(name)
        character(*), intent(in) :: name

        if (this_image() == 1) then
            print '(A)', name // ' with Fortran coarrays'
            print '(A, I0)', 'Number of images      = ', num_images()
        end if
    end subroutine title

    ! A positive number from the command line, which goes into the report, too.
    integer(int64) function argument(position, name, default)
        integer, intent(in) :: position
        character(*), intent(in) :: name
        integer(int64), intent(in), optional :: default
        character(32) :: text
        integer :: status

        call get_command_argument(position, text)
        if (len_trim(text) == 0 .and. present(default)) then
            argument = default
        else
            read (text, *, iostat=status) argument
            if (status /= 0 .or. argument < merge(0, 1, present(default))) then
                call refuse('no number is given as ' // name // ', or one that is too small')
            end if
        end if
        if (this_image() == 1) print '(A22, "= ", I0)', name, argument
    end function argument

    ! Ends the program, on all images together, before it has begun.
    subroutine refuse(reason)
        character(*), intent(in) :: reason

        if (this_image() == 1) print '(2A)', 'ERROR: ', reason
        flush (output_unit)
        sync all
        error stop 1
    end subroutine refuse

    ! How many of `total` things an image has, of which the first images have one more if need be.
    pure integer(int64) function size_of(image, total)
        integer, intent(in) :: image
        integer(int64), intent(in) :: total

        size_of = total / num_images()
        if (image <= modulo(total, int(num_images(), int64))) size_of = size_of + 1
    end function size_of

    ! Of things numbered from 1, an image's first.
    pure integer(int64) function first_of(image, total)
        integer, intent(in) :: image
        integer(int64), intent(in) :: total

        first_of = 1 + (image - 1) * (total / num_images()) &
            + min(image - 1_int64, modulo(total, int(num_images(), int64)))
    end function first_of

    ! The time on a clock that only moves on. All images synchronise before a start and before an end: where they
    ! outnumber cores, one may start when another has ended.
    real(real64) function seconds()
        integer(int64) :: ticks, ticks_per_second

        call system_clock(ticks, ticks_per_second)
        seconds = real(ticks, real64) / real(ticks_per_second, real64)
    end function seconds

    ! Ends the report, which says how much was done in how long on the slowest image; and the program, if its result
    ! is not valid.
    subroutine conclude(valid, unit, amount, duration)
        logical, intent(in) :: valid
        character(*), intent(in) :: unit
        real(real64), intent(in) :: amount, duration
        real(real64) :: slowest
        integer :: invalid

        invalid = merge(0, 1, valid)
        call co_sum(invalid)
        slowest = duration
        call co_max(slowest)
        if (this_image() == 1) then
            if (invalid /= 0) then
                print '(A)', 'ERROR: the solution does not validate'
            else
                print '(A)', 'Solution validates'
                print '(6A)', 'Rate (', unit, '): ', decimal(amount / slowest), ' Avg time (s): ', decimal(slowest)
            end if
            flush (output_unit)
        end if
        sync all
        if (invalid /= 0) error stop 1
    end subroutine conclude
    function decimal(number)
        real(real64), intent(in) :: number
        character(:), allocatable :: decimal
        character(32) :: text

        write (text, '(F32.9)') number
        decimal = trim(adjustl(text))
    end function decimal
end module kernel
