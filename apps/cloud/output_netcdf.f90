!> A short NetCDF file: some of the fields at the first and the last step, gathered and written by rank 0.
!> SPDX-License-Identifier: BSD-3-Clause
module cloud_output
  use, intrinsic :: iso_fortran_env, only: real64
  use netcdf
  use halocline, only: hlc_mode_name, hlc_version
  use halocline_mpi, only: hlc_mpi_allgather, hlc_mpi_max
  use cloud_gather, only: gather, WRITER
  use cloud_grid, only: AT_U, AT_V, AT_W
  use cloud_model, only: model_t
  use cloud_replace, only: if_full
  use cloud_ranks, only: stop_together, EXIT_USAGE
  use cloud_state, only: FIRST_TRACER, U_WIND, V_WIND, W_WIND, THETA, WATER
  implicit none
  private
  public :: output_t, output_fault, open_output, write_record, close_output

  !> The wind, heat and water, and one tracer for each number of waves in the vertical.
  integer, parameter :: WRITTEN(*) = [U_WIND, V_WIND, W_WIND, THETA, WATER, FIRST_TRACER, FIRST_TRACER + 6, FIRST_TRACER + 12, &
                                      FIRST_TRACER + 18]
  integer, parameter :: CENTRES = 1, FACES = 2

  type :: output_t
    logical :: wanted = .false.
    character(:), allocatable :: path
    integer :: id = -1
    integer :: record = 0
    integer :: time = -1
    integer :: variable(size(WRITTEN)) = -1
    integer :: liquid = -1          !< -1: a case without physics has none
  end type output_t

  integer, save :: first_fault = nf90_noerr        !< of all calls of NetCDF on this rank

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
    file%path = path
    if (.not. file%wanted) return
    message = ''
    if (model%ranks%rank == WRITER) call create(path, file%id, message)
    fault = merge(0, 1, message == '')
    call hlc_mpi_allgather(model%ranks%comm, fault, all_faults)
    if (any(all_faults > 0)) call stop_together(model%ranks, EXIT_USAGE, '--output "'//path//'": '//trim(message))
    if (model%ranks%rank == WRITER) call define(model, file)
    call need_written(model, file)
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
    integer :: time, x(2), y(2), z(2), dimensions(4), density, n

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
    if (model%case%physics%wanted) then
      call check(nf90_def_var(file%id, 'q_l', NF90_FLOAT, [x(CENTRES), y(CENTRES), z(CENTRES), time], file%liquid, deflate_level=1))
      call describe(file%id, file%liquid, 'kg kg-1', 'liquid water mixing ratio of cloud')
    end if
    call check(nf90_def_var(file%id, 'air_density', NF90_DOUBLE, [z(CENTRES)], density))
    call describe(file%id, density, 'kg m-3', 'density of the air at rest')
    call check(nf90_enddef(file%id))
    call check(nf90_put_var(file%id, density, model%grid%density))
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
    if (standard_name(long_name) /= '') call check(nf90_put_att(id, variable, 'standard_name', standard_name(long_name)))
    if (present(letter)) call check(nf90_put_att(id, variable, 'axis', letter))
  end subroutine describe

  !> What the CF conventions call a quantity; they have no name for heat and water that clouds do not change.
  pure function standard_name(long_name) result(name)
    character(*), intent(in) :: long_name
    character(:), allocatable :: name
    select case (long_name)
    case ('eastward wind'); name = 'eastward_wind'
    case ('northward wind'); name = 'northward_wind'
    case ('upward wind'); name = 'upward_air_velocity'
    case ('liquid water mixing ratio of cloud'); name = 'cloud_liquid_water_mixing_ratio'
    case ('density of the air at rest'); name = 'air_density'
    case ('height', 'height of w'); name = 'height'
    case ('time since the start of the run'); name = 'time'
    case default; name = ''
    end select
  end function standard_name

  pure function regular(cells, spacing, offset) result(values)
    integer, intent(in) :: cells
    real(real64), intent(in) :: spacing, offset
    real(real64) :: values(cells)
    integer :: i
    values = [((i - 1 + offset)*spacing, i=1, cells)]
  end function regular

  !> Appends the present state. Collective.
  subroutine write_record(model, file)
    type(model_t), intent(in) :: model
    type(output_t), intent(inout) :: file
    integer :: n

    if (.not. file%wanted) return
    file%record = file%record + 1
    if (model%ranks%rank == WRITER) call check(nf90_put_var(file%id, file%time, model%time, start=[file%record]))
    do n = 1, size(WRITTEN)
      associate (values => model%state%field(WRITTEN(n))%values(:, 1:model%grid%ny, 1:model%grid%nx))
        if (WRITTEN(n) == U_WIND .or. WRITTEN(n) == V_WIND) then
          call write_whole(model, values + model%case%physics%frame(WRITTEN(n)), file%id, file%variable(n), file%record)
        else
          call write_whole(model, values, file%id, file%variable(n), file%record)
        end if
      end associate
    end do
    if (model%case%physics%wanted) then
      associate (liquid => model%physics%air%liquid(:, 1:model%grid%ny, 1:model%grid%nx))
        call write_whole(model, liquid, file%id, file%liquid, file%record)
      end associate
    end if
    ! A run that is stopped later leaves this record in the file.
    if (model%ranks%rank == WRITER .and. first_fault == nf90_noerr) call check(nf90_sync(file%id))
    call need_written(model, file)
  end subroutine write_record

  !> One variable of one record, as (x, y, z). Collective.
  subroutine write_whole(model, interior, id, variable, record)
    type(model_t), intent(in) :: model
    real(real64), intent(in) :: interior(:, :, :)
    integer, intent(in) :: id, variable, record
    real(real64), allocatable :: whole(:, :, :)
    call gather(model%grid, model%ranks, interior, whole)
    if (model%ranks%rank /= WRITER .or. first_fault /= nf90_noerr) return
    associate (cells => model%grid%cells)
      call check(nf90_put_var(id, variable, reshape(whole, [cells(1), cells(2), cells(3)], order=[3, 2, 1]), &
                              start=[1, 1, 1, record]))
    end associate
  end subroutine write_whole

  !> Collective.
  subroutine close_output(model, file)
    type(model_t), intent(in) :: model
    type(output_t), intent(inout) :: file
    if (.not. file%wanted) return
    if (file%id >= 0) call check(nf90_close(file%id))
    file%id = -1
    call need_written(model, file)
  end subroutine close_output

  subroutine check(status)
    integer, intent(in) :: status
    if (first_fault == nf90_noerr) first_fault = status
  end subroutine check

  !> A file that was opened and then cannot be written (a full disk) ends the program. Collective.
  subroutine need_written(model, file)
    type(model_t), intent(in) :: model
    type(output_t), intent(in) :: file
    real(real64) :: fault
    fault = merge(0, 1, first_fault == nf90_noerr)
    call hlc_mpi_max(model%ranks%comm, fault)
    if (fault > 0) call stop_together(model%ranks, EXIT_USAGE, '--output "'//file%path//'": '// &
                                      trim(nf90_strerror(first_fault))//if_full(file%path), at_once=.true.)
  end subroutine need_written
end module cloud_output
