!> Stands in for output_netcdf.f90 where the build found no netcdf-fortran: asking for a file is a fault, all else does nothing.
!> SPDX-License-Identifier: BSD-3-Clause
module cloud_output
  use cloud_model, only: model_t
  implicit none
  private
  public :: output_t, output_fault, open_output, write_record, close_output

  type :: output_t
    logical :: wanted = .false.
  end type output_t

contains

  !> message is empty if no file is asked for, else it says why there can be none.
  subroutine output_fault(path, message)
    character(*), intent(in) :: path
    character(:), allocatable, intent(out) :: message
    message = ''
    if (path /= '') message = '--output "'//path//'": this build has no NetCDF; install netcdf-fortran '// &
      '(Debian: libnetcdff-dev) and configure again'
  end subroutine output_fault

  subroutine open_output(path, model, file)
    character(*), intent(in) :: path
    type(model_t), intent(in) :: model
    type(output_t), intent(out) :: file
    file%wanted = path /= '' .and. model%ranks%rank < 0
  end subroutine open_output

  subroutine write_record(model, file)
    type(model_t), intent(in) :: model
    type(output_t), intent(inout) :: file
    file%wanted = file%wanted .and. model%time < 0
  end subroutine write_record

  subroutine close_output(model, file)
    type(model_t), intent(in) :: model
    type(output_t), intent(inout) :: file
    file%wanted = file%wanted .and. model%time < 0
  end subroutine close_output
end module cloud_output
