// One halo of the soak, in one mode: a block of a plane. Each value names its step, field and cell.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "support/modes.hpp"
#include "support/mpi_test.hpp"

namespace halocline::test {

class Block {
 public:
  static constexpr int nfields = 3;

  explicit Block(const ModeChoice &mode) : mode_(mode) {}
  Block(const Block &) = delete;
  Block &operator=(const Block &) = delete;

  /// Allocates and plans; releases. Both collective, both report their failures.
  void create();
  void destroy();

  /// Writes the interior of a step, and poison into the halo.
  void fill(int step);
  hlc_status start(const hlc_swap &what) { return hlc_halo_start(halo_, &what); }
  hlc_status test() { return hlc_halo_test(halo_); }
  hlc_status finish() { return hlc_halo_finish(halo_); }
  /// The number of cells that do not hold what the swap of that step must leave behind.
  int wrong_cells(int step, const hlc_swap &what) const;
  const ModeChoice &mode() const { return mode_; }

 private:
  static constexpr std::int64_t low = 2, high = 1;  // depths of the halo
  std::int64_t cells(int d) const { return low + grid_.local[d] + high; }
  std::uint64_t *field(int f) const { return data_ + f * cells(0) * cells(1); }
  bool asked_for(const hlc_swap &what, int f, int side0, int side1) const;
  bool open(int d, std::int64_t cell) const;

  ModeChoice mode_;
  hlc_grid grid_{};
  std::uint64_t *data_ = nullptr;
  hlc_halo *halo_ = nullptr;
};

}  // namespace halocline::test
