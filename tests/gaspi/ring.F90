! The GASPI modules in a Fortran program that knows nothing of MPI, which the library starts for it. It runs a ring of halos, and at least
! one call of each form of argument.
!
! SPDX-License-Identifier: BSD-3-Clause
module ring_parts
  use GASPI
  implicit none
  integer(gaspi_segment_id_t), parameter :: segment = 5
  integer :: failures = 0

contains

  subroutine expect(expected, code, what)
    integer(gaspi_return_t), intent(in) :: expected, code
    character(*), intent(in) :: what
    if (code == expected) return
    failures = failures + 1
    print '(a, i0, a, i0)', 'failed: ' // what // ' has come to ', code, ', not ', expected
  end subroutine expect

  subroutine expect_true(condition, what)
    logical, intent(in) :: condition
    character(*), intent(in) :: what
    if (condition) return
    failures = failures + 1
    print '(a)', 'failed: ' // what
  end subroutine expect_true

  !> The larger of two numbers, element by element; the state counts the calls.
  function larger(one, two, result, state, num, element_size, timeout_ms) result(code) bind(C)
    type(c_ptr), value :: one, two, result, state
    integer(gaspi_number_t), value :: num
    integer(gaspi_size_t), value :: element_size
    integer(gaspi_timeout_t), value :: timeout_ms
    integer(gaspi_return_t) :: code
    integer(c_long), pointer :: a(:), b(:), c(:)
    integer(c_int), pointer :: calls
    call c_f_pointer(one, a, [num])
    call c_f_pointer(two, b, [num])
    call c_f_pointer(result, c, [num])
    call c_f_pointer(state, calls)
    calls = calls + 1
    c = max(a, b)
    code = merge(GASPI_SUCCESS, GASPI_ERROR, element_size == 8 .and. timeout_ms /= GASPI_TEST)
  end function larger
end module ring_parts

program ring
  use ring_parts
  implicit none
  integer(gaspi_rank_t) :: rank, ranks, left, right
  type(c_ptr) :: memory
  integer(c_long), pointer :: row(:)

  call configure()
  call expect(GASPI_SUCCESS, gaspi_proc_init(GASPI_BLOCK), 'gaspi_proc_init')
  call expect(GASPI_SUCCESS, gaspi_proc_rank(rank), 'gaspi_proc_rank')
  call expect(GASPI_SUCCESS, gaspi_proc_num(ranks), 'gaspi_proc_num')
  left = modulo(rank + ranks - 1_c_short, ranks)
  right = modulo(rank + 1_c_short, ranks)
  call expect(GASPI_SUCCESS, gaspi_segment_create(segment, 256_c_long, GASPI_GROUP_ALL, GASPI_BLOCK, GASPI_MEM_INITIALIZED), &
              'gaspi_segment_create')
  call expect(GASPI_SUCCESS, gaspi_segment_ptr(segment, memory), 'gaspi_segment_ptr')
  call c_f_pointer(memory, row, [32])
  call swap_halos()
  call use_atomics()
  call reduce()
  call send_passively()
  call use_groups()
  call expect(GASPI_SUCCESS, gaspi_barrier(GASPI_GROUP_ALL, GASPI_BLOCK), 'gaspi_barrier')
  call expect(GASPI_SUCCESS, gaspi_proc_term(GASPI_BLOCK), 'gaspi_proc_term')
  if (failures > 0) error stop 1

