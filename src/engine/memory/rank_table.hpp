// One record of every rank, stored once per node. Rank 0 gathers the records and broadcasts them to one leader per node. The leader
// receives them in memory that the others of its node read. So no rank ever has a private table of all ranks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include "engine/memory/node_memory.hpp"

namespace halocline::core {

/// One rank per node. Their communicator is created by the first meet, which is collective over the context's communicator.
class NodeLeaders {
 public:
  NodeLeaders() = default;
  NodeLeaders(const NodeLeaders &) = delete;
  NodeLeaders &operator=(const NodeLeaders &) = delete;
  ~NodeLeaders();

  Status meet(Communicator &communicator);
  MPI_Comm comm() const { return comm_; }
  /// Leaves the communicator to MPI, which can only free it collectively.
  void give_up() { comm_ = MPI_COMM_NULL; }

 private:
  bool met_ = false;
  MPI_Comm comm_ = MPI_COMM_NULL;
};

/// The record of one rank; all have the same size.
struct Record {
  const void *data;
  int bytes;
};

/// Shares the records of all ranks, through the leaders. Collective over the communicator, the same status on all ranks.
Status share_records(Communicator &communicator, NodeLeaders &leaders, Record mine, SharedMemory &table, ObjectFile file);

/// The records of all ranks, by rank.
template <class Entry>
class RankTable {
 public:
  /// Collective over the communicator.
  Status share(Communicator &communicator, NodeLeaders &leaders, const Entry &mine, ObjectFile file = ObjectFile::closed) {
    return share_records(communicator, leaders, {&mine, sizeof mine}, table_, file);
  }
  const Entry &of(int rank) const { return reinterpret_cast<const Entry *>(table_.part(0))[rank]; }

  /// For a helper process, while the object's file is kept.
  const SharedMemory &table() const { return table_; }
  void close_file() { table_.close(); }

 private:
  SharedMemory table_;  // all in the part of the node's member 0
};

}  // namespace halocline::core
