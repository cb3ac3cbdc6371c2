! SPDX-License-Identifier: BSD-3-Clause
!> A small test rig for programs under the launcher: every test is a sentence that all ranks pass or fail together. finish_tests
!> prints the counts on rank 0 and fails the program if any test failed.
module testing
  use, intrinsic :: iso_fortran_env, only: error_unit, output_unit, real64
  use halocline
  use halocline_mpi
  implicit none
  private
  public :: start_tests, finish_tests, expect, end_test, skip, expect_error, complaint, all_modes, make_halo, free_halo

  integer, save :: me = -1, passed = 0, failed = 0, skipped = 0
  !> What went wrong on this rank in the test that is running, and how often.
  integer, save :: wrong = 0, checked = 0

  !> The names of the modes, in the order of the library's table.
  character(len=13), parameter :: all_modes(11) = [character(len=13) :: "p2p", "neighbor", "fence", "pscw", "passive", &
                                                  "passive_naive", "notify", "direct", "view", "notify_node", "auto"]

contains

  !> Starts MPI and takes all its ranks; or takes the communicator of a program that has started MPI itself.
  subroutine start_tests(context, comm)
    type(hlc_context), intent(out) :: context
    integer, intent(in), optional :: comm
    if (present(comm)) then
      call hlc_init(comm, context)
    else
      call hlc_mpi_init()
      call hlc_init(hlc_mpi_world(), context)
    end if
    me = context%rank
  end subroutine

  !> Counts one check of the running test, and describes the first few that fail.
  subroutine expect(right, what)
    logical, intent(in) :: right
    character(len=*), intent(in) :: what
    checked = checked + 1
    if (.not. right) call complaint(what)
  end subroutine

  !> Records a failed check of the running test.
  subroutine complaint(what)
    character(len=*), intent(in) :: what
    wrong = wrong + 1
    if (wrong <= 3) write (error_unit, "(a,i0,2a)") "rank ", me, ": ", what
  end subroutine

  !> Ends the running test on all ranks. A test that checked nothing on some rank fails. cells counts checks made elsewhere.
  subroutine end_test(sentence, cells)
    character(len=*), intent(in) :: sentence
    integer, intent(in), optional :: cells
    real(real64) :: bad
    if (present(cells)) checked = checked + cells
    bad = wrong
    if (checked == 0) bad = bad + 1
    call hlc_mpi_sum(hlc_mpi_world(), bad)
    if (bad < 0.5_real64) passed = passed + 1
    if (bad > 0.5_real64) failed = failed + 1
    if (bad > 0.5_real64 .and. me == 0) write (output_unit, "(2a)") "FAILED: ", sentence
    wrong = 0
    checked = 0
  end subroutine

  !> Counts a test that cannot run here, with the reason.
  subroutine skip(sentence, reason)
    character(len=*), intent(in) :: sentence, reason
    skipped = skipped + 1
    if (me == 0) write (output_unit, "(4a)") "SKIPPED: ", sentence, ": ", reason
  end subroutine

  !> Checks that a call ended with this status and that its message contains a text.
  subroutine expect_error(status, code, text, what)
    integer, intent(in) :: status, code
    character(len=*), intent(in) :: text, what
    character(len=:), allocatable :: message
    message = hlc_error_message()
    call expect(status == code .and. index(message, text) > 0, what // ": " // hlc_status_name(status) // ": " // message)
  end subroutine

  subroutine finish_tests(context)
    type(hlc_context), intent(inout) :: context
    call hlc_finalise(context)
    call hlc_mpi_finalise()
    if (me == 0) write (output_unit, "(3(i0,a))") passed, " passed, ", failed, " failed, ", skipped, " skipped"
    flush (output_unit)
    if (failed > 0) error stop 1
  end subroutine

  !> A halo of one field u in mode p2p, where rows are shown whole, over blocks of 6 x 6 cells, periodic in both directions.
  subroutine make_halo(context, depth, halo, u)
    type(hlc_context), intent(in) :: context
    integer, intent(in) :: depth
    type(hlc_halo), intent(out) :: halo
    real(real64), pointer, intent(out) :: u(:, :)
    type(hlc_grid) :: grid
    call hlc_grid_create(context, [6 * context%size, 6], grid, dims=[0, 1], periodic=[.true., .true.])
    nullify (u)
    call hlc_field_alloc(context, u, grid, depth)
    call hlc_halo_init(context, grid, [hlc_field_of(u, "u")], depth, halo, mode="p2p")
  end subroutine

  subroutine free_halo(context, halo, u)
    type(hlc_context), intent(in) :: context
    type(hlc_halo), intent(inout) :: halo
    real(real64), pointer, intent(inout) :: u(:, :)
    call hlc_halo_finalise(halo)
    call hlc_field_free(context, u)
  end subroutine
end module testing
