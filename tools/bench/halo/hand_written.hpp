// The halo swap as a competent programmer writes it by hand with MPI point-to-point, and as many models have it today: one message per
// direction for all fields together, all receives posted first, pack and send one after the other, cells that face the rank itself
// copied, and unpacking in order of arrival. It knows nothing of Halocline; as the contender hand_p2p it takes part in every race.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "bench/halo/block.hpp"

#include <mpi.h>

#include <vector>

namespace bench {

class HandWrittenSwap {
 public:
  /// neighbours: the rank in each of directions(block, box). The fields must stay where they are.
  HandWrittenSwap(MPI_Comm comm, const Block &block, bool box, const std::vector<int> &neighbours, const std::vector<char *> &fields);

  /// Fills the halos of all fields; returns when the halos can be read and the interiors be written. Collective among neighbours.
  void run();

  /// Messages sent per swap.
  int messages() const { return static_cast<int>(messages_.size()); }
  /// Directions that face the rank itself.
  int self_copies() const { return static_cast<int>(self_.size()); }

 private:
  struct Message {
    int rank, send_tag, receive_tag;
    Region edge, halo;
    std::vector<char> out, in;
  };
  void post_receives();
  void pack_and_send();
  void unpack_arrivals();

  void pack(Message &message) const;
  void unpack(const Message &message) const;

  MPI_Comm comm_;
  Block block_;
  std::vector<char *> fields_;
  std::vector<Message> messages_;
  std::vector<SelfCopy> self_;
  std::vector<MPI_Request> receives_, sends_;
};

}  // namespace bench
