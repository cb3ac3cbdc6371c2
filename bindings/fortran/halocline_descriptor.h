/*
 * What the C files of this folder ask of a Fortran array descriptor (Fortran 2018, 18.5), and how they report.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef HALOCLINE_FORTRAN_DESCRIPTOR_H
#define HALOCLINE_FORTRAN_DESCRIPTOR_H

#include <ISO_Fortran_binding.h>
#include <halocline/halocline.h>

/* In halocline_errors.F90: hands the status to the caller, or stops the program. message: what is wrong, if the library did not see it. */
void hlc_fortran_settle(int code, int rank, int *status, const char *call, const char *message);

/* HLC_OPAQUE for every type that the library does not know. */
static inline hlc_type type_of(const CFI_cdesc_t *array) {
  switch (array->type) {
    case CFI_type_float: return HLC_FLOAT32;
    case CFI_type_double: return HLC_FLOAT64;
    case CFI_type_int32_t: return HLC_INT32;
    case CFI_type_int64_t: return HLC_INT64;
    case CFI_type_float_Complex: return HLC_COMPLEX64;
    case CFI_type_double_Complex: return HLC_COMPLEX128;
    default: return HLC_OPAQUE;
  }
}

static inline int64_t elements_of(const CFI_cdesc_t *array) {
  int64_t count = 1;
  for (int d = 0; d < array->rank; ++d) count *= array->dim[d].extent;
  return count;
}

/* An array argument of assumed size does not know its last extent. */
static inline int has_unknown_size(const CFI_cdesc_t *array) { return array->rank > 0 && array->dim[array->rank - 1].extent < 0; }

#endif
