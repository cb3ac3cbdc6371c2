// A segment's parts on other nodes, and the operations on them: writes and reads over the network, and queries for what these cannot do.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <halocline/segment.h>

#include <optional>

#include "engine/network/network.hpp"

namespace halocline::core {

/// The target of an operation.
struct Target {
  int rank = 0;
  std::int64_t offset = 0;
};

/// A notification that waits for the transfers before it, and how many bytes of these have begun.
struct PendingNotify {
  bool begun = false;
  Flush before;
  std::int64_t done = 0;
};

/// A rank's part as others access it over the network. Plain numbers, to be sent as they are.
struct RemoteDescriptor {
  std::int64_t bytes = 0;
  transport::RemoteKey part;  // from the dummy target on, if there is one
  std::uint64_t words_id = 0;
};

/// A part of this rank that other nodes may access, as long as the object lives; the network is open.
class ExposedPart {
 public:
  /// The part of the segment `number`; `dummy_target`: there are such bytes before its data.
  ExposedPart(Network &network, std::uint32_t number, bool dummy_target)
      : requests_(*network.requests()),
        endpoint_(*network.endpoint()),
        helper_(network.helper()),
        number_(number),
        dummy_target_(dummy_target) {}
  ExposedPart(const ExposedPart &) = delete;
  ExposedPart &operator=(const ExposedPart &) = delete;
  ~ExposedPart();

  /// Opens the part, by the helper of the node if there is one: then as a member's part of the memory, whose file is open. Local.
  Status open(const Served &mine, const SharedMemory &memory, Member member, RemoteDescriptor *descriptor);

 private:
  Status open_here(const Served &mine, RemoteDescriptor *descriptor);

  RequestEngine &requests_;
  NetworkEndpoint &endpoint_;
  Helper *helper_;  // of this node, if there is one
  NetworkSegment memory_;
  std::uint64_t words_id_ = 0;
  std::uint32_t number_;
  bool dummy_target_, is_open_ = false;
};

/// The messages about one segment to the ranks that serve it.
struct SegmentMessages {
  std::uint32_t number = 0;  // of the segment

  Message about(Message::Kind kind, std::int64_t offset) const;
  Message notify(hlc_notification notification) const;
  Message combine(std::int64_t offset, hlc_action action, std::uint64_t operand) const;
  Message compare(std::int64_t offset, hlc_number type, std::uint64_t expected, std::uint64_t value) const;
};

/// Any thread may call, except connect, serve and reach. Callers have checked offsets.
class RemoteRma {
 public:
  explicit RemoteRma(Network &network) : network_(network) {}

  /// Exposes this rank's part to the others, and exchanges the descriptors. With a helper the file of the memory must still be open.
  /// Collective over the communicator.
  Status connect(const Served &mine, const SharedMemory &memory);
  /// Exposes a part of this rank alone, the only one of its memory; the network is open. Without `dummy_target` there are no such bytes
  /// before its data. Local.
  Status serve(std::uint32_t number, const Served &mine, const SharedMemory &memory, bool dummy_target, RemoteDescriptor *descriptor);
  /// Makes the object access one part, which its owner has exposed by serve. Local.
  void reach(std::uint32_t number, const RemoteDescriptor &descriptor, bool dummy_target);

  std::int64_t bytes_of(int rank) const { return descriptor_of(rank).bytes; }

  Status put(const char *call, Target to, const char *data, std::int64_t bytes);
  Status get(const char *call, Target from, char *data, std::int64_t bytes);
  /// The notification is set when all of the data have arrived.
  Status put_notify(const char *call, Target to, const char *data, std::int64_t bytes, hlc_notification notification);
  Status notify(const char *call, int rank, hlc_notification notification) { return put_notify(call, {rank, 0}, nullptr, 0, notification); }
  /// put and get without waiting. `again` until all bytes have begun: call again with the same `done`, which counts bytes from 0 on.
  Status put(const char *call, Target to, const char *data, std::int64_t bytes, std::int64_t &done);
  Status get(const char *call, Target from, char *data, std::int64_t bytes, std::int64_t &done);
  /// put_notify without waiting. `again` until the notification may be sent: call again with the same `pending`.
  Status put_notify(const char *call, Target to, const char *data, std::int64_t bytes, hlc_notification notification,
                    PendingNotify &pending);
  /// The same for a notification without data, set after all that this rank has put there before.
  Status notify_in_order(const char *call, int rank, hlc_notification notification, PendingNotify &pending);
  /// Whether a transfer to a rank may begin without a wait; `again` if not.
  Status find_room(const char *call, int rank) { return requests_->find_room(rank, call); }
  /// Operand and old value are the bytes of one number.
  Status combine(const char *call, Target at, hlc_action action, std::uint64_t operand, std::uint64_t *old);
  Status compare(const char *call, Target at, hlc_number type, std::int64_t expected, std::int64_t value, std::int64_t *old);
  /// The same two without waiting. `again` until the reply has arrived: call again with the same query.
  Status combine(const char *call, Target at, hlc_action action, std::uint64_t operand, Query &query, std::uint64_t *old);
  Status compare(const char *call, Target at, std::uint64_t expected, std::uint64_t value, Query &query, std::uint64_t *old);
  Status accumulate(const char *call, Target at, hlc_action action, const char *data, std::int64_t count);

 private:
  const RemoteDescriptor &descriptor_of(int rank) const { return only_ ? *only_ : descriptors_.of(rank); }
  void find_network();
  Status put_piece(const char *call, Target to, const char *data, std::int64_t bytes);
  Status get_piece(const char *call, Target from, char *data, std::int64_t bytes);
  Status write_with_immediate(const char *call, Target to, const char *data, std::int64_t bytes, hlc_notification notification);
  Status notify_by_message(const char *call, int rank, hlc_notification notification);
  std::int64_t first_pieces(std::int64_t bytes) const;
  transport::RemoteKey key_of(Target target) const;
  Status put_last(const char *call, Target to, const char *data, std::int64_t bytes, hlc_notification notification);

  Network &network_;
  RequestEngine *requests_ = nullptr;
  NetworkEndpoint *endpoint_ = nullptr;
  std::optional<ExposedPart> mine_;
  RankTable<RemoteDescriptor> descriptors_;
  std::optional<RemoteDescriptor> only_;  // instead of descriptors_, after reach
  SegmentMessages messages_;
  bool dummy_target_ = true;
};

}  // namespace halocline::core
