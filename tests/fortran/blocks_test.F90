! SPDX-License-Identifier: BSD-3-Clause
!> Blocks from Fortran in every mode: boxes of different sizes dealt round the ranks, two fields of different types, a subset, reverse, parts,
!> and what only the binding can find wrong.
program blocks_test
  use, intrinsic :: iso_fortran_env, only: int32, int64, real64
  use halocline
  use testing
  implicit none

  integer, parameter :: NX = 30, NY = 7, PER_RANK = 2, LOW = 2, HIGH = 3
  !> The arrays of one box.
  type :: box_arrays
    real(real64), pointer :: u(:, :) => null()
    integer(int32), pointer :: v(:, :) => null()
  end type
  type(hlc_context) :: context
  type(hlc_context_info_t) :: about
  type(hlc_box) :: boxes(PER_RANK)
  type(box_arrays) :: arrays(PER_RANK)
  type(hlc_field) :: fields(2, PER_RANK)
  integer :: m, b

  call start_tests(context)
  call hlc_context_info(context, about)
  call cut()
  do m = 1, size(all_modes)
    call test_mode(trim(all_modes(m)))
  end do
  call test_wrong_arguments()
  do b = 1, PER_RANK
    call hlc_field_free(context, arrays(b)%u)
    deallocate (arrays(b)%v)
  end do
  call finish_tests(context)

contains

  !> Cuts the domain along x into boxes of different widths; this rank has every size-th. u lies in shared memory, v does not.
  subroutine cut()
    integer :: n, number
    n = PER_RANK * about%size
    do b = 1, PER_RANK
      number = (b - 1) * about%size + about%rank
      boxes(b)%id = number
      boxes(b)%start(1) = NX * number / n
      boxes(b)%count(1) = NX * (number + 1) / n - NX * number / n
      boxes(b)%count(2) = NY
      call hlc_field_alloc(context, arrays(b)%u, [1_int64 - LOW, 1_int64], [boxes(b)%count(1) + HIGH, int(NY, int64)])
      allocate (arrays(b)%v(1 - LOW:int(boxes(b)%count(1)) + HIGH, NY))
      fields(1, b) = hlc_field_of(arrays(b)%u, "u")
      fields(2, b) = hlc_field_of(arrays(b)%v, "v")
    end do
  end subroutine

  !> What the owner writes into cell x (from 0, wrapped), y of a field in a step.
  pure integer function value(x, y, field, step)
    integer, intent(in) :: x, y, field, step
    value = modulo(x, NX) + 100 * y + 10000 * field + 100000 * step
  end function

  subroutine fill(step)
    integer, intent(in) :: step
    integer :: i, j
    do b = 1, PER_RANK
      arrays(b)%u = -1
      arrays(b)%v = -1
      do j = 1, NY
        do i = 1, int(boxes(b)%count(1))
          arrays(b)%u(i, j) = value(int(boxes(b)%start(1)) + i - 1, j, 1, step)
          arrays(b)%v(i, j) = value(int(boxes(b)%start(1)) + i - 1, j, 2, step)
        end do
      end do
    end do
  end subroutine

  !> The halos of both fields, or of the second alone, have their owners' values.
  subroutine compare(step, second_alone, what)
    integer, intent(in) :: step
    logical, intent(in) :: second_alone
    character(len=*), intent(in) :: what
    integer :: i, j, x, n
    logical :: own
    do b = 1, PER_RANK
      n = int(boxes(b)%count(1))
      do j = 1, NY
        do i = 1 - LOW, n + HIGH
          own = i >= 1 .and. i <= n
          x = int(boxes(b)%start(1)) + i - 1
          call expect(arrays(b)%v(i, j) == value(x, j, 2, step), what // ": a cell of v is wrong")
          if (second_alone .and. .not. own) then
            call expect(nint(arrays(b)%u(i, j)) == -1, what // ": a cell of u was written")
          else
            call expect(nint(arrays(b)%u(i, j)) == value(x, j, 1, step), what // ": a cell of u is wrong")
          end if
        end do
      end do
    end do
  end subroutine

  subroutine test_mode(mode)
    character(len=*), intent(in) :: mode
    type(hlc_blocks) :: blocks
    type(hlc_plan_info) :: info
    logical :: done
    call hlc_blocks_init(context, [int(NX, int64), int(NY, int64)], [.true., .false.], boxes, fields, [LOW, 0], blocks, &
                         depth_high=[HIGH, 0], mode=mode)
    call fill(1)
    call hlc_blocks_start(blocks)
    call hlc_blocks_test(blocks, done)
    call hlc_blocks_finish(blocks)
    call compare(1, .false., mode)
    call fill(2)
    call hlc_blocks_start(blocks, fields=[2])
    call hlc_blocks_finish(blocks)
    call compare(2, .true., mode)
    call fill(3)
    call hlc_blocks_start_part(blocks, 0)
    call hlc_blocks_finish_part(blocks, 0)
    call compare(3, .false., mode)
    call fill(4)
    call hlc_blocks_start(blocks, depth=1)
    call hlc_blocks_finish(blocks)
    do b = 1, PER_RANK
      call expect(nint(arrays(b)%u(0, 1)) == value(int(boxes(b)%start(1)) - 1, 1, 1, 4), mode // ": the nearest halo cell is wrong")
      call expect(all(nint(arrays(b)%u(:-1, :)) == -1), mode // ": a swap was deeper than it said")
    end do
    call test_reverse(blocks)
    call hlc_blocks_info(blocks, info)
    call expect(info%neighbours <= about%size - 1, mode // ": more than one message to a rank")
    call hlc_blocks_finalise(blocks)
    call end_test("blocks in mode " // mode)
  end subroutine

  !> Ones in all halos, added in reverse: what all own cells of all ranks gain is what all halos lose.
  subroutine test_reverse(blocks)
    type(hlc_blocks), intent(in) :: blocks
    integer :: n
    do b = 1, PER_RANK
      n = int(boxes(b)%count(1))
      arrays(b)%u = 1
      arrays(b)%u(1:n, :) = 0
    end do
    call hlc_blocks_start(blocks, fields=[1], reverse=.true.)
    call hlc_blocks_finish(blocks)
    do b = 1, PER_RANK
      n = int(boxes(b)%count(1))
      call expect(all(nint(arrays(b)%u(:0, :)) == 0) .and. all(nint(arrays(b)%u(n + 1:, :)) == 0), "a halo was not cleared")
      call expect(sum(nint(arrays(b)%u(1:n, :))) > 0, "nothing was added")
    end do
  end subroutine

  subroutine test_wrong_arguments()
    type(hlc_blocks) :: blocks
    integer :: status
    call hlc_blocks_init(context, [int(NX, int64), int(NY, int64)], [.true.], boxes, fields, 1, blocks, status=status)
    call expect(status == HLC_ERR_ARGUMENT, "periodic of another size was taken")
    call hlc_blocks_init(context, [int(NX, int64), int(NY, int64)], [.true., .true.], boxes, fields, 1, blocks, status=status)
    call expect(status == HLC_ERR_ARGUMENT, "arrays of another size were taken")
    call expect(index(hlc_error_message(), "box and halo make") > 0, "the message does not say what is expected")
    call hlc_blocks_init(context, [int(NX, int64), int(NY, int64)], [.true., .true.], boxes, fields, [LOW, 0], blocks, &
                         depth_high=[HIGH, 0], mode="pigeon", status=status)
    call expect(status == HLC_ERR_ARGUMENT, "a mode that is none was taken")
    call end_test("wrong arguments of blocks")
  end subroutine
end program blocks_test
