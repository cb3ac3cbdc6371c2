// Parts of memory that ranks make one by one, for faces whose segments are not made collectively. The owner makes a part and publishes its
// descriptor; a rank that has read the descriptor can access the part.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <halocline/segment.h>

#include <memory>

#include "base/notifications.hpp"
#include "engine/memory/tracing.hpp"
#include "engine/rma/remote_rma.hpp"

namespace halocline::core {

/// What others need to access a part. Plain bytes, to be sent as they are.
struct MemoryDescriptor {
  std::uint64_t version = 0;  // numbers the parts that this rank has made; 0: there is none
  std::int64_t bytes = 0;
  std::uint64_t memory = 0;  // the data's address in the owner, if the application provides the memory
  std::int32_t notifications = 0, monotonic = 0;  // words of each kind
  std::int32_t leader = -1;  // the rank of the node whose notifications it uses, where they are shared
  std::uint32_t number = 0;  // identifies the part in queries
  transport::shm::ObjectAddress object;
  transport::shm::ObjectAddress notifications_object;  // begins with the leader's notifications, if it uses them
  RemoteDescriptor far;
};

struct MemorySpec {
  std::int64_t bytes = 0;
  int notifications = 0;
  int monotonic = 0;  // monotonic words
  char *memory = nullptr;  // the application's; null: the part allocates its own
  int leader = -1;  // where the ranks of the node share notifications: their owner
  const MemoryDescriptor *leader_descriptor = nullptr;  // unless this rank is the leader
};

/// A part of this rank, in an object that the ranks of its node may map:
///
///   | words | a dummy target | data, from a page on; where the application provides them, the dummy target holds a lock instead |
class LocalMemory {
 public:
  explicit LocalMemory(Network &network) : network_(network), communicator_(network.communicator()) {}
  LocalMemory(const LocalMemory &) = delete;
  LocalMemory &operator=(const LocalMemory &) = delete;

  /// Makes the memory, and exposes it to other nodes if there are any; the network must be open then. Local.
  Status create(const MemorySpec &spec);
  /// Ends the access of other nodes.
  void close() { remote_.reset(); }

  const MemoryDescriptor &descriptor() const { return descriptor_; }
  char *data() const { return data_; }
  std::int64_t bytes() const { return descriptor_.bytes; }
  int notifications() const { return descriptor_.notifications; }
  const NotificationWords &words() const { return words_; }
  /// Wakes the ranks that may wait for a notification of the part.
  void ring() const;
  /// The lock of atomics on memory that the application provides.
  NodeLock lock() const;

 private:
  Status make_object();
  Status map_notifications(const MemoryDescriptor &leader);
  Status open_to_others();

  Network &network_;
  Communicator &communicator_;
  MemoryDescriptor descriptor_;
  SharedMemory memory_, leaders_;  // leaders_: the leader's notifications; their file stays open, since others open it here
  char *data_ = nullptr;
  NotificationWords words_;
  TracedByNode traced_;
  std::unique_ptr<RemoteRma> remote_;  // destroyed before the memory
  CountedShared shared_;
};

/// A part of any rank, as this rank accesses it. Callers have checked offsets and ids. Any thread may call, except open.
class RemoteMemory {
 public:
  explicit RemoteMemory(Network &network) : network_(network), communicator_(network.communicator()) {}
  RemoteMemory(const RemoteMemory &) = delete;
  RemoteMemory &operator=(const RemoteMemory &) = delete;

  /// Opens the part that a descriptor describes. `mine` is that part, if it is this rank's own. Local.
  Status open(int rank, const MemoryDescriptor &descriptor, const LocalMemory *mine);

  std::int64_t bytes() const { return descriptor_.bytes; }
  int rank() const { return rank_; }
  /// The rank's process id on its node.
  pid_t process() const { return descriptor_.object.maker; }
  int notifications() const { return descriptor_.notifications; }
  /// The id of one of the monotonic words.
  int monotonic(int word) const { return NotificationWords::first_monotonic(descriptor_.notifications) + word; }
  /// True if operations are complete when they return: the part is on this node.
  bool is_near() const { return remote_ == nullptr; }
  /// The rank as a member of this node; kNotOnNode if it is on another node.
  Member member() const { return member_; }
  /// The address of the data in this process; null if they are not mapped here.
  char *data() const { return data_; }

  /// Whether the operations below may begin without a wait; `again` while too many requests to the rank are under way.
  Status find_room(const char *call) { return remote_ ? remote_->find_room(call, rank_) : Status::ok; }
  Status put(const char *call, std::int64_t offset, const void *data, std::int64_t bytes);
  Status get(const char *call, std::int64_t offset, void *data, std::int64_t bytes);
  /// The same two without waiting. `again` until all bytes have begun: call again with the same `done`, which counts bytes from 0 on.
  Status put(const char *call, std::int64_t offset, const void *data, std::int64_t bytes, std::int64_t &done);
  Status get(const char *call, std::int64_t offset, void *data, std::int64_t bytes, std::int64_t &done);
  /// The notification is set after the data have arrived.
  Status put_notify(const char *call, std::int64_t offset, const void *data, std::int64_t bytes, hlc_notification notification);
  Status notify(const char *call, hlc_notification notification) { return put_notify(call, 0, nullptr, 0, notification); }
  /// The same without waiting. `again` until the notification may be sent: call again with the same `pending`.
  Status put_notify(const char *call, std::int64_t offset, const void *data, std::int64_t bytes, hlc_notification notification,
                    PendingNotify &pending);
  /// The notification is set after all data that this rank has put to the rank before. `again` as above.
  Status notify_in_order(const char *call, hlc_notification notification, PendingNotify &pending);
  /// Atomics on unsigned words of 64 bits; `offset` is a multiple of 8. `again` until the reply has arrived: call again with the same
  /// query.
  Status fetch_add(const char *call, std::int64_t offset, std::uint64_t value, Query &query, std::uint64_t *old);
  Status compare_swap(const char *call, std::int64_t offset, std::uint64_t expected, std::uint64_t value, Query &query, std::uint64_t *old);

 private:
  Status map();
  Status set(const char *call, hlc_notification notification);
  Status copy_across(const char *call, bool writes, std::int64_t offset, void *data, std::int64_t bytes) const;
  template <class Change>
  Status change_locked(const char *call, std::int64_t offset, std::uint64_t *old, Change change);

  Network &network_;
  Communicator &communicator_;
  MemoryDescriptor descriptor_;
  int rank_ = 0;
  Member member_ = kNotOnNode;
  SharedMemory memory_, leaders_;
  char *data_ = nullptr;  // null: not mapped here
  NotificationWords words_;
  NodeLock lock_;  // of atomics, if the application provides the memory
  std::unique_ptr<RemoteRma> remote_;  // there if the rank is on another node
};

}  // namespace halocline::core
