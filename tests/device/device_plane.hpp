// A plane of cells that is in a device's memory.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "device/device_memory.hpp"
#include "support/plane.hpp"

namespace halocline::test {

/// A plane whose cells are on a device, in the second half of an allocation.
class DevicePlane {
 public:
  explicit DevicePlane(hlc_mode mode = HLC_MODE_P2P, int device = 0) : current_(device), plane(mode), cells_(8 * 8 * 8, false, 8 * 8 * 8) {
    cells_.write(plane.cells.data());
    plane.field.data = cells_.data();
  }
  const Allocation &cells() const { return cells_; }

 private:
  Current current_;

 public:
  Plane plane;

 private:
  Allocation cells_;
};

}  // namespace halocline::test
