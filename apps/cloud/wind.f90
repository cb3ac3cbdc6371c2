!> The wind as carrier of mass: what a cell gains, how far the wind blows in a step, and what lifts and turns it.
!> SPDX-License-Identifier: BSD-3-Clause
module cloud_wind
  use, intrinsic :: iso_fortran_env, only: real64
  use cloud_grid, only: grid_t, GRAVITY
  use cloud_state, only: state_t, U_WIND, V_WIND, W_WIND, THETA, WATER
  implicit none
  private
  public :: mass_gain, outflow, subtract_gradient, add_buoyancy

  !> How much lighter than dry air water vapour is: the share of q_t in the virtual temperature.
  real(real64), parameter :: VAPOUR_LIGHTNESS = 0.608_real64

contains

  !> Mass that the cells of the column (j, i) gain (kg m-2 s-1). Reads the wind on both sides, so the low halo too.
  pure subroutine mass_gain(grid, state, j, i, gain)
    type(grid_t), intent(in) :: grid
    type(state_t), intent(in) :: state
    integer, intent(in) :: j, i
    real(real64), intent(inout), contiguous :: gain(:)
    integer :: k
    associate (u => state%field(U_WIND)%values, v => state%field(V_WIND)%values, w => state%field(W_WIND)%values)
      do k = 1, grid%nz
        gain(k) = -grid%density(k)*grid%dz(k)*((u(k, j, i) - u(k, j, i - 1))/grid%dx + (v(k, j, i) - v(k, j - 1, i))/grid%dy) &
                  - grid%density_face(k)*w(k, j, i)
      end do
      do k = 2, grid%nz
        gain(k) = gain(k) + grid%density_face(k - 1)*w(k - 1, j, i)
      end do
    end associate
  end subroutine mass_gain

  !> The share of its mass that each cell of the column (j, i) sends off in a second: the flow's Courant number over the time step.
  pure subroutine outflow(grid, state, j, i, share)
    type(grid_t), intent(in) :: grid
    type(state_t), intent(in) :: state
    integer, intent(in) :: j, i
    real(real64), intent(inout), contiguous :: share(:)
    integer :: k
    associate (u => state%field(U_WIND)%values, v => state%field(V_WIND)%values, w => state%field(W_WIND)%values)
      do k = 1, grid%nz
        share(k) = (max(u(k, j, i), 0.0_real64) - min(u(k, j, i - 1), 0.0_real64))/grid%dx &
                   + (max(v(k, j, i), 0.0_real64) - min(v(k, j - 1, i), 0.0_real64))/grid%dy &
                   + max(grid%density_face(k)*w(k, j, i), 0.0_real64)/(grid%density(k)*grid%dz(k))
      end do
      do k = 2, grid%nz
        share(k) = share(k) - min(grid%density_face(k - 1)*w(k - 1, j, i), 0.0_real64)/(grid%density(k)*grid%dz(k))
      end do
    end associate
  end subroutine outflow

  !> Takes the gradient of the potential, times the time step, from the wind: in the interior and, for u and v, on the low sides'
  !> halo.
  pure subroutine subtract_gradient(grid, time_step, potential, state)
    type(grid_t), intent(in) :: grid
    real(real64), intent(in) :: time_step
    real(real64), intent(in), contiguous :: potential(:, 0:, 0:)
    type(state_t), intent(inout) :: state
    integer :: i, j, nz
    nz = grid%nz
    associate (u => state%field(U_WIND)%values, v => state%field(V_WIND)%values, w => state%field(W_WIND)%values)
      do i = 0, grid%nx
        do j = 1, grid%ny
          u(:, j, i) = u(:, j, i) - time_step*(potential(:, j, i + 1) - potential(:, j, i))/grid%dx
        end do
      end do
      do i = 1, grid%nx
        do j = 0, grid%ny
          v(:, j, i) = v(:, j, i) - time_step*(potential(:, j + 1, i) - potential(:, j, i))/grid%dy
        end do
        do j = 1, grid%ny
          w(1:nz - 1, j, i) = w(1:nz - 1, j, i) &
                              - time_step*(potential(2:nz, j, i) - potential(1:nz - 1, j, i))/grid%dz_face(1:nz - 1)
        end do
      end do
    end associate
  end subroutine subtract_gradient

  !> Lifts the air that is lighter than the undisturbed case at its height, for one time step. Call it with the new theta_l and
  !> q_t: done in this order, gravity waves do not grow.
  pure subroutine add_buoyancy(grid, time_step, theta_rest, water_rest, state)
    type(grid_t), intent(in) :: grid
    real(real64), intent(in) :: time_step
    real(real64), intent(in), contiguous :: theta_rest(:), water_rest(:)
    type(state_t), intent(inout) :: state
    real(real64) :: lightness(grid%nz)
    integer :: i, j, nz
    nz = grid%nz
    do i = 1, grid%nx
      do j = 1, grid%ny
        associate (w => state%field(W_WIND)%values(:, j, i))
          lightness = (state%field(THETA)%values(:, j, i) - theta_rest)/grid%theta_reference &
                      + VAPOUR_LIGHTNESS*(state%field(WATER)%values(:, j, i) - water_rest)
          w(1:nz - 1) = w(1:nz - 1) + time_step*GRAVITY*0.5_real64*(lightness(1:nz - 1) + lightness(2:nz))
        end associate
      end do
    end do
  end subroutine add_buoyancy
end module cloud_wind
