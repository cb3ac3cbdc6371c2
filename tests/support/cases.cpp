// See cases.hpp.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "support/cases.hpp"

#include <algorithm>
#include <numeric>

namespace halocline::test {
namespace {

/// Dimensions from the fastest to the slowest of a contiguous layout.
std::array<int, HLC_MAX_DIMS> order_of(const Case &halo) {
  std::array<int, HLC_MAX_DIMS> order{};
  const int ndims = halo.decomposition.ndims;
  for (int d = 0; d < ndims; ++d) order[d] = halo.layout == HLC_COLUMN_MAJOR ? d : ndims - 1 - d;
  return order;
}

/// Cells of the largest array of all fields along a dimension.
std::int64_t widest(const Case &halo, int rank, int d) {
  std::int64_t cells = 0;
  for (int f = 0; f < halo.nfields; ++f) cells = std::max(cells, halo.extent(rank, f, d));
  return cells;
}

std::vector<Kind> random_kinds(const std::vector<Kind> &among, Random &random) {
  std::vector<Kind> kinds(static_cast<std::size_t>(between(random, 1, 4)));
  for (Kind &kind : kinds) kind = among[static_cast<std::size_t>(between(random, 0, std::ssize(among) - 1))];
  return kinds;
}

/// Cells of the smallest block along a dimension.
std::int64_t smallest_block(const Decomposition &blocks, int d) {
  std::int64_t cells = blocks.cuts[d].back();
  for (int block = 0; block < blocks.dims[d]; ++block) cells = std::min(cells, blocks.cuts[d][block + 1] - blocks.cuts[d][block]);
  return cells;
}

/// Of a field on nodes that the rank above owns, the rank below gets one value more than it asks for. The smallest block must have it.
hlc_field_shape random_shape(const Case &halo, Random &random) {
  hlc_field_shape shape{};
  shape.own_depth = static_cast<int>(between(random, 0, 1));
  for (int d = 0; d < halo.decomposition.ndims; ++d) {
    const std::int64_t deepest = std::min<std::int64_t>(smallest_block(halo.decomposition, d), halo.decomposition.ndims > 2 ? 2 : 4);
    shape.stagger[d] = static_cast<hlc_stagger>(between(random, HLC_CENTRED, HLC_NODES_OWNED));
    if (shape.own_depth) shape.depth_low[d] = between(random, 0, deepest), shape.depth_high[d] = between(random, 0, deepest);
    const std::int64_t high = shape.own_depth ? shape.depth_high[d] : halo.depth_high[d];
    if (shape.stagger[d] != HLC_NODES_OWNED || high < smallest_block(halo.decomposition, d)) continue;
    if (shape.own_depth)
      shape.depth_high[d] = high - 1;
    else
      shape.stagger[d] = HLC_NODES_SHARED;
  }
  return shape;
}

Shapes random_shapes(std::vector<Kind> kinds, int ndims, Random &random) {
  std::array<int, HLC_MAX_DIMS> order{};
  std::iota(order.begin(), order.begin() + ndims, 0);
  for (int d = ndims - 1; d > 0; --d) std::swap(order[d], order[between(random, 0, d)]);
  switch (between(random, 0, 2)) {
    case 0: return contiguous(std::move(kinds));
    case 1: return padded(std::move(kinds), order, static_cast<int>(between(random, 0, 3)), between(random, 0, 70));
    default: return array_of_structs(std::move(kinds), between(random, 0, 9));
  }
}

}  // namespace

std::int64_t between(Random &random, std::int64_t low, std::int64_t high) {
  return low + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(high - low + 1));
}

const std::vector<Kind> &all_kinds() {
  static const std::vector<Kind> kinds = {{HLC_OPAQUE, 1},  {HLC_OPAQUE, 2},  {HLC_OPAQUE, 3},    {HLC_OPAQUE, 4},     {HLC_OPAQUE, 8},
                                          {HLC_OPAQUE, 12}, {HLC_OPAQUE, 16}, {HLC_OPAQUE, 40},   {HLC_FLOAT32, 4},    {HLC_FLOAT64, 8},
                                          {HLC_INT32, 4},   {HLC_INT64, 8},   {HLC_COMPLEX64, 8}, {HLC_COMPLEX128, 16}};
  return kinds;
}

const std::vector<Kind> &summable_kinds() {
  static const std::vector<Kind> kinds = {{HLC_FLOAT32, 4}, {HLC_FLOAT64, 8},   {HLC_INT32, 4},
                                          {HLC_INT64, 8},   {HLC_COMPLEX64, 8}, {HLC_COMPLEX128, 16}};
  return kinds;
}

std::array<int, HLC_MAX_DIMS> spread(int ranks, int ndims) {
  std::array<int, HLC_MAX_DIMS> dims{1, 1, 1, 1};
  std::vector<int> factors;
  for (int f = 2; ranks > 1; ranks % f == 0 ? ranks /= f : ++f)
    if (ranks % f == 0) factors.push_back(f);
  for (auto factor = factors.rbegin(); factor != factors.rend(); ++factor) *std::min_element(dims.begin(), dims.begin() + ndims) *= *factor;
  return dims;
}

