// The library opened for a communicator: who shares this node's memory, where this rank waits, which fields lie in shared memory.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <atomic>
#include <limits>
#include <list>
#include <memory>
#include <mutex>
#include <vector>

#include "base/status.hpp"
#include "engine/call.hpp"
#include "engine/network.hpp"
#include "engine/post.hpp"
#include "engine/roll_call.hpp"
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

/// What one agreement of all ranks reads and writes. It lies in the context, so that agreeing allocates nothing.
struct Ballot {
  static constexpr int kNumbers = 16;
  struct News {
    int status = 0;
    char message[1020] = "";
  };
  /// In which collective call a rank is; `text` says it whole, with the plan's name and fields.
  struct Place {
    std::int64_t call = 0, plan = 0;
    char text[496] = "";
  };
  std::int64_t mine[kNumbers] = {}, all[kNumbers] = {};
  News news;
  Place place;
  MPI_Request request = MPI_REQUEST_NULL;
};

/// Everything that outlives single halos. Made by hlc_init; one per communicator.
class Context {
 public:
  Context() = default;
  Context(const Context &) = delete;
  Context &operator=(const Context &) = delete;
  ~Context();

  /// Duplicates the communicator and finds this rank's node. Collective over comm; mine is the status of this rank so far.
  Status open(MPI_Comm comm, Status mine);

  /// A collective step has failed: a rank is gone, and what MPI still holds of that step cannot be taken back. From now on every collective
  /// step fails at once, as the first did. Returns the status with its message.
  Status lose(Status why);
  /// The same of MPI, which has been finalised. Each call that comes later says so with its own name.
  void lose_with_mpi(const char *call);
  bool lost() const { return failed(why_lost_); }
  /// The status and the message of the failure that lost the context.
  Status why_lost() const;
  /// Gives back all but the communicators, which MPI can only free collectively, and the memory that MPI may still write.
  void give_up();
  Ballot &ballot() { return ballot_; }

  /// Says in which collective call this rank is from now on, here and in the node's memory. Returns the one before. One thread at a time.
  CallWord enter(CallWord call);
  /// The collective call that this rank is in, whatever other threads wait for.
  CallWord collective_call() const { return collective_call_; }
  /// A wait that lasts: while this rank is in no collective call, it is in that one. False if another thread's is told already. Any thread.
  bool enter_wait(CallWord wait);
  /// It is over.
  void leave_wait();
  /// The call that others are told of.
  CallWord call() const { return CallWord::unpacked(call_.load(std::memory_order_relaxed)); }
  /// When the collective call began that this rank is in.
  std::int64_t call_begun_ns() const { return call_begun_ns_; }
  void begin_call(std::int64_t now_ns) { call_begun_ns_ = now_ns; }
  /// The call that another rank of the node is in.
  CallWord call_of(Member member) const { return CallWord::unpacked(port_.call(member)); }
  RollCall &roll_call() { return roll_call_; }
  /// The number of the plan that is made next, the same on all ranks.
  std::int64_t next_plan() const { return plans_made_ + 1; }
  /// All ranks have come to make it.
  void count_plan() { plans_made_ += 1; }

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
  /// True if all ranks run on this host, be its nodes real or pretended.
  bool one_host() const { return one_host_; }
  /// What reaches the ranks of other nodes.
  Network &network() { return network_; }
  const Network &network() const { return network_; }
  /// Who moves the network (HALOCLINE_PROGRESS).
  Progress progress() const { return progress_; }
  /// Lets MPI and the network move what others wait for. A wait that MPI has no part in calls it now and then, because MPI may have told this rank that a
  /// send or a collective is done whose last message is still queued here, and goes on with it only inside its own calls. Does nothing on
  /// a thread that may not call MPI.
  void nudge();
  /// What trials on this node have found of messages of 2^n bytes at most: how they are best packed for a peer (docs/design/004-packing-for-a-peer.md). The same on all ranks of the node.
  enum class Packing : char { not_tried, kept, fetched, past_caches };
  Packing &packing(int n) { return packings_[static_cast<std::size_t>(n)]; }
  /// Check mode's post office; null unless HALOCLINE_CHECK=1.
  Post *post() const { return post_.get(); }
  /// The member of this node that a rank is, kOtherNode if it stands elsewhere. Cold: asks MPI.
  Member member_of(int rank) const;
  /// Wakes all ranks of the node that sleep.
  void ring_node();
  /// The rank of a member of this node. Cold.
  int rank_of(Member member) const;

  /// Field memory: collective to make, local to release.
  Status allocate_field(std::size_t bytes, void **data, transport::shm::Pages pages = transport::shm::Pages::reserved);
  Status release_field(void *data);
  /// Where in the fields a piece of memory lies.
  FieldPlace find_field(const void *data, std::int64_t bytes);
  /// Bytes from data to the end of what the caller asked for, if it lies in a field of this rank; kNoField if it lies in none.
  std::int64_t field_room(const void *data);
  static constexpr std::int64_t kNoField = std::numeric_limits<std::int64_t>::max();
  /// The memory of another member's field, as this process sees it.
  char *field_part(std::int64_t serial, Member member);
  /// The same two, and keep this rank's field from being released until use_field(serial, -1). Nowhere, NULL if it has been released.
  FieldPlace hold_field(const void *data, std::int64_t bytes);
  char *borrow_field(std::int64_t serial, Member member);
  /// Keeps a field from being released (+1), or gives it free again (-1).
  void use_field(std::int64_t serial, int change);

  /// Halos and exchanges made from this context and not yet released.
  std::atomic<int> live_plans = 0;
  int live_fields() const { return static_cast<int>(fields_.size()); }

 private:
  struct Field {
    std::int64_t serial;
    std::int64_t bytes;  // of this rank, as the caller asked for them; the segment has whole pages
    Segment segment;
    int users = 0;
  };

  Status read_environment();
  Status compare_builds(MPI_Comm comm);
  Status compare_environment(MPI_Comm comm);
  Status split_nodes();
  Status number_nodes();
  Status count_cores();
  Status open_port();
  Status open_post();
  void tell_call();
  Field *field_with(std::int64_t serial);

  MPI_Comm comm_ = MPI_COMM_NULL, node_comm_ = MPI_COMM_NULL;
  MPI_Group group_ = MPI_GROUP_NULL, node_group_ = MPI_GROUP_NULL;
  int rank_ = 0, size_ = 1, node_ = 0, nodes_ = 1, members_ = 1, cores_ = 1;
  Member member_ = 0;
  std::int64_t timeout_ns_ = 0;
  long pretended_nodes_ = 0, checks_ = 0;
  Progress progress_ = Progress::spare;
  Ballot ballot_;
  std::mutex calls_mutex_;
  CallWord collective_call_, wait_;
  std::atomic<std::int64_t> call_{0};
  std::int64_t call_begun_ns_ = 0, plans_made_ = 0;
  RollCall roll_call_;
  std::array<Packing, 64> packings_{};
  Status why_lost_ = Status::ok;
  char loss_[sizeof Ballot::News::message] = "";
  bool lost_with_mpi_ = false;
  bool one_host_ = true;
  Port port_;
  Network network_;
  std::unique_ptr<Post> post_;
  std::mutex fields_mutex_;
  std::list<Field> fields_;
  std::int64_t next_serial_ = 0;
};

}  // namespace halocline
