! Wolfram's rule 30 on a ring of 240 cells, divided among the images. Prints how many cells are 1 in the end.
program rule30
  implicit none
  integer, parameter :: cells = 240, generations = 100
  integer, allocatable :: c(:)[:], next(:)
  integer :: me, images, left, right, n, i, generation, ones

  me = this_image()
  images = num_images()
  left = merge(images, me - 1, me == 1)
  right = merge(1, me + 1, me == images)
  n = cells / images
  if (n * images /= cells) error stop 'the number of images must divide 240'
  allocate (c(0:n+1)[*], next(n))
  c = 0
  ! A single 1 in the middle, cell 120.
  if ((me - 1) * n < 120 .and. 120 <= me * n) c(120 - (me - 1) * n) = 1

  do generation = 1, generations
    sync all
    c(n + 1)[left] = c(1)
    c(0)[right] = c(n)
    sync all
    do i = 1, n
      next(i) = ieor(c(i - 1), ior(c(i), c(i + 1)))
    end do
    c(1:n) = next
  end do

  ones = sum(c(1:n))
  call co_sum(ones, result_image=1)
  if (me == 1) print '(a, i0, a, i0, a)', 'generation ', generations, ': ', ones, ' cells are 1'
end program rule30