Decomposition decompose(int ranks, int ndims, Extents extents, unsigned periodic, Random &random) {
  Decomposition decomposition;
  decomposition.ndims = ndims;
  decomposition.dims = spread(ranks, ndims);
  decomposition.rank_of_block.resize(static_cast<std::size_t>(ranks));
  std::iota(decomposition.rank_of_block.begin(), decomposition.rank_of_block.end(), 0);
  for (int d = 0; d < ndims; ++d) {
    decomposition.periodic[d] = periodic >> d & 1;
    decomposition.cuts[d] = {0};
    for (int block = 0; block < decomposition.dims[d]; ++block)
      decomposition.cuts[d].push_back(decomposition.cuts[d].back() + between(random, extents.smallest, extents.largest));
  }
  return decomposition;
}

Shapes contiguous(std::vector<Kind> kinds) {
  return [kinds](const Case &halo, int rank) {
    const auto order = order_of(halo);
    std::vector<FieldShape> shapes;
    for (const Kind &kind : kinds) {
      const auto f = static_cast<int>(shapes.size());
      FieldShape shape{kind.type, kind.bytes, f, 0, {}, true};
      auto stride = static_cast<std::int64_t>(kind.bytes);
      for (int i = 0; i < halo.decomposition.ndims; stride *= halo.extent(rank, f, order[i]), ++i) shape.stride[order[i]] = stride;
      shapes.push_back(shape);
    }
    return shapes;
  };
}

Shapes padded(std::vector<Kind> kinds, std::array<int, HLC_MAX_DIMS> order, int gap, std::int64_t lead) {
  return [=](const Case &halo, int rank) {
    std::vector<FieldShape> shapes;
    for (const Kind &kind : kinds) {
      const auto f = static_cast<int>(shapes.size());
      FieldShape shape{kind.type, kind.bytes, f, lead};
      auto stride = static_cast<std::int64_t>(kind.bytes) * (1 + gap);
      for (int i = 0; i < halo.decomposition.ndims; ++i) {
        shape.stride[order[i]] = stride;
        stride = stride * halo.extent(rank, f, order[i]) + gap * static_cast<std::int64_t>(kind.bytes);
      }
      shapes.push_back(shape);
    }
    return shapes;
  };
}

Shapes array_of_structs(std::vector<Kind> kinds, std::int64_t gap) {
  return [=](const Case &halo, int rank) {
    std::int64_t struct_bytes = 0;
    std::vector<FieldShape> shapes;
    for (const Kind &kind : kinds) {
      shapes.push_back({kind.type, kind.bytes, 0, struct_bytes});
      struct_bytes += static_cast<std::int64_t>(kind.bytes) + gap;
    }
    const auto order = order_of(halo);
    for (FieldShape &shape : shapes)
      for (std::int64_t i = 0, stride = struct_bytes; i < halo.decomposition.ndims; stride *= widest(halo, rank, order[i]), ++i)
        shape.stride[order[i]] = stride;
    return shapes;
  };
}

Case plain_case(std::string name, Decomposition decomposition, std::int64_t depth, int nfields) {
  Case halo;
  halo.name = std::move(name);
  halo.decomposition = std::move(decomposition);
  std::fill_n(halo.depth_low.begin(), halo.decomposition.ndims, depth);
  std::fill_n(halo.depth_high.begin(), halo.decomposition.ndims, depth);
  halo.nfields = nfields;
  halo.field_shapes = contiguous(std::vector<Kind>(static_cast<std::size_t>(nfields), float64));
  return halo;
}

Case random_case(int ranks, Random &random, const std::vector<Kind> &among) {
  const int ndims = static_cast<int>(between(random, 1, 4));
  const std::int64_t deepest = between(random, 1, ndims > 2 ? 2 : 3);
  const Extents extents{deepest, deepest + 3};
  Case halo = plain_case("random", decompose(ranks, ndims, extents, static_cast<unsigned>(between(random, 0, 15)), random), 0);
  for (int d = 0; d < ndims; ++d) {
    halo.depth_low[d] = between(random, 0, deepest);
    halo.depth_high[d] = between(random, 0, deepest);
  }
  halo.stencil = between(random, 0, 1) ? HLC_STENCIL_BOX : HLC_STENCIL_STAR;
  halo.layout = between(random, 0, 1) ? HLC_COLUMN_MAJOR : HLC_ROW_MAJOR;
  const std::vector<Kind> kinds = random_kinds(among, random);
  halo.nfields = static_cast<int>(kinds.size());
  halo.field_shapes = random_shapes(kinds, ndims, random);
  return halo;
}

Case staggered_case(int ranks, Random &random, const std::vector<Kind> &among) {
  Case halo = random_case(ranks, random, among);
  halo.name = "staggered";
  for (int f = 0; f < halo.nfields; ++f) halo.shapes.push_back(random_shape(halo, random));
  return halo;
}

}  // namespace halocline::test
