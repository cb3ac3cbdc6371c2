!> Turbulence below the grid: an eddy viscosity after Smagorinsky and Lilly, less where the air is stable and more where it is
!> not, and what it mixes.
!>
!> The viscosity stands at the centres, in the block and one column around it, so that both ranks beside a face find the same
!> flux through it, to the bit, and mixing conserves. Cloudy air is compared after it has risen or sunk adiabatically to the
!> face between.
!> SPDX-License-Identifier: BSD-3-Clause
module cloud_turbulence
  use, intrinsic :: iso_fortran_env, only: real64
  use cloud_air, only: air_t
  use cloud_grid, only: grid_t, GRAVITY
  use cloud_physics_case, only: physics_case_t
  use cloud_saturation, only: moist_adiabat, HEAT_CAPACITY, LATENT_HEAT
  use cloud_state, only: state_t, U_WIND, V_WIND, W_WIND, THETA
  implicit none
  private
  public :: turbulence_t, make_turbulence, find_viscosity, mix_scalar, mix_wind, exchange, mixing_length_squared

  real(real64), parameter :: KARMAN = 0.4_real64, HALF = 0.5_real64, QUARTER = 0.25_real64

  type :: turbulence_t
    real(real64), allocatable :: length2(:)            !< (nz) m2, the mixing length squared
    real(real64), allocatable :: viscosity(:, :, :)    !< (nz, 0:ny+1, 0:nx+1) m2/s
    !> What scalars exchange per second and difference: through east, north and top faces; the last times density and thickness.
    real(real64), allocatable :: east(:, :, :)         !< (nz, ny, 0:nx)
    real(real64), allocatable :: north(:, :, :)        !< (nz, 0:ny, nx)
    real(real64), allocatable :: up(:, :, :)           !< (0:nz, ny, nx) kg m-2 s-1
  end type turbulence_t

