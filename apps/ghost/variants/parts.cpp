// SPDX-License-Identifier: BSD-3-Clause
#include "variants/parts.hpp"

#include "fault.hpp"

namespace ghost {

std::vector<Link> links_to(const Grid &grid, Where wanted) {
  std::vector<Link> links;
  for (int i = 0; i < kDirections; ++i) {
    const Neighbour &n = grid.neighbours[static_cast<std::size_t>(i)];
    if (n.where == wanted) links.push_back({i, n.rank, face(grid.cells, direction(i))});
  }
  return links;
}

/// GASPI's segments are told apart by numbers: the same on all ranks, because all make their variants in one order.
static gaspi_segment_id_t next_segment() {
  static gaspi_segment_id_t next = 0;
  return next++;
}

SharedParts make_shared_parts(const Setup &setup, const Fields::Kind &kind, Carrier carrier, Send send) {
  const std::vector<Link> links = links_to(setup.grid, Where::other_node);
  const std::size_t end_of_fields = (kCountersBytes + Fields::bytes(setup.grid.cells, kind) + 4095) / 4096 * 4096;
  if (carrier == Carrier::mpi) return {window_memory(setup.grid.node, end_of_fields), messages(links, send)};
  auto segment = std::make_unique<SegmentMemory>(setup.grid, next_segment(), end_of_fields + notified_bytes(links));
  auto far = notified_writes(setup.grid, links, *segment, end_of_fields);
  return {std::move(segment), std::move(far)};
}

void fill_ghosts(const Fields &fields, const Grid &grid, int variables) {
  for (int variable = 0; variable < variables; ++variable)
    for (int i = 0; i < kDirections; ++i) {
      if (i == kMiddle || grid.neighbours[static_cast<std::size_t>(i)].where != Where::nowhere) continue;
      const Index cells = face(grid.cells, direction(i));
      const std::vector<double> constants(static_cast<std::size_t>(volume(cells)), constant_beyond(variable));
      copy_box({constants.data(), cells[0], cells[0] * cells[1]}, fields.halo(variable, direction(i)), cells);
    }
}

void copy_self(const Fields &fields, const Grid &grid, int variable) {
  for (int i = 0; i < kDirections; ++i) {
    if (grid.neighbours[static_cast<std::size_t>(i)].where != Where::self) continue;
    const Index v = direction(i), back = direction(opposite(i));
    copy_box(fields.edge(variable, back), fields.halo(variable, v), face(grid.cells, v));
  }
}

void pack_and_send(Far &far, const std::vector<Link> &links, const Fields &fields, int variable) {
  for (std::size_t i = 0; i < links.size(); ++i) {
    const Index &cells = links[i].face;
    copy_box(fields.edge(variable, direction(links[i].direction)), packed(far.out(i), cells), cells);
    far.send(i);
  }
}

void unpack_arrivals(Far &far, const std::vector<Link> &links, const Fields &fields, int variable) {
  for (std::size_t left = links.size(); left > 0; --left) {
    const std::size_t i = far.take();
    if (has_fault("halo") && i == 0) continue;
    const Index &cells = links[i].face;
    copy_box({far.in(i), cells[0], cells[0] * cells[1]}, fields.halo(variable, direction(links[i].direction)), cells);
  }
}

}  // namespace ghost
