!> Restart files: all prognostic fields and the pressure's potential as the grid has them, on any number of ranks. A run that goes
!> on from one comes to the same bits as a run that never stopped. A file of 32-bit numbers, which make_start.py writes, has the
!> fields that matter and is a start for the case on any layers.
!>
!> The format is a stream of native bytes: MAGIC; 4-byte integers: bytes per number, cells in x, y and z, number of fields;
!> 8-byte reals: time and time step, spacing in x and y, the faces' heights; then each field's name in 16 characters and its
!> values as (z, y, x); at the end REFERENCE, and theta_below and surface_pressure as 8-byte reals.
!> SPDX-License-Identifier: BSD-3-Clause
module cloud_restart
  use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64
  use halocline_mpi, only: hlc_mpi_max
  use cloud_gather, only: close_whole, gather, WRITER
  use cloud_grid, only: grid_t
  use cloud_model, only: model_t, resume_model
  use cloud_physics_case, only: require_finite
  use cloud_plausible, only: what_is_implausible
  use cloud_replace, only: drop, first_written, put_in_place
  use cloud_state, only: FIELDS, FIRST_TRACER, W_WIND
  implicit none
  private
  public :: write_restart, try_restart, read_restart

  character(16), parameter :: MAGIC = 'halocline cloud1'
  real(real64), parameter :: SAME_LENGTH = 1.0e-6_real64    !< m
  character(16), parameter :: POTENTIAL = 'potential', REFERENCE = 'reference state'

  !> A file that is being read: its head, and what went wrong with it.
  type :: file_t
    integer :: unit = -1, status = 0
    character(256) :: text = ''
    integer(int32) :: bytes = 8, cells(3) = 0, fields = 0
    real(real64) :: time = 0, time_step = 0, spacing(2) = 0
    real(real64), allocatable :: z_face(:)
    logical :: same_layers = .false.               !< as the case has
  end type file_t

