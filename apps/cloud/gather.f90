!> Brings a field of the whole grid together on one rank, and closes the files that this rank writes.
!> SPDX-License-Identifier: BSD-3-Clause
module cloud_gather
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use halocline_mpi, only: hlc_mpi_allgather, hlc_mpi_gatherv
  use cloud_grid, only: grid_t
  use cloud_ranks, only: ranks_t
  implicit none
  private
  public :: gather, close_whole, WRITER

  integer, parameter :: WRITER = 0          !< the rank that writes files

contains

  !> The interiors of all ranks as (z, y, x), on the writer; elsewhere whole is left unallocated. Collective.
  subroutine gather(grid, ranks, interior, whole)
    type(grid_t), intent(in) :: grid
    type(ranks_t), intent(in) :: ranks
    real(real64), intent(in) :: interior(:, :, :)        !< (nz, ny, nx)
    real(real64), allocatable, intent(out) :: whole(:, :, :)
    real(real64) :: own_place(4), table(4, ranks%size)
    real(real64), allocatable :: own(:), received(:)
    integer :: counts(ranks%size), rank, first

    own_place = [grid%nx, grid%ny, grid%first_x, grid%first_y]
    own = reshape(interior, [size(interior)])
    call hlc_mpi_allgather(ranks%comm, own_place, table)
    counts = nint(table(1, :)*table(2, :))*grid%nz
    allocate (received(merge(sum(counts), 0, ranks%rank == WRITER)))
    call hlc_mpi_gatherv(ranks%comm, own, received, counts, WRITER)
    if (ranks%rank /= WRITER) return
    allocate (whole(grid%cells(3), grid%cells(2), grid%cells(1)))
    first = 1
    do rank = 1, ranks%size
      call place_block(received(first:first + counts(rank) - 1), nint(table(:, rank)), whole)
      first = first + counts(rank)
    end do
  end subroutine gather

  !> Puts a block of (z, y, x) at its place; place holds its cells in x and y and the cells before it.
  subroutine place_block(block, place, whole)
    real(real64), intent(in) :: block(:)
    integer, intent(in) :: place(4)
    real(real64), intent(inout) :: whole(:, :, :)
    integer :: i, j, nz
    nz = size(whole, 1)
    do i = 1, place(1)
      do j = 1, place(2)
        whole(:, place(4) + j, place(3) + i) = block(nz*((i - 1)*place(2) + j - 1) + 1:nz*((i - 1)*place(2) + j))
      end do
    end do
  end subroutine place_block

  !> Closes a stream that was written from its beginning. message is empty if the file has all of it. gfortran's runtime keeps what
  !> is written in a buffer, and does not say when that could not be stored, as on a full disk; so the file's size is looked at.
  subroutine close_whole(unit, path, message)
    integer, intent(in) :: unit
    character(*), intent(in) :: path
    character(:), allocatable, intent(out) :: message
    character(256) :: text
    integer(int64) :: place, bytes
    integer :: status

    message = ''
    inquire (unit, pos=place)
    close (unit, iostat=status, iomsg=text)
    inquire (file=path, size=bytes)
    if (status == 0 .and. bytes == place - 1) return
    write (text, '(2(a,i0),a)') 'only ', max(bytes, 0_int64), ' of ', place - 1, ' bytes could be stored; is the disk full?'
    message = trim(text)
  end subroutine close_whole
end module cloud_gather
