! SPDX-License-Identifier: BSD-3-Clause
!> Check mode from Fortran: a rule broken between start and finish is a status with names in its message, and the halo works on. Run with
!> HALOCLINE_CHECK=1.
program check_test
  use, intrinsic :: iso_fortran_env, only: real64
  use halocline
  use testing
  implicit none

  type(hlc_context) :: context
  type(hlc_grid) :: grid
  type(hlc_halo) :: halo
  real(real64), pointer :: theta(:, :)
  integer :: m

  call start_tests(context)
  call hlc_grid_create(context, [4 * context%size, 4], grid, dims=[context%size, 1], periodic=[.true., .true.])
  do m = 1, size(all_modes)
    call hlc_field_alloc(context, theta, grid, depth=1)
    call hlc_halo_init(context, grid, [hlc_field_of(theta, "theta")], 1, halo, mode=trim(all_modes(m)))
    theta(1:4, 1:4) = context%rank + 1
    call break_rules(trim(all_modes(m)))
    call hlc_halo_finalise(halo)
    call hlc_field_free(context, theta)
  end do
  call finish_tests(context)

contains

  subroutine break_rules(mode)
    character(len=*), intent(in) :: mode
    integer :: status
    real(real64) :: early

    call swap(status)
    call expect(status == HLC_OK, "a correct swap fails: " // hlc_error_message())
    call hlc_halo_start(halo)
    theta(1, 2) = theta(1, 2) + 0.5_real64
    call hlc_halo_finish(halo, status)
    call expect_error(status, HLC_ERR_RULE, "cell (0, 1) of field 0 'theta'", "the edge was written")
    call end_test("mode " // mode // ": an edge written in flight is named")

    call hlc_halo_start(halo)
    early = theta(0, 2)
    theta(2, 2) = early
    call hlc_halo_finish(halo, status)
    call expect_error(status, HLC_ERR_RULE, "poison", "the halo was read")
    call end_test("mode " // mode // ": a halo read in flight is named")

    theta(2, 2) = 1
    call swap(status)
    call expect(status == HLC_OK, "the halo does not work on: " // hlc_error_message())
    call hlc_halo_finish(halo, status)
    call expect_error(status, HLC_ERR_STATE, "'theta'", "finish without start")
    call end_test("mode " // mode // ": the halo works on, and a call at the wrong time names it")
  end subroutine

  subroutine swap(status)
    integer, intent(out) :: status
    call hlc_halo_start(halo)
    call hlc_halo_finish(halo, status)
  end subroutine
end program check_test
