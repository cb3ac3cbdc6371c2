! SPDX-License-Identifier: BSD-3-Clause
!> Operations for reductions of reduce_test.
module operations
  use, intrinsic :: iso_c_binding, only: c_associated, c_f_pointer, c_int64_t, c_ptr
  use, intrinsic :: iso_fortran_env, only: int8, int64, real64
  implicit none
  public

  !> Which ranks have had a part in an element, in their order, and the greatest of what they gave.
  type :: trail
    integer(int64) :: ranks = 0
    real(real64) :: greatest = 0
  end type

contains

  !> Counts the elements combined in what user points to.
  subroutine follow(in, inout, count, user) bind(C)
    type(c_ptr), value :: in, inout
    integer(c_int64_t), value :: count
    type(c_ptr), value :: user
    type(trail), pointer :: later(:), sooner(:)
    integer(int64), pointer :: calls
    call c_f_pointer(in, later, [count])
    call c_f_pointer(inout, sooner, [count])
    sooner%ranks = 10 * sooner%ranks + later%ranks
    sooner%greatest = max(sooner%greatest, later%greatest)
    call c_f_pointer(user, calls)
    calls = calls + count
  end subroutine

  !> The bits that both have; without user data.
  subroutine common_bits(in, inout, count, user) bind(C)
    type(c_ptr), value :: in, inout
    integer(c_int64_t), value :: count
    type(c_ptr), value :: user
    integer(int8), pointer :: a(:), b(:)
    call c_f_pointer(in, b, [count])
    call c_f_pointer(inout, a, [count])
    a = iand(a, b)
    if (c_associated(user)) a = 0
  end subroutine
end module operations

!> Reductions from Fortran: every element type, shapes, operations of the program, and what is refused.
program reduce_test
  use, intrinsic :: iso_c_binding, only: c_int, c_loc
  use, intrinsic :: iso_fortran_env, only: int8, int32, int64, real32, real64
  use halocline
  use halocline_mpi
  use operations
  use testing
  implicit none

  !> From one element to more than a rank gives at once.
  integer, parameter :: counts(4) = [1, 5, 1000, 30011]
  integer(int8), parameter :: bytes(1) = 0_int8
  type(hlc_context) :: context
  integer :: c

  interface
    function c_usleep(microseconds) result(code) bind(C, name="usleep")
      import :: c_int
      integer(c_int), value :: microseconds
      integer(c_int) :: code
    end function
  end interface

  call start_tests(context)
  if (.not. all_are_reached()) then
    call skip("reductions", hlc_error_message())
  else
    do c = 1, size(counts)
      call test_types(counts(c))
    end do
    call test_shapes()
    call test_no_elements()
    call test_derived_type()
    call test_bytes()
    call test_wrong_plans()
    call test_ranks_that_disagree()
    call test_wrong_runs()
  end if
  call finish_tests(context)

