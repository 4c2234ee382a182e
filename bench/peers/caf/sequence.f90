! The random numbers of RandomAccess (HPC Challenge, and the Parallel Research Kernels after it): the powers of x modulo
! the polynomial x**63 + x**2 + x + 1 over the field of two elements, as bits of words.
module sequence
    use, intrinsic :: iso_fortran_env, only: int64
    implicit none
    private
    public :: following, power

    integer(int64), parameter :: polynomial = 7, period = 1317624576693539401_int64

contains

    ! x times a power of x.
    elemental integer(int64) function following(word)
        integer(int64), intent(in) :: word

        following = ieor(shiftl(word, 1), iand(shifta(word, 63), polynomial))
    end function following

    ! The power of x with this exponent, by squaring.
    pure integer(int64) function power(exponent)
        integer(int64), intent(in) :: exponent
        integer(int64) :: squares(0:63), remaining, word
        integer :: i, bit

        word = 1
        do i = 0, 63
            squares(i) = word
            word = following(following(word))
        end do
        remaining = modulo(exponent, period)
        power = 1
        if (remaining == 0) return
        power = 2
        do bit = 62 - leadz(remaining), 0, -1
            word = 0
            do i = 0, 63
                if (btest(power, i)) word = ieor(word, squares(i))
            end do
            power = merge(following(word), word, btest(remaining, bit))
        end do
    end function power
end module sequence
