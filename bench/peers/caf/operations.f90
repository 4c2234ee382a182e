! The operations of coarrays in Fortran, timed as cobench times those of coarray.
!
! For gfortran with OpenCoarrays over Open MPI (on Debian: gfortran libcoarrays-openmpi-dev openmpi-bin libopenmpi-dev):
!
!   mpif90 -O3 -fcoarray=lib timing.f90 sequence.f90 transfers.f90 updates.f90 synchronisation.f90 operations.f90 \
!       -o operations -lcaf_openmpi
!   mpirun -n N --bind-to core operations MILLISECONDS MICROSECONDS [OPERATION ...]
!
! With more images than cores: --oversubscribe --bind-to none. One image alone needs OMPI_MCA_osc=pt2pt in the
! environment, since what Open MPI 4.1 chooses by itself has no windows for one process; with more it is slower.
!
! Prints the name of the implementation, then a line `OPERATION BYTES peer NS NS ...` for each operation and size: the
! time of one operation in each batch. Batches last about MICROSECONDS, at least five are taken, and together they last
! about MILLISECONDS.
program operations
    use, intrinsic :: iso_fortran_env, only: compiler_version
    use synchronisation
    use timing
    use transfers
    use updates
    implicit none

    call read_arguments()
    if (this_image() == 1) print '(3A)', '# OpenCoarrays (', compiler_version(), ')'
    call measure_transfers()
    call measure_updates()
    call measure_synchronisation()
end program operations
