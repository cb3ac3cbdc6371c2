// Operations on memory of a rank of another node: writes and reads over the network, and queries for what these cannot do.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <halocline/segment.h>

#include <optional>

#include "engine/memory/atomics.hpp"
#include "engine/network/message.hpp"
#include "engine/rma/operations.hpp"
#include "engine/rma/remote_memory.hpp"

namespace halocline::core {

class RequestEngine;
struct AtomicsQuery;

/// The operations on one rank's memory; made for each call. operations.hpp says what each does; here arguments have been checked.
class RemoteRma {
 public:
  explicit RemoteRma(const RemoteMemory &memory, After after = After::flush)
      : memory_(memory),
        descriptor_(memory.descriptor()),
        requests_(*memory.network().requests()),
        endpoint_(*memory.network().endpoint()),
        after_(after) {}

  Status put(const char *call, std::int64_t offset, const char *data, std::int64_t bytes);
  Status get(const char *call, std::int64_t offset, char *data, std::int64_t bytes);
  Status put_notify(const char *call, std::int64_t offset, Source source, hlc_notification notification);
  Status notify(const char *call, hlc_notification notification) { return put_notify(call, 0, {}, notification); }
  /// The same without waiting; `again` until all has begun.
  Status put(const char *call, std::int64_t offset, Source source, std::int64_t &done);
  Status get(const char *call, std::int64_t offset, Sink sink, std::int64_t &done);
  Status put_notify(const char *call, std::int64_t offset, Source source, hlc_notification notification, PendingNotify &pending);
  Status notify_in_order(const char *call, hlc_notification notification, PendingNotify &pending);

  /// Operand and old value are the bytes of one number.
  Status combine(const char *call, std::int64_t offset, hlc_action action, std::uint64_t operand, std::uint64_t *old);
  Status compare(const char *call, std::int64_t offset, hlc_number type, CompareSwap swap);
  /// The same two without waiting. `again` until the reply has arrived: call again with the same query.
  Status combine(const char *call, std::int64_t offset, hlc_action action, std::uint64_t operand, std::uint64_t *old, Query &query);
  Status compare(const char *call, std::int64_t offset, hlc_number type, CompareSwap swap, Query &query);
  /// Starts several atomics, whose offsets are in this memory; the reply carries the previous numbers. `again`, and nothing has been done,
  /// while too many requests are under way there.
  Status start_atomics(const char *call, const AtomicsQuery &several, Query &query);
  Status accumulate(const char *call, std::int64_t offset, hlc_action action, Numbers numbers);
  /// Puts bytes with immediate data that change a number; `none` if they cannot carry that change.
  Status put_signal(const char *call, std::int64_t offset, Source source, std::uint64_t immediate);
  std::optional<std::uint64_t> signal_of(const NumberChange &change, std::int64_t bytes) const;
  /// By a message without a reply, as of a network that keeps the order. The first also puts bytes, if there is room for them.
  Status put_combine(const char *call, std::int64_t offset, Source source, NumberChange change);
  bool has_message_room(std::int64_t bytes) const;
  Status combine_silently(const char *call, std::int64_t offset, hlc_action action, std::uint64_t operand);
  Status raise_in_order(const char *call, hlc_notification notification);

 private:
  Message about(Message::Kind kind, std::int64_t offset) const;
  Message notify_message(hlc_notification notification) const;
  Message combine_message(std::int64_t offset, hlc_action action, std::uint64_t operand) const;
  Message compare_message(std::int64_t offset, hlc_number type, CompareSwap swap) const;
  Status put_piece(const char *call, std::int64_t offset, const char *data, std::int64_t bytes);
  Status get_piece(const char *call, std::int64_t offset, char *data, std::int64_t bytes);
  Status put_first(const char *call, std::int64_t offset, Source source);
  Status put_last(const char *call, std::int64_t offset, Source source, hlc_notification notification);
  Status write_with_immediate(const char *call, std::int64_t offset, Source source, std::uint64_t immediate);
  Source last_piece(Source source) const;
  Status notify_by_message(const char *call, hlc_notification notification);
  std::int64_t first_pieces(std::int64_t bytes) const;
  std::int64_t piece_of(std::int64_t bytes) const;
  transport::RemoteKey key_of(std::int64_t offset) const;

  const RemoteMemory &memory_;
  const RemoteDescriptor &descriptor_;
  RequestEngine &requests_;
  NetworkEndpoint &endpoint_;
  After after_;
};

}  // namespace halocline::core
