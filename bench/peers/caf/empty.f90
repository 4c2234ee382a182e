! A program that does nothing: what it costs to start and to end.
!
!   mpif90 -O3 -fcoarray=lib empty.f90 -o empty -lcaf_openmpi
program empty
end program empty
