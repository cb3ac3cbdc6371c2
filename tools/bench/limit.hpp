// The physical limit of a halo swap on one node, measured in the same run: what the memory system needs to bring the halo cells into this
// rank's halos, and one hand-over of a cache line, without which no rank can know that the data are there.
//
// Sources: each rank has a twin of the fields in an MPI shared window, of the same shape, whose edges it writes when it writes those of the
// fields. A limit swap copies, run by run, from the twins' interiors of the neighbours into the halos of the real fields; from its own fields
// for directions that face itself, and for neighbours of other nodes, whose memory it can't read.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "contender.hpp"

#include <atomic>
#include <memory>

namespace bench {

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
  int rank_ = 0, size_ = 0;
  std::int64_t count_ = 0;
};

/// The strided copy. Allocating it is collective over node; all ranks of comm must make one.
std::unique_ptr<Contender> make_limit(Problem &problem, MPI_Comm comm, MPI_Comm node);

}  // namespace bench
