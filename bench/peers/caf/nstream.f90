! The triad of the Parallel Research Kernels, A = A + B + 3 * C, on each image's share of LENGTH values.
!
!   mpif90 -O3 -fcoarray=lib kernel.f90 nstream.f90 -o nstream -lcaf_openmpi
!   mpirun -n IMAGES --bind-to core nstream ITERATIONS LENGTH [OFFSET]
program nstream
    use, intrinsic :: iso_fortran_env, only: int64, real64
    use kernel
    implicit none

    real(real64), parameter :: factor = 3
    integer(int64) :: length, offset, total
    integer :: iterations, iteration
    real(real64), allocatable :: space(:)
    real(real64) :: start, duration, deviation

    call title('Triad')
    iterations = int(argument(1, 'iterations'))
    total = argument(2, 'length')
    offset = argument(3, 'offset', default=0_int64)
    length = size_of(this_image(), total)

    ! Three arrays with a gap after each.
    allocate (space(3 * (length + offset)))
    call set(space(1), 0d0)
    call set(space(1 + length + offset), 2d0)
    call set(space(1 + 2 * (length + offset)), 2d0)

    start = 0
    do iteration = 0, iterations
        if (iteration == 1) then
            sync all
            start = seconds()
        end if
        call triad(space(1), space(1 + length + offset), space(1 + 2 * (length + offset)))
    end do
    sync all
    duration = (seconds() - start) / iterations

    deviation = maxval(abs(space(1:length) - 8 * (iterations + 1d0)))
    call conclude(deviation < 1d-8, 'MB/s', 4d-6 * 8 * total, duration)

contains

    subroutine set(values, value)
        real(real64), intent(out) :: values(length)
        real(real64), intent(in) :: value

        values = value
    end subroutine set

    subroutine triad(a, b, c)
        real(real64), intent(inout) :: a(length)
        real(real64), intent(in) :: b(length), c(length)

        a = a + b + factor * c
    end subroutine triad
end program nstream
