// One record of every rank, kept once per node: gathered by rank 0, handed to one rank of each node, who puts them into memory that the
// others of its node read. So no rank has a table of all ranks of its own, not even for a moment.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include "transport/shm/region.hpp"

namespace halocline {

class Context;
enum class ObjectFile;

/// One rank per node, joined by a communicator when it is first asked for. Collective over the context.
class Leaders {
 public:
  Leaders() = default;
  Leaders(const Leaders &) = delete;
  Leaders &operator=(const Leaders &) = delete;
  ~Leaders();

  Status meet(Context &context);
  MPI_Comm comm() const { return comm_; }
  /// Leaves the communicator to MPI, which can only free it collectively.
  void give_up() { comm_ = MPI_COMM_NULL; }

 private:
  bool met_ = false;
  MPI_Comm comm_ = MPI_COMM_NULL;
};

/// Shares `bytes` bytes of each rank. Collective over the context, the same status on all ranks.
Status share_records(Context &context, const void *mine, int bytes, transport::shm::Region &table, ObjectFile file);

/// The records of all ranks, by rank.
template <class Record>
class Directory {
 public:
  /// Collective over the context.
  Status share(Context &context, const Record &mine, ObjectFile file = {}) {
    return share_records(context, &mine, sizeof mine, table_, file);
  }
  const Record &of(int rank) const { return reinterpret_cast<const Record *>(table_.part(0))[rank]; }

  /// For a helper process, while its file is kept.
  const transport::shm::Region &table() const { return table_; }
  void close_file() { table_.close(); }

 private:
  transport::shm::Region table_;  // all in the part of the node's member 0
};

}  // namespace halocline
