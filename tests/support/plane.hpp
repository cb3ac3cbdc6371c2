// A small periodic plane of float64 cells, one block of 4 x 4 per rank side by side along dimension 0. Tests start from it and make one
// thing of it wrong.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "support/mpi_test.hpp"

namespace halocline::test {

struct Plane {
  hlc_grid grid{};
  hlc_field field{};
  hlc_halo_spec spec{};
  std::vector<double> cells;

  explicit Plane(hlc_mode mode = HLC_MODE_P2P) : cells(8 * 8, 1.0) {
    grid.ndims = 2;
    for (int d = 0; d < 2; ++d) {
      grid.dims[d] = d == 0 ? size() : 1;
      grid.coords[d] = d == 0 ? rank() : 0;
      grid.periodic[d] = 1;
      grid.local[d] = 4;
      grid.start[d] = 4 * grid.coords[d];
      grid.global[d] = 4 * grid.dims[d];
      spec.depth_low[d] = spec.depth_high[d] = 2;
    }
    field.data = cells.data();
    field.type = HLC_FLOAT64;
    field.name = "theta";
    spec.grid = &grid;
    spec.layout = HLC_COLUMN_MAJOR;
    spec.nfields = 1;
    spec.fields = &field;
    spec.mode = mode;
  }
  Plane(const Plane &) = delete;
  Plane &operator=(const Plane &) = delete;
};

/// Whether the last message contains every word.
inline testing::AssertionResult message_names(const std::vector<std::string> &words) {
  const std::string message = hlc_error_message();
  for (const std::string &word : words)
    if (message.find(word) == std::string::npos) return testing::AssertionFailure() << "no '" << word << "' in the message: " << message;
  return testing::AssertionSuccess();
}

}  // namespace halocline::test
