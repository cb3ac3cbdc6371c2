// Dynamic sparse data exchange: messages to ranks that do not know of them. The object behind hlc_sparse.
//
// A message takes consecutive tickets of its target: one per piece that fits into a slot. Ticket t is for slot t modulo the number of slots.
// A sender puts a piece once the target has taken the ticket a whole row of slots before. The target takes its slots in the order of
// tickets, so the pieces of a message follow each other. When all its pieces are at their targets, a rank enters a barrier. Once that is
// passed, all pieces of this exchange have arrived. A piece of the next exchange may already be there: it has a later number and waits. A
// message of a rank to itself takes none of this.
//
// It uses no SlotChannel (engine/network). That has slots for each peer, and both ends know each other from the start. Here any rank may send,
// and memory must not grow with the number of ranks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <halocline/sparse.h>

#include <string>
#include <vector>

#include "engine/rma/operations.hpp"
#include "engine/rma/segment.hpp"
#include "engine/sync/pending_barrier.hpp"
#include "sparse/sparse_slots.hpp"

namespace halocline::core {

class SparseExchange {
 public:
  explicit SparseExchange(Network &network) : segment_(network), barrier_(segment_), receiver_(segment_) {}
  SparseExchange(const SparseExchange &) = delete;
  SparseExchange &operator=(const SparseExchange &) = delete;
  ~SparseExchange() { forget_queries(); }

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
  struct Outgoing {
    int rank;
    const char *data;
    std::int64_t bytes, pieces;
    std::int64_t next = 0;  // piece that has not been put
    bool claimed = false;
    std::uint32_t first = 0;  // ticket
    std::uint32_t taken = 0;  // by the target, at the last look
    Query query{};
  };

  Status check(int count, const hlc_sparse_message *messages) const;
  Status go_on();
  Status push_all();
  Status push(const RemoteMemory &memory, Outgoing &message);
  Status claim(const RemoteMemory &memory, Outgoing &message);
  Status look_at_taken(const RemoteMemory &memory, Outgoing &message);
  Status put(const RemoteMemory &memory, const Outgoing &message, std::uint32_t ticket);
  bool is_kept(const Outgoing &message) const;
  void keep_own();
  void ring_targets();
  Status look_at_flush();
  int awaited() const;
  void forget_queries();
  Status mark_broken(Status status);

  enum class Stage { pushing, flushing, in_barrier, complete };

  Segment segment_;
  PendingBarrier barrier_;
  SparseReceiver receiver_;
  std::uint32_t slots_ = 0;  // a power of two
  bool outstanding_ = false, broken_ = false;

  // Of the exchange that is outstanding:
  std::uint64_t round_ = 0;
  Stage stage_ = Stage::complete;
  std::vector<Outgoing> messages_;
  std::size_t pushed_ = 0;  // all messages before this one have been put
  std::vector<Member> put_to_;  // of this node, to be woken; one per message at most
  std::vector<Flush> flushes_;
  int flushed_last_ = 0;  // the rank of one that has not ended
};

}  // namespace halocline::core
