! Puts and gets: single words, blocks and columns.
!
! Image 1 works on the memory of image 2, or on its own if it is alone, and the others wait.
module transfers
    use, intrinsic :: iso_fortran_env, only: int64, real64
    use timing
    implicit none
    private
    public :: measure_transfers

    integer, parameter :: words = 1024, order = 512, largest = 64 * 2**20
    integer, parameter :: block_bytes(8) = [8, 64, 1024, 8 * 1024, 64 * 1024, 512 * 1024, 4 * 2**20, largest]

    integer(int64), allocatable :: word(:)[:]
    real(real64), allocatable :: block(:)[:], matrix(:, :)[:]
    real(real64), allocatable :: buffer(:)

    integer :: other
    integer :: length = 0
    ! What was read is kept, or it would not be read.
    integer(int64) :: kept = 0

contains

    subroutine measure_transfers()
        other = min(2, num_images())
        allocate (word(0:words - 1)[*], block(largest / 8)[*], matrix(order, 0:order - 1)[*])
        allocate (buffer(largest / 8))
        call check()

        if (is_wanted('put')) call measure('put', 8, put)
        if (is_wanted('get')) call measure('get', 8, get)
        if (is_wanted('bulk_put')) call measure_blocks('bulk_put', put_block)
        if (is_wanted('bulk_get')) call measure_blocks('bulk_get', get_block)
        if (is_wanted('column_put')) call measure('column_put', order * 8, put_column)
        if (is_wanted('column_get')) call measure('column_get', order * 8, get_column)
        deallocate (word, block, matrix, buffer)
    end subroutine measure_transfers

    subroutine measure_blocks(name, run)
        character(*), intent(in) :: name
        interface
            subroutine run(times)
                integer, intent(in) :: times
            end subroutine run
        end interface
        integer :: i

        do i = 1, size(block_bytes)
            length = block_bytes(i) / 8
            call measure(name, block_bytes(i), run)
        end do
    end subroutine measure_blocks

    ! Every put of OpenCoarrays is complete at its end, so there is nothing to flush after a batch but what
    ! `sync memory` does in any case.
    subroutine put(times)
        integer, intent(in) :: times
        integer :: i

        if (this_image() /= 1) return
        do i = 0, times - 1
            word(iand(i, words - 1))[other] = i
        end do
        sync memory
    end subroutine put

    subroutine get(times)
        integer, intent(in) :: times
        integer :: i

        if (this_image() /= 1) return
        do i = 0, times - 1
            kept = kept + word(iand(i, words - 1))[other]
        end do
    end subroutine get

    subroutine put_block(times)
        integer, intent(in) :: times
        integer :: i

        if (this_image() /= 1) return
        do i = 1, times
            block(1:length)[other] = buffer(1:length)
            sync memory
        end do
    end subroutine put_block

    subroutine get_block(times)
        integer, intent(in) :: times
        integer :: i

        if (this_image() /= 1) return
        do i = 1, times
            buffer(1:length) = block(1:length)[other]
        end do
    end subroutine get_block

    ! A column of a matrix of rows is a row of a matrix of columns, which Fortran's are.
    subroutine put_column(times)
        integer, intent(in) :: times
        integer :: i

        if (this_image() /= 1) return
        do i = 0, times - 1
            matrix(iand(i, order - 1) + 1, :)[other] = buffer(1:order)
            sync memory
        end do
    end subroutine put_column

    subroutine get_column(times)
        integer, intent(in) :: times
        integer :: i

        if (this_image() /= 1) return
        do i = 0, times - 1
            buffer(1:order) = matrix(iand(i, order - 1) + 1, :)[other]
        end do
    end subroutine get_column

    ! Whether the values are `step`, `2 * step`, `3 * step` and so on, exactly.
    pure logical function counts_by(step, values)
        integer, intent(in) :: step
        real(real64), intent(in) :: values(:)
        integer :: i

        counts_by = .true.
        do i = 1, size(values)
            counts_by = counts_by .and. nint(values(i)) == step * i
        end do
    end function counts_by

    ! What is fast must be right before.
    subroutine check()
        integer :: i, row

        word = -1
        do i = 1, size(block)
            block(i) = i
        end do
        matrix = 0
        sync all
        call put(words)
        sync all
        if (this_image() == other) call expect(all(word == [(i, i=0, words - 1)]), 'a put is wrong')
        call get(words)
        if (this_image() == 1) call expect(kept == words * (words - 1) / 2, 'a get is wrong')

        length = largest / 8
        buffer = 0
        call get_block(1)
        if (this_image() == 1) call expect(counts_by(1, buffer), 'a block read is wrong')
        sync all
        buffer = 2 * buffer
        call put_block(1)
        sync all
        if (this_image() == other) call expect(counts_by(2, block), 'a block written is wrong')

        call put_column(order)
        sync all
        if (this_image() == other) then
            do row = 1, order
                call expect(counts_by(2, matrix(row, :)), 'a column written is wrong')
            end do
        end if
        sync all
        do row = 1, order
            matrix(row, :) = row
        end do
        sync all
        call get_column(3)
        if (this_image() == 1) call expect(all(nint(buffer(1:order)) == 3), 'a column read is wrong')
        sync all
    end subroutine check
end module transfers
