// One record of every rank, stored once per node. Rank 0 gathers the records and broadcasts them to one leader per node. The leader
// receives them in memory that the others of its node read. So no rank ever has a private table of all ranks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "base/status.hpp"
#include "engine/memory/node_memory.hpp"

namespace halocline::core {

class Communicator;
class NodeLeaders;
struct SharedRecords;

/// The record of one rank; all have the same size.
struct Record {
  const void *data;
  int bytes;
};

/// The records of all ranks, by rank. blocks/boxes.hpp has records whose size is found when the program runs; RankTable those of a type.
class RankRecords {
 public:
  RankRecords();
  RankRecords(RankRecords &&other) noexcept;
  RankRecords &operator=(RankRecords &&other) noexcept;
  ~RankRecords();

  /// Shares the records of all ranks, through the leaders. `ready`: the status of what this rank has done for its record; if that failed on
  /// any rank, all fail. Records that are there already are replaced, which takes fewer meetings; they are as large. After a failure there
  /// are none. Collective over the communicator, the same status on all ranks.
  Status share(Communicator &communicator, NodeLeaders &leaders, Status ready, Record mine, ObjectFile file = ObjectFile::closed);
  /// One after the other.
  const char *all() const { return all_; }

  /// For a helper process, while the object's file is kept.
  const SharedMemory &table() const;
  void close_file();

 private:
  std::unique_ptr<SharedRecords> records_;
  const char *all_ = nullptr;
};

/// The records of all ranks, by rank.
template <class Entry>
class RankTable {
 public:
  /// As RankRecords::share.
  Status share(Communicator &communicator, NodeLeaders &leaders, const Entry &mine, ObjectFile file = ObjectFile::closed,
               Status ready = Status::ok) {
    return records_.share(communicator, leaders, ready, {&mine, sizeof mine}, file);
  }
  const Entry &of(int rank) const { return reinterpret_cast<const Entry *>(records_.all())[rank]; }

  /// For a helper process, while the object's file is kept.
  const SharedMemory &table() const { return records_.table(); }
  void close_file() { records_.close_file(); }

 private:
  RankRecords records_;
};

}  // namespace halocline::core
