! The transposition of the Parallel Research Kernels: B = B + transpose(A), then A = A + 1, of matrices whose columns
! are distributed.
!
!   mpif90 -O3 -fcoarray=lib kernel.f90 transpose.f90 -o transpose -lcaf_openmpi
!   mpirun -n IMAGES --bind-to core transpose ITERATIONS ORDER [TILE]
program transposition
    use, intrinsic :: iso_fortran_env, only: int64, real64
    use kernel
    implicit none

    integer :: order, tile, width, widest, first, iterations, iteration, i, j, step, other
    real(real64), allocatable :: a(:, :), b(:, :), received(:)
    ! What goes to each image, transposed. Sections of the matrix itself would not be contiguous, and OpenCoarrays
    ! gets those an element at a time.
    real(real64), allocatable :: sent(:, :)[:]
    real(real64) :: start, duration, deviation, sum_of_additions

    call title('Transposition')
    iterations = int(argument(1, 'iterations'))
    order = int(argument(2, 'order'))
    tile = int(argument(3, 'tile', default=32_int64))
    if (tile < 1) tile = order
    if (order < num_images()) call refuse('there are more images than columns')
    width = width_of(this_image())
    widest = width_of(1)
    first = first_column(this_image())

    allocate (a(order, width), b(order, width), received(widest**2), sent(widest**2, num_images())[*])
    do j = 1, width
        do i = 1, order
            a(i, j) = real(order, real64) * (first + j - 2) + (i - 1)
        end do
    end do
    b = 0

    start = 0
    do iteration = 0, iterations
        if (iteration == 1) then
            sync all
            start = seconds()
        end if
        do step = 0, num_images() - 1
            other = 1 + modulo(this_image() - 1 + step, num_images())
            call transpose_rows(first_column(other), width_of(other), sent(:, other))
        end do
        sync all
        call add(first, width, sent(:, this_image()))
        do step = 1, num_images() - 1
            other = 1 + modulo(this_image() - 1 + step, num_images())
            received(1:width * width_of(other)) = sent(1:width * width_of(other), this_image())[other]
            call add(first_column(other), width_of(other), received)
        end do
        a = a + 1
        ! Others may still read what the next iteration sends.
        sync all
    end do
    duration = (seconds() - start) / iterations

    sum_of_additions = iterations * (iterations + 1d0) / 2
    deviation = 0
    do j = 1, width
        do i = 1, order
            deviation = deviation + abs(b(i, j) - sum_of_additions &
                - (iterations + 1d0) * (real(order, real64) * (i - 1) + (first + j - 2)))
        end do
    end do
    call co_sum(deviation)
    call conclude(deviation < 1d-8, 'MB/s', 2d-6 * 8 * real(order, real64)**2, duration)

contains

    integer function width_of(image)
        integer, intent(in) :: image

        width_of = int(size_of(image, int(order, int64)))
    end function width_of

    integer function first_column(image)
        integer, intent(in) :: image

        first_column = int(first_of(image, int(order, int64)))
    end function first_column

    ! Some rows of this image's columns, as columns.
    subroutine transpose_rows(row, rows, block)
        integer, intent(in) :: row, rows
        real(real64), intent(out) :: block(width, rows)
        integer :: i, j, i0, j0

        do j0 = 1, width, tile
            do i0 = 1, rows, tile
                do i = i0, min(rows, i0 + tile - 1)
                    do j = j0, min(width, j0 + tile - 1)
                        block(j, i) = a(row + i - 1, j)
                    end do
                end do
            end do
        end do
    end subroutine transpose_rows

    ! Adds a block to some rows of this image's columns.
    subroutine add(row, rows, block)
        integer, intent(in) :: row, rows
        real(real64), intent(in) :: block(rows, width)

        b(row:row + rows - 1, :) = b(row:row + rows - 1, :) + block
    end subroutine add
end program transposition
