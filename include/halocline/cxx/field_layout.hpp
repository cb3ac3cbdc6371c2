// The location of a field's cells, so that a swap with another field than the planned one can be refused before it touches memory.
//
// SPDX-License-Identifier: BSD-3-Clause
#ifndef HALOCLINE_CXX_FIELD_LAYOUT_HPP
#define HALOCLINE_CXX_FIELD_LAYOUT_HPP

#include <halocline/cxx/field.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <type_traits>

namespace halocline::detail {

inline const char *type_text(hlc_type type) {
  switch (type) {
    case HLC_FLOAT32: return "HLC_FLOAT32";
    case HLC_FLOAT64: return "HLC_FLOAT64";
    case HLC_COMPLEX64: return "HLC_COMPLEX64";
    case HLC_COMPLEX128: return "HLC_COMPLEX128";
    case HLC_INT32: return "HLC_INT32";
    case HLC_INT64: return "HLC_INT64";
    default: return "HLC_OPAQUE";
  }
}

inline std::size_t bytes_of(const hlc_field &field) {
  switch (field.type) {
    case HLC_FLOAT32:
    case HLC_INT32: return 4;
    case HLC_FLOAT64:
    case HLC_COMPLEX64:
    case HLC_INT64: return 8;
    case HLC_COMPLEX128: return 16;
    default: return field.element_bytes;
  }
}

/// What is known of a field's elements and cells. Of memory that is no Field only the elements are.
class FieldLayout {
 public:
  template <class T, int N>
  explicit FieldLayout(Field<T, N> &field) : type_(type_of<T>()), element_bytes_(sizeof(T)), ndims_(N) {
    std::int64_t stride = sizeof(T);
    for (int d = N - 1; d >= 0; --d) {
      extent_[at(d)] = field.extent(d);
      low_[at(d)] = field.depth().low[d];
      stride_bytes_[at(d)] = stride;
      stride *= extent_[at(d)];
    }
  }
  template <class Memory>
  explicit FieldLayout(Memory &memory)
      : type_(type_of<std::remove_pointer_t<decltype(memory.data())>>()), element_bytes_(sizeof(*memory.data())) {}
  /// Field f of a plan that the C API has taken.
  FieldLayout(const hlc_halo_spec &spec, int f)
      : type_(spec.fields[f].type), element_bytes_(bytes_of(spec.fields[f])), ndims_(spec.grid->ndims) {
    const hlc_field &field = spec.fields[f];
    std::int64_t stride = static_cast<std::int64_t>(element_bytes_);
    for (int i = 0; i < ndims_; ++i) {
      const int d = spec.layout == HLC_ROW_MAJOR ? ndims_ - 1 - i : i;
      const hlc_field_shape shape = spec.shapes ? spec.shapes[f] : hlc_field_shape{};
      low_[at(d)] = shape.own_depth ? shape.depth_low[d] : spec.depth_low[d];
      extent_[at(d)] = low_[at(d)] + spec.grid->local[d] + (shape.own_depth ? shape.depth_high[d] : spec.depth_high[d]);
      if (shape.stagger[d] != HLC_CENTRED) extent_[at(d)] += 1;
      stride_bytes_[at(d)] = field.stride_bytes[d] > 0 ? field.stride_bytes[d] : stride;
      stride *= extent_[at(d)];
    }
  }
  bool same_elements(const FieldLayout &planned) const { return type_ == planned.type_ && element_bytes_ == planned.element_bytes_; }
  /// Every cell of the planned field is at the same distance from data() here. There may be more cells than that.
  bool same_cells(const FieldLayout &planned) const {
    const bool known = ndims_ > 0;
    return !known || (ndims_ == planned.ndims_ && low_ == planned.low_ && stride_bytes_ == planned.stride_bytes_ &&
                      std::equal(extent_.begin(), extent_.end(), planned.extent_.begin(), [](auto a, auto b) { return a >= b; }));
  }
  /// "HLC_FLOAT64 of 8 bytes"
  std::string elements() const { return std::string(type_text(type_)) + " of " + std::to_string(element_bytes_) + " bytes"; }
  /// "10 x 8 cells (depth 1 x 1 on the low side, strides 64 x 8 bytes)"
  std::string cells() const {
    return product(extent_) + " cells (depth " + product(low_) + " on the low side, strides " + product(stride_bytes_) + " bytes)";
  }

 private:
  using PerDimension = std::array<std::int64_t, HLC_MAX_DIMS>;
  static std::size_t at(int d) { return static_cast<std::size_t>(d); }
  std::string product(const PerDimension &numbers) const {
    std::string text;
    for (int d = 0; d < ndims_; ++d) text += (d > 0 ? " x " : "") + std::to_string(numbers[at(d)]);
    return text;
  }
  hlc_type type_;
  std::size_t element_bytes_;
  int ndims_ = 0;
  PerDimension extent_{}, low_{}, stride_bytes_{};
};

}  // namespace halocline::detail
#endif
