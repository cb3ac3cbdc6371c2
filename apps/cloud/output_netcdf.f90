!> A short NetCDF file: some of the fields at the first and the last step, gathered and written by rank 0.
!> SPDX-License-Identifier: BSD-3-Clause
module cloud_output
  use, intrinsic :: iso_fortran_env, only: error_unit, real64
  use netcdf
  use halocline, only: hlc_mode_name, hlc_version
  use halocline_mpi, only: hlc_mpi_allgather, hlc_mpi_gatherv
  use cloud_grid, only: AT_U, AT_V, AT_W
  use cloud_model, only: model_t
  use cloud_ranks, only: stop_together, EXIT_USAGE
  use cloud_state, only: FIRST_TRACER, U_WIND, V_WIND, W_WIND, THETA, WATER
  implicit none
  private
  public :: output_t, output_fault, open_output, write_record, close_output

  integer, parameter :: WRITER = 0
  !> The wind, heat and water, and one tracer for each number of waves in the vertical.
  integer, parameter :: WRITTEN(*) = [U_WIND, V_WIND, W_WIND, THETA, WATER, FIRST_TRACER, FIRST_TRACER + 6, FIRST_TRACER + 12, &
                                      FIRST_TRACER + 18]
  integer, parameter :: CENTRES = 1, FACES = 2

  type :: output_t
    logical :: wanted = .false.
    integer :: id = -1
    integer :: record = 0
    integer :: time = -1
    integer :: variable(size(WRITTEN)) = -1
  end type output_t