contains

  !> The structure has the layout of the C structure if its consecutive fields have the values that they should have.
  subroutine configure()
    type(gaspi_config_t) :: config
    call expect(GASPI_SUCCESS, gaspi_config_get(config), 'gaspi_config_get')
    call expect_true(config%queue_num == 8 .and. config%notification_num == 65536 .and. config%segment_max == 255, &
      'the defaults')
    call expect_true(config%allreduce_elem_max == 255 .and. config%build_infrastructure == GASPI_TOPOLOGY_DYNAMIC, &
      'the last fields')
    config%queue_num = 3
    config%allreduce_elem_max = 40
    call expect(GASPI_SUCCESS, gaspi_config_set(config), 'gaspi_config_set')
  end subroutine configure

  subroutine swap_halos()
    integer(gaspi_notification_t) :: step, value
    integer(gaspi_notification_id_t) :: id, wanted
    integer(gaspi_queue_id_t), parameter :: queue = 2
    integer(gaspi_number_t) :: elements
    integer :: side
    call expect(GASPI_SUCCESS, gaspi_queue_num(elements), 'gaspi_queue_num')
    call expect_true(elements == 3, 'as many queues as were configured')
    do step = 1, 20
      row(2) = 100_c_long * rank + step
      row(5) = -row(2)
      call expect(GASPI_SUCCESS, gaspi_write_notify(segment, 8_c_long, left, segment, 40_c_long, 8_c_long, &
                  1_c_int, step, queue, GASPI_BLOCK), 'gaspi_write_notify')
      call expect(GASPI_SUCCESS, gaspi_write_notify(segment, 32_c_long, right, segment, 0_c_long, 8_c_long, &
                  0_c_int, step, queue, GASPI_BLOCK), 'gaspi_write_notify')
      do side = 0, 1
        wanted = int(side, c_int)
        call expect(GASPI_SUCCESS, gaspi_notify_waitsome(segment, wanted, 1_c_int, id, GASPI_BLOCK), 'gaspi_notify_waitsome')
        call expect(GASPI_SUCCESS, gaspi_notify_reset(segment, id, value), 'gaspi_notify_reset')
        call expect_true(id == wanted .and. value == step, 'the notification of this step')
      end do
      call expect_true(row(6) == 100_c_long * right + step .and. row(1) == -(100_c_long * left + step), 'halos')
      call expect(GASPI_SUCCESS, gaspi_wait(queue, GASPI_BLOCK), 'gaspi_wait')
      call expect(GASPI_SUCCESS, gaspi_barrier(GASPI_GROUP_ALL, GASPI_BLOCK), 'gaspi_barrier')
    end do
    call expect(GASPI_TIMEOUT, gaspi_notify_waitsome(segment, 0_c_int, 65536_c_int, id, GASPI_TEST), 'no notification')
  end subroutine swap_halos

  subroutine use_atomics()
    integer(gaspi_atomic_value_t) :: old
    call expect(GASPI_SUCCESS, gaspi_atomic_fetch_add(segment, 128_c_long, 0_c_short, 2_c_long, old, GASPI_BLOCK), 'fetch_add')
    call expect(GASPI_SUCCESS, gaspi_barrier(GASPI_GROUP_ALL, GASPI_BLOCK), 'gaspi_barrier')
    call expect(GASPI_SUCCESS, gaspi_atomic_fetch_add(segment, 128_c_long, 0_c_short, 0_c_long, old, GASPI_BLOCK), 'fetch_add')
    call expect_true(old == 2 * ranks, 'every rank has added')
    call expect(GASPI_ERR_UNALIGN_OFF, gaspi_atomic_compare_swap(segment, 4_c_long, 0_c_short, 1_c_long, 2_c_long, old, &
                GASPI_BLOCK), 'compare_swap beside a word')
  end subroutine use_atomics

  subroutine reduce()
    integer(c_long), target :: mine(3), all(3)
    integer(c_int), target :: calls
    integer(gaspi_number_t) :: most
    mine = [1_c_long, 1_c_long * rank, -1_c_long * rank]
    call expect(GASPI_SUCCESS, gaspi_allreduce(c_loc(mine), c_loc(all), 3_c_int, GASPI_OP_SUM, GASPI_TYPE_LONG, &
      GASPI_GROUP_ALL, &
                GASPI_BLOCK), 'gaspi_allreduce')
    call expect_true(all(1) == ranks .and. all(2) == ranks * (ranks - 1) / 2 .and. all(3) == -all(2), 'sums')
    calls = 0
    call expect(GASPI_SUCCESS, gaspi_allreduce_user(c_loc(mine), c_loc(all), 3_c_int, 8_c_long, c_funloc(larger), c_loc(calls), &
                GASPI_GROUP_ALL, GASPI_BLOCK), 'gaspi_allreduce_user')
    call expect_true(all(1) == 1 .and. all(2) == ranks - 1 .and. all(3) == 0 .and. calls <= ranks, 'the largest')
    call expect(GASPI_SUCCESS, gaspi_allreduce_elem_max(most), 'gaspi_allreduce_elem_max')
    call expect_true(most == 40, 'as many elements as were configured')
  end subroutine reduce

  subroutine send_passively()
    integer(gaspi_rank_t) :: from
    row(20) = 7_c_long + rank
    call expect(GASPI_SUCCESS, gaspi_passive_send(segment, 152_c_long, right, 8_c_long, GASPI_BLOCK), 'gaspi_passive_send')
    call expect(GASPI_SUCCESS, gaspi_passive_receive(segment, 160_c_long, from, 8_c_long, GASPI_BLOCK), 'gaspi_passive_receive')
    call expect_true(from == left .and. row(21) == 7_c_long + left, 'the message of the left rank')
  end subroutine send_passively

  subroutine use_groups()
    integer(gaspi_group_t) :: group
    integer(gaspi_rank_t) :: members(1)
    integer(gaspi_state_t), allocatable :: states(:)
    type(c_ptr) :: text
    interface
      subroutine free_in_c(memory) bind(C, name='free')
        import :: c_ptr
        type(c_ptr), value :: memory
      end subroutine free_in_c
    end interface
    call expect(GASPI_SUCCESS, gaspi_group_create(group), 'gaspi_group_create')
    call expect(GASPI_SUCCESS, gaspi_group_add(group, rank), 'gaspi_group_add')
    call expect(GASPI_SUCCESS, gaspi_group_commit(group, GASPI_BLOCK), 'gaspi_group_commit')
    call expect(GASPI_SUCCESS, gaspi_group_ranks(group, members), 'gaspi_group_ranks')
    call expect_true(group == 1 .and. members(1) == rank, 'a group of this rank alone')
    allocate (states(ranks), source=GASPI_STATE_CORRUPT)
    call expect(GASPI_SUCCESS, gaspi_state_vec_get(states), 'gaspi_state_vec_get')
    call expect_true(all(states == GASPI_STATE_HEALTHY), 'all are healthy')
    call expect(GASPI_SUCCESS, gaspi_print_error(GASPI_ERR_INV_SEG, text), 'gaspi_print_error')
    call expect_true(c_associated(text), 'a text')
    call free_in_c(text)
  end subroutine use_groups
end program ring
