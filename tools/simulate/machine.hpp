// The costs of a simulated machine. Those of a node are from a machine card, those of the network are published ones or options.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <halocline/model.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace simulate {

/// What cannot be simulated, with the reason.
struct Refusal : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A node, in microseconds. A side is the sender or the receiver of an MPI message.
struct Node {
  std::string source;                ///< where these costs are from
  double copy_us_per_byte = 0;       ///< of a halo between two fields
  double pack_us_per_byte = 0;  ///< between a field and a buffer of which another rank reads or writes the other end
  double put_us = 0;                 ///< MPI_Put to a rank of the node
  double put_us_per_byte = 0;        ///< of such a put
  double flush_us = 0;               ///< a flush with nothing outstanding
  double combine_us_per_byte = 0;  ///< of a rank that combines elements with what it got; 0: as for a copy
  double lock_us = 0;                ///< lock_all with its unlock_all, without the words that are reached
  double message_us = 0;             ///< a side of a message
  double message_us_per_byte = 0;    ///< a side's copy of a message inside the node
  double handover_us = 0;            ///< from a store by one rank until another sees it
  double switch_us = 0;              ///< from one rank to another on a core, where ranks share cores and wait in MPI
  double engine_switch_us = 0;       ///< the same where they wait in the engine
  int cores = 0;                     ///< of a node; 0: one for each rank
};

/// A network between nodes, and the shape of its nodes.
struct Network {
  std::string name, source;
  int ranks_per_node = 1;
  double latency_us = 0;      ///< of the first byte, in one direction
  double us_per_byte = 0;     ///< of a node's port, in each direction
  double overhead_us = 0;     ///< of a rank for an operation that it starts
  double operation_us = 0;    ///< of a port for an operation, at least
  double signal_us = 0;       ///< of a rank for a word that it sets at another: post and complete of PSCW, a round of a barrier
  double epoch_us = 0;        ///< of a rank for the start and the wait of PSCW together
  double barrier_us = 0;      ///< of a round of the MPI's barrier, from its signal on, at least
  double atomic_us = 0;       ///< of an atomic operation at its target, beyond the transfer
  double element_us = 0;      ///< of a rank for each further element of an atomic operation on many; 0: as for an operation
  double read_us = 0;         ///< of a get at its target, beyond the transfers
  double combine_us_per_byte = 0;  ///< of a rank that combines elements with what it got; 0: as for a copy
  double lock_us = 0;         ///< of a rank for a shared lock, beyond the lock's atomic operation
  double memory_us_per_byte = 0;  ///< of a node's memory for each byte that is read or written; 0: it limits nothing
  double eager_bytes = 8192;  ///< longer messages ask first (rendezvous)
  double packet_bytes = 4096; ///< operations up to this size do not queue behind longer ones
};

/// All that a simulation knows of the machine.
struct Machine {
  Node node;
  Network network;

  int node_of(int rank) const { return rank / network.ranks_per_node; }
  bool same_node(int a, int b) const { return node_of(a) == node_of(b); }
  /// A rank's copy, while all ranks of the node copy. It reads and writes each byte.
  double copy_us(double bytes) const;
  /// The same, for packing and unpacking, for a side of a message, and for MPI_Put inside the node.
  double pack_us(double bytes) const;
  double message_copy_us(double bytes) const;
  double put_copy_us(double bytes) const;

 private:
  double shared_memory_us_per_byte() const { return 2 * network.memory_us_per_byte * network.ranks_per_node; }
};

/// For which a node's costs per byte are taken: whether data are in a cache decides them.
struct Sizes {
  double swap = 1 << 18;     ///< bytes that a rank copies in a swap
  double message = 1 << 15;  ///< bytes of a message or a put
};

/// Calibrates a node by a machine card. Each cost has a list of curves, and the first that the card has is taken. Refusal if it has none.
Node node_of_card(const hlc_model *card, const Sizes &sizes);
/// The network of a card that has curves of several nodes; Refusal if it has none.
Network network_of_card(const hlc_model *card);
/// A network of one of the papers' machines: "archer", "aries", "bluewaters", "cirrus", "fdr10". Refusal if there is no such name.
Network published_network(const std::string &name);
std::vector<std::string> published_networks();

}  // namespace simulate
