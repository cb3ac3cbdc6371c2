! MONC's module of halo swaps in single precision: monc_test.F90 with that module's names.
! SPDX-License-Identifier: BSD-3-Clause
#define halo_communication_mod halo_communication_single_mod
#define halo_communication_type halo_communication_single_prec_type
#define neighbour_description_type neighbour_description_single_prec_type
#define field_data_wrapper_type field_data_wrapper_single_prec_type
#include "monc_test.F90"
