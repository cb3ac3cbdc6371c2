// Dynamic sparse data exchange: messages to ranks that do not know of them. The object behind hlc_sparse.
//
// Messages are put into slots of their targets (sparse_sender.hpp), which take them from there (sparse_slots.hpp). On one node a rank enters a
// barrier when all its messages are at their targets. Once that is passed, all messages of this exchange have arrived. One of the next
// exchange may already be there: it has a later number and waits.
//
// Between nodes each message from one rank to another takes some microseconds, and those that follow each other count. A rank enters the
// barrier once each message has its place, while it is under way. That barrier tells each rank how many messages it is to receive
// (counted_barrier.hpp). A rank has finished when it has passed it, and has as many. Nothing is confirmed. So two nodes need one message in
// sequence, or three where tickets are claimed. If the counts cannot be relied on, all ranks confirm what they have put, and enter a barrier
// as on one node. docs/design/038-sparse.md has the reasons.
//
// It uses no SlotChannel (engine/network). That has slots for each peer, and both ends know each other from the start. Here any rank may send,
// and memory must not grow with the number of ranks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <halocline/sparse.h>

#include <string>
#include <vector>

#include "engine/rma/segment.hpp"
#include "engine/sync/pending_barrier.hpp"
#include "sparse/counted_barrier.hpp"
#include "sparse/sparse_sender.hpp"
#include "sparse/sparse_slots.hpp"

namespace halocline::core {

class SparseExchange {
 public:
  explicit SparseExchange(Network &network)
      : segment_(network), barrier_(segment_), counted_(segment_, receiver_), receiver_(segment_), sender_(segment_, receiver_, counted_) {}
  SparseExchange(const SparseExchange &) = delete;
  SparseExchange &operator=(const SparseExchange &) = delete;

  /// The local part of the creation: checks the spec, and appends the name to *plan.
  Status take(const hlc_sparse_spec *spec, std::string *plan);
  /// Collective, after all ranks have taken their specs.
  Status create();
  Status start(int count, const hlc_sparse_message *messages);
  Status test(const char *call);
  Status finish();
  /// To be called after all ranks have met to end it.
  Status end(bool others_broken) { return segment_.end(others_broken || broken_); }

  bool outstanding() const { return outstanding_; }
  bool broken() const { return broken_; }
  std::int64_t serial() const { return segment_.plan(); }

 private:
  Status check(int count, const hlc_sparse_message *messages) const;
  Status find_rounds(NodeRounds *order);
  Status go_on();
  Status go_on_counted();
  Status go_on_confirmed();
  Status receive_counted();
  Status look_at_flush();
  Status look_for_lost(const char *call);
  Status fail_for_time(Status status, const char *call) const;
  std::string awaited() const;
  Status mark_broken(Status status);

  enum class Stage { pushing, in_counted, receiving, flushing, in_barrier, complete };

  Segment segment_;
  PendingBarrier barrier_;
  CountedBarrier counted_;
  SparseReceiver receiver_;
  SparseSender sender_;
  std::string name_;  // the caller's; may be empty
  std::uint32_t slots_ = 0;  // a power of two
  bool outstanding_ = false, broken_ = false;

  // Of the exchange that is outstanding:
  std::uint64_t round_ = 0;
  Stage stage_ = Stage::complete;
  bool confirms_ = false;  // as on one node
  std::int64_t received_before_ = 0;  // by earlier exchanges
  std::int64_t next_look_ns_ = 0;  // for ranks that are lost
  std::int64_t tested_ns_ = 0;  // for so long tests have been repeated
  std::vector<Flush> flushes_;
  int flushed_last_ = 0;  // the rank of one that has not ended
};

}  // namespace halocline::core
