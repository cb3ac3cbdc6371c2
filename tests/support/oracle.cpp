// See oracle.hpp. Every function loops over single cells; none is clever.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "support/oracle.hpp"

#include <algorithm>
#include <sstream>

namespace halocline::test {
namespace {

int sides_crossed(const Index &direction) {
  return static_cast<int>(std::count_if(direction.begin(), direction.end(), [](auto v) { return v != 0; }));
}

std::string words(const Writer &writer, int ndims) {
  std::ostringstream text;
  text << "rank " << writer.rank << ", field " << writer.field << ", global cell (";
  for (int d = 0; d < ndims; ++d) text << (d ? ", " : "") << writer.cell[d];
  text << "), step " << writer.step;
  return text.str();
}

/// Searches all that was ever written for bytes equal to those found.
std::string recognised(const Case &halo, const FieldShape &shape, int last_step, const std::byte *found) {
  if (std::all_of(found, found + shape.element_bytes, [](auto b) { return b == poison; })) return "poison";
  std::vector<std::byte> bytes(shape.element_bytes);
  for (int step = last_step; step >= 0 && step > last_step - 4; --step)
    for (int rank = 0; rank < halo.decomposition.ranks(); ++rank)
      for (int field = 0; field < halo.nfields; ++field) {
        std::string writer_found;
        const Values values(halo, rank, field);
        values.for_each([&](const Index &cell) {
          if (!writer_found.empty() || values.in_halo(cell)) return;
          const Writer writer{rank, field, values.owner_of(cell)->global, step};
          write_element(shape.type, shape.element_bytes, writer, bytes.data());
          if (std::equal(bytes.begin(), bytes.end(), found)) writer_found = words(writer, halo.decomposition.ndims);
        });
        if (!writer_found.empty()) return "the value of " + writer_found;
      }
  return "bytes that nobody wrote in the last steps";
}

}  // namespace

std::array<int, HLC_MAX_DIMS> Decomposition::block_of(int rank) const {
  const auto found = std::find(rank_of_block.begin(), rank_of_block.end(), rank);
  auto number = static_cast<int>(found - rank_of_block.begin());
  std::array<int, HLC_MAX_DIMS> block{};
  for (int d = ndims - 1; d >= 0; --d) {
    block[d] = number % dims[d];
    number /= dims[d];
  }
  return block;
}

int Decomposition::rank_at(const std::array<int, HLC_MAX_DIMS> &block) const {
  int number = 0;
  for (int d = 0; d < ndims; ++d) number = number * dims[d] + block[d];
  return rank_of_block[static_cast<std::size_t>(number)];
}

hlc_grid Decomposition::grid_of(int rank) const {
  hlc_grid grid{};
  grid.ndims = ndims;
  grid.order = order;
  const auto block = block_of(rank);
  for (int d = 0; d < ndims; ++d) {
    grid.dims[d] = dims[d];
    grid.periodic[d] = periodic[d];
    grid.coords[d] = block[d];
    grid.global[d] = cuts[d].back();
    grid.start[d] = cuts[d][block[d]];
    grid.local[d] = cuts[d][block[d] + 1] - cuts[d][block[d]];
  }
  return grid;
}

void Decomposition::number_ranks(hlc_layout wanted) {
  order = wanted;
  for (int number = 0; number < ranks(); ++number) {
    // How many blocks have a lesser number along one dimension, and along those that ranks fill before it.
    int rest = number, rank = 0, behind = ranks();
    for (int d = ndims - 1, before = 1; d >= 0; rest /= dims[d], before *= dims[d], --d) {
      behind /= dims[d];
      rank += rest % dims[d] * (wanted == HLC_COLUMN_MAJOR ? behind : before);
    }
    rank_of_block[static_cast<std::size_t>(number)] = rank;
  }
}

Index Case::local(int rank) const {
  const hlc_grid grid = decomposition.grid_of(rank);
  Index cells{};
  std::copy_n(grid.local, decomposition.ndims, cells.begin());
  return cells;
}

std::int64_t Case::extent(int rank, int field, int d) const { return Values(*this, rank, field).extent()[d]; }

Values::Values(const Case &halo, int rank, int field)
    : halo_(halo), rank_(rank), field_(field), place_(halo.decomposition.block_of(rank)), block_(halo.local(rank)) {
  const Decomposition &blocks = halo.decomposition;
  const hlc_field_shape shape = halo.shapes.empty() ? hlc_field_shape{} : halo.shapes[static_cast<std::size_t>(field)];
  for (int d = 0; d < blocks.ndims; ++d) {
    stagger_[d] = shape.stagger[d];
    low_[d] = shape.own_depth ? shape.depth_low[d] : halo.depth_low[d];
    const std::int64_t high = shape.own_depth ? shape.depth_high[d] : halo.depth_high[d];
    extent_[d] = low_[d] + block_[d] + high + (stagger_[d] == HLC_CENTRED ? 0 : 1);
    const bool ends_grid = !blocks.periodic[d] && place_[d] == blocks.dims[d] - 1;
    gets_node_[d] = stagger_[d] == HLC_NODES_OWNED && !ends_grid;
    if (stagger_[d] != HLC_CENTRED && !gets_node_[d]) block_[d] += 1;
  }
}

void Values::for_each(const std::function<void(const Index &)> &visit) const {
  Index cell{};
  const std::function<void(int)> loop = [&](int d) {
    if (d == halo_.decomposition.ndims) return visit(cell);
    for (cell[d] = -low_[d]; cell[d] < extent_[d] - low_[d]; ++cell[d]) loop(d + 1);
    cell[d] = 0;
  };
  loop(0);
}

Index Values::direction_of(const Index &cell) const {
  Index direction{};
  for (int d = 0; d < halo_.decomposition.ndims; ++d) direction[d] = cell[d] < 0 ? -1 : cell[d] >= block_[d] ? 1 : 0;
  return direction;
}

bool Values::in_halo(const Index &cell) const { return sides_crossed(direction_of(cell)) > 0; }

/// A node is found by a cell that ends there: the one between it and this rank's block, which is in the next block. An owned one belongs to
/// the cell above it, if there is one.
std::optional<Values::Along> Values::find_along(int d, std::int64_t index) const {
  if (index >= 0 && index < block_[d]) return Along{place_[d], index};
  const auto &cuts = halo_.decomposition.cuts[d];
  const bool periodic = halo_.decomposition.periodic[d];
  const std::int64_t cells = cuts.back(), global = cuts[place_[d]] + index;
  const bool ends_grid = stagger_[d] == HLC_NODES_OWNED && !periodic && global == cells;
  const std::int64_t behind = ends_grid || (stagger_[d] == HLC_NODES_SHARED && index > 0) ? 1 : 0;
  std::int64_t cell = global - behind;
  if (!periodic && (cell < 0 || cell >= cells)) return std::nullopt;
  cell = (cell % cells + cells) % cells;
  int block = 0;
  while (cuts[block + 1] <= cell) ++block;
  return Along{block, cell - cuts[block] + behind};
}

std::optional<Owner> Values::owner_of(const Index &cell) const {
  const Decomposition &decomposition = halo_.decomposition;
  Owner owner;
  std::array<int, HLC_MAX_DIMS> block{};
  for (int d = 0; d < decomposition.ndims; ++d) {
    const auto found = find_along(d, cell[d]);
    if (!found) return std::nullopt;
    block[d] = found->block;
    owner.inner[d] = found->inner;
    owner.global[d] = decomposition.cuts[d][found->block] + found->inner;
  }
  owner.rank = decomposition.rank_at(block);
  if (halo_.cut && owner.rank != rank_ && halo_.cut(rank_, owner.rank)) return std::nullopt;
  return owner;
}

/// How far from the block a cell is, along the dimension in which that is most. A node that is the neighbour's does not count.
std::int64_t Values::steps_away(const Index &cell) const {
  std::int64_t most = 0;
  for (int d = 0; d < halo_.decomposition.ndims; ++d) most = std::max({most, -cell[d], cell[d] - block_[d] + (gets_node_[d] ? 0 : 1)});
  return most;
}

bool Values::is_filled(const Index &direction) const {
  std::size_t entry = static_cast<std::size_t>(field_) * HLC_DIRECTIONS(halo_.decomposition.ndims), power = 1;
  for (int d = 0; d < halo_.decomposition.ndims; ++d, power *= 3) entry += static_cast<std::size_t>(direction[d] + 1) * power;
  return halo_.fills.empty() || halo_.fills[entry];
}

bool Values::asked_for(const hlc_swap &what, const Index &cell) const {
  const Index direction = direction_of(cell);
  const int sides = sides_crossed(direction);
  if (sides == 0 || !is_filled(direction) || (what.depth > 0 && steps_away(cell) > what.depth)) return false;
  if (what.nfields > 0 && std::find(what.fields, what.fields + what.nfields, field_) == what.fields + what.nfields) return false;
  if (what.one_dim) {
    if (sides != 1 || direction[what.dim] == 0) return false;
    return what.side == HLC_SIDE_BOTH || direction[what.dim] == (what.side == HLC_SIDE_LOW ? -1 : 1);
  }
  return halo_.stencil == HLC_STENCIL_BOX || sides == 1;
}

std::size_t Values::position(const FieldShape &shape, const Index &cell) const {
  std::int64_t at = shape.offset;
  for (int d = 0; d < halo_.decomposition.ndims; ++d) at += (cell[d] + low_[d]) * shape.stride[d];
  return static_cast<std::size_t>(at);
}

std::vector<std::size_t> arena_bytes(const Case &halo, int rank) {
  std::vector<std::size_t> bytes;
  const auto shapes = halo.field_shapes(halo, rank);
  for (int f = 0; f < halo.nfields; ++f) {
    const FieldShape &shape = shapes[static_cast<std::size_t>(f)];
    if (bytes.size() <= static_cast<std::size_t>(shape.arena)) bytes.resize(static_cast<std::size_t>(shape.arena) + 1);
    std::int64_t last = shape.offset;
    for (int d = 0; d < halo.decomposition.ndims; ++d) last += (halo.extent(rank, f, d) - 1) * shape.stride[d];
    auto &end = bytes[static_cast<std::size_t>(shape.arena)];
    end = std::max(end, static_cast<std::size_t>(last) + shape.element_bytes);
  }
  return bytes;
}

namespace {

Image poisoned(const Case &halo, int rank) {
  Image image;
  for (const std::size_t bytes : arena_bytes(halo, rank)) image.emplace_back(bytes, poison);
  return image;
}

/// The writer of the number that a rank's own cell holds before a reverse swap. Local coordinates, not global ones, distinguish halo cells
/// from the interior of others.
Writer reverse_writer(int rank, int field, const Index &cell, int step) { return {rank, field, cell, step}; }

/// Calls visit(values, shape, place) for every field of a rank; place(cell) is where a cell is in the image.
template <class Visit>
void for_each_field(const Case &halo, int rank, Image &image, Visit visit) {
  const auto shapes = halo.field_shapes(halo, rank);
  for (int f = 0; f < halo.nfields; ++f) {
    const FieldShape &shape = shapes[static_cast<std::size_t>(f)];
    const Values values(halo, rank, f);
    visit(f, values, shape,
          [&](const Index &cell) { return image[static_cast<std::size_t>(shape.arena)].data() + values.position(shape, cell); });
  }
}

}  // namespace

Image before(const Case &halo, int rank, int step) {
  Image image = poisoned(halo, rank);
  for_each_field(halo, rank, image, [&](int f, const Values &values, const FieldShape &shape, const auto &place) {
    values.for_each([&](const Index &cell) {
      if (values.in_halo(cell)) return;
      write_element(shape.type, shape.element_bytes, {rank, f, values.owner_of(cell)->global, step}, place(cell));
    });
  });
  return image;
}

void deliver(const Case &halo, int rank, int step, const hlc_swap &what, Image &image) {
  for_each_field(halo, rank, image, [&](int f, const Values &values, const FieldShape &shape, const auto &place) {
    values.for_each([&](const Index &cell) {
      if (!values.asked_for(what, cell)) return;
      if (const auto owner = values.owner_of(cell))
        write_element(shape.type, shape.element_bytes, {owner->rank, f, owner->global, step}, place(cell));
    });
  });
}

Image before_reverse(const Case &halo, int rank, int step) {
  Image image = poisoned(halo, rank);
  for_each_field(halo, rank, image, [&](int f, const Values &values, const FieldShape &shape, const auto &place) {
    values.for_each([&](const Index &cell) { write_small_number(shape.type, reverse_writer(rank, f, cell, step), place(cell)); });
  });
  return image;
}

Image after_reverse(const Case &halo, int rank, int step, const hlc_swap &what) {
  Image image = before_reverse(halo, rank, step);
  std::vector<std::byte> term(16);
  for (int other = 0; other < halo.decomposition.ranks(); ++other)
    for_each_field(halo, rank, image, [&](int f, const Values &, const FieldShape &shape, const auto &place) {
      const Values theirs(halo, other, f);
      theirs.for_each([&](const Index &cell) {
        const auto owner = theirs.asked_for(what, cell) ? theirs.owner_of(cell) : std::nullopt;
        if (!owner) return;
        if (owner->rank == rank) {
          write_small_number(shape.type, reverse_writer(other, f, cell, step), term.data());
          add_element(shape.type, place(owner->inner), term.data());
        }
        if (other == rank) std::fill_n(place(cell), shape.element_bytes, std::byte{0});
      });
    });
  return image;
}

std::string difference(const Case &halo, int rank, int last_step, const Image &expected, const Image &found) {
  const int ndims = halo.decomposition.ndims;
  const auto shapes = halo.field_shapes(halo, rank);
  std::ostringstream text;
  int wrong = 0;
  for (int f = 0; f < halo.nfields; ++f) {
    const FieldShape &shape = shapes[static_cast<std::size_t>(f)];
    const auto arena = static_cast<std::size_t>(shape.arena);
    const Values values(halo, rank, f);
    values.for_each([&](const Index &cell) {
      const std::byte *want = expected[arena].data() + values.position(shape, cell);
      const std::byte *have = found[arena].data() + values.position(shape, cell);
      if (std::equal(want, want + shape.element_bytes, have) || ++wrong > 3) return;
      text << (values.in_halo(cell) ? "halo" : "interior") << " cell (";
      for (int d = 0; d < ndims; ++d) text << (d ? ", " : "") << cell[d];
      text << ") of field " << f << " holds " << recognised(halo, shape, last_step, have) << "; expected "
           << recognised(halo, shape, last_step, want) << "\n";
    });
  }
  if (wrong > 3) text << wrong << " cells are wrong\n";
  if (wrong == 0) text << "bytes between the cells were written\n";
  return text.str();
}

std::vector<int> neighbour_table(const Case &halo, int rank) {
  const Decomposition &decomposition = halo.decomposition;
  const auto block = decomposition.block_of(rank);
  std::vector<int> table;
  int entries = 1;
  for (int d = 0; d < decomposition.ndims; ++d) entries *= 3;
  for (int entry = 0; entry < entries; ++entry) {
    auto beyond = block;
    bool open = false;
    for (int d = 0, rest = entry; d < decomposition.ndims; ++d, rest /= 3) {
      beyond[d] += rest % 3 - 1;
      if (beyond[d] < 0 || beyond[d] >= decomposition.dims[d]) open = open || !decomposition.periodic[d];
      beyond[d] = (beyond[d] + decomposition.dims[d]) % decomposition.dims[d];
    }
    const int neighbour = open ? HLC_NO_NEIGHBOUR : decomposition.rank_at(beyond);
    const bool left_out = neighbour >= 0 && neighbour != rank && halo.cut && halo.cut(rank, neighbour);
    table.push_back(left_out ? HLC_NO_NEIGHBOUR : neighbour);
  }
  return table;
}

}  // namespace halocline::test
