// Memory that ranks make one by one, for faces whose segments are not made collectively. The owner makes it and publishes its descriptor; a
// rank that has read the descriptor can open it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>

#include "engine/rma/remote_memory.hpp"

namespace halocline::core {

class ExposedMemory;

/// What others need to open memory of a rank. Plain bytes, to be sent as they are.
struct MemoryDescriptor {
  std::uint64_t version = 0;  // numbers the memory that this rank has made; 0: there is none
  std::int64_t bytes = 0;
  std::uint64_t memory = 0;  // the data's address in the owner, if the application provides the memory
  std::int32_t notifications = 0, monotonic = 0;  // words of each kind
  std::int32_t leader = -1;  // the rank of the node whose notifications it uses, where they are shared
  transport::shm::ObjectAddress object;
  transport::shm::ObjectAddress notifications_object;  // begins with the leader's notifications, if it uses them
  RemoteDescriptor far;
};

struct MemorySpec {
  std::int64_t bytes = 0;
  int notifications = 0;
  int monotonic = 0;  // monotonic words
  char *memory = nullptr;  // the application's; null: it is allocated
  int leader = -1;  // where the ranks of the node share notifications: their owner
  const MemoryDescriptor *leader_descriptor = nullptr;  // unless this rank is the leader
};

/// Memory of this rank, in an object that the ranks of its node may map:
///
///   | words | a dummy target | data, from a page on; where the application provides them, the dummy target holds a lock instead |
class LocalMemory {
 public:
  explicit LocalMemory(Network &network);
  LocalMemory(const LocalMemory &) = delete;
  LocalMemory &operator=(const LocalMemory &) = delete;
  ~LocalMemory();

  /// Makes the memory, and exposes it to other nodes if there are any; the network must be open then. Local.
  Status create(const MemorySpec &spec);
  /// Ends the access of other nodes.
  void close();
  /// Once all ranks of the node that will open the memory have opened it: its file stays open no longer.
  void close_file() { object_.close(); }

  /// As the operations take it.
  const RemoteMemory &memory() const { return mine_; }

  const MemoryDescriptor &descriptor() const { return descriptor_; }
  char *data() const { return data_; }
  std::int64_t bytes() const { return descriptor_.bytes; }
  int notifications() const { return descriptor_.notifications; }
  const NotificationWords &words() const { return words_; }
  /// Wakes the ranks that may wait for a notification of the memory.
  void ring() const { mine_.ring(); }

 private:
  Status make_object();
  Status map_notifications(const MemoryDescriptor &leader);
  Status expose();

  Network &network_;
  Communicator &communicator_;
  MemoryDescriptor descriptor_;
  SharedMemory object_, leaders_;  // leaders_: the leader's notifications; their file stays open, since others open it here
  char *data_ = nullptr;
  NotificationWords words_;
  RemoteMemory mine_;
  std::unique_ptr<ExposedMemory> exposed_;  // destroyed before the object
  CountedShared shared_;
};

/// Memory of any rank, opened by its descriptor. Any thread may use it as RemoteMemory.
class OpenedMemory : public RemoteMemory {
 public:
  OpenedMemory() = default;
  OpenedMemory(const OpenedMemory &) = delete;
  OpenedMemory &operator=(const OpenedMemory &) = delete;

  /// `mine` is the memory, if it is this rank's own. Local.
  Status open(Network &network, int rank, const MemoryDescriptor &descriptor, const LocalMemory *mine);

 private:
  Status map(Network &network, int rank);

  MemoryDescriptor opened_;
  SharedMemory object_, leaders_;
};

}  // namespace halocline::core
