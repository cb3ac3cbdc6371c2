! SPDX-License-Identifier: BSD-3-Clause
! A shallow-water model on a C grid: height in the cells, velocities on the faces between them, in a basin with walls. Each face has
! one owner, the rank above it. Velocities are swapped as soon as they are new, so that the rank below has the last face of its
! cells. Every value is that of a serial run, bit by bit.
program c_grid
  use, intrinsic :: iso_fortran_env, only: real64
  use halocline
  use halocline_mpi
  implicit none

  integer, parameter :: nx = 40, ny = 24, steps = 100
  real(real64), parameter :: dt = 0.2_real64, coriolis = 0.1_real64 ! depth, gravity and the cells' width are 1
  !> A block with a halo one cell deep. Face i of u is below cell i in x, face j of v below cell j in y.
  type :: block
    integer :: first(2), n(2), last_face(2) ! its first cell in the basin, from 1; its cells; the last faces that it computes
    real(real64), pointer :: h(:, :) => null(), u(:, :) => null(), v(:, :) => null()
  end type
  type(hlc_context) :: context
  type(hlc_grid) :: grid
  type(hlc_halo) :: halo
  type(block) :: mine
  integer :: step
  logical :: same

  call hlc_mpi_init()
  call hlc_init(hlc_mpi_world(), context)
  call hlc_grid_create(context, [nx, ny], grid)
  call hlc_field_alloc(context, mine%h, grid, depth=1)
  call hlc_field_alloc(context, mine%u, grid, depth=1, stagger=[HLC_NODES_OWNED, HLC_CENTRED])
  call hlc_field_alloc(context, mine%v, grid, depth=1, stagger=[HLC_CENTRED, HLC_NODES_OWNED])
  call hlc_halo_init(context, grid, [hlc_field_of(mine%h, "h"), &
                                     hlc_shaped(hlc_field_of(mine%u, "u"), [HLC_NODES_OWNED, HLC_CENTRED]), &
                                     hlc_shaped(hlc_field_of(mine%v, "v"), [HLC_CENTRED, HLC_NODES_OWNED])], 1, halo)
  mine%first = int(grid%start(1:2)) + 1
  mine%n = int(grid%local(1:2))
  mine%last_face = mine%n + merge(1, 0, grid%coords(1:2) == grid%dims(1:2) - 1)
  call set_hill(mine)
  do step = 1, steps
    call hlc_halo_start(halo, [1])
    call hlc_halo_finish(halo)
    call turn(mine)
    call hlc_halo_start(halo, [2, 3])
    call hlc_halo_finish(halo)
    call flow(mine)
  end do

  same = same_as_serial(mine)
  call hlc_halo_finalise(halo)
  call hlc_field_free(context, mine%h)
  call hlc_field_free(context, mine%u)
  call hlc_field_free(context, mine%v)
  call verdict(same)

contains

  subroutine set_hill(b)
    type(block), intent(inout) :: b
    integer, parameter :: top(2) = [13, 12]
    integer :: i, j
    do j = 1, b%n(2)
      do i = 1, b%n(1)
        b%h(i, j) = 1 / (1 + ((b%first(1) + i - top(1))**2 + (b%first(2) + j - top(2))**2) / 20.0_real64)
      end do
    end do
  end subroutine

  !> New velocities on all faces but the walls: the slope of h, and the mean of the four others around.
  subroutine turn(b)
    type(block), intent(inout) :: b
    real(real64) :: new_u(b%last_face(1), b%n(2)), new_v(b%n(1), b%last_face(2))
    integer :: i, j
    do j = 1, b%n(2)
      do i = 1, b%last_face(1)
        new_u(i, j) = b%u(i, j) &
          + dt * (coriolis * (b%v(i-1, j) + b%v(i-1, j+1) + b%v(i, j) + b%v(i, j+1)) / 4 - b%h(i, j) + b%h(i-1, j))
        if (b%first(1) + i == 2 .or. b%first(1) + i == nx + 2) new_u(i, j) = 0
      end do
    end do
    do j = 1, b%last_face(2)
      do i = 1, b%n(1)
        new_v(i, j) = b%v(i, j) &
          - dt * (coriolis * (b%u(i, j-1) + b%u(i+1, j-1) + b%u(i, j) + b%u(i+1, j)) / 4 + b%h(i, j) - b%h(i, j-1))
        if (b%first(2) + j == 2 .or. b%first(2) + j == ny + 2) new_v(i, j) = 0
      end do
    end do
    b%u(1:b%last_face(1), 1:b%n(2)) = new_u
    b%v(1:b%n(1), 1:b%last_face(2)) = new_v
  end subroutine

  !> What flows through the four faces of each cell.
  subroutine flow(b)
    type(block), intent(inout) :: b
    integer :: i, j
    do j = 1, b%n(2)
      do i = 1, b%n(1)
        b%h(i, j) = b%h(i, j) - dt * (b%u(i+1, j) - b%u(i, j) + b%v(i, j+1) - b%v(i, j))
      end do
    end do
  end subroutine

  !> The whole basin on one rank. It has walls around it, so that no value of a halo counts.
  logical function same_as_serial(b)
    type(block), intent(in) :: b
    type(block) :: all
    integer :: t, x, y, n, m
    all%first = 1
    all%n = [nx, ny]
    all%last_face = all%n + 1
    allocate (all%h(0:nx+1, 0:ny+1), all%u(0:nx+2, 0:ny+1), all%v(0:nx+1, 0:ny+2), source=0.0_real64)
    call set_hill(all)
    do t = 1, steps
      call turn(all)
      call flow(all)
    end do
    x = b%first(1) - 1
    y = b%first(2) - 1
    n = b%n(1)
    m = b%n(2)
    same_as_serial = .not. (any(abs(b%h(1:n, 1:m) - all%h(x+1:x+n, y+1:y+m)) > 0) .or. &
                            any(abs(b%u(1:n+1, 1:m) - all%u(x+1:x+n+1, y+1:y+m)) > 0) .or. &
                            any(abs(b%v(1:n, 1:m+1) - all%v(x+1:x+n, y+1:y+m+1)) > 0))
    deallocate (all%h, all%u, all%v)
  end function

  subroutine verdict(right)
    logical, intent(in) :: right
    real(real64) :: wrong
    wrong = merge(0, 1, right)
    call hlc_mpi_max(hlc_mpi_world(), wrong)
    if (context%rank == 0) print "(3a,i0,a)", "C grid (Fortran): ", merge("right", "WRONG", wrong < 0.5_real64), &
      ": every value is that of a serial run on ", context%size, " rank(s)"
    call hlc_finalise(context)
    call hlc_mpi_finalise()
    if (wrong > 0.5_real64) error stop 1
  end subroutine
end program c_grid
