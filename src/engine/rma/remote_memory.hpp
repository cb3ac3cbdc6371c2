// A rank's memory as this rank reaches it, and the one decision how. The memory was made by all ranks together (segment.hpp), by its owner
// alone, or by the application (local_memory.hpp). What can be done with it is in operations.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "base/notifications.hpp"
#include "engine/communicator/communicator.hpp"
#include "engine/memory/node_lock.hpp"
#include "engine/network/network.hpp"
#include "engine/rma/remote_descriptor.hpp"

namespace halocline::core {

/// How bytes reach memory. mapped: it has an address in this process. kernel: it is private memory of another process of the node, which the
/// kernel copies (cross-memory attach). network: it is on another node.
enum class Path { mapped, kernel, network };

/// What a rank knows of memory of its own or of another rank of its node.
struct MemoryOnNode {
  int rank = 0;
  Member member = 0;
  std::int64_t bytes = 0;
  char *data = nullptr;  // in this process; null: not mapped
  NotificationWords words;
  bool shares_notifications = false;  // any rank of the node may wait for them
  NodeLock lock = {};  // of atomics, if the application provides the memory
  pid_t process = 0;  // of the owner, and
  std::uint64_t address = 0;  // the data's address there, if the application provides the memory
};

/// A value that refers to memory and is copied at will. The Segment, LocalMemory or OpenedMemory that made it keeps
/// mappings and descriptors, and must outlive it. It never changes, so any thread may use it.
class RemoteMemory {
 public:
  RemoteMemory() = default;
  /// Memory on this node.
  RemoteMemory(Network &network, const MemoryOnNode &memory)
      : path_(memory.data ? Path::mapped : Path::kernel),
        rank_(memory.rank),
        member_(memory.member),
        notifications_(memory.words.notifications.count()),
        rings_node_(memory.shares_notifications),
        process_(memory.process),
        data_(memory.data),
        bytes_(memory.bytes),
        network_(&network),
        communicator_(&network.communicator()),
        polls_(communicator_->nodes() > 1),
        words_(memory.words),
        lock_(memory.lock),
        address_(memory.address) {}
  /// Memory of a rank of another node, with `notifications` notifications. The network is open.
  RemoteMemory(Network &network, int rank, const RemoteDescriptor &descriptor, int notifications)
      : path_(Path::network),
        rank_(rank),
        notifications_(notifications),
        bytes_(descriptor.bytes),
        network_(&network),
        communicator_(&network.communicator()),
        polls_(true),
        descriptor_(&descriptor) {}

  int rank() const { return rank_; }
  std::int64_t bytes() const { return bytes_; }
  Path path() const { return path_; }
  /// True if operations are complete when they return: the memory is on this node.
  bool is_near() const { return path_ != Path::network; }
  /// The rank as a member of this node; kNotOnNode if it is on another node.
  Member member() const { return member_; }
  /// The address of the data in this process; null unless they are mapped here.
  char *data() const { return data_; }
  /// The number of its notifications, and its words if it is on this node.
  int notifications() const { return notifications_; }
  const NotificationWords &words() const { return words_; }
  /// The id by which immediate data and messages name a monotonic word.
  int monotonic(int word) const { return NotificationWords::first_monotonic(notifications_) + word; }
  /// Memory on this node: the owner's process, and there the address of data that the application provides.
  pid_t process() const { return process_; }
  std::uint64_t address() const { return address_; }
  /// Atomics need it, whichever rank does them, if the application provides the memory: then not all ranks of the node have an address for
  /// it. Otherwise it is false.
  const NodeLock &lock() const { return lock_; }
  /// Memory on another node.
  const RemoteDescriptor &descriptor() const { return *descriptor_; }

  Network &network() const { return *network_; }
  Communicator &communicator() const { return *communicator_; }
  /// Whether an operation may begin without a wait; `again` while too many requests to the rank are under way.
  Status find_room(const char *call) const { return is_near() ? Status::ok : network_->find_room(rank_, call); }
  /// To be called by each operation: on several nodes drives progress now and then.
  void poll_sometimes() const {
    if (polls_) network_->poll_sometimes();
  }
  /// Wakes the ranks that may wait for a notification of memory on this node.
  void ring() const {
    if (rings_node_)
      communicator_->ring_node();
    else
      communicator_->doorbell().ring(member_);
  }

 private:
  Path path_ = Path::mapped;
  int rank_ = 0;
  Member member_ = kNotOnNode;
  int notifications_ = 0;
  bool rings_node_ = false;
  pid_t process_ = 0;
  char *data_ = nullptr;
  std::int64_t bytes_ = 0;
  Network *network_ = nullptr;
  Communicator *communicator_ = nullptr;
  bool polls_ = false;
  NotificationWords words_;
  NodeLock lock_;
  std::uint64_t address_ = 0;
  const RemoteDescriptor *descriptor_ = nullptr;
};

/// The target of an operation: an offset in a rank's memory.
struct Target {
  const RemoteMemory &memory;
  std::int64_t offset;
};

/// What a put reads and where a get writes: bytes of this process.
struct Source {
  const void *data = nullptr;
  std::int64_t bytes = 0;
  bool is_brief = false;  // put_notify copies up to Request::kRoom bytes, which may change once it returns; put_and_change may copy them
};
struct Sink {
  void *data = nullptr;
  std::int64_t bytes = 0;
};

/// The operands of an accumulate: numbers of its type, one after the other.
struct Numbers {
  const void *data = nullptr;
  std::int64_t count = 0;
};

/// What follows a put and says that it has arrived: a flush, or more likely a message to the same rank.
enum class After { flush, message };

/// The bytes that an operation accesses, relative to its offset: from `low` to before `high`.
struct Extent {
  std::int64_t low, high;
};

/// The error of bytes that are not within the memory.
Status wrong_extent(const char *call, Target target, Extent extent);

/// The one routing decision: finds how an operation reaches its bytes. *place becomes their address for Path::mapped, else null. False if
/// they are not within the memory.
inline bool find_path(Target target, Extent extent, char **place) {
  const RemoteMemory &memory = target.memory;
  if (target.offset < 0 || target.offset > memory.bytes() || extent.low < -target.offset || extent.high > memory.bytes() - target.offset)
    return false;
  *place = memory.path() == Path::mapped ? memory.data() + target.offset : nullptr;
  memory.poll_sometimes();
  return true;
}

}  // namespace halocline::core
