// Grids in blocks, and fields over them with a halo.
//
// SPDX-License-Identifier: BSD-3-Clause
#ifndef HALOCLINE_CXX_FIELD_HPP
#define HALOCLINE_CXX_FIELD_HPP

#include <halocline/cxx/context.hpp>

#include <array>
#include <complex>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace halocline {

/// Returns the hlc_type of a C++ type; any other trivially copyable type is opaque: swapped, but not added in a reverse swap.
template <class T>
constexpr hlc_type type_of() {
  static_assert(std::is_trivially_copyable_v<T>, "fields hold plain values");
  if constexpr (std::is_same_v<T, float>)
    return HLC_FLOAT32;
  else if constexpr (std::is_same_v<T, double>)
    return HLC_FLOAT64;
  else if constexpr (std::is_same_v<T, std::complex<float>>)
    return HLC_COMPLEX64;
  else if constexpr (std::is_same_v<T, std::complex<double>>)
    return HLC_COMPLEX128;
  else if constexpr (std::is_integral_v<T> && std::is_signed_v<T> && sizeof(T) == 4)
    return HLC_INT32;
  else if constexpr (std::is_integral_v<T> && std::is_signed_v<T> && sizeof(T) == 8)
    return HLC_INT64;
  else
    return HLC_OPAQUE;
}

/// A block decomposition of global cells over the ranks of a context (hlc_grid_create). periodic: one flag per dimension, empty: all
/// open. ranks: ranks along each dimension, 0 where free, empty: all free. order: how they are numbered (hlc_grid).
class Grid {
 public:
  /// Splits the cells; local, every rank finds the same split. Throws HLC_ERR_ARGUMENT if no split gives each rank a cell.
  Grid(const Context &context, const std::vector<std::int64_t> &global, const std::vector<int> &periodic = {},
       const std::vector<int> &ranks = {}, hlc_layout order = HLC_ROW_MAJOR) {
    const auto fits = [&](const std::vector<int> &list) { return list.empty() || list.size() == global.size(); };
    if (!fits(periodic) || !fits(ranks)) throw Error(HLC_ERR_ARGUMENT, "Grid: periodic and ranks need one entry per dimension, or none");
    const int ndims = static_cast<int>(global.size());
    const int *dims = ranks.empty() ? nullptr : ranks.data(), *joined = periodic.empty() ? nullptr : periodic.data();
    check(order == HLC_ROW_MAJOR ? hlc_grid_create(context.raw(), ndims, global.data(), dims, joined, &grid_)
                                 : hlc_grid_create_ordered(context.raw(), order, ndims, global.data(), dims, joined, &grid_));
  }
  /// Takes a grid of the C API, which is copied.
  explicit Grid(const hlc_grid &grid) : grid_(grid) {}
  /// Gives the ranks other places, so that as many neighbours as possible share a node (hlc_grid_reorder): before anything is stored by
  /// place. Returns what crosses nodes before and after. Collective.
  hlc_placement reorder(const Context &context, const hlc_swap_shape &shape = {}) {
    hlc_placement placement{};
    check(hlc_grid_reorder(context.raw(), &shape, &grid_, &placement));
    return placement;
  }
  /// Dimensions, 1 to 4.
  int ndims() const noexcept { return grid_.ndims; }
  /// Cells of this rank's block along dimension d.
  std::int64_t local(int d) const noexcept { return grid_.local[d]; }
  /// First global cell of this rank's block along dimension d.
  std::int64_t start(int d) const noexcept { return grid_.start[d]; }
  /// Cells of the whole domain along dimension d.
  std::int64_t global(int d) const noexcept { return grid_.global[d]; }
  /// Ranks along dimension d.
  int ranks(int d) const noexcept { return grid_.dims[d]; }
  /// This rank's place along dimension d.
  int coord(int d) const noexcept { return grid_.coords[d]; }
  /// The rank at coords, HLC_NO_NEIGHBOUR beyond an open side.
  int rank_at(const std::array<int, HLC_MAX_DIMS> &coords) const noexcept { return hlc_grid_rank(&grid_, coords.data()); }
  /// The grid for calls of the C API.
  const hlc_grid &raw() const noexcept { return grid_; }

 private:
  hlc_grid grid_{};
};

/// Halo cells on both sides of each of N dimensions.
template <int N>
struct Depth {
  std::array<std::int64_t, N> low{}, high{};  ///< below and above the block
  /// So many halo cells on every side.
  static Depth all(std::int64_t cells) {
    Depth depth;
    depth.low.fill(cells);
    depth.high.fill(cells);
    return depth;
  }
};

