// The checks of a spec of blocks, from the domain down to single fields.
// SPDX-License-Identifier: BSD-3-Clause
#include "blocks/check_spec.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "base/types.hpp"
#include "halo/overlap.hpp"

namespace halocline::core {
namespace {

constexpr std::int64_t kMax = std::int64_t{1} << 40;  // cells along a dimension: sums and products with a few of them fit 64 bits

Status bad(int rank, const std::string &argument, std::int64_t value, const std::string &rule) {
  return fail(Status::argument, "hlc_blocks_init on rank %d: %s is %lld but must be %s", rank, argument.c_str(),
              static_cast<long long>(value), rule.c_str());
}

Status is_null(int rank, const char *argument) { return fail(Status::argument, "hlc_blocks_init on rank %d: %s is NULL", rank, argument); }

const char *name_of(const hlc_blocks_spec &spec, int f) { return spec.fields[f].name ? spec.fields[f].name : "(no name)"; }

/// "fields[3] 'q', of blocks[1]".
std::string field_words(const hlc_blocks_spec &spec, int i) {
  return indexed("fields", i) + " '" + name_of(spec, i) + "', of " + indexed("blocks", i / spec.nfields);
}

Status check_domain(const hlc_blocks_spec &spec, int rank) {
  if (spec.ndims < 1 || spec.ndims > HLC_MAX_DIMS) return bad(rank, "ndims", spec.ndims, "1 to 4");
  for (int d = 0; d < spec.ndims; ++d) {
    if (spec.periodic[d] != 0 && spec.periodic[d] != 1) return bad(rank, indexed("periodic", d), spec.periodic[d], "0 or 1");
    if (spec.global[d] < 1 || spec.global[d] > kMax) return bad(rank, indexed("global", d), spec.global[d], "1 to 2^40");
    for (const auto &[name, depth] : {std::pair{"depth_low", spec.depth_low[d]}, std::pair{"depth_high", spec.depth_high[d]}})
      if (depth < 0 || depth > kMax) return bad(rank, indexed(name, d), depth, "0 to 2^40");
  }
  if (spec.stencil != HLC_STENCIL_BOX && spec.stencil != HLC_STENCIL_STAR) return bad(rank, "stencil", spec.stencil, "an hlc_stencil");
  if (spec.layout != HLC_LAYOUT_UNSET && spec.layout != HLC_ROW_MAJOR && spec.layout != HLC_COLUMN_MAJOR)
    return bad(rank, "layout", spec.layout, "HLC_ROW_MAJOR or HLC_COLUMN_MAJOR");
  if (spec.parts < 0 || spec.parts > 65536) return bad(rank, "parts", spec.parts, "0 to 65536");
  if (spec.nblocks < 0) return bad(rank, "nblocks", spec.nblocks, "0 or more");
  if (spec.nfields < 1) return bad(rank, "nfields", spec.nfields, "1 or more");
  const std::int64_t arrays = std::int64_t{spec.nblocks} * spec.nfields;
  if (arrays > INT32_MAX) return bad(rank, "nblocks times nfields", arrays, "below 2^31");
  if (spec.nblocks > 0 && !spec.blocks) return is_null(rank, "blocks");
  return spec.nblocks > 0 && !spec.fields ? is_null(rank, "fields") : Status::ok;
}

Status check_block(const hlc_blocks_spec &spec, int b, int rank) {
  const hlc_box &block = spec.blocks[b];
  const std::string who = indexed("blocks", b) + ", of id " + std::to_string(block.id) + ": ";
  for (int d = 0; d < spec.ndims; ++d) {
    if (block.count[d] < 1 || block.count[d] > spec.global[d])
      return bad(rank, who + indexed("count", d), block.count[d], "1 to the domain's " + std::to_string(spec.global[d]) + " cells");
    if (block.start[d] < 0 || block.start[d] > spec.global[d] - block.count[d])
      return bad(rank, who + indexed("start", d), block.start[d],
                 "0 or more, and with count at most global, " + std::to_string(spec.global[d]));
  }
  const int parts = std::max(1, spec.parts);
  return block.part >= 0 && block.part < parts ? Status::ok : bad(rank, who + "part", block.part, "0 to " + std::to_string(parts - 1));
}

Status check_element(const hlc_field &field, const std::string &who, int rank) {
  if (!field.data) return is_null(rank, (who + ": data").c_str());
  if (field.type < HLC_OPAQUE || field.type > HLC_COMPLEX128) return bad(rank, who + ": type", field.type, "an hlc_type");
  const auto given = static_cast<std::int64_t>(field.element_bytes);
  if (field.type == HLC_OPAQUE)
    return given > 0 && given <= kMaxBytes ? Status::ok : bad(rank, who + ": element_bytes", given, "1 to 2^48 for HLC_OPAQUE");
  return given == 0 || given == element_bytes(field)
             ? Status::ok
             : bad(rank, who + ": element_bytes", given,
                   "0 or " + std::to_string(element_bytes(field)) + ", an element of type " + type_name(field.type));
}

Status check_strides(const BlockShape &shape, const hlc_field &field, const Extents &extents, const std::string &who, int rank) {
  const Strides strides = field_strides(shape.spec, field, extents);
  std::int64_t inner = element_bytes(field);
  for (const int dim : stride_order(strides, shape.grid.ndims)) {
    const std::int64_t cells = dim < shape.grid.ndims ? extents.cells(dim) : 1;
    if (cells == 1) continue;
    const std::int64_t stride = strides[static_cast<std::size_t>(dim)];
    if (stride < inner || stride > kMaxBytes / cells)
      return bad(rank, who + ": " + indexed("stride_bytes", dim), stride,
                 std::to_string(inner) + " or more, or cells would overlap, and so small that the field fits into memory");
    inner = stride * cells;
  }
  return Status::ok;
}

/// Depths of a shape that would be ignored: the array is hardly as large as those of the spec need it.
Status check_depth(const hlc_field_shape &shape, std::int64_t depth, const std::string &argument, int rank) {
  if (shape.own_depth) return depth >= 0 && depth <= kMax ? Status::ok : bad(rank, argument, depth, "0 to 2^40");
  if (depth == 0) return Status::ok;
  return fail(Status::argument,
              "hlc_blocks_init on rank %d: %s is %lld, and own_depth is 0: set own_depth to 1 to give the field depths of its own, or the "
              "depths of the shape to 0",
              rank, argument.c_str(), static_cast<long long>(depth));
}

Status check_shapes(const hlc_blocks_spec &spec, int rank) {
  for (int f = 0; spec.shapes && f < spec.nfields; ++f) {
    const hlc_field_shape &shape = spec.shapes[f];
    std::string who = indexed("shapes", f);
    if (spec.nblocks > 0)
      who += std::string(", of field '") + name_of(spec, f) + "': ";
    else
      who += ".";
    if (shape.own_depth != 0 && shape.own_depth != 1) return bad(rank, who + "own_depth", shape.own_depth, "0 or 1");
    for (int d = 0; d < spec.ndims; ++d) {
      if (shape.stagger[d] < HLC_CENTRED || shape.stagger[d] > HLC_NODES_OWNED)
        return bad(rank, who + indexed("stagger", d), shape.stagger[d], "HLC_CENTRED, HLC_NODES_SHARED or HLC_NODES_OWNED");
      for (const auto &[name, depth] : {std::pair{"depth_low", shape.depth_low[d]}, std::pair{"depth_high", shape.depth_high[d]}})
        HLC_TRY(check_depth(shape, depth, who + indexed(name, d), rank));
    }
  }
  return Status::ok;
}

/// Fields may be interleaved, but no two may start at the same address.
Status check_apart(const hlc_blocks_spec &spec, int rank) {
  std::vector<std::pair<const void *, int>> places;
  places.reserve(static_cast<std::size_t>(spec.nblocks) * static_cast<std::size_t>(spec.nfields));
  for (int i = 0; i < spec.nblocks * spec.nfields; ++i) places.emplace_back(spec.fields[i].data, i);
  std::sort(places.begin(), places.end());
  for (std::size_t i = 1; i < places.size(); ++i)
    if (places[i - 1].first == places[i].first)
      return fail(Status::argument, "hlc_blocks_init on rank %d: %s, and %s, have the same data: each needs an array of its own", rank,
                  field_words(spec, places[i - 1].second).c_str(), field_words(spec, places[i].second).c_str());
  return Status::ok;
}

/// The fields of one block, in the order of their data: each is compared with those that begin before it ends. Arrays of different blocks
/// may be parts of one array.
Status check_overlaps(const hlc_blocks_spec &spec, const BlockShape &shape, int b, int rank) {
  std::vector<int> order(static_cast<std::size_t>(spec.nfields));
  std::iota(order.begin(), order.end(), 0);
  const hlc_field *fields = spec.fields + std::ptrdiff_t{b} * spec.nfields;
  std::sort(order.begin(), order.end(), [&](int f, int g) { return std::less<>()(fields[f].data, fields[g].data); });
  for (auto f = order.begin(); f != order.end(); ++f) {
    const Extents extents = Extents::of(shape.spec, *f);
    const std::int64_t bytes = field_extent(shape.spec, fields[*f], extents);
    for (auto g = f + 1; g != order.end() && bytes_between(fields[*f], fields[*g]) < bytes; ++g)
      if (fields_overlap(shape.spec, fields[*f], extents, fields[*g], Extents::of(shape.spec, *g)))
        return fail(Status::argument, "hlc_blocks_init on rank %d: %s, and %s, overlap: their data are %lld bytes apart", rank,
                    field_words(spec, b * spec.nfields + *f).c_str(), field_words(spec, b * spec.nfields + *g).c_str(),
                    static_cast<long long>(bytes_between(fields[*f], fields[*g])));
  }
  return Status::ok;
}

/// A field has one type, and so one size of element, in all blocks.
Status check_fields(const hlc_blocks_spec &spec, int rank) {
  for (int b = 0; b < spec.nblocks; ++b) {
    const BlockShape shape(spec, b);
    for (int f = 0; f < spec.nfields; ++f) {
      const int i = b * spec.nfields + f;
      const std::string who = field_words(spec, i);
      if (lacks_layout(spec.layout, spec.ndims, spec.fields[i]))
        return fail(Status::argument,
                    "hlc_blocks_init on rank %d: layout is not set, and %s, has no stride_bytes: set layout to HLC_ROW_MAJOR (the last "
                    "dimension is contiguous, as in C arrays) or HLC_COLUMN_MAJOR (the first one is, as in Fortran)",
                    rank, who.c_str());
      HLC_TRY(check_element(spec.fields[i], who, rank));
      if (spec.fields[i].type != spec.fields[f].type)
        return fail(Status::argument, "hlc_blocks_init on rank %d: %s: type is %s but must be that of the field in blocks[0], %s", rank,
                    who.c_str(), type_name(spec.fields[i].type), type_name(spec.fields[f].type));
      if (element_bytes(spec.fields[i]) != element_bytes(spec.fields[f]))
        return bad(rank, who + ": element_bytes", element_bytes(spec.fields[i]),
                   "that of the field in blocks[0], " + std::to_string(element_bytes(spec.fields[f])));
      HLC_TRY(check_strides(shape, spec.fields[i], Extents::of(shape.spec, f), who, rank));
    }
  }
  HLC_TRY(check_apart(spec, rank));
  for (int b = 0; b < spec.nblocks; ++b) HLC_TRY(check_overlaps(spec, BlockShape(spec, b), b, rank));
  return Status::ok;
}

}  // namespace

BlockShape::BlockShape(const hlc_blocks_spec &blocks, int block) {
  grid.ndims = blocks.ndims;
  for (int d = 0; d < blocks.ndims; ++d) {
    grid.dims[d] = 1;
    grid.local[d] = blocks.blocks[block].count[d];
    spec.depth_low[d] = blocks.depth_low[d];
    spec.depth_high[d] = blocks.depth_high[d];
  }
  spec.grid = &grid;
  spec.layout = blocks.layout;
  spec.shapes = blocks.shapes;
}

hlc_field_shape field_shape(const hlc_blocks_spec &spec, int field) {
  hlc_field_shape shape = spec.shapes ? spec.shapes[field] : hlc_field_shape{};
  for (int d = 0; d < HLC_MAX_DIMS; ++d) {
    const bool used = d < spec.ndims;
    if (!used) shape.stagger[d] = HLC_CENTRED;
    shape.depth_low[d] = !used ? 0 : shape.own_depth ? shape.depth_low[d] : spec.depth_low[d];
    shape.depth_high[d] = !used ? 0 : shape.own_depth ? shape.depth_high[d] : spec.depth_high[d];
  }
  shape.own_depth = 1;
  return shape;
}

Status check_blocks_spec(const hlc_blocks_spec *spec, int rank) {
  if (!spec) return is_null(rank, "spec");
  HLC_TRY(check_domain(*spec, rank));
  for (int b = 0; b < spec->nblocks; ++b) HLC_TRY(check_block(*spec, b, rank));
  HLC_TRY(check_shapes(*spec, rank));
  return check_fields(*spec, rank);
}

}  // namespace halocline::core