contains

  !> False where there are several nodes, and no network.
  logical function all_are_reached()
    type(hlc_allreduce) :: plan
    type(hlc_context_info_t) :: info
    integer :: code
    call hlc_context_info(context, info)
    call hlc_allreduce_create(context, 1.0_real64, HLC_REDUCE_SUM, plan, status=code)
    all_are_reached = code /= HLC_ERR_UNSUPPORTED .or. info%nodes == 1
    if (code == HLC_OK) call hlc_allreduce_destroy(plan)
  end function

  !> A number from 1 to 100 for an element of a rank in a step.
  pure integer function number_of(rank, step, i)
    integer, intent(in) :: rank, step, i
    number_of = 1 + mod(7 * i + 31 * rank + 13 * step, 100)
  end function

  logical function same_bits(a, b)
    integer(int8), intent(in) :: a(:), b(:)
    same_bits = size(a) == size(b)
    if (same_bits) same_bits = all(a == b)
  end function

  !> One rank after the other is late.
  subroutine delay(step)
    integer, intent(in) :: step
    integer :: code
    if (mod(step, context%size) == context%rank) code = int(c_usleep(2000_c_int))
  end subroutine

  subroutine test_types(n)
    integer, intent(in) :: n
    integer, parameter :: reductions(3) = [HLC_REDUCE_SUM, HLC_REDUCE_MIN, HLC_REDUCE_MAX]
    character(len=10) :: digits
    integer :: r
    do r = 1, size(reductions)
      call test_real32(n, reductions(r))
      call test_real64(n, reductions(r))
      call test_int32(n, reductions(r))
      call test_int64(n, reductions(r))
    end do
    call test_complex32(n, HLC_REDUCE_SUM)
    call test_complex64(n, HLC_REDUCE_SUM)
    write (digits, "(i0)") n
    call end_test("every type is reduced, elements: " // trim(digits))
  end subroutine

#define ELEMENT real(real32)
#define NAMED(procedure) procedure/**/_real32
#define VALUE(number) real(number, real32)
#define KIND_OF HLC_FLOAT32
#define ORDERED
#include "reduce_case.inc"
#undef ELEMENT
#undef NAMED
#undef VALUE
#undef KIND_OF

#define ELEMENT real(real64)
#define NAMED(procedure) procedure/**/_real64
#define VALUE(number) real(number, real64)
#define KIND_OF HLC_FLOAT64
#include "reduce_case.inc"
#undef ELEMENT
#undef NAMED
#undef VALUE
#undef KIND_OF

#define ELEMENT integer(int32)
#define NAMED(procedure) procedure/**/_int32
#define VALUE(number) int(number, int32)
#define KIND_OF HLC_INT32
#include "reduce_case.inc"
#undef ELEMENT
#undef NAMED
#undef VALUE
#undef KIND_OF

#define ELEMENT integer(int64)
#define NAMED(procedure) procedure/**/_int64
#define VALUE(number) int(number, int64)
#define KIND_OF HLC_INT64
#include "reduce_case.inc"
#undef ELEMENT
#undef NAMED
#undef VALUE
#undef KIND_OF
#undef ORDERED

#define ELEMENT complex(real32)
#define NAMED(procedure) procedure/**/_complex32
#define VALUE(number) cmplx(number, -2 * (number), real32)
#define KIND_OF HLC_COMPLEX64
#include "reduce_case.inc"
#undef ELEMENT
#undef NAMED
#undef VALUE
#undef KIND_OF

#define ELEMENT complex(real64)
#define NAMED(procedure) procedure/**/_complex64
#define VALUE(number) cmplx(number, -2 * (number), real64)
#define KIND_OF HLC_COMPLEX128
#include "reduce_case.inc"
#undef ELEMENT
#undef NAMED
#undef VALUE
#undef KIND_OF

  !> Planes, sections without gaps, scalars, and in and out of different shapes.
  subroutine test_shapes()
    type(hlc_allreduce) :: plan
    integer(int32) :: plane(6, 5), line(18), number, i
    plane = reshape(array_int32(context%rank, 1, 30), [6, 5])
    line = -1
    call hlc_allreduce_create(context, plane(:, 2:4), HLC_REDUCE_SUM, plan)
    call hlc_allreduce_run(plan, plane(:, 2:4), line)
    call expect(all(line == [(sum_of(i), i=7, 24)]), "a plane to a line")
    call hlc_allreduce_in_place(plan, plane(:, 2:4))
    call expect(all(plane(:, 2:4) == reshape(line, [6, 3])), "a plane in place")
    call expect(all(plane(:, 1::4) == reshape([(number_of(context%rank, 1, i), i=1, 6), &
                                               (number_of(context%rank, 1, i), i=25, 30)], [6, 2])), "what lies beside it")
    call hlc_allreduce_destroy(plan)
    call hlc_allreduce_create(context, number, HLC_REDUCE_MAX, plan)
    number = 3 * context%rank + 1
    call hlc_allreduce_in_place(plan, number)
    call expect(number == 3 * context%size - 2, "a single number")
    call hlc_allreduce_destroy(plan)
    call end_test("arrays of any shape are reduced")
  end subroutine

  !> What all ranks give of element i in step 1.
  integer function sum_of(i)
    integer, intent(in) :: i
    integer :: rank
    sum_of = 0
    do rank = 0, context%size - 1
      sum_of = sum_of + number_of(rank, 1, i)
    end do
  end function

  subroutine test_no_elements()
    type(hlc_allreduce) :: plan
    type(hlc_allreduce_info_t) :: info
    real(real64) :: nothing(0), some(3000), sent
    integer :: code
    call hlc_allreduce_create(context, nothing, HLC_REDUCE_SUM, plan)
    call hlc_allreduce_in_place(plan, nothing)
    call hlc_allreduce_info(plan, info)
    call expect(info%chunks == 0 .and. info%network_bytes == 0, "no elements make no chunks")
    call hlc_allreduce_destroy(plan)
    call hlc_allreduce_create(context, some, HLC_REDUCE_SUM, plan)
    call hlc_allreduce_info(plan, info)
    call expect(info%parts >= 1 .and. info%chunks >= 1 .and. info%memory_bytes > 0, "a plan tells of its memory")
    sent = real(info%network_bytes, real64)
    call hlc_mpi_sum(hlc_mpi_world(), sent)
    call expect(sent < 1 .eqv. info%parts == 1, "bytes go to other nodes if there are any")
    call hlc_allreduce_destroy(plan)
    call hlc_allreduce_info(plan, info, code)
    call expect_error(code, HLC_ERR_ARGUMENT, "plan is NULL", "a plan that is gone")
    call end_test("a plan may have no elements, and tells what it has")
  end subroutine

  !> Ranks on one node come in their order, which the digits tell; on several nodes another order is allowed, and each rank still comes once.
  subroutine test_derived_type()
    type(hlc_allreduce) :: plan
    type(hlc_context_info_t) :: info
    type(trail) :: trails(700)
    integer(int64), target :: calls
    real(real64) :: greatest(700), found(700), combined
    integer(int64) :: ascending
    integer :: step, i
    call hlc_context_info(context, info)
    calls = 0
    call hlc_allreduce_create(context, trails, HLC_REDUCE_USER, plan, follow, c_loc(calls))
    call expect(plan%type == HLC_OPAQUE .and. 8 * plan%element_bytes == storage_size(trails), "a type of the program")
    do step = 1, 3
      trails%ranks = context%rank + 1
      trails%greatest = [(real(number_of(context%rank, step, i), real64), i=1, size(trails))]
      call delay(step)
      call hlc_allreduce_in_place(plan, trails)
      ascending = 0
      do i = 1, context%size
        ascending = 10 * ascending + i
      end do
      if (info%nodes == 1) call expect(all(trails%ranks == ascending), "ranks come in their order")
      call expect(all([(digits_of(trails(i)%ranks) == context%size, i=1, size(trails))]), "each rank comes once")
      greatest = expected_real64(HLC_REDUCE_MAX, step, size(trails))
      found = trails%greatest
      call expect(same_bits(transfer(found, bytes), transfer(greatest, bytes)), "the greatest number")
    end do
    call hlc_allreduce_destroy(plan)
    combined = real(calls, real64)  ! by the ranks that drive a lane
    call hlc_mpi_sum(hlc_mpi_world(), combined)
    call expect(combined > 0 .or. context%size == 1, "the procedure was called with its user data")
    call end_test("a procedure of the program combines elements of a derived type")
  end subroutine

  !> How many different digits other than 0 a number has, which has as many digits.
  integer function digits_of(number)
    integer(int64), intent(in) :: number
    logical :: seen(0:9)
    integer(int64) :: rest
    integer :: digits
    seen = .false.
    rest = number
    digits = 0
    do while (rest > 0)
      seen(mod(rest, 10_int64)) = .true.
      rest = rest / 10
      digits = digits + 1
    end do
    digits_of = merge(count(seen(1:)), -1, digits == count(seen(1:)))
  end function

  subroutine test_bytes()
    type(hlc_allreduce) :: plan
    integer(int8) :: marks(33)
    marks = int(127 - 2**context%rank, int8)
    call hlc_allreduce_create(context, marks, HLC_REDUCE_USER, plan, common_bits)
    call hlc_allreduce_in_place(plan, marks)
    call expect(all(marks == 128 - 2**context%size), "bits that all have")
    call hlc_allreduce_destroy(plan)
    call end_test("a procedure of the program combines bytes")
  end subroutine

  !> Plans from an argument that does not know where it ends.
  subroutine plan_from(values, status)
    real(real64), intent(in) :: values(*)
    integer, intent(out) :: status
    type(hlc_allreduce) :: plan
    call hlc_allreduce_create(context, values, HLC_REDUCE_SUM, plan, status=status)
  end subroutine

  subroutine test_wrong_plans()
    type(hlc_allreduce) :: plan
    type(hlc_context) :: none
    real(real64) :: data(5)
    complex(real64) :: waves(5)
    integer(int8) :: marks(5)
    integer :: code
    data = 1
    waves = 1
    marks = 1
    call hlc_allreduce_create(context, data, 9, plan, status=code)
    call expect_error(code, HLC_ERR_ARGUMENT, "hlc_allreduce_create on rank 0: reduction is 9", "no reduction")
    call hlc_allreduce_create(context, data, HLC_REDUCE_USER, plan, status=code)
    call expect_error(code, HLC_ERR_ARGUMENT, "function is NULL", "no function")
    call hlc_allreduce_create(context, data, HLC_REDUCE_SUM, plan, common_bits, status=code)
    call expect_error(code, HLC_ERR_ARGUMENT, "function is given", "a function too many")
    call hlc_allreduce_create(context, waves, HLC_REDUCE_MIN, plan, status=code)
    call expect_error(code, HLC_ERR_UNSUPPORTED, "complex numbers have no order", "the least of complex numbers")
    call hlc_allreduce_create(context, marks, HLC_REDUCE_SUM, plan, status=code)
    call expect_error(code, HLC_ERR_ARGUMENT, "HLC_OPAQUE", "a sum of what the library does not know")
    call plan_from(data, code)
    call expect_error(code, HLC_ERR_ARGUMENT, "rank 0: like is an array of assumed size", "an array without an end")
    call hlc_allreduce_create(none, data, HLC_REDUCE_SUM, plan, status=code)
    call expect_error(code, HLC_ERR_ARGUMENT, "context", "no context")
    call hlc_allreduce_run(plan, data, waves, code)
    call expect_error(code, HLC_ERR_ARGUMENT, "plan is NULL", "a plan that was not made")
    call hlc_allreduce_destroy(plan, code)
    call expect(code == HLC_OK, "destroying a plan that was not made does nothing")
    call end_test("wrong plans are refused by name")
  end subroutine

  !> The last rank differs, and all hear it: what the library finds, and what only the binding sees.
  subroutine test_ranks_that_disagree()
    type(hlc_allreduce) :: plan
    real(real64) :: data(5)
    integer :: code, n, last
    character(len=20) :: who
    if (context%size == 1) then
      call skip("ranks that disagree are told", "needs two ranks")
      return
    end if
    last = context%size - 1
    data = 1
    n = merge(4, 5, context%rank == last)
    call hlc_allreduce_create(context, data(:n), HLC_REDUCE_SUM, plan, status=code)
    write (who, "(a,i0)") "rank ", last
    call expect_error(code, HLC_ERR_MISMATCH, "count: rank 0 has 5, " // trim(who) // " has 4", "another count")
    call hlc_allreduce_create(context, data, HLC_REDUCE_SUM, plan, status=code, &
      name=merge("mass  ", "energy", context%rank == last))
    call expect_error(code, HLC_ERR_MISMATCH, "'energy', " // trim(who) // " in hlc_allreduce_create", "another name")
    call expect_error(code, HLC_ERR_MISMATCH, "'mass'", "another name, without the blanks behind it")
    call hlc_allreduce_create(context, data, HLC_REDUCE_SUM, plan, name="mass")
    call hlc_allreduce_destroy(plan)
    if (context%rank == last) then
      call plan_from(data, code)
    else
      call hlc_allreduce_create(context, data, HLC_REDUCE_SUM, plan, status=code)
    end if
    call expect_error(code, HLC_ERR_ARGUMENT, trim(who) // ": like is an array of assumed size", "no end on one rank")
    call end_test("ranks that disagree are told")
  end subroutine

  subroutine test_wrong_runs()
    type(hlc_allreduce) :: plan
    real(real64) :: data(6), out(6)
    real(real32) :: small(6)
    integer(int64) :: whole(6)
    integer :: code
    data = 2
    out = -1
    small = 2
    whole = 2
    call hlc_allreduce_create(context, data, HLC_REDUCE_SUM, plan)
    call hlc_allreduce_run(plan, data(:5), out, code)
    call expect_error(code, HLC_ERR_ARGUMENT, "in has 5 elements, the plan's arrays have 6", "too few elements")
    call hlc_allreduce_run(plan, data, out(2:4), code)
    call expect_error(code, HLC_ERR_ARGUMENT, "out has 3 elements, the plan's arrays have 6", "too little room")
    call hlc_allreduce_run(plan, small, out, code)
    call expect_error(code, HLC_ERR_ARGUMENT, "in is of another type than the plan's arrays", "another kind")
    call hlc_allreduce_in_place(plan, whole, code)
    call expect_error(code, HLC_ERR_ARGUMENT, "hlc_allreduce_in_place on rank", "the call that was wrong")
    call expect_error(code, HLC_ERR_ARGUMENT, "data is of another type", "another type of as many bytes")
    call expect(all(nint(out) == -1), "a refused run leaves out alone")
    call hlc_allreduce_in_place(plan, data, code)
    call expect(code == HLC_OK .and. all(nint(data) == 2 * context%size), "the plan is as good as before")
    call hlc_allreduce_destroy(plan)
    call hlc_allreduce_create(context, data(1:3), HLC_REDUCE_SUM, plan)
    call hlc_allreduce_in_place(plan, data(1:6:2), code)
    call expect_error(code, HLC_ERR_ARGUMENT, "data is not contiguous", "a section with gaps")
    call hlc_allreduce_destroy(plan)
    call end_test("wrong arrays are refused by name")
  end subroutine
end program reduce_test
