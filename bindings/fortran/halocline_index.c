/*
 * Lets a Fortran pointer show the entries of an index halo's view. Called through the interface of halocline_index.inc.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "halocline_descriptor.h"

/* The pointer becomes u(components, places), with as many places as the view's runs reach; disassociated where the view shows nothing. */
hlc_status hlc_fortran_associate_entries(CFI_cdesc_t *pointer, const hlc_index_view *view, int64_t components) {
  const int64_t element = (int64_t)pointer->elem_len;
  int64_t places = 0;
  for (int64_t r = 0; r < view->nruns; ++r)
    if (view->runs[r].place + view->runs[r].count > places) places = view->runs[r].place + view->runs[r].count;
  pointer->base_addr = NULL;
  if (view->entry_stride_bytes % element != 0 || view->component_stride_bytes % element != 0) return HLC_ERR_UNSUPPORTED;
  pointer->dim[0].lower_bound = pointer->dim[1].lower_bound = 1;
  pointer->dim[0].extent = components;
  pointer->dim[0].sm = view->component_stride_bytes;
  pointer->dim[1].extent = places;
  pointer->dim[1].sm = view->entry_stride_bytes;
  pointer->base_addr = (void *)(uintptr_t)view->data; /* Fortran 2018 has no pointer to what may only be read */
  return HLC_OK;
}
