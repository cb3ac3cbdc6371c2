// Views of the cells around a block, and rows of cells over them.
//
// SPDX-License-Identifier: BSD-3-Clause
#ifndef HALOCLINE_CXX_VIEW_HPP
#define HALOCLINE_CXX_VIEW_HPP

#include <halocline/cxx/halo.hpp>

#include <array>
#include <memory>
#include <type_traits>

namespace halocline {

/// The cells in one direction of a block, read in place. view(i, j) has the indices that the cell has in a Field, counted from the block's
/// first cell.
template <class T, int N>
class View {
 public:
  /// Made by Views; block is the view of the block itself.
  View(const hlc_view &view, const hlc_view &block, const std::array<int, N> &direction)
      : view_(view), origin_(static_cast<const char *>(view.data)) {
    for (int d = 0; d < N; ++d) origin_ -= first(block, direction[d], d) * view.stride_bytes[d];
  }
  /// A cell by its indices, which are not checked.
  template <class... Index>
  const T &operator()(Index... index) const noexcept {
    static_assert(sizeof...(Index) == N, "one index per dimension");
    const std::int64_t at[] = {static_cast<std::int64_t>(index)...};
    const char *cell = origin_;
    for (int d = 0; d < N; ++d) cell += at[d] * view_.stride_bytes[d];
    return *reinterpret_cast<const T *>(cell);
  }
  /// False where the last swap did not move these cells.
  explicit operator bool() const noexcept { return view_.data != nullptr; }
  /// Whose cells they are; HLC_NO_NEIGHBOUR: this rank's own halo.
  int rank() const noexcept { return view_.rank; }
  /// The view of the C API.
  const hlc_view &raw() const noexcept { return view_; }

 private:
  std::int64_t first(const hlc_view &block, int v, int d) const { return v < 0 ? -view_.count[d] : v == 0 ? 0 : block.count[d]; }

  hlc_view view_;
  const char *origin_;
};

/// All views of one field since the last finish (hlc_halo_views). N must be the number of the halo's dimensions, and T the field's element
/// type: neither is checked.
template <class T, int N>
class Views {
 public:
  /// field: its number in the Halo. Throws HLC_ERR_STATE while a swap is outstanding.
  Views(const Halo &halo, int field) { check(hlc_halo_views(halo.raw(), field, views_.data())); }
  /// The view in one direction, an entry -1, 0 or 1 per dimension.
  View<T, N> operator()(const std::array<int, N> &direction) const {
    std::size_t number = 0, power = 1;
    for (const int v : direction) number += static_cast<std::size_t>(v + 1) * power, power *= 3;
    return View<T, N>(views_.at(number), views_[views_.size() / 2], direction);
  }
  /// The views of the C API, HLC_DIRECTIONS(N) of them.
  const hlc_view *raw() const noexcept { return views_.data(); }

 private:
  std::array<hlc_view, HLC_DIRECTIONS(N)> views_{};
};

/// A piece of a row and the rows around it: row[k] points to the piece's first cell of row k, as hlc_row counts them.
template <class T>
class Row {
 public:
  /// Made by for_rows; valid during a call of body.
  explicit Row(const hlc_row &row) : row_(row) {}
  /// The first cell of row k of those around the piece.
  const T *operator[](std::int64_t k) const noexcept { return static_cast<const T *>(row_.cells[k]); }
  /// Cells of the piece.
  std::int64_t count() const noexcept { return row_.count; }
  /// The piece's first cell along dimension d, counted from 0 in the block.
  std::int64_t first(int d) const noexcept { return row_.first[d]; }

 private:
  const hlc_row &row_;
};

/// Options of for_rows: how far the stencil reads, whether it is a star, and along which dimension rows run. Dimension -1 is the last one,
/// which is contiguous in a Field.
struct RowsOptions {
  std::int64_t reach = 1;          ///< cells on each side
  Stencil stencil = Stencil::box;  ///< star: no edges and corners are read
  int dim = -1;                    ///< along which rows run
};

/// Calls body(Row<T>) for pieces that make up the whole block (hlc_for_rows). What body throws must not leave it.
template <class T, int N, class Body>
void for_rows(const Views<T, N> &views, const RowsOptions &options, Body &&body) {
  hlc_rows_spec spec{};
  spec.ndims = N;
  spec.dim = options.dim < 0 ? N - 1 : options.dim;
  spec.views = views.raw();
  spec.element_bytes = sizeof(T);
  spec.stencil = static_cast<hlc_stencil>(options.stencil);
  for (int d = 0; d < N; ++d) spec.reach[d] = options.reach;
  using Callable = std::remove_reference_t<Body>;
  const auto call = [](const hlc_row *row, void *user) noexcept { (*static_cast<Callable *>(user))(Row<T>(*row)); };
  check(hlc_for_rows(&spec, call, const_cast<void *>(static_cast<const void *>(std::addressof(body)))));
}

}  // namespace halocline
#endif
