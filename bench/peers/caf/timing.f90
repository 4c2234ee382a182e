! Times operations of coarrays in Fortran, as cobench times those of coarray.
!
! Everything is run in batches: `sync all`, the clock, so many times the operation, the clock. A batch lasts from the
! first start on any image to the last end.
module timing
    use, intrinsic :: iso_fortran_env, only: error_unit, int64, output_unit, real64
    implicit none
    private
    public :: now, measure, read_arguments, is_wanted, expect

    abstract interface
        ! Does so many times what is measured.
        subroutine action(times)
            integer, intent(in) :: times
        end subroutine action
    end interface

    integer, parameter :: min_batches = 5, max_batch = 2**20

    ! Nanoseconds to spend on an operation, and of a batch.
    real(real64) :: budget, batch_length

contains

    ! The nanoseconds of the clock that all processes of a machine share (libgfortran reads CLOCK_MONOTONIC).
    integer(int64) function now()
        call system_clock(now)
    end function now

    ! Reads MILLISECONDS MICROSECONDS from the command line.
    subroutine read_arguments()
        character(32) :: argument
        integer(int64) :: ticks_per_second

        call system_clock(count_rate=ticks_per_second)
        call expect(ticks_per_second == 1000000000_int64, 'the clock does not count nanoseconds')
        call expect(command_argument_count() >= 2, &
            'usage: mpirun -n N operations MILLISECONDS MICROSECONDS [OPERATION ...]')
        call get_command_argument(1, argument)
        read (argument, *) budget
        call get_command_argument(2, argument)
        read (argument, *) batch_length
        budget = budget * 1d6
        batch_length = batch_length * 1d3
    end subroutine read_arguments

    logical function is_wanted(name)
        character(*), intent(in) :: name
        character(32) :: argument
        integer :: i

        is_wanted = command_argument_count() == 2
        do i = 3, command_argument_count()
            call get_command_argument(i, argument)
            is_wanted = is_wanted .or. argument == name
        end do
    end function is_wanted

    subroutine expect(holds, otherwise)
        logical, intent(in) :: holds
        character(*), intent(in) :: otherwise

        if (holds) return
        write (error_unit, '(2A)') 'caf: ', otherwise
        error stop 1
    end subroutine expect

    subroutine batch(run, times, start, end)
        procedure(action) :: run
        integer, intent(in) :: times
        integer(int64), intent(out) :: start, end

        sync all
        start = now()
        call run(times)
        end = now()
    end subroutine batch

    ! Prints a line of samples: the nanoseconds of one operation in each batch. One run of `run` is `share` operations.
    subroutine measure(name, bytes, run, share)
        character(*), intent(in) :: name
        integer, intent(in) :: bytes
        procedure(action) :: run
        integer, intent(in), optional :: share
        integer(int64), allocatable :: starts(:), ends(:)
        integer :: times, batches, warming, i
        integer(int64) :: start(1), end(1)
        real(real64) :: operations

        times = 1
        do
            do warming = 1, 2
                call batch(run, times, start(1), end(1))
            end do
            call co_min(start)
            call co_max(end)
            if (2 * (end(1) - start(1)) > batch_length .or. times >= max_batch) exit
            times = 2 * times
        end do
        ! What is new to the caches takes longer for a dozen times. Shorter operations have been repeated as often by now.
        if (times == 1) call run(int(3 * budget / max(1_int64, end(1) - start(1))))
        batches = max(min_batches, int(budget / max(1_int64, end(1) - start(1))))

        allocate (starts(batches), ends(batches))
        do i = 1, batches
            call batch(run, times, starts(i), ends(i))
        end do
        call co_min(starts)
        call co_max(ends)
        operations = times
        if (present(share)) operations = operations * share
        if (this_image() == 1) then
            write (output_unit, '(A, 1X, I0, " peer", *(1X, F0.3))') name, bytes, (ends - starts) / operations
            flush (output_unit)
        end if
    end subroutine measure
end module timing
