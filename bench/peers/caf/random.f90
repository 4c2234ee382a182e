! The random access of the Parallel Research Kernels: VECTOR_LENGTH streams of random numbers update a table that is
! spread over all images, which a second round of the same updates restores.
!
!   mpif90 -O3 -fcoarray=lib kernel.f90 sequence.f90 random.f90 -o random -lcaf_openmpi
!   mpirun -n IMAGES --bind-to core random LOG2SIZE UPDATE_RATIO VECTOR_LENGTH
!
! Images get and put without mutual exclusion, since gfortran has no atomic words of 8 bytes; updates that meet may be
! lost, and 1 % may be.
program random
    use, intrinsic :: iso_fortran_env, only: int64, real64
    use kernel
    use sequence
    implicit none

    integer(int64), parameter :: seed = 834568137686317453_int64
    integer(int64) :: size, words, updates, streams, stream, update, word, state, errors
    integer :: round, image
    integer(int64), allocatable :: table(:)[:]
    real(real64) :: start, duration

    call title('Random access')
    size = 2_int64**argument(1, 'log2 of the size')
    updates = size * argument(2, 'update ratio')
    streams = argument(3, 'vector length')
    words = (size + num_images() - 1) / num_images()
    allocate (table(0:words - 1)[*])
    do word = 0, words - 1
        table(word) = (this_image() - 1) * words + word
    end do

    sync all
    start = seconds()
    do round = 1, 2
        do stream = this_image() - 1, streams - 1, num_images()
            state = power(seed + updates / streams * stream)
            do update = 1, updates / (2 * streams)
                state = following(state)
                word = iand(state, size - 1)
                image = 1 + int(word / words)
                word = modulo(word, words)
                table(word)[image] = ieor(table(word)[image], state)
            end do
        end do
        sync all
    end do
    duration = seconds() - start

    errors = 0
    do word = 0, words - 1
        if (table(word) /= (this_image() - 1) * words + word) errors = errors + 1
    end do
    call co_sum(errors)
    if (this_image() == 1) print '(A22, "= ", I0)', 'lost updates', errors
    call conclude(100 * errors <= size, 'GUPS/s', 1d-9 * updates, duration)
end program random
