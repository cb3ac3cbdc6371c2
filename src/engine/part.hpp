// Parts of memory that ranks make one by one: its owner makes a part and describes it on a card, whoever reads the card reaches it. What faces
// need whose segments are not made by all ranks together.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <halocline/segment.h>

#include <memory>

#include "engine/context.hpp"
#include "engine/far.hpp"
#include "engine/notifications.hpp"

namespace halocline {

/// What others have to know of a part. Plain bytes, to be sent as they are.
struct PartCard {
  std::uint64_t version = 0;  // of the parts that this rank has made; 0: there is none
  std::int64_t bytes = 0;
  std::uint64_t memory = 0;  // where the owner has the data, if the application has brought it
  std::int32_t notifications = 0, words = 0;  // those that are notifications, all words
  std::uint32_t number = 0;  // in requests
  transport::shm::ObjectAddress object;
  FarCard far;
};

struct PartSpec {
  std::int64_t bytes = 0;
  int notifications = 0;
  int rising = 0;  // words behind the notifications that only grow (transport/ofi/port.hpp)
  char *memory = nullptr;  // the application's; null: the part brings its own
};

/// A part of this rank, in an object that the ranks of its node may map:
///
///   | words, those that rise from a line pair on | a landing | data, from a page on, unless the application has brought them |
class OwnPart {
 public:
  explicit OwnPart(Context &context) : context_(context) {}
  OwnPart(const OwnPart &) = delete;
  OwnPart &operator=(const OwnPart &) = delete;

  /// Makes the memory, and opens it to other nodes if there are any; their network is open then. Local.
  Status create(const PartSpec &spec);
  /// Closes it to other nodes.
  void close() { far_.reset(); }

  const PartCard &card() const { return card_; }
  char *data() const { return data_; }
  std::int64_t bytes() const { return card_.bytes; }
  int notifications() const { return card_.notifications; }
  NotificationWord *words() const { return reinterpret_cast<NotificationWord *>(memory_.part(0)); }
  /// The first of the words that rise; each may stand on a line pair of its own.
  int first_rising() const { return first_rising_of(card_.notifications); }
  static int first_rising_of(int notifications) { return static_cast<int>(round_up(notifications, kWordsPerLinePair)); }

 private:
  Status make_object();
  Status open_to_others();

  Context &context_;
  PartCard card_;
  Segment memory_;
  char *data_ = nullptr;
  std::unique_ptr<FarParts> far_;  // goes before the memory
};

/// A part of any rank, as this one reaches it. Offsets and ids have been checked. Any thread may call, but for open.
class PeerPart {
 public:
  explicit PeerPart(Context &context) : context_(context) {}
  PeerPart(const PeerPart &) = delete;
  PeerPart &operator=(const PeerPart &) = delete;

  /// Opens what a card describes. `mine` is that part, if it is this rank's own. Local.
  Status open(int rank, const PartCard &card, const OwnPart *mine);

  std::int64_t bytes() const { return card_.bytes; }
  int rank() const { return rank_; }
  /// Of the rank, as its node calls it.
  pid_t process() const { return card_.object.maker; }
  int notifications() const { return card_.notifications; }
  /// The id of one of the words that rise.
  int rising(int word) const { return OwnPart::first_rising_of(card_.notifications) + word; }
  /// True if operations are complete when they return: the part is on this node.
  bool is_near() const { return far_ == nullptr; }

  Status put(const char *call, std::int64_t offset, const void *data, std::int64_t bytes);
  Status get(const char *call, std::int64_t offset, void *data, std::int64_t bytes);
  /// The notification comes after the data.
  Status put_notify(const char *call, std::int64_t offset, const void *data, std::int64_t bytes, hlc_notification notification);
  Status notify(const char *call, hlc_notification notification) { return put_notify(call, 0, nullptr, 0, notification); }
  /// The notification comes after all that this rank has put to the rank before.
  Status notify_in_order(const char *call, hlc_notification notification);
  /// On unsigned words of 64 bits, which `offset` is a multiple of.
  Status fetch_add(const char *call, std::int64_t offset, std::uint64_t value, std::uint64_t *old);
  Status compare_swap(const char *call, std::int64_t offset, std::uint64_t expected, std::uint64_t value, std::uint64_t *old);

 private:
  Status map();
  Status copy_across(const char *call, bool writes, std::int64_t offset, void *data, std::int64_t bytes) const;
  Status no_atomics(const char *call) const;

  Context &context_;
  PartCard card_;
  int rank_ = 0;
  Member member_ = kOtherNode;
  Segment memory_;
  char *data_ = nullptr;  // null: not mapped here
  NotificationWord *words_ = nullptr;
  std::unique_ptr<FarParts> far_;  // there if the rank is on another node
};

}  // namespace halocline
