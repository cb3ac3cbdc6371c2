! SPDX-License-Identifier: BSD-3-Clause
!> Assembly on an unstructured mesh: triangles (i, i + 1, i + 2) round a ring of nodes. A reverse swap and one forwards complete the
!> sums.
program mesh
  use, intrinsic :: iso_fortran_env, only: real64
  use halocline
  use halocline_mpi
  implicit none

  integer, parameter :: nodes = 1000
  type(hlc_context) :: context
  type(hlc_index_halo) :: halo
  type(hlc_index_neighbour) :: neighbours(2)
  real(real64), pointer :: mass(:)
  integer, allocatable :: local(:)
  integer :: first, own, k
  real(real64) :: wrong

  call hlc_mpi_init()
  call hlc_init(hlc_mpi_world(), context)
  first = nodes * context%rank / context%size
  own = nodes * (context%rank + 1) / context%size - first
  call hlc_field_alloc(context, mass, [1], [own + 2])
  ! Own node k has local index local(k), in an order of its own; two ghosts of the next rank are last.
  allocate (local(own + 2))
  local = [(own - modulo(k + own / 3, own), k = 1, own), own + 1, own + 2]

  ! The rank below needs my first two nodes (my side 1, its side 2). I need those of the rank above (my side 2, its side 1).
  neighbours(1)%rank = modulo(context%rank - 1, context%size)
  neighbours(1)%out = local(1:2)
  neighbours(2)%rank = modulo(context%rank + 1, context%size)
  neighbours(2)%in = local(own + 1:own + 2)
  neighbours%tag_out = [1, 2]
  neighbours%tag_in = [2, 1]
  call hlc_index_halo_init(context, neighbours, [hlc_field_of(mass, "mass")], halo)

  do k = 1, own
    mass(local(k:k + 2)) = mass(local(k:k + 2)) + area(first + k) / 3
  end do
  call hlc_index_halo_start(halo, reverse=.true.)
  call hlc_index_halo_finish(halo)
  call hlc_index_halo_start(halo)
  call hlc_index_halo_finish(halo)

  wrong = maxval([(abs(mass(local(k)) - sum(area([first + k, first + k - 1, first + k - 2])) / 3), k = 1, own + 2)])
  call hlc_mpi_max(hlc_mpi_world(), wrong)
  call hlc_index_halo_finalise(halo)
  call hlc_field_free(context, mass)
  if (context%rank == 0) print "(3a,i0,a)", "mesh (Fortran): ", merge("right", "WRONG", wrong < 1e-9_real64), &
    ": every node and ghost holds a third of its three triangles on ", context%size, " rank(s)"
  deallocate (local)
  call hlc_finalise(context)
  call hlc_mpi_finalise()
  if (wrong > 1e-9_real64) error stop 1

contains

  pure elemental real(real64) function area(triangle)
    integer, intent(in) :: triangle
    area = 3 * (modulo(triangle, nodes) + 1)
  end function
end program mesh
