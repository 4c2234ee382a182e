! The RandomAccess of the HPC Challenge: four times as many random updates as the table has words, of which an image may
! hold back 1024.
!
!   mpif90 -O3 -fcoarray=lib kernel.f90 sequence.f90 randomaccess.f90 -o randomaccess -lcaf_openmpi
!   mpirun -n IMAGES --bind-to core randomaccess LOG2SIZE
!
! Each image sorts its next updates by the image that has the word, sends each image its updates with one put, and
! makes those that it was sent. So no two images update the same word, and none is lost.
program randomaccess
    use, intrinsic :: iso_fortran_env, only: int64, real64
    use kernel
    use sequence
    implicit none

    integer(int64), parameter :: look_ahead = 1024
    integer(int64) :: size, words, word, errors
    integer(int64), allocatable :: table(:), bucket(:, :)
    ! From each image the number of its updates, then the updates.
    integer(int64), allocatable :: inbox(:, :)[:]
    real(real64) :: start, duration

    call title('RandomAccess')
    size = 2_int64**argument(1, 'log2 of the size')
    words = (size + num_images() - 1) / num_images()
    allocate (table(0:words - 1), bucket(0:look_ahead, num_images()), inbox(0:look_ahead, num_images())[*])
    do word = 0, words - 1
        table(word) = (this_image() - 1) * words + word
    end do

    sync all
    start = seconds()
    call update(4 * size)
    duration = seconds() - start

    call update(4 * size)
    errors = 0
    do word = 0, words - 1
        if (table(word) /= (this_image() - 1) * words + word) errors = errors + 1
    end do
    call co_sum(errors)
    if (this_image() == 1) print '(A22, "= ", I0)', 'lost updates', errors
    call conclude(100 * errors <= size, 'GUPS/s', 1d-9 * 4 * size, duration)

contains

    ! Makes so many updates from the beginning of the sequence.
    subroutine update(total)
        integer(int64), intent(in) :: total
        integer(int64) :: state, remaining, round

        state = power(first_of(this_image(), total) - 1)
        remaining = size_of(this_image(), total)
        ! The first image has the most.
        do round = 1, (size_of(1, total) + look_ahead - 1) / look_ahead
            call sort(min(remaining, look_ahead), state)
            remaining = remaining - min(remaining, look_ahead)
            call send()
            sync all
            call apply()
            sync all
        end do
    end subroutine update

    subroutine sort(count, state)
        integer(int64), intent(in) :: count
        integer(int64), intent(inout) :: state
        integer(int64) :: i
        integer :: image

        bucket(0, :) = 0
        do i = 1, count
            state = following(state)
            image = 1 + int(iand(state, size - 1) / words)
            bucket(0, image) = bucket(0, image) + 1
            bucket(bucket(0, image), image) = state
        end do
    end subroutine sort

    subroutine send()
        integer :: step, image

        do step = 0, num_images() - 1
            image = 1 + modulo(this_image() - 1 + step, num_images())
            inbox(0:bucket(0, image), this_image())[image] = bucket(0:bucket(0, image), image)
        end do
    end subroutine send

    subroutine apply()
        integer(int64) :: i, own
        integer :: image

        own = (this_image() - 1) * words
        do image = 1, num_images()
            do i = 1, inbox(0, image)
                word = iand(inbox(i, image), size - 1) - own
                table(word) = ieor(table(word), inbox(i, image))
            end do
        end do
    end subroutine apply
end program randomaccess
