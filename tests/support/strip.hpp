// A strip of entries for tests of single calls. Every rank has two entries of its own and a ghost on each side, joined to a ring. With 2
// ranks each is on both sides of the other; 1 rank is its own neighbour.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

#include "support/modes.hpp"
#include "support/plane.hpp"

namespace halocline::test {

/// The spec of a strip; lists point into it.
struct Strip {
  explicit Strip(const ModeChoice &mode = all_modes[0]) {
    const int below = (rank() + size() - 1) % size(), above = (rank() + 1) % size();
    neighbours[0] = {below, 1, 2, 1, &lists[1], 1, &lists[0]};
    neighbours[1] = {above, 2, 1, 1, &lists[2], 1, &lists[3]};
    for (std::size_t f = 0; f < fields.size(); ++f) {
      fields[f] = {cells[f].data(), HLC_FLOAT64, 0, 0, 0, 0, f == 0 ? "u" : "v"};
    }
    spec.nentries = 4;
    spec.nneighbours = 2;
    spec.neighbours = neighbours.data();
    spec.nfields = 2;
    spec.fields = fields.data();
    spec.mode = mode.mode;
    spec.epoch = mode.epoch;
    spec.drive = mode.drive;
  }
  Strip(const Strip &) = delete;
  Strip &operator=(const Strip &) = delete;
  ~Strip() {
    if (halo) {
      EXPECT_TRUE(ok(hlc_index_halo_finalise(&halo)));
    }
  }

  hlc_status init() { return hlc_index_halo_init(context(), &spec, &halo); }
  /// Own entries 1 and 2 name rank, field, entry and step; ghosts hold what must be overwritten.
  void fill(int step) {
    for (std::size_t f = 0; f < 2; ++f)
      for (int i = 0; i < 4; ++i)
        cells[f][static_cast<std::size_t>(i)] = i == 0 || i == 3 ? -7 : value(rank(), static_cast<int>(f), i, step);
  }
  static double value(int owner, int field, int entry, int step) { return 1 + owner + 100 * field + 1000 * entry + 10000.0 * step; }
  static int below() { return (rank() + size() - 1) % size(); }
  static int above() { return (rank() + 1) % size(); }

  std::array<std::array<double, 16>, 2> cells{};
  std::array<std::int64_t, 4> lists{0, 1, 2, 3};
  std::array<hlc_index_neighbour, 2> neighbours{};
  std::array<hlc_index_field, 2> fields{};
  hlc_index_halo_spec spec{};
  hlc_index_halo *halo = nullptr;
};

}  // namespace halocline::test
