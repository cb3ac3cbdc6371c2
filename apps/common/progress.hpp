// What a long run says of itself now and then, on stderr.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdio>
#include <string>

namespace common {

class Progress {
 public:
  /// Only the rank that speaks writes anything.
  Progress(const char *program, bool speaks) : program_(program), speaks_(speaks) {}

  /// Writes a line if the last one, or the begin, is some seconds ago.
  void say(const std::string &what) {
    if (!speaks_ || MPI_Wtime() - last_said_ < kSilence_s) return;
    std::fprintf(stderr, "%s: %s\n", program_, what.c_str());
    last_said_ = MPI_Wtime();
  }

 private:
  static constexpr double kSilence_s = 5;

  const char *program_;
  bool speaks_;
  double last_said_ = MPI_Wtime();
};

}  // namespace common
