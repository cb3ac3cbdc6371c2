// What a halo in mode view shows: where the cells around the block are since the last swap, for each direction and field.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "halo/tables.hpp"

namespace halocline::core {

class Views {
 public:
  /// The paths have been listed.
  explicit Views(const HaloTables &tables);

  /// From now on an edge that is read shows a field in the neighbour's array, which has these strides.
  void note_strides(std::size_t edge, std::size_t field, const Strides &strides) { peer_strides_[at(edge, field)] = strides; }
  /// Nothing is shown.
  void clear();
  /// The cells of an edge are in this buffer; NULL: in the neighbour's array.
  void show(int edge, const void *buffer);
  /// Writes where the cells of a field are.
  void put(std::size_t field, hlc_view *views) const;

 private:
  /// Where the cells of one direction and field are; data NULL: the last swap did not move them.
  struct Shown {
    const char *data = nullptr;
    Strides strides{};
  };
  std::size_t at(std::size_t edge, std::size_t field) const { return edge * tables_.fields.size() + field; }
  bool is_swapped(const HaloPath &path, std::size_t field) const;

  const HaloTables &tables_;
  std::vector<Shown> shown_;           // per path and field, of the last swap
  std::vector<Strides> peer_strides_;  // per path and field
};

/// Writes the rank of each direction that a rank fills.
void put_ranks(const HaloTables &tables, std::size_t field, hlc_view *views);

}  // namespace halocline::core
