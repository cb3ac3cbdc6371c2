/*
 * The operations of module halocline_segment that take any array: what lies behind its descriptor (Fortran 2018, 18.5) is turned into the
 * bytes, runs or numbers of segment.h. The program calls these functions directly, as hlc_fortran_field_of.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <halocline/segment.h>

#include "halocline_descriptor.h"

/* As type hlc_segment in halocline_segment.F90. */
typedef struct fortran_segment {
  hlc_segment *handle;
  int rank;
} fortran_segment;

static void settle(const fortran_segment *segment, hlc_status code, int *status) {
  hlc_fortran_settle((int)code, segment->rank, status, "", "");
}

static void refuse(const fortran_segment *segment, const char *call, const char *message, int *status) {
  hlc_fortran_settle(HLC_ERR_ARGUMENT, segment->rank, status, call, message);
}

static hlc_target target_of(const fortran_segment *segment, int rank, int64_t offset) {
  return (hlc_target){segment->handle, rank, offset};
}

/* Contiguous leading dimensions make a run; the others are dimensions of the block, which lies packed at the target. 0: too many of them. */
static int describe(const CFI_cdesc_t *array, hlc_block *block) {
  *block = (hlc_block){.run_bytes = (int64_t)array->elem_len};
  int64_t packed = block->run_bytes;
  for (int d = 0; d < array->rank; ++d) {
    const int64_t extent = array->dim[d].extent;
    if (block->ndims == 0 && array->dim[d].sm == packed) {
      block->run_bytes *= extent;
    } else if (extent != 1) {
      if (block->ndims == HLC_MAX_DIMS) return 0;
      block->count[block->ndims] = extent;
      block->local_stride[block->ndims] = array->dim[d].sm;
      block->target_stride[block->ndims] = packed;
      ++block->ndims;
    }
    packed *= extent;
  }
  return 1;
}

/* Puts or gets a whole array or section. */
typedef hlc_status (*mover)(hlc_target at, void *data, const hlc_block *block);

static hlc_status put_block(hlc_target to, void *data, const hlc_block *block) {
  return block->ndims == 0 ? hlc_put(to, data, block->run_bytes) : hlc_put_strided(to, data, block);
}

static hlc_status get_block(hlc_target from, void *data, const hlc_block *block) {
  return block->ndims == 0 ? hlc_get(from, data, block->run_bytes) : hlc_get_strided(from, data, block);
}

static void move(mover move_block, const char *call, const fortran_segment *segment, hlc_target at, const CFI_cdesc_t *data, int *status) {
  hlc_block block;
  if (has_unknown_size(data))
    refuse(segment, call, "data is an array of assumed size: give a section with an end", status);
  else if (!describe(data, &block))
    refuse(segment, call, "data has more than 4 dimensions that are not contiguous", status);
  else
    settle(segment, move_block(at, data->base_addr, &block), status);
}

HLC_API void hlc_fortran_put(const fortran_segment *segment, int rank, int64_t offset, const CFI_cdesc_t *data, int *status) {
  move(put_block, "hlc_put", segment, target_of(segment, rank, offset), data, status);
}

HLC_API void hlc_fortran_get(const fortran_segment *segment, int rank, int64_t offset, const CFI_cdesc_t *data, int *status) {
  move(get_block, "hlc_get", segment, target_of(segment, rank, offset), data, status);
}

HLC_API void hlc_fortran_put_strided(const fortran_segment *segment, int rank, int64_t offset, const CFI_cdesc_t *data,
                                     const hlc_block *block, int *status) {
  settle(segment, hlc_put_strided(target_of(segment, rank, offset), data->base_addr, block), status);
}

HLC_API void hlc_fortran_get_strided(const fortran_segment *segment, int rank, int64_t offset, const CFI_cdesc_t *data,
                                     const hlc_block *block, int *status) {
  settle(segment, hlc_get_strided(target_of(segment, rank, offset), data->base_addr, block), status);
}

/* What cannot be told in one piece has to be put and flushed before. */
static int is_in_one_piece(const fortran_segment *segment, const char *call, const CFI_cdesc_t *data, int *status) {
  hlc_block block;
  if (!has_unknown_size(data) && describe(data, &block) && block.ndims == 0) return 1;
  refuse(segment, call, "data is not contiguous", status);
  return 0;
}

HLC_API void hlc_fortran_put_notify(const fortran_segment *segment, int rank, int64_t offset, const CFI_cdesc_t *data, int id,
                                    int32_t value, int *status) {
  static const char call[] = "hlc_put_notify";
  if (!is_in_one_piece(segment, call, data, status)) return;
  const hlc_notification notification = {id, (uint32_t)value};
  const int64_t bytes = elements_of(data) * (int64_t)data->elem_len;
  settle(segment, hlc_put_notify(target_of(segment, rank, offset), data->base_addr, bytes, notification), status);
}

/* HLC_NUMBER_COUNT_: no number that atomics know; the library refuses it by name. */
static hlc_number number_of(const CFI_cdesc_t *array) {
  switch (array->type) {
    case CFI_type_int8_t: return HLC_NUMBER_INT8;
    case CFI_type_int16_t: return HLC_NUMBER_INT16;
    case CFI_type_int32_t: return HLC_NUMBER_INT32;
    case CFI_type_int64_t: return HLC_NUMBER_INT64;
    case CFI_type_float: return HLC_NUMBER_FLOAT32;
    case CFI_type_double: return HLC_NUMBER_FLOAT64;
    default: return HLC_NUMBER_COUNT_;
  }
}

HLC_API void hlc_fortran_accumulate(const fortran_segment *segment, int rank, int64_t offset, int op, const CFI_cdesc_t *data,
                                    int *status) {
  static const char call[] = "hlc_accumulate";
  if (!is_in_one_piece(segment, call, data, status)) return;
  const hlc_action action = {(hlc_op)op, number_of(data)};
  settle(segment, hlc_accumulate(target_of(segment, rank, offset), action, data->base_addr, elements_of(data)), status);
}

HLC_API void hlc_fortran_fetch_op(const fortran_segment *segment, int rank, int64_t offset, int op, const CFI_cdesc_t *operand,
                                  const CFI_cdesc_t *old, int *status) {
  static const char call[] = "hlc_fetch_op";
  if (old->type != operand->type) {
    refuse(segment, call, "old and operand are of different types", status);
    return;
  }
  const hlc_action action = {(hlc_op)op, number_of(operand)};
  settle(segment, hlc_fetch_op(target_of(segment, rank, offset), action, operand->base_addr, old->base_addr), status);
}
