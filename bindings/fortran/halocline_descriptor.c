/*
 * Reads and fills Fortran array descriptors (Fortran 2018, 18.5), so that one function serves every type, rank and section: what an
 * array's strides are, and where a pointer shall point. Called through the interfaces of halocline_fields.F90.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "halocline_descriptor.h"

#include <string.h>

enum { MAX_NAME = 32 };

/* As type hlc_field in halocline_fields.F90. */
typedef struct fortran_field {
  void *data;
  int32_t type;
  int32_t ndims;
  int64_t element_bytes;
  int64_t stride_bytes[HLC_MAX_DIMS];
  int64_t extent[HLC_MAX_DIMS];
  char name[MAX_NAME];
  /* What hlc_shaped fills in. */
  int32_t shape_dims;
  int32_t own_depth;
  int32_t stagger[HLC_MAX_DIMS];
  int64_t depth_low[HLC_MAX_DIMS];
  int64_t depth_high[HLC_MAX_DIMS];
} fortran_field;

/* Copies a Fortran string, without its trailing blanks, as far as there is room for it and a closing 0. */
static void copy_name(char *to, const CFI_cdesc_t *name) {
  size_t length = name->elem_len < MAX_NAME ? name->elem_len : MAX_NAME - 1;
  memcpy(to, name->base_addr, length);
  while (length > 0 && to[length - 1] == ' ') --length;
  to[length] = 0;
}

/* Describes any array or section. More dimensions than HLC_MAX_DIMS are counted in ndims, and left out of the strides. The program calls
 * this directly, because gfortran 12 forgets the strides of components and parts (a%x, z%re) when it hands a descriptor on. */
HLC_API fortran_field hlc_fortran_field_of(const CFI_cdesc_t *array, const CFI_cdesc_t *name) {
  fortran_field field = {.data = array->base_addr, .type = type_of(array), .ndims = array->rank, .element_bytes = (int64_t)array->elem_len};
  for (int d = 0; d < array->rank && d < HLC_MAX_DIMS; ++d) {
    field.stride_bytes[d] = array->dim[d].sm;
    field.extent[d] = array->dim[d].extent;
  }
  if (name) copy_name(field.name, name);
  return field;
}

/* Lets a Fortran pointer point to the cells of a view, with the indices that they would have in the halo of a block that begins at 1; block is
 * the view in the middle. Fails, and leaves it disassociated, where its rank is another or the view's strides are no multiples of an element. */
hlc_status hlc_fortran_associate_view(CFI_cdesc_t *pointer, const hlc_view *view, const hlc_view *block, const int *direction, int ndims) {
  pointer->base_addr = NULL;
  if (pointer->rank != ndims) return HLC_ERR_ARGUMENT;
  for (int d = 0; d < ndims; ++d) {
    if (view->stride_bytes[d] % (int64_t)pointer->elem_len != 0) return HLC_ERR_UNSUPPORTED;
    pointer->dim[d].lower_bound = direction[d] < 0 ? 1 - view->count[d] : direction[d] == 0 ? 1 : block->count[d] + 1;
    pointer->dim[d].extent = view->count[d];
    pointer->dim[d].sm = view->stride_bytes[d];
  }
  pointer->base_addr = (void *)(uintptr_t)view->data; /* Fortran 2018 has no pointer to what may only be read */
  return HLC_OK;
}

/* The address of an array's first element. */
void *hlc_fortran_address_of(const CFI_cdesc_t *array) { return array->base_addr; }

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
