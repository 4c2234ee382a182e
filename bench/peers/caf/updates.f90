! Atomic operations on a word of another image, and random updates of a table that is spread over all images.
module updates
    use, intrinsic :: iso_fortran_env, only: atomic_int_kind, int64
    use sequence
    use timing
    implicit none
    private
    public :: measure_updates

    ! Words of the table on each image, and its binary logarithm.
    integer, parameter :: log_words = 23, words = 2**log_words
    ! Words between the seeds of two images, more than an image can use.
    integer(int64), parameter :: apart = 2_int64**40

    ! Atomic integers of gfortran have 4 bytes, other peers' words 8. The table of atomic updates therefore has two
    ! integers for each word, of which the first is updated, so that it covers as much memory as others'.
    integer(atomic_int_kind), allocatable :: counter[:], atomic_table(:, :)[:]
    integer(int64), allocatable :: table(:)[:]

    integer :: other
    integer(int64) :: state

contains

    subroutine measure_updates()
        other = min(2, num_images())
        allocate (counter[*])
        counter = 0
        sync all
        call check_atomics()
        if (is_wanted('fetch_add')) call measure('fetch_add', 8, fetch_add)
        if (is_wanted('compare_exchange')) call measure('compare_exchange', 8, compare_exchange)
        deallocate (counter)

        if (is_wanted('gups')) then
            allocate (table(0:words - 1)[*])
            call check_plain()
            call measure('gups', 8, update)
            deallocate (table)
        end if
        if (is_wanted('gups_atomic')) then
            allocate (atomic_table(2, 0:words - 1)[*])
            call check_atomic()
            call measure('gups_atomic', 8, update_atomically)
            deallocate (atomic_table)
        end if
    end subroutine measure_updates

    subroutine fetch_add(times)
        integer, intent(in) :: times
        integer(atomic_int_kind) :: old
        integer :: i

        if (this_image() /= 1) return
        do i = 1, times
            call atomic_fetch_add(counter[other], 1, old)
        end do
    end subroutine fetch_add

    subroutine compare_exchange(times)
        integer, intent(in) :: times
        integer(atomic_int_kind) :: expected, old
        integer :: i

        if (this_image() /= 1) return
        call atomic_ref(expected, counter[other])
        do i = 1, times
            call atomic_cas(counter[other], old, expected, expected + 1)
            expected = expected + 1
        end do
    end subroutine compare_exchange

    subroutine update(times)
        integer, intent(in) :: times
        integer :: i, image
        integer(int64) :: word

        do i = 1, times
            state = following(state)
            image = 1 + int(modulo(shiftr(state, log_words), int(num_images(), int64)))
            word = iand(state, words - 1_int64)
            table(word)[image] = ieor(table(word)[image], state)
        end do
    end subroutine update

    subroutine update_atomically(times)
        integer, intent(in) :: times
        integer :: i, image
        integer(int64) :: word

        do i = 1, times
            state = following(state)
            image = 1 + int(modulo(shiftr(state, log_words), int(num_images(), int64)))
            word = iand(state, words - 1_int64)
            call exclusive_or(word, image, lower_half(state))
        end do
    end subroutine update_atomically

    ! With gfortran 12 and OpenCoarrays 2.10 `atomic_xor` makes 14 of 12 and 10: the compiler and the library number the
    ! operations differently. What always works is to compare and exchange.
    subroutine exclusive_or(word, image, bits)
        integer(int64), intent(in) :: word
        integer, intent(in) :: image
        integer(atomic_int_kind), intent(in) :: bits
        integer(atomic_int_kind) :: expected, old

        call atomic_ref(expected, atomic_table(1, word)[image])
        do
            call atomic_cas(atomic_table(1, word)[image], old, expected, ieor(expected, bits))
            if (old == expected) return
            expected = old
        end do
    end subroutine exclusive_or

    ! What the lower half of a word is as a signed number.
    pure integer(atomic_int_kind) function lower_half(word)
        integer(int64), intent(in) :: word

        lower_half = int(shifta(shiftl(word, 32), 32), atomic_int_kind)
    end function lower_half

    subroutine check_atomics()
        call fetch_add(10)
        call compare_exchange(20)
        sync all
        if (this_image() == other) call expect(counter == 30, 'an atomic operation is wrong')
        sync all
    end subroutine check_atomics

    ! Two rounds of the same updates leave the table as it was, but for a few that met.
    subroutine check_plain()
        integer :: round, word
        integer, parameter :: times = 50000

        do word = 0, words - 1
            table(word) = word
        end do
        do round = 1, 2
            state = power(apart * this_image())
            sync all
            call update(times)
            sync all
            if (round == 1) call expect(changed_words() > times / 2, 'no update arrived')
            sync all
        end do
        call expect(changed_words() <= times / 100, 'updates are wrong')
    end subroutine check_plain

    integer function changed_words()
        integer :: word

        changed_words = 0
        do word = 0, words - 1
            if (table(word) /= word) changed_words = changed_words + 1
        end do
    end function changed_words

    subroutine check_atomic()
        integer :: round
        integer, parameter :: times = 50000

        atomic_table = 5
        do round = 1, 2
            state = power(apart * this_image())
            sync all
            call update_atomically(times)
            sync all
            if (round == 1) call expect(any(atomic_table(1, :) /= 5), 'no atomic update arrived')
            sync all
        end do
        call expect(all(atomic_table == 5), 'atomic updates are wrong')
    end subroutine check_atomic
end module updates
