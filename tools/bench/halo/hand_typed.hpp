// The halo swap by hand with MPI's own datatypes: one persistent message per partner, whose datatype holds all cells of all fields that go
// there, so that the MPI packs and unpacks. LLNL's Comb found this the fastest of its variants on some machines. As the contender
// hand_types it takes part in every race, beside hand_p2p.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "bench/halo/block.hpp"

#include <mpi.h>

#include <vector>

namespace bench {

class HandTypedSwap {
 public:
  /// neighbours: the rank in each of directions(block, box). The fields must stay where they are.
  HandTypedSwap(MPI_Comm comm, const Block &block, bool box, const std::vector<int> &neighbours, const std::vector<char *> &fields);
  HandTypedSwap(const HandTypedSwap &) = delete;
  HandTypedSwap &operator=(const HandTypedSwap &) = delete;
  ~HandTypedSwap();

  /// Fills the halos of all fields; returns when the halos can be read and the interiors be written. Collective among neighbours.
  void run();

  /// Messages sent per swap: one per partner.
  int messages() const { return static_cast<int>(requests_.size()) / 2; }
  /// Directions that face the rank itself.
  int self_copies() const { return static_cast<int>(self_.size()); }

 private:
  MPI_Datatype cells_of(const std::vector<Region> &regions) const;
  void add_partner(int rank, const std::vector<Index> &all, const std::vector<int> &neighbours);

  MPI_Comm comm_;
  Block block_;
  std::vector<char *> fields_;
  std::vector<SelfCopy> self_;
  std::vector<MPI_Request> requests_;
};

}  // namespace bench
