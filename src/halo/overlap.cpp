// Whether two fields share a byte, from their strides and extents.
// SPDX-License-Identifier: BSD-3-Clause
#include "halo/overlap.hpp"

#include "base/types.hpp"

namespace halocline::core {
namespace {

/// Two fields with the same strides, and the bytes of an element of each.
struct Pair {
  const Extents &first, &second;
  Strides strides;
  std::array<int, kMaxDims> order;
  std::int64_t elements[2];

  /// Whether cells of the two overlap. Along each dimension, the outermost first, only two distances can bring them as close as the
  /// dimensions inside allow.
  bool meets(int place, std::int64_t delta) const {
    if (place < 0) return delta < elements[0] && -delta < elements[1];
    const int dim = order[static_cast<std::size_t>(place)];
    const std::int64_t stride = strides[static_cast<std::size_t>(dim)], most = first.cells(dim) - 1, least = 1 - second.cells(dim);
    if (most == least) return meets(place - 1, delta);
    const std::int64_t below = delta / stride - (delta % stride < 0 ? 1 : 0);
    for (const std::int64_t distance : {below, below + 1})
      if (distance >= least && distance <= most && meets(place - 1, delta - distance * stride)) return true;
    return false;
  }
};

/// Every byte from the first to the last belongs to a cell.
bool has_no_gaps(const hlc_halo_spec &spec, const hlc_field &field, const Extents &extents) {
  std::int64_t bytes = element_bytes(field);
  for (int d = 0; d < spec.grid->ndims; ++d) bytes *= extents.cells(d);
  return bytes == field_extent(spec, field, extents);
}

}  // namespace

std::int64_t bytes_between(const hlc_field &first, const hlc_field &second) {
  return reinterpret_cast<std::intptr_t>(second.data) - reinterpret_cast<std::intptr_t>(first.data);
}

bool fields_overlap(const hlc_halo_spec &spec, const hlc_field &first, const Extents &first_extents, const hlc_field &second,
                    const Extents &second_extents) {
  const std::int64_t delta = bytes_between(first, second);
  if (delta >= field_extent(spec, first, first_extents) || -delta >= field_extent(spec, second, second_extents)) return false;
  const Strides strides = field_strides(spec, first, first_extents);
  if (strides != field_strides(spec, second, second_extents))
    return delta == 0 || (has_no_gaps(spec, first, first_extents) && has_no_gaps(spec, second, second_extents));
  const Pair pair{
      first_extents, second_extents, strides, stride_order(strides, spec.grid->ndims), {element_bytes(first), element_bytes(second)}};
  return pair.meets(spec.grid->ndims - 1, delta);
}

}  // namespace halocline::core
