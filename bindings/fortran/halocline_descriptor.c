/*
 * Reads and fills Fortran array descriptors (Fortran 2018, 18.5), so that one function serves every type, rank and section: what an
 * array's strides are, and where a pointer shall point. Called by halocline_fields.F90 only.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <ISO_Fortran_binding.h>
#include <halocline/halocline.h>

/* As type c_described in halocline_c.F90. */
typedef struct described {
  hlc_field field;
  int rank;
  int64_t extent[HLC_MAX_DIMS];
} described;

static hlc_type type_of(CFI_type_t type) {
  switch (type) {
    case CFI_type_float: return HLC_FLOAT32;
    case CFI_type_double: return HLC_FLOAT64;
    case CFI_type_int32_t: return HLC_INT32;
    case CFI_type_int64_t: return HLC_INT64;
    case CFI_type_float_Complex: return HLC_COMPLEX64;
    case CFI_type_double_Complex: return HLC_COMPLEX128;
    default: return HLC_OPAQUE;
  }
}

/* Describes any array or section. More dimensions than HLC_MAX_DIMS are counted in rank, and left out of the strides. */
void hlc_fortran_describe(const CFI_cdesc_t *array, described *result) {
  *result = (described){0};
  result->field.data = array->base_addr;
  result->field.type = type_of(array->type);
  result->field.element_bytes = array->elem_len;
  result->rank = array->rank;
  for (int d = 0; d < array->rank && d < HLC_MAX_DIMS; ++d) {
    result->field.stride_bytes[d] = array->dim[d].sm;
    result->extent[d] = array->dim[d].extent;
  }
}

/* Lets a Fortran pointer point to data with the bounds lower to upper; data NULL makes it disassociated. */
void hlc_fortran_associate(CFI_cdesc_t *pointer, void *data, const int64_t *lower, const int64_t *upper) {
  pointer->base_addr = data;
  CFI_index_t stride = (CFI_index_t)pointer->elem_len;
  for (int d = 0; data && d < pointer->rank; ++d) {
    pointer->dim[d].lower_bound = lower[d];
    pointer->dim[d].extent = upper[d] < lower[d] ? 0 : upper[d] - lower[d] + 1;
    pointer->dim[d].sm = stride;
    stride *= pointer->dim[d].extent;
  }
}
