// See halo_case.hpp.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "random/halo_case.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>

namespace halocline::test {
namespace {

/// The layout in memory of one field, or of a struct of all fields. What is given per rank has the rank as its first index.
struct Layout {
  std::vector<int> order;                      // dimensions, the fastest first
  std::vector<std::vector<std::int64_t>> pad;  // per rank and dimension: bytes more than a stride needs
  std::vector<std::int64_t> lead;              // per rank: unused bytes before the first cell
  std::vector<std::int64_t> lonely;            // per rank: the stride of a dimension with one cell, where it means nothing; 0: as others

  explicit Layout(const Json &text) : order(text.at("order")), pad(text.at("pad")), lead(text.at("lead")), lonely(text.at("lonely")) {}

  /// Of an array with so many cells along each dimension.
  Index strides(const Index &extent, int rank, std::int64_t element) const {
    const auto r = static_cast<std::size_t>(rank);
    Index strides{};
    std::int64_t next = element;
    for (std::size_t i = 0; i < order.size(); ++i) {
      const auto d = static_cast<std::size_t>(order[i]);
      strides[d] = next + pad[r][i];
      next = strides[d] * extent[d];
      if (extent[d] == 1 && lonely[r] > 0) strides[d] = lonely[r];
    }
    return strides;
  }
};

struct FieldKind {
  hlc_type type;
  std::size_t bytes;
};

std::vector<FieldKind> read_kinds(const Json &halo) {
  const std::map<std::string, hlc_type> types = {{"opaque", HLC_OPAQUE},        {"float32", HLC_FLOAT32}, {"float64", HLC_FLOAT64},
                                                 {"int32", HLC_INT32},          {"int64", HLC_INT64},     {"complex64", HLC_COMPLEX64},
                                                 {"complex128", HLC_COMPLEX128}};
  std::vector<FieldKind> kinds;
  for (const Json &field : halo.at("fields")) {
    const hlc_type type = types.at(field.at("type"));
    kinds.push_back({type, bytes_of(type, field.value("bytes", std::size_t{0}))});
  }
  return kinds;
}

/// Contiguous in the case's layout.
Index plain_strides(const Case &halo, const Index &extent, std::int64_t element) {
  const int ndims = halo.decomposition.ndims;
  Index strides{};
  for (int i = 0; i < ndims; ++i) {
    const auto d = static_cast<std::size_t>(halo.layout == HLC_COLUMN_MAJOR ? i : ndims - 1 - i);
    strides[d] = element;
    element *= extent[d];
  }
  return strides;
}

/// Each field in an arena of its own.
std::vector<FieldShape> separate_shapes(const Case &halo, int rank, const std::vector<FieldKind> &kinds, const Json &layouts) {
  std::vector<FieldShape> shapes;
  for (std::size_t f = 0; f < kinds.size(); ++f) {
    FieldShape shape{kinds[f].type, kinds[f].bytes, static_cast<int>(f), 0, {}, layouts[f].is_null()};
    const Index extent = Values(halo, rank, static_cast<int>(f)).extent();
    if (shape.default_strides) {
      shape.stride = plain_strides(halo, extent, static_cast<std::int64_t>(kinds[f].bytes));
    } else {
      const Layout layout(layouts[f]);
      shape.offset = layout.lead[static_cast<std::size_t>(rank)];
      shape.stride = layout.strides(extent, rank, static_cast<std::int64_t>(kinds[f].bytes));
    }
    shapes.push_back(shape);
  }
  return shapes;
}

/// All fields in one arena, as members of a struct per cell with `gap` unused bytes behind each member.
std::vector<FieldShape> struct_shapes(const Case &halo, int rank, const std::vector<FieldKind> &kinds, const Layout &layout,
                                      std::int64_t gap) {
  std::vector<FieldShape> shapes;
  std::int64_t bytes = 0;
  for (const FieldKind &kind : kinds) {
    shapes.push_back({kind.type, kind.bytes, 0, layout.lead[static_cast<std::size_t>(rank)] + bytes});
    bytes += static_cast<std::int64_t>(kind.bytes) + gap;
  }
  Index widest{};
  for (int f = 0; f < halo.nfields; ++f) {
    const Values values(halo, rank, f);
    for (std::size_t d = 0; d < widest.size(); ++d) widest[d] = std::max(widest[d], values.extent()[d]);
  }
  for (FieldShape &shape : shapes) shape.stride = layout.strides(widest, rank, bytes);
  return shapes;
}

/// A field that is in the cells and as deep as the halo is null.
hlc_field_shape read_shape(const Json &text) {
  hlc_field_shape shape{};
  if (text.is_null()) return shape;
  const std::vector<int> stagger = text.at("stagger");
  for (std::size_t d = 0; d < stagger.size(); ++d) shape.stagger[d] = static_cast<hlc_stagger>(stagger[d]);
  const std::vector<std::int64_t> low = text.at("low"), high = text.at("high");
  shape.own_depth = low.empty() ? 0 : 1;
  std::copy(low.begin(), low.end(), shape.depth_low);
  std::copy(high.begin(), high.end(), shape.depth_high);
  return shape;
}

Decomposition read_decomposition(const Json &halo) {
  const std::vector<std::vector<std::int64_t>> blocks = halo.at("blocks");
  const std::vector<int> periodic = halo.at("periodic");
  Decomposition decomposition;
  decomposition.ndims = static_cast<int>(blocks.size());
  int count = 1;
  for (std::size_t d = 0; d < blocks.size(); ++d) {
    decomposition.dims[d] = static_cast<int>(blocks[d].size());
    decomposition.periodic[d] = periodic[d];
    decomposition.cuts[d] = {0};
    for (const std::int64_t cells : blocks[d]) decomposition.cuts[d].push_back(decomposition.cuts[d].back() + cells);
    count *= decomposition.dims[d];
  }
  decomposition.rank_of_block.resize(static_cast<std::size_t>(count));
  decomposition.number_ranks(halo.value("order", HLC_LAYOUT_UNSET));
  if (!halo.at("ranks").is_null()) decomposition.rank_of_block = halo.at("ranks").get<std::vector<int>>();
  return decomposition;
}

}  // namespace

Case read_case(const Json &text) {
  Case halo;
  halo.decomposition = read_decomposition(text);
  const std::vector<std::int64_t> low = text.at("low"), high = text.at("high");
  std::copy(low.begin(), low.end(), halo.depth_low.begin());
  std::copy(high.begin(), high.end(), halo.depth_high.begin());
  halo.stencil = text.at("stencil") == "box" ? HLC_STENCIL_BOX : HLC_STENCIL_STAR;
  halo.layout = text.at("layout") == "column" ? HLC_COLUMN_MAJOR : HLC_ROW_MAJOR;
  halo.explicit_table = text.at("table");
  const std::vector<std::vector<int>> cut = text.at("cut");
  if (!cut.empty())
    halo.cut = [cut](int a, int b) {
      return std::any_of(cut.begin(), cut.end(), [=](const auto &pair) { return std::minmax(a, b) == std::minmax(pair[0], pair[1]); });
    };
  const std::vector<FieldKind> kinds = read_kinds(text);
  halo.nfields = static_cast<int>(kinds.size());
  for (const std::vector<int> &field : text.value("fills", std::vector<std::vector<int>>()))
    halo.fills.insert(halo.fills.end(), field.begin(), field.end());
  for (const Json &shape : text.value("shapes", Json::array())) halo.shapes.push_back(read_shape(shape));
  const Json layouts = text.at("layouts"), gap = text.at("struct_gap");
  halo.field_shapes = [=](const Case &self, int rank) {
    return gap.is_null() ? separate_shapes(self, rank, kinds, layouts) : struct_shapes(self, rank, kinds, Layout(layouts[0]), gap);
  };
  return halo;
}

Swap::Swap(const Json &swap) : fields(swap.value("fields", std::vector<int>())), with(swap.value("with", std::vector<int>())) {
  what.nfields = swap.value("nfields", static_cast<int>(fields.size()));
  what.fields = fields.empty() ? nullptr : fields.data();
  what.one_dim = swap.contains("dim") ? 1 : 0;
  what.dim = swap.value("dim", 0);
  what.side = static_cast<hlc_side>(swap.value("side", 0));
  what.reverse = swap.value("reverse", 0);
  what.depth = swap.value("depth", std::int64_t{0});
}

std::vector<int> Swap::fields_of(int set, int nfields) const {
  std::vector<int> all(static_cast<std::size_t>(nfields));
  std::iota(all.begin(), all.end(), 0);
  std::vector<int> found = what.nfields > 0 ? fields : all;
  std::erase_if(found, [&](int f) { return set != (with.empty() ? 0 : std::max(0, with.at(static_cast<std::size_t>(f)))); });
  return found;
}

void spoil(OwnedSpec &owned, const Json &wrong) {
  const auto i = wrong.value("index", std::size_t{0});
  const std::size_t f = i / HLC_MAX_DIMS, d = i % HLC_MAX_DIMS;  // of strides
  const std::int64_t value = wrong.value("value", std::int64_t{0});
  const int small = static_cast<int>(value);
  const std::map<std::string, std::function<void()>> ways = {
      {"ndims", [&] { owned.grid.ndims = small; }},
      {"dims", [&] { owned.grid.dims[i] = small; }},
      {"order", [&] { owned.grid.order = static_cast<hlc_layout>(small); }},
      {"coords", [&] { owned.grid.coords[i] = small; }},
      {"local", [&] { owned.grid.local[i] = value; }},
      {"low", [&] { owned.spec.depth_low[i] = value; }},
      {"high", [&] { owned.spec.depth_high[i] = value; }},
      {"nfields", [&] { owned.spec.nfields = small; }},
      {"fields", [&] { owned.spec.fields = nullptr; }},
      {"grid", [&] { owned.spec.grid = nullptr; }},
      {"data", [&] { owned.fields.at(i).data = nullptr; }},
      {"type", [&] { owned.fields.at(i).type = static_cast<hlc_type>(small); }},
      {"element_bytes", [&] { owned.fields.at(i).element_bytes = static_cast<std::size_t>(value); }},
      {"stride", [&] { owned.fields.at(f).stride_bytes[d] = value; }},
      {"fill", [&] { owned.fills.at(i) = static_cast<unsigned char>(small); }},
      {"stencil", [&] { owned.spec.stencil = static_cast<hlc_stencil>(small); }},
      {"layout", [&] { owned.spec.layout = static_cast<hlc_layout>(small); }},
      {"mode", [&] { owned.spec.mode = static_cast<hlc_mode>(small); }},
      {"epoch", [&] { owned.spec.epoch = static_cast<hlc_epoch>(small); }},
      {"drive", [&] { owned.spec.drive = static_cast<hlc_drive>(small); }},
      {"rebind", [&] { owned.spec.rebind = small; }},
      {"staged", [&] { owned.spec.staged = small; }},
      {"neighbours", [&] { owned.table.at(i) = small; }},
      {"shapes", [&] { owned.spec.shapes = nullptr; }},
      {"stagger", [&] { owned.shapes.at(f).stagger[d] = static_cast<hlc_stagger>(small); }},
      {"own_depth", [&] { owned.shapes.at(i).own_depth = small; }},
      {"own_low", [&] { owned.shapes.at(f).depth_low[d] = value; }},
      {"own_high", [&] { owned.shapes.at(f).depth_high[d] = value; }},
  };
  ways.at(wrong.at("name"))();
}

}  // namespace halocline::test
