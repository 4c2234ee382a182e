! Events, locks, barriers, allocation and collective operations.
module synchronisation
    use, intrinsic :: iso_fortran_env, only: event_type, int64, lock_type, real64
    use timing
    implicit none
    private
    public :: measure_synchronisation

    integer, parameter :: message = 512, largest = 2**20

    type(event_type) :: arrived[*]
    type(lock_type) :: entrance[*]
    integer(int64) :: entries[*]
    real(real64) :: letter(message)[*]

    real(real64), allocatable :: values(:)[:], received(:)
    integer :: length = 0
    ! What was read is kept, or it would not be read.
    real(real64) :: kept = 0

contains

    subroutine measure_synchronisation()
        integer :: bytes

        allocate (values(largest)[*], received(largest))
        call check()

        if (is_wanted('event_pingpong')) call measure('event_pingpong', 0, pingpong)
        if (is_wanted('event_ring')) call measure('event_ring', 0, ring)
        if (is_wanted('notify_pingpong')) then
            length = 1
            call measure('notify_pingpong', 8, notify)
            length = message
            call measure('notify_pingpong', 8 * message, notify)
        end if
        if (is_wanted('mutex')) call measure('mutex', 0, contend, share=num_images())
        if (is_wanted('sync_all')) call measure('sync_all', 0, meet)
        ! An image alone has nobody to meet.
        if (is_wanted('sync_pair') .and. num_images() > 1) call measure('sync_pair', 0, meet_neighbour)
        if (is_wanted('alloc')) call measure('alloc', 4096, allocate_and_release)
        bytes = 8
        do while (bytes <= 8 * largest)
            length = bytes / 8
            if (is_wanted('co_sum')) call measure('co_sum', bytes, add)
            bytes = 4 * bytes
        end do
        bytes = 8
        do while (bytes <= 8 * largest)
            length = bytes / 8
            if (is_wanted('co_broadcast')) call measure('co_broadcast', bytes, broadcast)
            bytes = 4 * bytes
        end do
        deallocate (values, received)
    end subroutine measure_synchronisation

    ! Of two images, the one opposite; an image alone is its own.
    integer function partner()
        partner = merge(min(2, num_images()), 1, this_image() == 1)
    end function partner

    subroutine pingpong(times)
        integer, intent(in) :: times
        integer :: i

        if (this_image() == 1) then
            do i = 1, times
                event post (arrived[partner()])
                event wait (arrived)
            end do
        else if (this_image() == 2) then
            do i = 1, times
                event wait (arrived)
                event post (arrived[1])
            end do
        end if
    end subroutine pingpong

    subroutine ring(times)
        integer, intent(in) :: times
        integer :: i, right

        right = 1 + modulo(this_image(), num_images())
        do i = 1, times
            if (this_image() == 1) event post (arrived[right])
            event wait (arrived)
            if (this_image() > 1) event post (arrived[right])
        end do
    end subroutine ring

    subroutine notify(times)
        integer, intent(in) :: times
        integer :: i

        if (this_image() == 1) then
            do i = 1, times
                letter(1:length)[partner()] = values(1:length)
                event post (arrived[partner()])
                event wait (arrived)
            end do
        else if (this_image() == 2) then
            do i = 1, times
                event wait (arrived)
                letter(1:length)[1] = values(1:length)
                event post (arrived[1])
            end do
        end if
    end subroutine notify

    subroutine contend(times)
        integer, intent(in) :: times
        integer :: i

        do i = 1, times
            lock (entrance[1])
            entries[1] = entries[1] + 1
            unlock (entrance[1])
        end do
    end subroutine contend

    subroutine meet(times)
        integer, intent(in) :: times
        integer :: i

        do i = 1, times
            sync all
        end do
    end subroutine meet

    subroutine meet_neighbour(times)
        integer, intent(in) :: times
        integer :: i, neighbour

        neighbour = this_image() + merge(1, -1, modulo(this_image(), 2) == 1)
        if (neighbour > num_images()) return
        do i = 1, times
            sync images (neighbour)
        end do
    end subroutine meet_neighbour

    subroutine allocate_and_release(times)
        integer, intent(in) :: times
        real(real64), allocatable :: fresh(:)[:]
        integer :: i

        do i = 1, times
            allocate (fresh(512)[*])
            deallocate (fresh)
        end do
    end subroutine allocate_and_release

    ! As in programs, each image writes its values before an operation, and reads one number of each cache line of what it gets
    ! after it.
    subroutine add(times)
        integer, intent(in) :: times
        integer :: i

        do i = 1, times
            values(1:length) = this_image() + i - 1
            call co_sum(values(1:length))
            kept = kept + sum(values(1:length:8))
        end do
    end subroutine add

    ! OpenCoarrays broadcasts an array one element at a time, 40 microseconds for 2048 bytes on two cores and seconds
    ! for 8 MiB. More than a few elements are therefore fetched, as Fortran programs did before `co_broadcast`, into an
    ! array of their own: where an array may overlap itself, gfortran makes a copy on the stack, which 8 MiB overflow.
    subroutine broadcast(times)
        integer, intent(in) :: times
        integer :: i

        do i = 1, times
            if (this_image() == 1) values(1:length) = i
            if (length <= 4) then
                call co_broadcast(values(1:length), 1)
                if (this_image() > 1) kept = kept + sum(values(1:length:8))
            else
                sync all
                if (this_image() > 1) received(1:length) = values(1:length)[1]
                sync all
                if (this_image() > 1) kept = kept + sum(received(1:length:8))
            end if
        end do
    end subroutine broadcast

    ! What is fast must be right before.
    subroutine check()
        integer, parameter :: times = 100
        integer :: total

        length = message
        values = this_image()
        letter = 0
        entries = 0
        sync all
        call notify(times)
        sync all
        if (this_image() <= min(2, num_images())) call expect(all(nint(letter) == partner()), 'a letter is wrong')
        call contend(times)
        sync all
        if (this_image() == 1) call expect(entries == times * num_images(), 'a lock lets two in')

        length = largest
        call add(1)
        total = num_images() * (num_images() + 1) / 2
        call expect(all(nint(values) == total), 'a sum is wrong')
        call check_broadcast(4)
        call check_broadcast(largest)
    end subroutine check

    subroutine check_broadcast(elements)
        integer, intent(in) :: elements

        length = elements
        values = this_image()
        received = 0
        call broadcast(1)
        if (length <= 4 .or. this_image() == 1) received(1:length) = values(1:length)
        call expect(all(nint(received(1:length)) == 1), 'a broadcast is wrong')
        sync all
    end subroutine check_broadcast
end module synchronisation
