// A group of ranks and its collective calls. Each call advances the collective operation as far as possible; after GASPI_TIMEOUT the next
// call continues it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "faces/gaspi/session.hpp"

namespace halocline::core::gaspi {

/// The arguments of a reduction. combine(what, value, other) replaces value by the combination of both; value is that of the lower ranks.
struct Reduction {
  const void *operand = nullptr;
  void *result = nullptr;
  std::int64_t bytes = 0;
  Status (*combine)(const void *what, void *value, const void *other) = nullptr;
  const void *what = nullptr;
};

/// One thread at a time, except for const functions.
class Group {
 public:
  enum class Stage { none, defined, committed };
  enum class Call { none, commit, barrier, reduction };

  void define(bool all);
  Stage stage() const { return stage_; }
  void remove(Session &session);
  /// False if the rank is a member already.
  bool add(int rank);
  int size(const Session &session) const;
  int rank_at(int index) const { return all_ ? index : ranks_[static_cast<std::size_t>(index)]; }

  /// True while another call has begun and has not ended.
  bool is_busy(Call call) const { return call_ != Call::none && call_ != call; }
  /// `again`: call again with the same arguments. A failure ends the call, too.
  Status commit(Session &session, int handle) {
    return go_on(session, Call::commit, kCommit, [&] { return commit_on(session, handle); });
  }
  Status barrier(Session &session) {
    return go_on(session, Call::barrier, kBarrier, [&] { return barrier_on(session); });
  }
  Status reduce(Session &session, const Reduction &reduction) {
    return go_on(session, Call::reduction, kReduction, [&] { return reduce_on(session, reduction); });
  }

 private:
  static constexpr const char *kCommit = "gaspi_group_commit", *kBarrier = "gaspi_barrier", *kReduction = "gaspi_allreduce";

  static constexpr int kLookedFor = 64;  // most members of a group in which each probes all

  /// A member that this one writes to.
  struct Partner {
    RemoteMemory *part = nullptr;
    int handle = -1;  // its handle of the group
    bool asked = false;  // a read of its records is under way
    Flush flush;
    std::vector<std::uint64_t> records;
  };
  /// What one member sends to another in reductions, in pieces through a slot of the receiver.
  struct Stream {
    Partner *partner;
    int slot;  // of the receiver
    int taken;  // the sender's word for the pieces that have been taken
    std::uint32_t *pieces;  // number sent, or received, since the group was committed
  };
  using Counts = std::vector<std::uint32_t>;
  enum class Step { begin, writes, first, second, third };

  template <class Work>
  Status go_on(Session &session, Call call, const char *name, Work work) {
    const bool begins = call_ == Call::none;
    if (begins) step_ = Step::begin, call_ = call;
    Status status = begins ? look_for_lost(session, name) : Status::ok;
    if (status == Status::ok) status = work();
    // What a member did before it was lost still counts.
    if (const Status lost = status == Status::again ? look_for_lost(session, name) : Status::ok; failed(lost)) status = lost;
    if (failed(status)) break_off(session);
    if (status != Status::again) call_ = Call::none;
    return status;
  }
  void break_off(Session &session);
  Status commit_on(Session &session, int handle);
  Status barrier_on(Session &session);
  Status reduce_on(Session &session, const Reduction &reduction);

  Status publish(Session &session);
  void name_attempt(Session &session);
  Status choose_partners(Session &session);
  Status look_for_others(Session &session) const;
  bool has_lost_members(Session &session) const;
  Status find_handle(Session &session, Partner &partner);
  Status find_handles(Session &session);
  Status end_questions(Session &session);
  Status begin_next(Session &session, int handle);
  Status begin(Session &session, const char *call);
  Status look_for_lost(Session &session, const char *call) const;
  Status confirm_writes(Session &session, const char *call);
  Status pass_rounds(Session &session, const char *call);
  Status gather(Session &session, const Reduction &reduction);
  Status hand_out(Session &session, const Reduction &reduction);
  void keep(const Reduction &reduction);
  Partner &above(int round) { return above_[static_cast<std::size_t>(round)]; }
  Stream up(const Session &session, Partner &partner, int round, Counts &counts) const;
  Stream down(const Session &session, Partner &partner, int round, Counts &counts) const;
  std::int64_t piece_bytes(const Partner &partner) const;
  Status send(Session &session, const Stream &stream, std::int64_t bytes);
  Status receive(Session &session, const Stream &stream, std::vector<char> &into, std::int64_t bytes);
  static bool has_come(Session &session, int word, std::uint32_t number);

  Stage stage_ = Stage::none;
  bool all_ = false;
  std::vector<int> ranks_;  // ascending; empty for all
  int handle_ = 0, index_ = 0, rounds_ = 0;
  Attempt attempt_;  // to commit it
  bool resumes_ = false;  // continues an abandoned commit
  bool passed_by_ = false;  // others have completed it
  bool broken_ = false;  // a collective call has failed
  std::uint64_t name_ = 0, next_name_ = 0;  // what its members write to their records; the same for their next group
  Partner below_;  // in the tree of reductions
  std::vector<Partner> above_;  // 2^round above, modulo the size

  Call call_ = Call::none;
  Step step_ = Step::begin;
  std::uint32_t number_ = 0;  // of the last collective call
  int round_ = 0;
  bool told_ = false;
  std::vector<Flush> writes_;
  PendingNotify pending_notify_;
  std::int64_t moved_ = 0;  // bytes of the operand that is being sent or received
  bool has_other_ = false;
  std::vector<char> value_, other_;
  Counts sent_, received_;  // pieces, by round; the last is for the member below
};

}  // namespace halocline::core::gaspi
