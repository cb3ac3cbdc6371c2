// One line on stderr that says how far a measurement is.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "bench/frame/common_options.hpp"

#include <unistd.h>

#include <cstdio>
#include <string>

namespace bench {

/// Written over again and again, on rank 0 of a terminal or where it was asked for.
class ProgressLine {
 public:
  ProgressLine(const CommonOptions &options, int rank) : on_(rank == 0 && (options.progress || isatty(STDERR_FILENO))) {}
  ~ProgressLine() {
    if (on_) std::fprintf(stderr, "\r%60s\r", "");
  }
  void operator()(const std::string &what, int done, int of) const {
    if (on_) std::fprintf(stderr, "\r%-40s %4d/%d ", what.c_str(), done, of);
  }

 private:
  bool on_;
};

}  // namespace bench
