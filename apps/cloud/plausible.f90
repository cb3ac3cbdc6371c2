!> Whether a state that was read from a file can be one of air, so that a damaged or a foreign file is named and not simulated.
!> SPDX-License-Identifier: BSD-3-Clause
module cloud_plausible
  use, intrinsic :: iso_fortran_env, only: real64
  use, intrinsic :: ieee_arithmetic, only: ieee_is_finite
  use halocline_mpi, only: hlc_mpi_allgather
  use cloud_model, only: model_t
  use cloud_state, only: FIELDS, U_WIND, V_WIND, W_WIND, THETA, WATER
  implicit none
  private
  public :: what_is_implausible

  integer, parameter :: POTENTIAL = FIELDS + 1           !< its number, behind those of the fields
  real(real64), parameter :: MOST_WIND = 200             !< m/s, of the wind that the grid moves with
  real(real64), parameter :: FAR = 50                    !< K, from the coldest and the warmest air of the undisturbed case
  real(real64), parameter :: MOST_WATER = 0.1_real64, ROUNDING = 1.0e-9_real64     !< kg/kg

contains

  !> The first value that is not plausible, of all ranks; empty if all are. Collective.
  function what_is_implausible(model) result(words)
    type(model_t), intent(in) :: model
    character(:), allocatable :: words
    real(real64) :: mine(5), table(5, model%ranks%size)    !< number of the field, or 0; cell in x, y and z; value
    character(256) :: text, name
    real(real64) :: lowest, highest
    integer :: f, rank

    mine = 0
    do f = 1, FIELDS
      if (mine(1) == 0) call look(model, f, model%state%field(f)%values(:, 1:model%grid%ny, 1:model%grid%nx), mine)
    end do
    if (mine(1) == 0) call look(model, POTENTIAL, model%pressure%potential(:, 1:model%grid%ny, 1:model%grid%nx), mine)
    call hlc_mpi_allgather(model%ranks%comm, mine, table)
    words = ''
    rank = findloc(table(1, :) > 0, .true., dim=1)
    if (rank == 0) return
    f = nint(table(1, rank))
    call limits(model, f, lowest, highest)
    name = 'potential'
    if (f <= FIELDS) name = model%state%field(f)%name
    write (text, '(3a,3(i0,a),g0.6)') 'its ', trim(name), ' in cell (', nint(table(2, rank)), ', ', &
      nint(table(3, rank)), ', ', nint(table(4, rank)), ') is ', table(5, rank)
    words = trim(text)//', but must be a finite number'
    if (highest == huge(highest)) return
    write (text, '(2(a,g0.6))') ' from ', lowest, ' to ', highest
    words = words//trim(text)//'; the file is damaged, or of another case'
  end function what_is_implausible

  subroutine look(model, f, values, found)
    type(model_t), intent(in) :: model
    integer, intent(in) :: f
    real(real64), intent(in) :: values(:, :, :)
    real(real64), intent(inout) :: found(5)
    real(real64) :: lowest, highest
    integer :: i, j, k

    call limits(model, f, lowest, highest)
    do i = 1, model%grid%nx
      do j = 1, model%grid%ny
        associate (column => values(:, j, i))
          if (all(ieee_is_finite(column)) .and. all(column >= lowest) .and. all(column <= highest)) cycle
          k = findloc(ieee_is_finite(column) .and. column >= lowest .and. column <= highest, .false., dim=1)
          found = [real(f, real64), real([model%grid%first_x + i, model%grid%first_y + j, k], real64), column(k)]
        end associate
        return
      end do
    end do
  end subroutine look

  !> What values a field can have. Those of tracers and of the pressure's potential are without limits.
  pure subroutine limits(model, f, lowest, highest)
    type(model_t), intent(in) :: model
    integer, intent(in) :: f
    real(real64), intent(out) :: lowest, highest

    select case (f)
    case (U_WIND, V_WIND, W_WIND)
      highest = MOST_WIND
      lowest = -highest
    case (THETA)
      lowest = minval(model%theta_rest) - FAR
      highest = maxval(model%theta_rest) + FAR
    case (WATER)
      lowest = -ROUNDING
      highest = MOST_WATER
    case default
      highest = huge(highest)
      lowest = -highest
    end select
  end subroutine limits
end module cloud_plausible
