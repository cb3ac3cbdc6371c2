! Teams of coarray images, each with coarrays of its own: windows on parts of the images at the same time. Open MPI 4.1.4 fails now and then.
! SPDX-License-Identifier: BSD-3-Clause
program coarray_teams
  use, intrinsic :: iso_fortran_env, only: team_type, output_unit, error_unit
  implicit none
  integer :: me, images, wrong, turn

  me = this_image()
  images = num_images()
  wrong = 0
  do turn = 1, 5
    call teams()
  end do
  sync all
  if (wrong > 0) error stop 1
  if (me == 1) write (output_unit, '(a, i0, a)') 'coarray teams: all right on ', images, ' images'
contains

  subroutine check(right, what)
    logical, intent(in) :: right
    character(*), intent(in) :: what
    if (right) return
    wrong = wrong + 1
    write (error_unit, '(a, i0, 2a)') 'image ', me, ': wrong: ', what
  end subroutine check

  !> Images of odd and of even numbers apart.
  subroutine teams()
    type(team_type) :: half
    integer :: members
    form team (1 + mod(me, 2), half)
    change team (half)
      members = 1
      call co_sum(members)
      call check(members == (images + mod(me, 2)) / 2 .and. num_images() == members, 'the number of images of a team')
      call in_team(merge(1, this_image() + 1, this_image() == num_images()))
    end team
    call check(num_images() == images .and. this_image() == me, 'the images after a team')
  end subroutine teams

  !> Each image puts to the next one of its team. From an array: OpenCoarrays 2.10.1 copies only the first element of a scalar to the own image.
  subroutine in_team(next_in_team)
    integer, intent(in) :: next_in_team
    integer, allocatable :: ring(:)[:]
    integer :: i, values(5)
    allocate (ring(5)[*])
    do i = 1, 20
      values = 100 * me + i
      ring(:)[next_in_team] = values
      sync all
      call check(all(ring == 100 * team_previous() + i), 'cells put by the previous image of a team')
      sync all
    end do
    deallocate (ring)
  end subroutine in_team

  !> The number, among all images, of the one before this image in its team.
  integer function team_previous()
    team_previous = me - 2
    if (team_previous < 1) team_previous = images - mod(images + me, 2)
  end function team_previous
end program coarray_teams
