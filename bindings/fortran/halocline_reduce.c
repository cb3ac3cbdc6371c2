/*
 * The reductions of module halocline_reduce, whose arrays are of any type and rank: a plan keeps what its arrays are, and each run compares.
 * The program calls these functions directly, as hlc_fortran_field_of.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <halocline/reduce.h>
#include <stdio.h>
#include <string.h>

#include "halocline_descriptor.h"

enum { MESSAGE = 120, MAX_PLAN_NAME = 128 };

/* As type hlc_context in halocline_context.F90. */
typedef struct fortran_context {
  hlc_context *handle;
  int rank, size;
} fortran_context;

/* As type hlc_allreduce in halocline_reduce.F90. */
typedef struct fortran_allreduce {
  hlc_allreduce *handle;
  int rank, type;
  int64_t count, element_bytes;
} fortran_allreduce;

/* Copies a name without the blanks at its end, closed by a null character. */
static const char *close_name(char *to, const CFI_cdesc_t *name) {
  size_t length = name->elem_len < MAX_PLAN_NAME ? name->elem_len : MAX_PLAN_NAME - 1;
  memcpy(to, name->base_addr, length);
  while (length > 0 && to[length - 1] == ' ') --length;
  to[length] = 0;
  return to;
}

HLC_API void hlc_fortran_allreduce_create(const fortran_context *context, const CFI_cdesc_t *like, int reduction, fortran_allreduce *plan,
                                          hlc_reduce_fn function, void *const *user, int *status, const CFI_cdesc_t *name) {
  char c_name[MAX_PLAN_NAME] = "";
  *plan = (fortran_allreduce){.rank = context->rank, .type = (int)type_of(like), .element_bytes = (int64_t)like->elem_len};
  hlc_status made = HLC_OK;
  if (has_unknown_size(like)) { /* what only the binding sees is told to the other ranks */
    char message[MESSAGE];
    snprintf(message, sizeof message, "hlc_allreduce_create on rank %d: like is an array of assumed size: give a section with an end",
             context->rank);
    made = hlc_refuse(context->handle, message);
  } else {
    plan->count = elements_of(like);
    const hlc_allreduce_spec spec = {.count = plan->count,
                                     .type = (hlc_type)plan->type,
                                     .element_bytes = like->elem_len,
                                     .reduction = (hlc_reduction)reduction,
                                     .function = function,
                                     .user = user ? *user : NULL,
                                     .name = name ? close_name(c_name, name) : NULL};
    made = hlc_allreduce_create(context->handle, &spec, &plan->handle);
  }
  hlc_fortran_settle((int)made, context->rank, status, "", "");
}

static int is_contiguous(const CFI_cdesc_t *array) {
  CFI_index_t stride = (CFI_index_t)array->elem_len;
  for (int d = 0; d < array->rank; ++d) {
    if (array->dim[d].extent != 1 && array->dim[d].sm != stride) return 0;
    stride *= array->dim[d].extent;
  }
  return 1;
}

/* Writes what is wrong with an array of a run; an empty message if nothing is. */
static void compare(const fortran_allreduce *plan, const char *name, const CFI_cdesc_t *array, char *message) {
  message[0] = 0;
  if (has_unknown_size(array))
    snprintf(message, MESSAGE, "%s is an array of assumed size: give a section with an end", name);
  else if (elements_of(array) != plan->count)
    snprintf(message, MESSAGE, "%s has %lld elements, the plan's arrays have %lld", name, (long long)elements_of(array),
             (long long)plan->count);
  else if ((int)type_of(array) != plan->type || (int64_t)array->elem_len != plan->element_bytes)
    snprintf(message, MESSAGE, "%s is of another type than the plan's arrays", name);
  else if (plan->count > 0 && !is_contiguous(array))
    snprintf(message, MESSAGE, "%s is not contiguous", name);
}

static void run(const char *call, const fortran_allreduce *plan, const CFI_cdesc_t *in, const CFI_cdesc_t *out, int *status) {
  char message[MESSAGE] = "";
  if (plan->handle) compare(plan, in == out ? "data" : "in", in, message);
  if (plan->handle && !message[0] && in != out) compare(plan, "out", out, message);
  const hlc_status code = message[0] ? HLC_ERR_ARGUMENT : hlc_allreduce_run(plan->handle, in->base_addr, out->base_addr);
  hlc_fortran_settle((int)code, plan->rank, status, call, message);
}

HLC_API void hlc_fortran_allreduce_run(const fortran_allreduce *plan, const CFI_cdesc_t *in, const CFI_cdesc_t *out, int *status) {
  run("hlc_allreduce_run", plan, in, out, status);
}

HLC_API void hlc_fortran_allreduce_in_place(const fortran_allreduce *plan, const CFI_cdesc_t *data, int *status) {
  run("hlc_allreduce_in_place", plan, data, data, status);
}