contains

  subroutine make_turbulence(physics, grid, turbulence)
    type(physics_case_t), intent(in) :: physics
    type(grid_t), intent(in) :: grid
    type(turbulence_t), intent(inout) :: turbulence
    turbulence%length2 = mixing_length_squared(physics%smagorinsky, grid%dx, grid%dy, grid%dz, grid%z_centre)
    allocate (turbulence%viscosity(grid%nz, 0:grid%ny + 1, 0:grid%nx + 1), source=0.0_real64)
    allocate (turbulence%east(grid%nz, grid%ny, 0:grid%nx), source=0.0_real64)
    allocate (turbulence%north(grid%nz, 0:grid%ny, grid%nx), source=0.0_real64)
    allocate (turbulence%up(0:grid%nz, grid%ny, grid%nx), source=0.0_real64)
  end subroutine make_turbulence

  !> The cell's size times a constant, but near the ground no more than eddies have room for.
  elemental function mixing_length_squared(constant, dx, dy, dz, z) result(length2)
    real(real64), intent(in) :: constant, dx, dy, dz, z
    real(real64) :: length2, free, wall
    length2 = 0
    if (constant <= 0) return
    free = (constant*(dx*dy*dz)**(1/3.0_real64))**2
    wall = (KARMAN*z)**2
    length2 = free*wall/(free + wall)
  end function mixing_length_squared

  !> Wants the wind's halo and the air around the block.
  subroutine find_viscosity(physics, grid, state, air, turbulence)
    type(physics_case_t), intent(in) :: physics
    type(grid_t), intent(in) :: grid
    type(state_t), intent(in) :: state
    type(air_t), intent(in) :: air
    type(turbulence_t), intent(inout) :: turbulence
    real(real64) :: strain2(grid%nz), stability(grid%nz)
    integer :: i, j
    do i = 0, grid%nx + 1
      do j = 0, grid%ny + 1
        call find_strain(grid, state, j, i, strain2)
        call find_stability(grid, state, air, j, i, stability)
        turbulence%viscosity(:, j, i) = turbulence%length2*sqrt(max(strain2 - stability/physics%prandtl, 0.0_real64))
      end do
    end do
    call find_exchange(physics%prandtl, grid, turbulence)
  end subroutine find_viscosity

  !> The square of the wind's rate of strain at the centres of a column, s-2.
  subroutine find_strain(grid, state, j, i, strain2)
    type(grid_t), intent(in) :: grid
    type(state_t), intent(in) :: state
    integer, intent(in) :: j, i
    real(real64), intent(inout), contiguous :: strain2(:)
    real(real64) :: xy(grid%nz), xz(grid%nz), yz(grid%nz)
    associate (u => state%field(U_WIND)%values, v => state%field(V_WIND)%values, nz => grid%nz)
      xy = QUARTER*((u(:, j + 1, i) + u(:, j + 1, i - 1)) - (u(:, j - 1, i) + u(:, j - 1, i - 1)))/grid%dy &
           + QUARTER*((v(:, j, i + 1) + v(:, j - 1, i + 1)) - (v(:, j, i - 1) + v(:, j - 1, i - 1)))/grid%dx
      xz = slope(grid, HALF*(u(:, j, i) + u(:, j, i - 1))) + HALF*(rise(j, i + 1) - rise(j, i - 1))/grid%dx
      yz = slope(grid, HALF*(v(:, j, i) + v(:, j - 1, i))) + HALF*(rise(j + 1, i) - rise(j - 1, i))/grid%dy
      strain2 = 2*(((u(:, j, i) - u(:, j, i - 1))/grid%dx)**2 + ((v(:, j, i) - v(:, j - 1, i))/grid%dy)**2 &
                   + stretching()**2) + (xy**2 + xz**2 + yz**2)
    end associate
  contains
    !> The vertical wind at the centres of a column.
    function rise(row, column) result(centre)
      integer, intent(in) :: row, column
      real(real64) :: centre(grid%nz)
      associate (w => state%field(W_WIND)%values(:, row, column))
        centre(1) = HALF*w(1)
        centre(2:) = HALF*(w(2:grid%nz) + w(1:grid%nz - 1))
      end associate
    end function rise

    function stretching() result(rate)
      real(real64) :: rate(grid%nz)
      associate (w => state%field(W_WIND)%values(:, j, i))
        rate(1) = w(1)/grid%dz(1)
        rate(2:) = (w(2:grid%nz) - w(1:grid%nz - 1))/grid%dz(2:)
      end associate
    end function stretching
  end subroutine find_strain

  !> The vertical derivative at the centres of values at the centres; one-sided at the ground and the lid.
  pure function slope(grid, values) result(derivative)
    type(grid_t), intent(in) :: grid
    real(real64), intent(in) :: values(:)
    real(real64) :: derivative(size(values))
    integer :: nz
    nz = grid%nz
    derivative(1) = (values(2) - values(1))/grid%dz_face(1)
    derivative(2:nz - 1) = (values(3:nz) - values(1:nz - 2))/(grid%dz_face(2:nz - 1) + grid%dz_face(1:nz - 2))
    derivative(nz) = (values(nz) - values(nz - 1))/grid%dz_face(nz - 1)
  end function slope

  !> The square of the buoyancy frequency at the centres, s-2: the mean of the faces below and above.
  subroutine find_stability(grid, state, air, j, i, stability)
    type(grid_t), intent(in) :: grid
    type(state_t), intent(in) :: state
    type(air_t), intent(in) :: air
    integer, intent(in) :: j, i
    real(real64), intent(inout), contiguous :: stability(:)
    real(real64) :: face(0:grid%nz), rising(grid%nz)
    integer :: k, nz
    nz = grid%nz
    associate (theta_l => state%field(THETA)%values(:, j, i), theta => air%theta_density(:, j, i), liquid => air%liquid(:, j, i))
      do k = 1, nz
        rising(k) = moist_adiabat(theta_l(k)*air%exner(k) + LATENT_HEAT/HEAT_CAPACITY*liquid(k), air%exner(k), liquid(k), &
                                  air%pressure(k), GRAVITY)
      end do
      do k = 1, nz - 1
        face(k) = GRAVITY/grid%theta_reference*((theta(k + 1) - HALF*grid%dz(k + 1)*rising(k + 1)) &
                                                - (theta(k) + HALF*grid%dz(k)*rising(k)))/grid%dz_face(k)
      end do
    end associate
    face(0) = face(1)
    face(nz) = face(nz - 1)
    stability = HALF*(face(0:nz - 1) + face(1:nz))
  end subroutine find_stability

  !> Works out the exchange of scalars through all faces once for all of them.
  subroutine find_exchange(prandtl, grid, turbulence)
    real(real64), intent(in) :: prandtl
    type(grid_t), intent(in) :: grid
    type(turbulence_t), intent(inout) :: turbulence
    integer :: i, j, nz
    nz = grid%nz
    associate (nu => turbulence%viscosity)
      do i = 0, grid%nx
        do j = 1, grid%ny
          turbulence%east(:, j, i) = HALF*(nu(:, j, i) + nu(:, j, i + 1))/(prandtl*grid%dx**2)
        end do
      end do
      do i = 1, grid%nx
        do j = 0, grid%ny
          turbulence%north(:, j, i) = HALF*(nu(:, j, i) + nu(:, j + 1, i))/(prandtl*grid%dy**2)
        end do
        do j = 1, grid%ny
          turbulence%up(1:nz - 1, j, i) = grid%density_face(1:nz - 1)*HALF*(nu(1:nz - 1, j, i) + nu(2:nz, j, i)) &
                                          /(prandtl*grid%dz_face(1:nz - 1))
        end do
      end do
    end associate
  end subroutine find_exchange

  !> The share of its mass that each cell of a column exchanges with others per second.
  pure subroutine exchange(grid, turbulence, j, i, share)
    type(grid_t), intent(in) :: grid
    type(turbulence_t), intent(in) :: turbulence
    integer, intent(in) :: j, i
    real(real64), intent(inout), contiguous :: share(:)
    share = turbulence%east(:, j, i) + turbulence%east(:, j, i - 1) + turbulence%north(:, j, i) + turbulence%north(:, j - 1, i) &
            + (turbulence%up(1:, j, i) + turbulence%up(:grid%nz - 1, j, i))/(grid%density*grid%dz)
  end subroutine exchange

  !> Adds the mixing of a scalar in the column (j, i) to its tendency.
  pure subroutine mix_scalar(grid, turbulence, q, j, i, tendency)
    type(grid_t), intent(in) :: grid
    type(turbulence_t), intent(in) :: turbulence
    real(real64), intent(in), pointer, contiguous :: q(:, :, :)
    integer, intent(in) :: j, i
    real(real64), intent(inout), contiguous :: tendency(:)
    real(real64) :: up(0:grid%nz)
    integer :: k, nz
    nz = grid%nz
    up(0) = 0
    up(nz) = 0
    do k = 1, nz - 1
      up(k) = turbulence%up(k, j, i)*(q(k + 1, j, i) - q(k, j, i))
    end do
    do k = 1, nz
      tendency(k) = tendency(k) + (turbulence%east(k, j, i)*(q(k, j, i + 1) - q(k, j, i)) &
                                   - turbulence%east(k, j, i - 1)*(q(k, j, i) - q(k, j, i - 1))) &
                    + (turbulence%north(k, j, i)*(q(k, j + 1, i) - q(k, j, i)) &
                       - turbulence%north(k, j - 1, i)*(q(k, j, i) - q(k, j - 1, i))) &
                    + (up(k) - up(k - 1))/(grid%density(k)*grid%dz(k))
    end do
  end subroutine mix_scalar

  !> Adds the divergence of the stress to the tendencies of the wind (per second): stress is viscosity times the rate of strain.
  !> None at the ground, where the drag stands for it, nor at the lid.
  subroutine mix_wind(grid, turbulence, state)
    type(grid_t), intent(in) :: grid
    type(turbulence_t), intent(in) :: turbulence
    type(state_t), intent(inout) :: state
    real(real64), dimension(0:grid%nz) :: tilt_x, tilt_y
    real(real64) :: upright(grid%nz)
    integer :: i, j, k
    do i = 1, grid%nx
      do j = 1, grid%ny
        tilt_x = tilt(grid, turbulence, state, U_WIND, j, i)
        tilt_y = tilt(grid, turbulence, state, V_WIND, j, i)
        upright = along(grid, turbulence, state, W_WIND, j, i)
        associate (u => state%tendency(:, j, i, U_WIND), v => state%tendency(:, j, i, V_WIND), w => state%tendency(:, j, i, W_WIND))
          u = u + (along(grid, turbulence, state, U_WIND, j, i + 1) - along(grid, turbulence, state, U_WIND, j, i))/grid%dx &
              + (across(grid, turbulence, state, j, i) - across(grid, turbulence, state, j - 1, i))/grid%dy &
              + gain_of_layers(grid, tilt_x)
          v = v + (along(grid, turbulence, state, V_WIND, j + 1, i) - along(grid, turbulence, state, V_WIND, j, i))/grid%dy &
              + (across(grid, turbulence, state, j, i) - across(grid, turbulence, state, j, i - 1))/grid%dx &
              + gain_of_layers(grid, tilt_y)
          tilt_x = (tilt_x - tilt(grid, turbulence, state, U_WIND, j, i - 1))/grid%dx
          tilt_y = (tilt_y - tilt(grid, turbulence, state, V_WIND, j - 1, i))/grid%dy
          do k = 1, grid%nz - 1
            w(k) = w(k) + (tilt_x(k) + tilt_y(k)) &
                   + (grid%density(k + 1)*upright(k + 1) - grid%density(k)*upright(k))/(grid%density_face(k)*grid%dz_face(k))
          end do
        end associate
      end do
    end do
  end subroutine mix_wind

  !> At the centres of a column: the stress of a wind on what it blows along.
  pure function along(grid, turbulence, state, wind, j, i) result(stress)
    type(grid_t), intent(in) :: grid
    type(turbulence_t), intent(in) :: turbulence
    type(state_t), intent(in) :: state
    integer, intent(in) :: wind, j, i
    real(real64) :: stress(grid%nz)
    associate (q => state%field(wind)%values)
      select case (wind)
      case (U_WIND)
        stress = (q(:, j, i) - q(:, j, i - 1))/grid%dx
      case (V_WIND)
        stress = (q(:, j, i) - q(:, j - 1, i))/grid%dy
      case default
        stress(1) = q(1, j, i)/grid%dz(1)
        stress(2:) = (q(2:grid%nz, j, i) - q(1:grid%nz - 1, j, i))/grid%dz(2:)
      end select
    end associate
    stress = 2*turbulence%viscosity(:, j, i)*stress
  end function along

  !> On the edges at the north-east of a column.
  pure function across(grid, turbulence, state, j, i) result(stress)
    type(grid_t), intent(in) :: grid
    type(turbulence_t), intent(in) :: turbulence
    type(state_t), intent(in) :: state
    integer, intent(in) :: j, i
    real(real64) :: stress(grid%nz)
    associate (nu => turbulence%viscosity, u => state%field(U_WIND)%values, v => state%field(V_WIND)%values)
      stress = QUARTER*((nu(:, j, i) + nu(:, j, i + 1)) + (nu(:, j + 1, i) + nu(:, j + 1, i + 1))) &
               *((u(:, j + 1, i) - u(:, j, i))/grid%dy + (v(:, j, i + 1) - v(:, j, i))/grid%dx)
    end associate
  end function across

  !> On the edges at the top of the cells' east faces, for u, or north faces, for v.
  pure function tilt(grid, turbulence, state, wind, j, i) result(stress)
    type(grid_t), intent(in) :: grid
    type(turbulence_t), intent(in) :: turbulence
    type(state_t), intent(in) :: state
    integer, intent(in) :: wind, j, i
    real(real64) :: stress(0:grid%nz), width
    integer :: k, row, column
    row = merge(j, j + 1, wind == U_WIND)
    column = merge(i + 1, i, wind == U_WIND)
    width = merge(grid%dx, grid%dy, wind == U_WIND)
    stress(0) = 0
    stress(grid%nz) = 0
    associate (nu => turbulence%viscosity, q => state%field(wind)%values, w => state%field(W_WIND)%values)
      do k = 1, grid%nz - 1
        stress(k) = QUARTER*((nu(k, j, i) + nu(k, row, column)) + (nu(k + 1, j, i) + nu(k + 1, row, column))) &
                    *((q(k + 1, j, i) - q(k, j, i))/grid%dz_face(k) + (w(k, row, column) - w(k, j, i))/width)
      end do
    end associate
  end function tilt

  !> What layers gain from a stress on their lower and upper faces.
  pure function gain_of_layers(grid, stress) result(gain)
    type(grid_t), intent(in) :: grid
    real(real64), intent(in) :: stress(0:)
    real(real64) :: gain(grid%nz)
    gain = (grid%density_face(1:)*stress(1:) - grid%density_face(:grid%nz - 1)*stress(:grid%nz - 1))/(grid%density*grid%dz)
  end function gain_of_layers
end module cloud_turbulence