/// One block of a grid with its halo, row-major: u(i, j) is interior cell (i, j) counted from 0; -1 and local(d) are halo cells. Along a
/// dimension on nodes i is the node below cell i, and local(d) the last node of the block.
template <class T, int N>
class Field {
 public:
  /// Allocates the block of this rank, filled with zeros. Collective. Throws HLC_ERR_ARGUMENT where the grid has not N dimensions, or a
  /// depth is negative.
  Field(const Context &context, const Grid &grid, const Depth<N> &depth, Pages pages = Pages::of_the_caller)
      : Field(context, grid, depth, std::array<Stagger, N>{}, pages) {}
  /// The same with one depth for all sides.
  Field(const Context &context, const Grid &grid, std::int64_t depth, Pages pages = Pages::of_the_caller)
      : Field(context, grid, Depth<N>::all(depth), pages) {}
  /// The same with values on nodes along some dimensions, where there is one more than cells: Field<double, 2> u(context, grid, 1,
  /// {Stagger::nodes_shared, Stagger::centred}).
  Field(const Context &context, const Grid &grid, const Depth<N> &depth, const std::array<Stagger, N> &stagger,
        Pages pages = Pages::of_the_caller)
      : depth_(depth),
        stagger_(stagger),
        extent_(extents(grid, depth, stagger)),
        cells_(allocate(context, depth, extent_, pages)),
        origin_(cells_.data() + offset(depth.low)) {}
  /// The same with one depth for all sides.
  Field(const Context &context, const Grid &grid, std::int64_t depth, const std::array<Stagger, N> &stagger,
        Pages pages = Pages::of_the_caller)
      : Field(context, grid, Depth<N>::all(depth), stagger, pages) {}
  /// A cell by its indices in the block, of which -1 and local(d) are in the halo. They are not checked.
  template <class... Index>
  T &operator()(Index... index) noexcept {
    static_assert(sizeof...(Index) == N, "one index per dimension");
    return origin_[offset({static_cast<std::int64_t>(index)...})];
  }
  /// A cell by its indices in the block, of which -1 and local(d) are in the halo. They are not checked.
  template <class... Index>
  const T &operator()(Index... index) const noexcept {
    static_assert(sizeof...(Index) == N, "one index per dimension");
    return origin_[offset({static_cast<std::int64_t>(index)...})];
  }
  /// Cells along dimension d, halo included.
  std::int64_t extent(int d) const noexcept { return extent_[d]; }
  /// Halo cells on each side.
  const Depth<N> &depth() const noexcept { return depth_; }
  /// Where the values are along each dimension.
  const std::array<Stagger, N> &stagger() const noexcept { return stagger_; }
  /// The whole block, halo included; data() is its first cell.
  T *data() noexcept { return cells_.data(); }
  /// Cells of the whole block, halo included.
  std::size_t size() const noexcept { return cells_.size(); }

 private:
  using Index = std::array<std::int64_t, N>;
  static Index extents(const Grid &grid, const Depth<N> &depth, const std::array<Stagger, N> &stagger) {
    if (grid.ndims() != N) throw Error(HLC_ERR_ARGUMENT, "Field: the grid has another number of dimensions");
    Index extent;
    for (int d = 0; d < N; ++d) extent[d] = depth.low[d] + grid.local(d) + depth.high[d] + (stagger[d] == Stagger::centred ? 0 : 1);
    return extent;
  }
  /// A request for more than any memory has lets the other ranks return, too, before this one says what is wrong.
  static SharedArray<T> allocate(const Context &context, const Depth<N> &depth, const Index &extent, Pages pages) {
    const std::string wrong = negative_depth(depth);
    if (wrong.empty()) return SharedArray<T>(context, count(extent), pages);
    try {
      const SharedArray<T> none(context, SIZE_MAX, pages);
    } catch (const Error &) {
    }
    throw Error(HLC_ERR_ARGUMENT, "Field on rank " + std::to_string(context.rank()) + ": " + wrong + " but must be 0 or more");
  }
  /// "depth.low[1] is -1", empty if there is none.
  static std::string negative_depth(const Depth<N> &depth) {
    for (int d = 0; d < N; ++d)
      for (const bool high : {false, true})
        if (const std::int64_t cells = high ? depth.high[d] : depth.low[d]; cells < 0)
          return std::string(high ? "depth.high[" : "depth.low[") + std::to_string(d) + "] is " + std::to_string(cells);
    return {};
  }
  static std::size_t count(const Index &extent) {
    std::size_t cells = 1;
    for (std::int64_t n : extent) {
      if (n < 1 || static_cast<std::size_t>(n) > SIZE_MAX / cells) return SIZE_MAX;  // refused where memory is requested
      cells *= static_cast<std::size_t>(n);
    }
    return cells;
  }
  std::int64_t offset(const Index &index) const noexcept {
    std::int64_t offset = index[0];
    for (int d = 1; d < N; ++d) offset = offset * extent_[d] + index[d];
    return offset;
  }

  Depth<N> depth_;
  std::array<Stagger, N> stagger_;
  Index extent_;
  SharedArray<T> cells_;
  T *origin_;
};

}  // namespace halocline
#endif
