// Sending and receiving passive messages. Each rank has one box. A sender takes the box, writes the message and notifies the receiver; the
// receiver frees the box.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <tuple>

#include "faces/gaspi/pending_queries.hpp"
#include "faces/gaspi/session.hpp"

namespace halocline::core::gaspi {

/// A message, identified by the arguments and the thread of its call: the same call of the same thread continues it.
struct Parcel {
  int rank, segment;
  std::uint64_t offset, bytes;
  std::uint64_t thread = thread_number();

  auto parts() const { return std::tie(rank, segment, offset, bytes, thread); }
  bool operator<(const Parcel &other) const { return parts() < other.parts(); }
  bool operator==(const Parcel &other) const { return parts() == other.parts(); }
};

/// Any thread may call.
class Passive {
 public:
  static constexpr const char *kSend = "gaspi_passive_send", *kReceive = "gaspi_passive_receive", *kPurge = "gaspi_passive_queue_purge";

  /// Takes the receiver's box and writes the message; ok when the data may be changed again, `again` until then.
  Status send(Session &session, RemoteMemory &control, const Parcel &parcel, const char *data);
  /// Releases boxes that were taken for messages that no call continues any more, and forgets the messages under way.
  Status release(Session &session);
  /// Receives a message; `again` if there is none. A message that does not fit stays in the box.
  Status receive(Session &session, char *into, std::uint64_t room, int *sender, bool *fits);

 private:
  /// This process's use of another rank's box; any of its threads may continue it.
  struct Box {
    Query query;
    bool mine = false, returns = false;
    PendingNotify pending;
    std::optional<Parcel> parcel;  // the message whose data are being written
  };
  static Status await_written(Session &session, int rank, Box &box);
  static Status begin(Session &session, Box &box, const Parcel &parcel);
  static Status give_back(Session &session, RemoteMemory &control, Box &box);
  Status take_box(Session &session, RemoteMemory &control, Box &box);
  Status release(Session &session, int rank, Box &box);
  Status deliver(Session &session, RemoteMemory &control, const Parcel &parcel, const char *data);
  static void free_lost_box(Session &session);

  std::mutex sending_mutex_, receiving_mutex_;
  std::map<int, Box> boxes_;  // by rank
  std::map<Parcel, Flush> leaving_;  // written, and not locally complete yet
};

}  // namespace halocline::core::gaspi