contains

  !> message is empty: this build can write what is asked for.
  subroutine output_fault(path, message)
    character(*), intent(in) :: path
    character(:), allocatable, intent(out) :: message
    message = path(:0)
  end subroutine output_fault

  !> Creates the file with its coordinates, if there is a path. Collective.
  subroutine open_output(path, model, file)
    character(*), intent(in) :: path
    type(model_t), intent(in) :: model
    type(output_t), intent(out) :: file
    real(real64) :: fault(1), all_faults(1, model%ranks%size)
    character(256) :: message

    file%wanted = path /= ''
    if (.not. file%wanted) return
    message = ''
    if (model%ranks%rank == WRITER) call create(path, file%id, message)
    fault = merge(0, 1, message == '')
    call hlc_mpi_allgather(model%ranks%comm, fault, all_faults)
    if (any(all_faults > 0)) call stop_together(model%ranks, EXIT_USAGE, '--output "'//path//'": '//trim(message))
    if (model%ranks%rank == WRITER) call define(model, file)
  end subroutine open_output

  !> Fortran's own open comes first, because NetCDF says "permission denied" of whatever is wrong with a path.
  subroutine create(path, id, message)
    character(*), intent(in) :: path
    integer, intent(out) :: id
    character(*), intent(inout) :: message
    integer :: unit, status
    id = -1
    open (newunit=unit, file=path, action='write', iostat=status, iomsg=message)
    if (status /= 0) return
    close (unit)
    message = ''
    status = nf90_create(path, ior(NF90_CLOBBER, NF90_NETCDF4), id)
    if (status /= nf90_noerr) message = nf90_strerror(status)
  end subroutine create

  !> Coordinates, variables and attributes after the CF conventions, 1.8.
  subroutine define(model, file)
    type(model_t), intent(in) :: model
    type(output_t), intent(inout) :: file
    integer :: time, x(2), y(2), z(2), dimensions(4), n

    call check(nf90_put_att(file%id, NF90_GLOBAL, 'Conventions', 'CF-1.8'))
    call check(nf90_put_att(file%id, NF90_GLOBAL, 'title', trim(model%case%title)))
    call check(nf90_put_att(file%id, NF90_GLOBAL, 'source', 'cloud, a mini-app of Halocline '//hlc_version()))
    call check(nf90_put_att(file%id, NF90_GLOBAL, 'halo_mode', hlc_mode_name(int(model%plan%mode))))
    call check(nf90_put_att(file%id, NF90_GLOBAL, 'ranks', model%ranks%size))
    call check(nf90_def_dim(file%id, 'time', NF90_UNLIMITED, time))
    call check(nf90_def_var(file%id, 'time', NF90_DOUBLE, [time], file%time))
    call describe(file%id, file%time, 's', 'time since the start of the run', 'T')
    associate (grid => model%grid)
      x = [axis(file%id, 'x', 'X', regular(grid%cells(1), grid%dx, 0.5_real64), 'eastward distance'), &
           axis(file%id, 'x_u', 'X', regular(grid%cells(1), grid%dx, 1.0_real64), 'eastward distance of u')]
      y = [axis(file%id, 'y', 'Y', regular(grid%cells(2), grid%dy, 0.5_real64), 'northward distance'), &
           axis(file%id, 'y_v', 'Y', regular(grid%cells(2), grid%dy, 1.0_real64), 'northward distance of v')]
      z = [axis(file%id, 'z', 'Z', grid%z_centre, 'height'), axis(file%id, 'z_w', 'Z', grid%z_face(1:), 'height of w')]
    end associate
    do n = 1, size(WRITTEN)
      associate (field => model%state%field(WRITTEN(n)))
        dimensions = [x(CENTRES), y(CENTRES), z(CENTRES), time]
        if (field%placement == AT_U) dimensions(1) = x(FACES)
        if (field%placement == AT_V) dimensions(2) = y(FACES)
        if (field%placement == AT_W) dimensions(3) = z(FACES)
        call check(nf90_def_var(file%id, trim(field%name), NF90_FLOAT, dimensions, file%variable(n), deflate_level=1))
        call describe(file%id, file%variable(n), trim(field%units), trim(field%long_name))
      end associate
    end do
    call check(nf90_enddef(file%id))
  end subroutine define

  !> Defines a dimension with its coordinate variable, fills it, and returns the dimension.
  integer function axis(id, name, letter, values, long_name) result(dimension)
    integer, intent(in) :: id
    character(*), intent(in) :: name, letter, long_name
    real(real64), intent(in) :: values(:)
    integer :: variable
    call check(nf90_def_dim(id, name, size(values), dimension))
    call check(nf90_def_var(id, name, NF90_DOUBLE, [dimension], variable))
    call describe(id, variable, 'm', long_name, letter)
    if (letter == 'Z') call check(nf90_put_att(id, variable, 'positive', 'up'))
    call check(nf90_put_var(id, variable, values))
  end function axis

  subroutine describe(id, variable, units, long_name, letter)
    integer, intent(in) :: id, variable
    character(*), intent(in) :: units, long_name
    character(*), intent(in), optional :: letter
    call check(nf90_put_att(id, variable, 'units', units))
    call check(nf90_put_att(id, variable, 'long_name', long_name))
    if (present(letter)) call check(nf90_put_att(id, variable, 'axis', letter))
  end subroutine describe

  pure function regular(cells, spacing, offset) result(values)
    integer, intent(in) :: cells
    real(real64), intent(in) :: spacing, offset
    real(real64) :: values(cells)
    integer :: i
    values = [((i - 1 + offset)*spacing, i=1, cells)]
  end function regular

  !> Appends the present state. Collective.
  subroutine write_record(model, step, file)
    type(model_t), intent(in) :: model
    integer, intent(in) :: step
    type(output_t), intent(inout) :: file
    real(real64), allocatable :: whole(:, :, :)
    integer :: n

    if (.not. file%wanted) return
    file%record = file%record + 1
    if (model%ranks%rank == WRITER) call check(nf90_put_var(file%id, file%time, step*model%case%time_step, start=[file%record]))
    do n = 1, size(WRITTEN)
      call gather(model, model%state%field(WRITTEN(n))%values, whole)
      if (model%ranks%rank == WRITER) call check(nf90_put_var(file%id, file%variable(n), whole, start=[1, 1, 1, file%record]))
    end do
  end subroutine write_record

  !> Brings the interiors of all ranks together on the writer, as (x, y, z). Collective.
  subroutine gather(model, values, whole)
    type(model_t), intent(in) :: model
    real(real64), intent(in), pointer, contiguous :: values(:, :, :)
    real(real64), allocatable, intent(out) :: whole(:, :, :)
    real(real64) :: own_place(4), table(4, model%ranks%size)
    real(real64), allocatable :: own(:), received(:)
    integer :: counts(model%ranks%size), rank, first

    associate (grid => model%grid)
      own_place = [grid%nx, grid%ny, grid%first_x, grid%first_y]
      own = reshape(values(:, 1:grid%ny, 1:grid%nx), [grid%nz*grid%ny*grid%nx])
      call hlc_mpi_allgather(model%ranks%comm, own_place, table)
      counts = nint(table(1, :)*table(2, :))*grid%nz
      allocate (received(merge(sum(counts), 0, model%ranks%rank == WRITER)))
      call hlc_mpi_gatherv(model%ranks%comm, own, received, counts, WRITER)
      if (model%ranks%rank /= WRITER) return
      allocate (whole(grid%cells(1), grid%cells(2), grid%cells(3)))
      first = 1
      do rank = 1, model%ranks%size
        call place_block(received(first:first + counts(rank) - 1), nint(table(:, rank)), whole)
        first = first + counts(rank)
      end do
    end associate
  end subroutine gather

  !> Puts a block of (z, y, x) at its place; place holds its cells in x and y and the cells before it.
  subroutine place_block(block, place, whole)
    real(real64), intent(in) :: block(:)
    integer, intent(in) :: place(4)
    real(real64), intent(inout) :: whole(:, :, :)
    integer :: i, j, nz
    nz = size(whole, 3)
    do i = 1, place(1)
      do j = 1, place(2)
        whole(place(3) + i, place(4) + j, :) = block(nz*((i - 1)*place(2) + j - 1) + 1:nz*((i - 1)*place(2) + j))
      end do
    end do
  end subroutine place_block

  subroutine close_output(file)
    type(output_t), intent(inout) :: file
    if (file%id >= 0) call check(nf90_close(file%id))
    file%id = -1
  end subroutine close_output

  !> A file that was opened and then cannot be written (a full disk) ends the program.
  subroutine check(status)
    integer, intent(in) :: status
    if (status == nf90_noerr) return
    write (error_unit, '(2a)') 'cloud: NetCDF output: ', trim(nf90_strerror(status))
    error stop 1
  end subroutine check
end module cloud_output
