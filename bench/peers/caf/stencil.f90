! The stencil of the Parallel Research Kernels: a star of radius 2 on a grid of N x N.
!
!   mpif90 -O3 -fcoarray=lib kernel.f90 stencil.f90 -o stencil -lcaf_openmpi
!   mpirun -n IMAGES --bind-to core stencil ITERATIONS N
program stencil
    use, intrinsic :: iso_fortran_env, only: int64, real64
    use kernel
    implicit none

    integer, parameter :: radius = 2
    integer :: n, width, first, iterations, iteration, i, j
    integer, allocatable :: neighbours(:)
    real(real64), allocatable :: input(:, :)[:], output(:, :)
    real(real64) :: start, duration, norm, expected, points

    call title('Stencil')
    iterations = int(argument(1, 'iterations'))
    n = int(argument(2, 'N'))
    width = int(size_of(this_image(), int(n, int64)))
    first = int(first_of(this_image(), int(n, int64)))
    if (size_of(num_images(), int(n, int64)) < radius .or. n <= 2 * radius) then
        call refuse('the grid is too small for so many images')
    end if
    neighbours = pack([this_image() - 1, this_image() + 1], [this_image() > 1, this_image() < num_images()])

    ! Columns are distributed; each image has two of each neighbour's, too.
    allocate (input(n, 1 - radius:int(size_of(1, int(n, int64))) + radius)[*], output(n, width))
    do j = 1, width
        do i = 1, n
            input(i, j) = (i - 1) + (first + j - 2)
        end do
    end do
    output = 0

    start = 0
    do iteration = 0, iterations
        if (iteration == 1) then
            sync all
            start = seconds()
        end if
        sync images (neighbours)
        call fetch_halo()
        call apply(input(:, 1 - radius:width + radius), output)
        ! A neighbour may still read what the next iteration changes.
        sync images (neighbours)
        input(:, 1:width) = input(:, 1:width) + 1
    end do
    sync all
    duration = (seconds() - start) / iterations

    norm = sum(abs(output))
    call co_sum(norm)
    points = real(n - 2 * radius, real64)**2
    expected = 2 * (iterations + 1d0)
    call conclude(abs(norm / points - expected) < 1d-8, 'MFlops/s', 1d-6 * 19 * points, duration)

contains

    subroutine fetch_halo()
        integer :: last, column

        if (this_image() > 1) then
            last = int(size_of(this_image() - 1, int(n, int64)))
            do column = 0, radius - 1
                input(:, -column) = input(:, last - column)[this_image() - 1]
            end do
        end if
        if (this_image() < num_images()) then
            do column = 1, radius
                input(:, width + column) = input(:, column)[this_image() + 1]
            end do
        end if
    end subroutine fetch_halo

    subroutine apply(from, to)
        real(real64), intent(in) :: from(n, 1 - radius:width + radius)
        real(real64), intent(inout) :: to(n, width)
        real(real64), parameter :: near = 0.25d0, far = 0.125d0
        integer :: i, j

        do j = max(1, radius + 2 - first), min(width, n - radius + 1 - first)
            do i = 1 + radius, n - radius
                to(i, j) = to(i, j) &
                    + near * (from(i + 1, j) - from(i - 1, j) + from(i, j + 1) - from(i, j - 1)) &
                    + far * (from(i + 2, j) - from(i - 2, j) + from(i, j + 2) - from(i, j - 2))
            end do
        end do
    end subroutine apply
end program stencil
