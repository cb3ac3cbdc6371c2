// Noting where a swap's cells are shown, and writing views.
// SPDX-License-Identifier: BSD-3-Clause
#include "halo/views.hpp"

#include <algorithm>

namespace halocline::core {

Views::Views(const HaloTables &tables)
    : tables_(tables), shown_(tables.paths.size() * tables.fields.size()), peer_strides_(tables.paths.size() * tables.fields.size()) {}

void Views::clear() { std::fill(shown_.begin(), shown_.end(), Shown{}); }

/// The fields of a message are contiguous but for alignment, in the order in which they were packed.
void Views::show(int edge, const void *buffer) {
  const auto e = static_cast<std::size_t>(edge);
  const HaloPath &path = tables_.paths[e];
  std::int64_t offset = 0;
  for (const int number : tables_.swapped) {
    const auto f = static_cast<std::size_t>(number);
    const HaloField &field = tables_.fields[f];
    offset = tables_.aligned(offset, f);
    if (path.moves[f].halo_bytes == 0) continue;
    if (buffer)
      shown_[at(e, f)] = {static_cast<const char *>(buffer) + offset,
                          packed_strides(path.moves[f].halo_box.count, field.element, field.order)};
    else
      shown_[at(e, f)] = {path.moves[f].peer_edge, peer_strides_[at(e, f)]};
    offset += path.moves[f].halo_bytes;
  }
}

/// A block that is its own neighbour shows its own cells of the other side.
void Views::put(std::size_t f, hlc_view *views) const {
  for (std::size_t e = 0; e < tables_.paths.size(); ++e) {
    const HaloPath &path = tables_.paths[e];
    const Cells &count = path.moves[f].halo_box.count;
    if (path.moves[f].halo_box.cells() == 0) continue;
    const Shown &shown = shown_[at(e, f)];
    hlc_view &view = views[direction_index(path.direction.v, tables_.ndims)];
    view.data = shown.data;
    std::copy(count.begin(), count.end(), view.count);
    std::copy(shown.strides.begin(), shown.strides.end(), view.stride_bytes);
  }
  for (const auto *paths : {&tables_.self_paths, &tables_.repeats})
    for (const HaloPath &path : *paths) {
      const Box &halo = path.moves[f].halo_box;
      if (halo.cells() == 0) continue;
      hlc_view &view = views[direction_index(path.direction.v, tables_.ndims)];
      view.data = is_swapped(path, f) ? path.moves[f].peer_edge : nullptr;
      std::copy(halo.count.begin(), halo.count.end(), view.count);
    }
}

bool Views::is_swapped(const HaloPath &path, std::size_t f) const {
  return path.active && path.moves[f].halo_bytes > 0 &&
         std::find(tables_.swapped.begin(), tables_.swapped.end(), static_cast<int>(f)) != tables_.swapped.end();
}

/// Cells of a halo that repeats another have the rank of that one.
void put_ranks(const HaloTables &tables, std::size_t field, hlc_view *views) {
  for (const auto *paths : {&tables.paths, &tables.self_paths, &tables.repeats})
    for (const HaloPath &path : *paths)
      if (path.moves[field].halo_box.cells() > 0) views[direction_index(path.direction.v, tables.ndims)].rank = path.direction.rank;
}

}  // namespace halocline::core
