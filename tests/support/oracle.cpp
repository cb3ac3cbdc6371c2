// See oracle.hpp. Every function loops over single cells; none is clever.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "support/oracle.hpp"

#include <algorithm>
#include <sstream>

namespace halocline::test {
namespace {

/// -1, 0 or 1 per dimension: on which side of the interior a cell is.
Index direction_of(const Case &halo, int rank, const Index &cell) {
  const Index local = halo.local(rank);
  Index direction{};
  for (int d = 0; d < halo.decomposition.ndims; ++d) direction[d] = cell[d] < 0 ? -1 : cell[d] >= local[d] ? 1 : 0;
  return direction;
}

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
        for_each_cell(halo, rank, [&](const Index &cell) {
          if (!writer_found.empty() || in_halo(halo, rank, cell)) return;
          const Writer writer{rank, field, owner_of(halo, rank, cell)->global, step};
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

Index Case::local(int rank) const {
  const hlc_grid grid = decomposition.grid_of(rank);
  Index cells{};
  std::copy_n(grid.local, decomposition.ndims, cells.begin());
  return cells;
}

void for_each_cell(const Case &halo, int rank, const std::function<void(const Index &)> &visit) {
  const Index local = halo.local(rank);
  const int ndims = halo.decomposition.ndims;
  Index cell{};
  const std::function<void(int)> loop = [&](int d) {
    if (d == ndims) return visit(cell);
    for (cell[d] = -halo.depth_low[d]; cell[d] < local[d] + halo.depth_high[d]; ++cell[d]) loop(d + 1);
    cell[d] = 0;
  };
  loop(0);
}

bool in_halo(const Case &halo, int rank, const Index &cell) { return sides_crossed(direction_of(halo, rank, cell)) > 0; }

std::optional<Owner> owner_of(const Case &halo, int rank, const Index &cell) {
  const Decomposition &decomposition = halo.decomposition;
  const hlc_grid grid = decomposition.grid_of(rank);
  Owner owner;
  std::array<int, HLC_MAX_DIMS> block{};
  for (int d = 0; d < decomposition.ndims; ++d) {
    const std::int64_t cells = grid.global[d];
    std::int64_t global = grid.start[d] + cell[d];
    if (!decomposition.periodic[d] && (global < 0 || global >= cells)) return std::nullopt;
    global = (global % cells + cells) % cells;
    while (decomposition.cuts[d][block[d] + 1] <= global) ++block[d];
    owner.global[d] = global;
    owner.inner[d] = global - decomposition.cuts[d][block[d]];
  }
  owner.rank = decomposition.rank_at(block);
  if (halo.cut && owner.rank != rank && halo.cut(rank, owner.rank)) return std::nullopt;
  return owner;
}

bool asked_for(const Case &halo, const hlc_swap &what, int rank, int field, const Index &cell) {
  const Index direction = direction_of(halo, rank, cell);
  const int sides = sides_crossed(direction);
  if (sides == 0) return false;
  if (!halo.fills.empty()) {
    std::size_t entry = static_cast<std::size_t>(field) * HLC_DIRECTIONS(halo.decomposition.ndims), power = 1;
    for (int d = 0; d < halo.decomposition.ndims; ++d, power *= 3) entry += static_cast<std::size_t>(direction[d] + 1) * power;
    if (!halo.fills[entry]) return false;
  }
  if (what.nfields > 0 && std::find(what.fields, what.fields + what.nfields, field) == what.fields + what.nfields) return false;
  if (what.one_dim) {
    if (sides != 1 || direction[what.dim] == 0) return false;
    return what.side == HLC_SIDE_BOTH || direction[what.dim] == (what.side == HLC_SIDE_LOW ? -1 : 1);
  }
  return halo.stencil == HLC_STENCIL_BOX || sides == 1;
}

std::size_t position(const Case &halo, const FieldShape &field, const Index &cell) {
  std::int64_t at = field.offset;
  for (int d = 0; d < halo.decomposition.ndims; ++d) at += (cell[d] + halo.depth_low[d]) * field.stride[d];
  return static_cast<std::size_t>(at);
}

std::vector<std::size_t> arena_bytes(const Case &halo, int rank) {
  std::vector<std::size_t> bytes;
  for (const FieldShape &field : halo.field_shapes(halo, rank)) {
    if (bytes.size() <= static_cast<std::size_t>(field.arena)) bytes.resize(static_cast<std::size_t>(field.arena) + 1);
    Index last = halo.local(rank);
    for (int d = 0; d < halo.decomposition.ndims; ++d) last[d] += halo.depth_high[d] - 1;
    auto &end = bytes[static_cast<std::size_t>(field.arena)];
    end = std::max(end, position(halo, field, last) + field.element_bytes);
  }
  return bytes;
}

namespace {

Image poisoned(const Case &halo, int rank) {
  Image image;
  for (const std::size_t bytes : arena_bytes(halo, rank)) image.emplace_back(bytes, poison);
  return image;
}

std::byte *element(const Case &halo, const FieldShape &field, const Index &cell, Image &image) {
  return image[static_cast<std::size_t>(field.arena)].data() + position(halo, field, cell);
}

/// The writer of the number that a rank's own cell holds before a reverse swap. Local coordinates, not global ones, distinguish halo cells
/// from the interior of others.
Writer reverse_writer(int rank, int field, const Index &cell, int step) { return {rank, field, cell, step}; }

}  // namespace

Image before(const Case &halo, int rank, int step) {
  Image image = poisoned(halo, rank);
  const auto shapes = halo.field_shapes(halo, rank);
  for_each_cell(halo, rank, [&](const Index &cell) {
    if (in_halo(halo, rank, cell)) return;
    for (int f = 0; f < halo.nfields; ++f) {
      const FieldShape &shape = shapes[static_cast<std::size_t>(f)];
      const Writer writer{rank, f, owner_of(halo, rank, cell)->global, step};
      write_element(shape.type, shape.element_bytes, writer, element(halo, shape, cell, image));
    }
  });
  return image;
}

void deliver(const Case &halo, int rank, int step, const hlc_swap &what, Image &image) {
  const auto shapes = halo.field_shapes(halo, rank);
  for_each_cell(halo, rank, [&](const Index &cell) {
    for (int f = 0; f < halo.nfields; ++f) {
      if (!asked_for(halo, what, rank, f, cell)) continue;
      const auto owner = owner_of(halo, rank, cell);
      if (!owner) continue;
      const FieldShape &shape = shapes[static_cast<std::size_t>(f)];
      write_element(shape.type, shape.element_bytes, {owner->rank, f, owner->global, step}, element(halo, shape, cell, image));
    }
  });
}

Image before_reverse(const Case &halo, int rank, int step) {
  Image image = poisoned(halo, rank);
  const auto shapes = halo.field_shapes(halo, rank);
  for_each_cell(halo, rank, [&](const Index &cell) {
    for (int f = 0; f < halo.nfields; ++f) {
      const FieldShape &shape = shapes[static_cast<std::size_t>(f)];
      write_small_number(shape.type, reverse_writer(rank, f, cell, step), element(halo, shape, cell, image));
    }
  });
  return image;
}

Image after_reverse(const Case &halo, int rank, int step, const hlc_swap &what) {
  Image image = before_reverse(halo, rank, step);
  const auto shapes = halo.field_shapes(halo, rank);
  std::vector<std::byte> term(16);
  for (int other = 0; other < halo.decomposition.ranks(); ++other)
    for_each_cell(halo, other, [&](const Index &cell) {
      const auto owner = owner_of(halo, other, cell);
      for (int f = 0; owner && f < halo.nfields; ++f) {
        if (!asked_for(halo, what, other, f, cell)) continue;
        const FieldShape &shape = shapes[static_cast<std::size_t>(f)];
        if (owner->rank == rank) {
          write_small_number(shape.type, reverse_writer(other, f, cell, step), term.data());
          add_element(shape.type, element(halo, shape, owner->inner, image), term.data());
        }
        if (other == rank) std::fill_n(element(halo, shape, cell, image), shape.element_bytes, std::byte{0});
      }
    });
  return image;
}

std::string difference(const Case &halo, int rank, int last_step, const Image &expected, const Image &found) {
  const int ndims = halo.decomposition.ndims;
  const auto shapes = halo.field_shapes(halo, rank);
  std::ostringstream text;
  int wrong = 0;
  for_each_cell(halo, rank, [&](const Index &cell) {
    for (int f = 0; f < halo.nfields; ++f) {
      const FieldShape &shape = shapes[static_cast<std::size_t>(f)];
      const auto arena = static_cast<std::size_t>(shape.arena);
      const std::byte *want = expected[arena].data() + position(halo, shape, cell);
      const std::byte *have = found[arena].data() + position(halo, shape, cell);
      if (std::equal(want, want + shape.element_bytes, have) || ++wrong > 3) continue;
      text << (in_halo(halo, rank, cell) ? "halo" : "interior") << " cell (";
      for (int d = 0; d < ndims; ++d) text << (d ? ", " : "") << cell[d];
      text << ") of field " << f << " holds " << recognised(halo, shape, last_step, have) << "; expected "
           << recognised(halo, shape, last_step, want) << "\n";
    }
  });
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
