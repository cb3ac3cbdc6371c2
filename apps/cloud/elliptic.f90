!> The pressure's elliptic operator and its preconditioner, on one rank's block. The operator is -div(density grad) times the
!> thickness of the layer: symmetric, and zero on constants, because neither ground nor lid lets anything through.
!> SPDX-License-Identifier: BSD-3-Clause
module cloud_elliptic
  use, intrinsic :: iso_fortran_env, only: real64
  use cloud_grid, only: grid_t
  implicit none
  private
  public :: elliptic_t, make_elliptic, apply_operator, precondition

  type :: elliptic_t
    real(real64), allocatable :: link_x(:), link_y(:)   !< (1:nz) how strongly a cell hangs on its neighbours in x and y
    real(real64), allocatable :: link_z(:)              !< (0:nz) on the cell above; 0 at the ground and the lid
    real(real64), allocatable :: ratio(:)               !< (1:nz+1) factors of the column's tridiagonal matrix: below the diagonal,
    real(real64), allocatable :: per_pivot(:)           !< (1:nz) and one over the diagonal
  end type elliptic_t

contains

  subroutine make_elliptic(grid, operator)
    type(grid_t), intent(in) :: grid
    type(elliptic_t), intent(out) :: operator
    integer :: nz
    nz = grid%nz
    operator%link_x = grid%density*grid%dz/grid%dx**2
    operator%link_y = grid%density*grid%dz/grid%dy**2
    allocate (operator%link_z(0:nz), source=0.0_real64)
    operator%link_z(1:nz - 1) = grid%density_face(1:nz - 1)/grid%dz_face(1:nz - 1)
    call factorise(operator)
  end subroutine make_elliptic

  !> The matrix of a column with its horizontal neighbours held at 0, as product of a lower, a diagonal and an upper factor.
  subroutine factorise(operator)
    type(elliptic_t), intent(inout) :: operator
    real(real64) :: pivot
    integer :: k, nz
    nz = size(operator%link_x)
    allocate (operator%ratio(nz + 1), source=0.0_real64)
    allocate (operator%per_pivot(nz))
    do k = 1, nz
      pivot = 2*(operator%link_x(k) + operator%link_y(k)) + operator%link_z(k - 1) + operator%link_z(k) &
              - operator%link_z(k - 1)*operator%ratio(k)
      operator%per_pivot(k) = 1/pivot
      operator%ratio(k + 1) = operator%link_z(k)/pivot
    end do
  end subroutine factorise

  !> Applies the operator to a field with one halo cell in x and y; the corners are not read.
  pure subroutine apply_operator(operator, field, image)
    type(elliptic_t), intent(in) :: operator
    real(real64), intent(in), contiguous :: field(:, 0:, 0:)
    real(real64), intent(inout), contiguous :: image(:, :, :)
    integer :: i, j
    do i = 1, size(image, 3)
      do j = 1, size(image, 2)
        call apply_to_column(operator, field(:, j, i), field(:, j, i - 1), field(:, j, i + 1), field(:, j - 1, i), &
                             field(:, j + 1, i), image(:, j, i))
      end do
    end do
  end subroutine apply_operator

  pure subroutine apply_to_column(operator, here, west, east, south, north, image)
    type(elliptic_t), intent(in) :: operator
    real(real64), intent(in), contiguous :: here(:), west(:), east(:), south(:), north(:)
    real(real64), intent(inout), contiguous :: image(:)
    integer :: k, nz
    nz = size(here)
    do k = 1, nz
      image(k) = operator%link_x(k)*((here(k) - west(k)) + (here(k) - east(k))) &
                 + operator%link_y(k)*((here(k) - south(k)) + (here(k) - north(k)))
    end do
    do k = 2, nz
      image(k) = image(k) + operator%link_z(k - 1)*(here(k) - here(k - 1))
    end do
    do k = 1, nz - 1
      image(k) = image(k) + operator%link_z(k)*(here(k) - here(k + 1))
    end do
  end subroutine apply_to_column

  !> Solves every column for itself, without its neighbours: no communication.
  pure subroutine precondition(operator, residual, improved)
    type(elliptic_t), intent(in) :: operator
    real(real64), intent(in), contiguous :: residual(:, :, :)
    real(real64), intent(inout), contiguous :: improved(:, :, :)
    integer :: i, j
    do i = 1, size(residual, 3)
      do j = 1, size(residual, 2)
        call solve_column(operator%ratio, operator%per_pivot, residual(:, j, i), improved(:, j, i))
      end do
    end do
  end subroutine precondition

  pure subroutine solve_column(ratio, per_pivot, source, solution)
    real(real64), intent(in), contiguous :: ratio(:), per_pivot(:), source(:)
    real(real64), intent(inout), contiguous :: solution(:)
    real(real64) :: carried
    integer :: k
    carried = 0
    do k = 1, size(source)
      carried = source(k) + ratio(k)*carried
      solution(k) = carried*per_pivot(k)
    end do
    carried = 0
    do k = size(source), 1, -1
      carried = solution(k) + ratio(k + 1)*carried
      solution(k) = carried
    end do
  end subroutine solve_column
end module cloud_elliptic
