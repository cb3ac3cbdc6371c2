// The segments of a job, with GASPI's return values.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/rma/segment_directory.hpp"
#include "faces/gaspi/answer.hpp"

namespace halocline::core::gaspi {

/// What FaceSegments asks for.
struct SegmentCodes {
  using Code = gaspi_return_t;
  static Code of(Status status) { return answer(status); }
  static Code no_segment() { return GASPI_ERR_INV_SEG; }
};

using Parts = FaceSegments<SegmentCodes>;

}  // namespace halocline::core::gaspi
