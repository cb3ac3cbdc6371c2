// SPDX-License-Identifier: BSD-3-Clause
#include "bench/halo/problem.hpp"

#include "bench/halo/pattern.hpp"

#include <algorithm>
#include <set>

namespace bench {

/// Splits a grid whose blocks all have the size asked for. The grid's dimensions are z, y, x: dimension 0 is contiguous.
static halocline::Grid equal_blocks(const halocline::Context &context, const HaloOptions &o) {
  const int size = context.size();
  std::vector<std::int64_t> global{o.local[2] * (o.split_z ? size : 1), o.local[1] * size, o.local[0] * size};
  const std::vector<int> free{o.split_z ? 0 : 1, 0, 0}, periodic{1, 1, 1};
  const halocline::Grid split(context, global, periodic, free);
  const std::vector<int> ranks{split.ranks(0), split.ranks(1), split.ranks(2)};
  for (int d = 0; d < 3; ++d) global[d] = o.local[2 - d] * ranks[d];
  return halocline::Grid(context, global, periodic, ranks);
}

static Block block_of(const HaloOptions &o) {
  const Block block{{o.local[0], o.local[1], o.local[2]}, {o.depth, o.depth, o.split_z ? o.depth : 0}, o.element().bytes};
  for (int d = 0; d < 3; ++d)
    if (block.depth[d] > block.cells[d])
      throw halocline::Error(HLC_ERR_ARGUMENT, "--depth " + std::to_string(o.depth) + " is more than --local has cells in one dimension");
  if (static_cast<std::uint64_t>(block.interior().cells()) > kMaxCells)
    throw halocline::Error(HLC_ERR_ARGUMENT, "--local has more than 2^32 cells");
  return block;
}

Problem::Problem(const halocline::Context &context, const HaloOptions &options)
    : box_(options.stencil == halocline::Stencil::box),
      element_(options.element()),
      grid_(equal_blocks(context, options)),
      placement_(place_ranks(context, options)),
      block_(block_of(options)),
      rank_(context.rank()) {
  if (context.size() > static_cast<int>(kMaxRanks)) throw halocline::Error(HLC_ERR_ARGUMENT, "more than 131072 ranks");
  for (int f = 0; f < options.fields; ++f) {
    memory_.emplace_back(context, block_.array_bytes());
    fields_.push_back(memory_.back().data());
  }
  list_parts();
  for (const Index &v : directions(block_, false)) edges_.push_back(block_.edge(v));
}

/// Without --reorder the ranks stay where they are, and the report says what it would save.
hlc_placement Problem::place_ranks(const halocline::Context &context, const HaloOptions &o) {
  hlc_swap_shape shape{};
  for (int d = 0; d < 3; ++d) shape.depth_low[d] = shape.depth_high[d] = d > 0 || o.split_z ? o.depth : 0;
  shape.stencil = box_ ? HLC_STENCIL_BOX : HLC_STENCIL_STAR;
  shape.cell_bytes = static_cast<std::int64_t>(element_.bytes) * o.fields;
  halocline::Grid placed = grid_;
  const hlc_placement placement = placed.reorder(context, shape);
  if (o.reorder) grid_ = placed;
  return placement;
}

void Problem::list_parts() {
  parts_.push_back({block_.interior(), rank_, true, false});
  const std::vector<Index> stencil = directions(block_, box_);
  for (const Index &v : directions(block_, true))
    parts_.push_back({block_.halo(v), neighbour(v), false, std::find(stencil.begin(), stencil.end(), v) != stencil.end()});
}

std::int64_t Problem::halo_bytes() const {
  std::int64_t cells = 0;
  for (const Part &part : parts_) cells += part.filled ? part.region.cells() : 0;
  return cells * static_cast<std::int64_t>(element_.bytes * fields_.size());
}

SwapShape Problem::shape(const std::vector<int> &nodes) const {
  SwapShape shape;
  std::set<int> others;
  for (const Part &part : parts_) {
    if (!part.filled) continue;
    const Index &count = part.region.count;
    const auto fields = static_cast<std::int64_t>(fields_.size());
    const std::int64_t bytes = part.region.cells() * fields * static_cast<std::int64_t>(element_.bytes);
    const bool is_mine = part.owner == rank_;
    (is_mine ? shape.local_bytes : shape.bytes) += bytes;
    // Whole columns follow each other in memory.
    shape.blocks += fields * count[0] * (count[2] == block_.extent(2) ? 1 : count[1]);
    if (is_mine) continue;
    others.insert(part.owner);
    ++shape.messages;
    if (nodes[static_cast<std::size_t>(part.owner)] != nodes[static_cast<std::size_t>(rank_)])
      shape.far_bytes += bytes, ++shape.far_messages;
  }
  shape.neighbours = static_cast<int>(others.size());
  return shape;
}

int Problem::neighbour(const Index &v) const {
  std::array<int, HLC_MAX_DIMS> coords{};
  for (int d = 0; d < 3; ++d) coords[d] = grid_.coord(d) + static_cast<int>(v[2 - d]);
  return grid_.rank_at(coords);
}

std::vector<int> Problem::neighbours() const {
  std::vector<int> ranks;
  for (const Index &v : directions(block_, box_)) ranks.push_back(neighbour(v));
  return ranks;
}

halocline::Halo Problem::make_halo(const halocline::Context &context, halocline::Mode mode, halocline::Epoch epoch,
                                   halocline::Drive drive) const {
  std::vector<hlc_field> fields(fields_.size());
  for (std::size_t f = 0; f < fields.size(); ++f) {
    fields[f].data = fields_[f];
    fields[f].type = element_.type;
  }
  hlc_halo_spec spec{};
  spec.grid = &grid_.raw();
  for (int d = 0; d < 3; ++d) spec.depth_low[d] = spec.depth_high[d] = block_.depth[2 - d];
  spec.stencil = box_ ? HLC_STENCIL_BOX : HLC_STENCIL_STAR;
  spec.layout = HLC_COLUMN_MAJOR;
  spec.nfields = static_cast<int>(fields.size());
  spec.fields = fields.data();
  spec.mode = static_cast<hlc_mode>(mode);
  spec.epoch = static_cast<hlc_epoch>(epoch);
  spec.drive = static_cast<hlc_drive>(drive);
  return halocline::Halo(context, spec);
}

/// The code of the first cell of a part's column; the others follow one by one, since z is contiguous for the owner too.
std::uint64_t Problem::first_code(const Part &part, std::uint32_t step, std::size_t field, std::int64_t x, std::int64_t y) const {
  const auto wrap = [&](std::int64_t i, int d) { return (i - block_.depth[d] + block_.cells[d]) % block_.cells[d]; };
  const std::int64_t cell = (wrap(x, 0) * block_.cells[1] + wrap(y, 1)) * block_.cells[2] + wrap(part.region.first[2], 2);
  return encode({step, static_cast<std::uint32_t>(part.owner), static_cast<std::uint32_t>(field), static_cast<std::uint64_t>(cell)});
}

void Problem::fill(std::uint32_t step) {
  for (std::size_t f = 0; f < fields_.size(); ++f)
    for (const Part &part : parts_)
      for_each_column(part.region, [&](std::int64_t x, std::int64_t y) {
        char *cell = fields_[f] + block_.offset(x, y, part.region.first[2]);
        const std::uint64_t first = first_code(part, step, f, x, y);
        for (std::int64_t z = 0; z < part.region.count[2]; ++z, cell += element_.bytes)
          store(cell, element_.bytes, part.interior ? first + static_cast<std::uint64_t>(z) : kPoison);
      });
}

Verdict Problem::verify(std::uint32_t step) const {
  Verdict verdict;
  for (std::size_t f = 0; f < fields_.size(); ++f)
    for (const Part &part : parts_) {
      for_each_column(part.region, [&](std::int64_t x, std::int64_t y) {
        const char *cell = fields_[f] + block_.offset(x, y, part.region.first[2]);
        const std::uint64_t first = first_code(part, step, f, x, y);
        for (std::int64_t z = 0; z < part.region.count[2]; ++z, cell += element_.bytes) {
          const std::uint64_t expected = part.interior || part.filled ? first + static_cast<std::uint64_t>(z) : kPoison;
          if (!verdict.wrong && !holds(cell, element_.bytes, expected))
            verdict.wrong = describe_cell(f, cell, expected, {x, y, part.region.first[2] + z});
        }
      });
      if (part.filled) verdict.cells += part.region.cells();
    }
  return verdict;
}

std::string Problem::describe_cell(std::size_t field, const char *found, std::uint64_t expected, const Index &at) const {
  char element[16] = {};
  store(element, element_.bytes, expected);
  std::string place;
  for (int d = 0; d < 3; ++d) place += (d ? ", " : "") + std::to_string(at[d] - block_.depth[d]);
  return "rank " + std::to_string(rank_) + ", field " + std::to_string(field) + ", cell (" + place +
         ") counted from its first interior cell: " + "expected " + describe(element, element_.bytes, block_.cells) + "; found " +
         describe(found, element_.bytes, block_.cells);
}

void Problem::change_edge(Edge edge, const std::vector<char *> &fields, std::uint32_t step) const {
  const std::uint64_t code = encode({step, static_cast<std::uint32_t>(rank_), 0, 0});
  for (char *field : fields)
    for (const Region &region : edges_)
      for_each_column(region, [&](std::int64_t x, std::int64_t y) {
        char *cell = field + block_.offset(x, y, region.first[2]);
        const std::int64_t cells = edge == Edge::stamp ? 1 : region.count[2];
        for (std::int64_t z = 0; z < cells; ++z, cell += element_.bytes) store(cell, element_.bytes, code);
      });
}

}  // namespace bench
