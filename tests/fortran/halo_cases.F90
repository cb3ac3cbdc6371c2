! SPDX-License-Identifier: BSD-3-Clause
!> The cases of the halo tests: every element type and rank that hlc_field_alloc knows, from one text (halo_case.inc).
module halo_cases
  use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64
  use halocline
  use oracle
  use testing
  implicit none
  private
  public :: halo_case, run_case

  integer, parameter :: CANARY = -9

  !> One case: how the halo is swapped, the element type and rank, whether all memory is shared, whether a swap goes through
  !> the dimensions one after the other, and whether all ranks stand on one node.
  type :: halo_case
    character(len=13) :: mode = "p2p"
    integer :: epoch = HLC_EPOCH_DEFAULT
    integer :: drive = HLC_DRIVE_DEFAULT
    integer :: type = 1
    integer :: rank = 1
    logical :: shared = .false.
    logical :: staged = .false.
    logical :: one_node = .true.
  end type

contains

  !> Runs one case; type counts real32, real64, int32, int64.
  subroutine run_case(context, c, w)
    type(hlc_context), intent(in) :: context
    type(halo_case), intent(in) :: c
    type(world), intent(in) :: w
    select case (10 * c%rank + c%type)
    case (11); call run_real32_1(context, c, w)
    case (12); call run_real64_1(context, c, w)
    case (13); call run_int32_1(context, c, w)
    case (14); call run_int64_1(context, c, w)
    case (21); call run_real32_2(context, c, w)
    case (22); call run_real64_2(context, c, w)
    case (23); call run_int32_2(context, c, w)
    case (24); call run_int64_2(context, c, w)
    case (31); call run_real32_3(context, c, w)
    case (32); call run_real64_3(context, c, w)
    case (33); call run_int32_3(context, c, w)
    case (34); call run_int64_3(context, c, w)
    case (41); call run_real32_4(context, c, w)
    case (42); call run_real64_4(context, c, w)
    case (43); call run_int32_4(context, c, w)
    case (44); call run_int64_4(context, c, w)
    case default; call complaint("there is no such case")
    end select
  end subroutine

  subroutine compare(found, expected, field, cell)
    integer, intent(in) :: found, expected, field, cell(:)
    character(len=120) :: text
    if (found == expected) then
      call expect(.true., "")
    else
      write (text, "(a,i0,a,4(i0,1x),a,i0,a,i0)") "field ", field, ", cell ", cell, "holds ", found, " instead of ", expected
      call complaint(trim(text))
    end if
  end subroutine

#define SHAPE (:)
#define AT(l) l(1)
#define LOWERS(l) l(1):
#define BOUNDS(l,h) l(1):h(1)
#define SECTION ::2
#define ELEMENT real(real32)
#define NAMED(procedure) procedure/**/_real32_1
#include "halo_case.inc"
#undef ELEMENT
#undef NAMED
#define ELEMENT real(real64)
#define NAMED(procedure) procedure/**/_real64_1
#include "halo_case.inc"
#undef ELEMENT
#undef NAMED
#define ELEMENT integer(int32)
#define NAMED(procedure) procedure/**/_int32_1
#include "halo_case.inc"
#undef ELEMENT
#undef NAMED
#define ELEMENT integer(int64)
#define NAMED(procedure) procedure/**/_int64_1
#include "halo_case.inc"
#undef ELEMENT
#undef NAMED
#undef SHAPE
#undef AT
#undef LOWERS
#undef BOUNDS
#undef SECTION

#define SHAPE (:,:)
#define AT(l) l(1),l(2)
#define LOWERS(l) l(1):,l(2):
#define BOUNDS(l,h) l(1):h(1),l(2):h(2)
#define SECTION ::2,2::2
#define ELEMENT real(real32)
#define NAMED(procedure) procedure/**/_real32_2
#include "halo_case.inc"
#undef ELEMENT
#undef NAMED
#define ELEMENT real(real64)
#define NAMED(procedure) procedure/**/_real64_2
#include "halo_case.inc"
#undef ELEMENT
#undef NAMED
#define ELEMENT integer(int32)
#define NAMED(procedure) procedure/**/_int32_2
#include "halo_case.inc"
#undef ELEMENT
#undef NAMED
#define ELEMENT integer(int64)
#define NAMED(procedure) procedure/**/_int64_2
#include "halo_case.inc"
#undef ELEMENT
#undef NAMED
#undef SHAPE
#undef AT
#undef LOWERS
#undef BOUNDS
#undef SECTION

#define SHAPE (:,:,:)
#define AT(l) l(1),l(2),l(3)
#define LOWERS(l) l(1):,l(2):,l(3):
#define BOUNDS(l,h) l(1):h(1),l(2):h(2),l(3):h(3)
#define SECTION ::2,2::2,::2
#define ELEMENT real(real32)
#define NAMED(procedure) procedure/**/_real32_3
#include "halo_case.inc"
#undef ELEMENT
#undef NAMED
#define ELEMENT real(real64)
#define NAMED(procedure) procedure/**/_real64_3
#include "halo_case.inc"
#undef ELEMENT
#undef NAMED
#define ELEMENT integer(int32)
#define NAMED(procedure) procedure/**/_int32_3
#include "halo_case.inc"
#undef ELEMENT
#undef NAMED
#define ELEMENT integer(int64)
#define NAMED(procedure) procedure/**/_int64_3
#include "halo_case.inc"
#undef ELEMENT
#undef NAMED
#undef SHAPE
#undef AT
#undef LOWERS
#undef BOUNDS
#undef SECTION

#define SHAPE (:,:,:,:)
#define AT(l) l(1),l(2),l(3),l(4)
#define LOWERS(l) l(1):,l(2):,l(3):,l(4):
#define BOUNDS(l,h) l(1):h(1),l(2):h(2),l(3):h(3),l(4):h(4)
#define SECTION ::2,2::2,::2,2::2
#define ELEMENT real(real32)
#define NAMED(procedure) procedure/**/_real32_4
#include "halo_case.inc"
#undef ELEMENT
#undef NAMED
#define ELEMENT real(real64)
#define NAMED(procedure) procedure/**/_real64_4
#include "halo_case.inc"
#undef ELEMENT
#undef NAMED
#define ELEMENT integer(int32)
#define NAMED(procedure) procedure/**/_int32_4
#include "halo_case.inc"
#undef ELEMENT
#undef NAMED
#define ELEMENT integer(int64)
#define NAMED(procedure) procedure/**/_int64_4
#include "halo_case.inc"
#undef ELEMENT
#undef NAMED
#undef SHAPE
#undef AT
#undef LOWERS
#undef BOUNDS
#undef SECTION
end module halo_cases
