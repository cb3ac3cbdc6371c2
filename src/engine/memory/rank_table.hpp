// One record of every rank, stored once per node. Rank 0 gathers the records and broadcasts them to one leader per node. The leader
// receives them in memory that the others of its node read. So no rank ever has a private table of all ranks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <memory>
#include <vector>

#include "engine/communicator/collective.hpp"
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

/// The records of all ranks, and what MPI reads and writes while they are shared.
struct SharedRecords : Job {
  std::vector<char> mine;
  SharedMemory table;  // all in the part of the node's member 0

  const char *all() const { return table.part(0); }
};

/// Shares the records of all ranks, through the leaders. `ready`: the status of what this rank has done for its record; if that failed on any
/// rank, all fail. Records that are there already are replaced, which takes fewer meetings; they are as large. After a failure there are none.
/// Collective over the communicator, the same status on all ranks.
Status share_records(Communicator &communicator, NodeLeaders &leaders, Status ready, Record mine, std::unique_ptr<SharedRecords> &records,
                     ObjectFile file);

/// The records of all ranks, by rank.
template <class Entry>
class RankTable {
 public:
  /// As share_records.
  Status share(Communicator &communicator, NodeLeaders &leaders, const Entry &mine, ObjectFile file = ObjectFile::closed,
               Status ready = Status::ok) {
    return share_records(communicator, leaders, ready, {&mine, sizeof mine}, records_, file);
  }
  const Entry &of(int rank) const { return reinterpret_cast<const Entry *>(records_->all())[rank]; }

  /// For a helper process, while the object's file is kept.
  const SharedMemory &table() const { return records_->table; }
  void close_file() { records_->table.close(); }

 private:
  std::unique_ptr<SharedRecords> records_;
};

}  // namespace halocline::core