contains

  !> message is empty if the writer can write such a file: so a long run says at its start that it could not. The file stays as it
  !> is.
  subroutine try_restart(path, model, message)
    character(*), intent(in) :: path
    type(model_t), intent(in) :: model
    character(:), allocatable, intent(out) :: message
    character(256) :: text
    integer :: unit, status
    logical :: is_there

    message = ''
    if (model%ranks%rank /= WRITER) return
    inquire (file=path, exist=is_there)
    open (newunit=unit, file=path, access='stream', form='unformatted', position='append', action='write', iostat=status, &
          iomsg=text)
    if (status /= 0) then
      message = trim(text)
    else if (is_there) then
      close (unit)
    else
      close (unit, status='delete')
    end if
  end subroutine try_restart

  !> message is empty on the writer if the file is there. Otherwise a file of that name is as it was. Collective.
  subroutine write_restart(path, model, message)
    character(*), intent(in) :: path
    type(model_t), intent(in) :: model
    character(:), allocatable, intent(out) :: message
    real(real64), allocatable :: whole(:, :, :)
    character(:), allocatable :: part
    character(256) :: text
    integer :: unit, status, f

    message = ''
    text = ''
    status = 0
    unit = -1
    if (model%ranks%rank == WRITER) then
      part = first_written(path)
      open (newunit=unit, file=part, access='stream', form='unformatted', status='replace', action='write', iostat=status, &
            iomsg=text)
      if (status == 0) call write_header(unit, model, status, text)
    end if
    do f = 1, FIELDS + 1
      if (f <= FIELDS) call gather(model%grid, model%ranks, inner(model, model%state%field(f)%values), whole)
      if (f > FIELDS) call gather(model%grid, model%ranks, model%pressure%potential(:, 1:model%grid%ny, 1:model%grid%nx), whole)
      if (model%ranks%rank /= WRITER .or. status /= 0) cycle
      if (f <= FIELDS) write (unit, iostat=status, iomsg=text) model%state%field(f)%name, whole
      if (f > FIELDS) write (unit, iostat=status, iomsg=text) POTENTIAL, whole
    end do
    if (model%ranks%rank /= WRITER) return
    if (status == 0) write (unit, iostat=status, iomsg=text) REFERENCE, model%case%theta_below, model%case%surface_pressure
    if (status == 0) then
      call close_whole(unit, part, message)
    else
      message = trim(text)
      close (unit, iostat=status)
    end if
    if (message == '') then
      call put_in_place(part, path, message)
    else
      call drop(part, path)
    end if
  end subroutine write_restart

  function inner(model, values) result(interior)
    type(model_t), intent(in) :: model
    real(real64), intent(in), pointer, contiguous :: values(:, :, :)
    real(real64), allocatable :: interior(:, :, :)
    interior = values(:, 1:model%grid%ny, 1:model%grid%nx)
  end function inner

  subroutine write_header(unit, model, status, text)
    integer, intent(in) :: unit
    type(model_t), intent(in) :: model
    integer, intent(out) :: status
    character(*), intent(inout) :: text
    associate (grid => model%grid)
      write (unit, iostat=status, iomsg=text) MAGIC, 8_int32, int(grid%cells, int32), int(FIELDS + 1, int32), model%time, &
        model%case%time_step, [grid%dx, grid%dy], grid%z_face
    end associate
  end subroutine write_header

  !> Replaces what the file has of the model's state. Every rank reads its own columns. message is empty on all ranks if all is
  !> well. Collective.
  subroutine read_restart(path, model, message)
    character(*), intent(in) :: path
    type(model_t), intent(inout) :: model
    character(:), allocatable, intent(out) :: message
    type(file_t) :: file
    real(real64) :: fault

    open (newunit=file%unit, file=path, access='stream', form='unformatted', status='old', action='read', iostat=file%status, &
          iomsg=file%text)
    if (file%status == 0) then
      call read_head(model%grid, file)
      if (file%status == 0) call read_fields(file, model)
      close (file%unit)
    end if
    fault = merge(0, 1, file%status == 0)
    message = ''
    if (fault > 0) message = trim(file%text)
    call hlc_mpi_max(model%ranks%comm, fault)
    if (fault > 0 .and. message == '') message = 'another rank could not read it'
    if (fault > 0) return
    message = what_is_implausible(model)
    if (message /= '') return
    if (.not. file%same_layers .and. model%ranks%rank == WRITER) print '(a,i0,a,i0,a)', 'restart   interpolated from ', &
      file%cells(3), ' layers of the file to the ', model%grid%nz, ' of the case'
    call resume_model(file%time, file%time_step, model)
  end subroutine read_restart

  subroutine read_head(grid, file)
    type(grid_t), intent(in) :: grid
    type(file_t), intent(inout) :: file
    character(16) :: first
    logical :: same_cells

    read (file%unit, iostat=file%status, iomsg=file%text) first, file%bytes, file%cells, file%fields
    if (file%status /= 0) return
    same_cells = all(file%cells(1:2) == grid%cells(1:2)) .and. (file%bytes == 4 .or. file%cells(3) == grid%nz)
    if (first /= MAGIC) then
      file%text = 'this is not a restart file of cloud'
    else if (.not. same_cells) then
      write (file%text, '(a,2(i0,a),i0,a,2(i0,a),i0)') 'it has ', file%cells(1), ' x ', file%cells(2), ' x ', file%cells(3), &
        ' cells, but the case ', grid%cells(1), ' x ', grid%cells(2), ' x ', grid%cells(3)
    else
      allocate (file%z_face(0:file%cells(3)))
      read (file%unit, iostat=file%status, iomsg=file%text) file%time, file%time_step, file%spacing, file%z_face
      call require_finite([character(13) :: 'its time', 'its time_step'], [file%time, file%time_step], file%status, file%text)
      if (file%status /= 0) return
      file%same_layers = file%cells(3) == grid%nz
      if (file%same_layers) file%same_layers = all(abs(file%z_face - grid%z_face) < SAME_LENGTH)
      if (all(abs(file%spacing - [grid%dx, grid%dy]) < SAME_LENGTH) .and. (file%bytes == 4 .or. file%same_layers) .and. &
          abs(file%z_face(file%cells(3)) - grid%z_face(grid%nz)) < SAME_LENGTH) return
        if (abs(file%z_face(file%cells(3)) - grid%z_face(grid%nz)) >= SAME_LENGTH) then
        write (file%text, '(2(a,es14.7),a)') 'its top is', file%z_face(file%cells(3)), ' m, that of this case is', &
          grid%z_face(grid%nz), ' m; use the case that wrote it'
      else
        file%text = 'its cells have other sizes than those of the case'
      end if
    end if
    file%status = 1
  end subroutine read_head

  subroutine read_fields(file, model)
    type(file_t), intent(inout) :: file
    type(model_t), intent(inout) :: model
    character(16) :: name
    integer(int64) :: place
    integer :: n, f
    logical :: found(FIELDS)

    found = .false.
    inquire (file%unit, pos=place)
    do n = 1, file%fields
      read (file%unit, pos=place, iostat=file%status, iomsg=file%text) name
      place = place + len(name)
      do f = 1, FIELDS
        if (model%state%field(f)%name /= name) cycle
        found(f) = .true.
        associate (values => model%state%field(f)%values(:, 1:model%grid%ny, 1:model%grid%nx))
          call read_columns(file, place, model%grid, values, on_faces=f == W_WIND)
        end associate
      end do
      if (name == POTENTIAL) call read_columns(file, place, model%grid, model%pressure%potential, on_faces=.false.)
      if (file%status /= 0) return
      place = place + file%bytes*product(int(file%cells, int64))
    end do
    if (file%bytes == 4) found(FIRST_TRACER:) = .true.
    if (all(found)) then
      call check_reference(file, place, model)
      return
    end if
    file%status = 1
    file%text = 'it has no field '//trim(model%state%field(findloc(found, .false., dim=1))%name)// &
      ': the case that wrote it had other physics'
  end subroutine read_fields

  !> The air at rest that the fields depart from must be that of the case.
  subroutine check_reference(file, place, model)
    type(file_t), intent(inout) :: file
    integer(int64), intent(in) :: place
    type(model_t), intent(in) :: model
    character(16) :: name
    real(real64) :: theta_below, surface_pressure

    read (file%unit, pos=place, iostat=file%status, iomsg=file%text) name, theta_below, surface_pressure
    if (is_iostat_end(file%status)) name = ''
    if (file%status /= 0 .and. .not. is_iostat_end(file%status)) return
    if (name /= REFERENCE) then
      file%text = 'it does not say its theta_below and surface_pressure; write it again'
    else if (theta_below /= model%case%theta_below) then
      file%text = differs('theta_below', theta_below, model%case%theta_below)
    else if (surface_pressure /= model%case%surface_pressure) then
      file%text = differs('surface_pressure', surface_pressure, model%case%surface_pressure)
    else
      return
    end if
    file%status = 1
  end subroutine check_reference

  function differs(key, there, here) result(words)
    character(*), intent(in) :: key
    real(real64), intent(in) :: there, here
    character(160) :: words
    write (words, '(3a,es23.16,a,es23.16,a)') 'its ', key, ' is ', there, ', that of this case is ', here, &
      '; use the case that wrote it'
  end function differs

  !> Fills columns from the values that begin at a place of the file. An array that is larger than the block has a column around
  !> it, beyond the grid's periodic sides. on_faces: the values stand on the upper faces of the layers.
  subroutine read_columns(file, place, grid, values, on_faces)
    type(file_t), intent(inout) :: file
    integer(int64), intent(in) :: place          !< a file may be larger than 2 GiB
    type(grid_t), intent(in) :: grid
    real(real64), intent(inout) :: values(:, :, :)
    logical, intent(in) :: on_faces
    real(real32) :: short(file%cells(3))
    integer(int64) :: here
    integer :: i, j, around, x, y

    around = (size(values, 3) - grid%nx)/2
    do i = 1, size(values, 3)
      do j = 1, size(values, 2)
        if (file%status /= 0) return
        x = modulo(grid%first_x + i - 1 - around, grid%cells(1))
        y = modulo(grid%first_y + j - 1 - around, grid%cells(2))
        here = place + int(file%bytes, int64)*file%cells(3)*(int(x, int64)*grid%cells(2) + y)
        if (file%bytes == 8) then
          read (file%unit, pos=here, iostat=file%status, iomsg=file%text) values(:, j, i)
        else
          read (file%unit, pos=here, iostat=file%status, iomsg=file%text) short
          values(:, j, i) = on_layers(file, grid, on_faces, real(short, real64))
        end if
      end do
    end do
  end subroutine read_columns

  !> A column of the file on the layers of the case: linear between the heights of the values, and beyond them as the nearest.
  pure function on_layers(file, grid, on_faces, column) result(values)
    type(file_t), intent(in) :: file
    type(grid_t), intent(in) :: grid
    logical, intent(in) :: on_faces
    real(real64), intent(in) :: column(:)
    real(real64) :: values(grid%nz), z(size(column)), share, height
    integer :: k, below
    if (file%same_layers) then
      values = column
      return
    end if
    z = merge(file%z_face(1:), 0.5_real64*(file%z_face(1:) + file%z_face(:size(column) - 1)), on_faces)
    do k = 1, grid%nz
      height = merge(grid%z_face(k), grid%z_centre(k), on_faces)
      below = min(max(count(z <= height), 1), size(z) - 1)
      share = min(max((height - z(below))/(z(below + 1) - z(below)), 0.0_real64), 1.0_real64)
      values(k) = (1 - share)*column(below) + share*column(below + 1)
    end do
  end function on_layers
end module cloud_restart
