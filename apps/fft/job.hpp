// A run of NAS FT: the transformed random field evolves, and is transformed back after each step.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "fft3d.hpp"

#include <common/skew.hpp>

namespace fft {

struct Contestant {
  const char *name;
  Fft3d transform;
};

struct Outcome {
  double seconds = 0;  ///< of all iterations on the slowest rank; the checksums are added up afterwards
  std::vector<Complex> checksums;
  std::uint64_t fingerprint = 0;  ///< of the last iteration's field
};

/// What all variants share. Its functions are collective.
class Job {
 public:
  Job(const halocline::Context &context, const Problem &problem, const Decomposition &decomposition, std::uint64_t skew);

  Fft3d make_transform(const Kind &kind) const;
  /// All iterations from the beginning. Checksums and fingerprint are computed on request.
  Outcome run(Contestant &one, bool with_results);

 private:
  std::vector<Complex> first_transform() const;
  void say_progress(const Contestant &one, int iteration);

  const halocline::Context &context_;
  const Problem &problem_;
  const Decomposition decomposition_;
  const Groups groups_;
  common::Skew skew_;
  const std::vector<Complex> transformed_;  ///< the field's transform at the beginning: planes of y, rows of z
  std::vector<Complex> field_;              ///< evolves during a run
  double last_said_ = MPI_Wtime();
};

}  // namespace fft
