// The library opened for a communicator: who shares this node's memory, where this rank waits, which fields lie in shared memory.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <list>
#include <mutex>
#include <vector>

#include "base/status.hpp"
#include "transport/shm/port.hpp"
#include "transport/shm/region.hpp"

namespace halocline {

using transport::Member;
using Port = transport::shm::Port;
using Segment = transport::shm::Region;

/// The member that stands for a rank of another node.
inline constexpr Member kOtherNode = -1;

/// Where a piece of memory lies in the fields of a context; serial < 0: in none.
struct FieldPlace {
  std::int64_t serial = -1;
  std::int64_t offset = 0;
};

/// Everything that outlives single halos. Made by hlc_init; one per communicator.
class Context {
 public:
  Context() = default;
  Context(const Context &) = delete;
  Context &operator=(const Context &) = delete;
  ~Context();

  /// Duplicates the communicator and finds this rank's node. Collective.
  Status open(MPI_Comm comm);

  /// Leaves the communicators alone for good: a rank is gone, so that freeing them could hang.
  void give_up() { comm_ = node_comm_ = MPI_COMM_NULL; }

  MPI_Comm comm() const { return comm_; }
  MPI_Comm node_comm() const { return node_comm_; }
  int rank() const { return rank_; }
  int size() const { return size_; }
  Member member() const { return member_; }
  int members() const { return members_; }
  int node() const { return node_; }
  int nodes() const { return nodes_; }
  int cores() const { return cores_; }
  /// Nanoseconds that a wait may last; 0: for ever.
  std::int64_t timeout_ns() const { return timeout_ns_; }
  /// True if every rank of the node can have a core of its own.
  bool core_per_rank() const { return cores_ >= members_; }
  Port &port() { return port_; }
  /// The member of this node that a rank is, kOtherNode if it stands elsewhere. Cold: asks MPI.
  Member member_of(int rank) const;

  /// Field memory: collective to make, local to release.
  Status allocate_field(std::int64_t bytes, void **data);
  Status release_field(void *data);
  /// Where in the fields a piece of memory lies.
  FieldPlace find_field(const void *data, std::int64_t bytes);
  /// The memory of another member's field, as this process sees it.
  char *field_part(std::int64_t serial, Member member);
  /// Keeps a field from being released (+1), or gives it free again (-1).
  void use_field(std::int64_t serial, int change);

  /// Halos and exchanges made from this context and not yet released.
  std::atomic<int> live_plans = 0;
  int live_fields() const { return static_cast<int>(fields_.size()); }

 private:
  struct Field {
    std::int64_t serial;
    Segment segment;
    int users = 0;
  };

  Status split_nodes();
  Status count_cores();
  Field *field_with(std::int64_t serial);

  MPI_Comm comm_ = MPI_COMM_NULL, node_comm_ = MPI_COMM_NULL;
  MPI_Group group_ = MPI_GROUP_NULL, node_group_ = MPI_GROUP_NULL;
  int rank_ = 0, size_ = 1, node_ = 0, nodes_ = 1, members_ = 1, cores_ = 1;
  Member member_ = 0;
  std::int64_t timeout_ns_ = 0;
  Port port_;
  std::mutex fields_mutex_;
  std::list<Field> fields_;
  std::int64_t next_serial_ = 0;
};

/// All ranks of comm leave with the status and the message of the lowest rank that failed, or with ok.
Status agree(MPI_Comm comm, Status mine);

}  // namespace halocline
