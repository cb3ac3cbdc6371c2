! SPDX-License-Identifier: BSD-3-Clause
!> Halo swaps from Fortran: every mode, element type and rank, full, one-sided, of some fields, and reverse, against the serial
!> oracle.
program halo_test
  use halocline
  use halo_cases
  use oracle
  use testing
  implicit none

  integer, parameter :: cells(4, 4) = reshape([17, 0, 0, 0, 11, 9, 0, 0, 7, 9, 8, 0, 9, 4, 8, 4], [4, 4])
  character(len=6), parameter :: types(4) = [character(len=6) :: "real32", "real64", "int32", "int64"]
  type(hlc_context) :: context
  type(hlc_context_info_t) :: info
  integer :: m

  call start_tests(context)
  do m = 1, size(all_modes)
    call test_mode(trim(all_modes(m)), m, halo_case(mode=all_modes(m)))
  end do
  call test_mode("fence with late epochs", 1, halo_case(mode="fence", epoch=HLC_EPOCH_LATE))
  call test_mode("fence driven by get", 2, halo_case(mode="fence", drive=HLC_DRIVE_GET))
  call test_mode("pscw with late epochs", 3, halo_case(mode="pscw", epoch=HLC_EPOCH_LATE))
  call hlc_context_info(context, info)
  do m = 4, 7
    call test_mode("direct from shared memory alone", m, halo_case(mode="direct", shared=.true., one_node=info%nodes == 1))
  end do
  call test_mode("notify in stages", 2, halo_case(mode="notify", staged=.true.))
  call finish_tests(context)

contains

  !> All types and ranks in one mode, of the large arrays of rank 3 and 4 every second type; number varies the shapes from mode to
  !> mode.
  subroutine test_mode(name, number, c)
    character(len=*), intent(in) :: name
    integer, intent(in) :: number
    type(halo_case), intent(in) :: c
    type(halo_case) :: this
    character(len=120) :: sentence
    integer :: rank, t
    do rank = 1, 4
      do t = 1 + merge(mod(number, 2), 0, rank > 2), 4, merge(2, 1, rank > 2)
        this = c
        this%rank = rank
        this%type = t
        call run_case(context, this, shape_of(rank, number + rank + 2 * t))
        write (sentence, "(3a,i0,2a)") "mode ", name, " fills exactly the halos asked for, rank ", rank, " ", types(t)
        call end_test(trim(sentence))
      end do
    end do
  end subroutine

  !> Depth 1 or 2 (or 2 below and 1 above), star or box, and every mixture of open and periodic sides, as the number goes.
  function shape_of(rank, number) result(w)
    integer, intent(in) :: rank, number
    type(world) :: w
    type(hlc_grid) :: grid
    integer :: d, low(4), high(4)
    logical :: periodic(4)
    low = 1 + mod(number / 2, 2)
    high = merge(1, low, mod(number, 3) == 0)
    periodic = [(mod(number / 2**(d - 1), 2) == 0, d = 1, 4)]
    call hlc_grid_create(context, cells(1:rank, rank), grid, periodic=periodic(1:rank))
    w = make_world(context, grid, low, high, star=mod(number, 4) == 1)
  end function
end program halo_test
