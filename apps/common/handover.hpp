// What the machine needs at least to tell a rank that data are there: the hand-over of a cache line.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>

namespace common {

/// Two cache lines in a shared window, between which the first two ranks of a node hand a number to and fro.
class Handover {
 public:
  /// Collective over node. A node with one rank hands nothing over.
  explicit Handover(MPI_Comm node);
  ~Handover();
  Handover(const Handover &) = delete;
  Handover &operator=(const Handover &) = delete;
  /// Half the round trip in microseconds, the mean of many; 0 on ranks that only watch. Collective over node.
  double measure();

 private:
  struct Lines;
  void serve(std::int64_t first, std::int64_t last);
  void wait_for(const std::atomic<std::int64_t> &line, std::int64_t value) const;

  MPI_Comm node_;
  MPI_Win window_ = MPI_WIN_NULL;
  Lines *lines_ = nullptr;
  int rank_, size_;
  std::int64_t count_ = 0;
};

}  // namespace common
