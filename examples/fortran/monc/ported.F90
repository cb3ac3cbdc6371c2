! SPDX-License-Identifier: BSD-3-Clause
! The port of MONC to Halocline: these modules replace those of the same name, and no other file changes.

! communicationtypes.F90
module communication_double_types_mod
  use datadefn_mod, only: DEFAULT_PRECISION                  ! real32 or real64
  include "halocline_monc_types.inc"
end module

module communication_single_types_mod
  use datadefn_mod, only: DEFAULT_PRECISION => SINGLE_PRECISION
  include "halocline_monc_types.inc"
end module

module communication_types_mod
  use communication_double_types_mod
  use communication_single_types_mod, only: halo_communication_single_prec_type => halo_communication_type, &
    neighbour_description_single_prec_type => neighbour_description_type, &
    field_data_wrapper_single_prec_type => field_data_wrapper_type
end module

! halocommunication.F90
module halo_communication_mod
  use datadefn_mod, only: DEFAULT_PRECISION
  use grids_mod, only: local_grid_type, X_INDEX, Y_INDEX, Z_INDEX
  use state_mod, only: model_state_type
  use communication_types_mod, only: halo_communication_type, neighbour_description_type, field_data_wrapper_type
  include "halocline_monc.inc"
end module

! halocommunication_single_prec.F90
module halo_communication_single_mod
  use datadefn_mod, only: DEFAULT_PRECISION => SINGLE_PRECISION
  use grids_mod, only: local_grid_type, X_INDEX, Y_INDEX, Z_INDEX
  use state_mod, only: model_state_type
  use communication_types_mod, only: halo_communication_type => halo_communication_single_prec_type, &
    neighbour_description_type => neighbour_description_single_prec_type, &
    field_data_wrapper_type => field_data_wrapper_single_prec_type
  include "halocline_monc.inc"
end module
