! The wavefront of the Parallel Research Kernels (synch_p2p): every value of an M x N grid needs those to the left,
! below and between, and the last is fed back to the first. The M columns are distributed.
!
!   mpif90 -O3 -fcoarray=lib kernel.f90 p2p.f90 -o p2p -lcaf_openmpi
!   mpirun -n IMAGES --bind-to core p2p ITERATIONS M N
program p2p
    use, intrinsic :: iso_fortran_env, only: event_type, int64, real64
    use kernel
    implicit none

    integer :: m, n, width, first, iterations, iteration, i, j
    logical :: leftmost, rightmost
    real(real64), allocatable :: grid(:, :)[:]
    type(event_type) :: arrived[*]
    real(real64) :: start, duration, corner
    logical :: valid

    call title('Wavefront')
    iterations = int(argument(1, 'iterations'))
    m = int(argument(2, 'M'))
    n = int(argument(3, 'N'))
    width = int(size_of(this_image(), int(m, int64)))
    first = int(first_of(this_image(), int(m, int64)))
    leftmost = this_image() == 1
    rightmost = this_image() == num_images()
    if (min(m, n) < 2 .or. m < num_images()) call refuse('the grid is too small for so many images')

    ! Column 0 is the left neighbour's last.
    allocate (grid(0:int(size_of(1, int(m, int64))), n)[*])
    grid = 0
    do i = 0, width
        grid(i, 1) = first + i - 2
    end do
    if (leftmost) grid(1, :) = [(j - 1, j=1, n)]
    sync all

    start = 0
    do iteration = 0, iterations
        if (iteration == 1) then
            sync all
            start = seconds()
        end if
        if (leftmost .and. .not. rightmost .and. iteration > 0) event wait (arrived)
        do j = 2, n
            if (.not. leftmost) event wait (arrived)
            do i = merge(2, 1, leftmost), width
                grid(i, j) = grid(i - 1, j) + grid(i, j - 1) - grid(i - 1, j - 1)
            end do
            if (.not. rightmost) then
                grid(0, j)[this_image() + 1] = grid(width, j)
                event post (arrived[this_image() + 1])
            end if
        end do
        if (rightmost) then
            grid(1, 1)[1] = -grid(width, n)
            if (.not. leftmost .and. iteration < iterations) event post (arrived[1])
        end if
    end do
    sync all
    duration = (seconds() - start) / iterations

    corner = (iterations + 1d0) * (m + n - 2d0)
    valid = .true.
    if (rightmost) valid = abs(grid(width, n) - corner) < 1d-8 * corner
    call conclude(valid, 'MFlops/s', 2d-6 * (m - 1d0) * (n - 1d0), duration)
end program p2p
