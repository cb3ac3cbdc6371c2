// A barrier of a segment that its rank passes without waiting: it looks from time to time whether the others have entered it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/rma/segment.hpp"
#include "engine/sync/dissemination.hpp"

namespace halocline::core {

/// The barriers of one segment, one after the other, by one thread at a time. They use the words of hlc_barrier, so a segment has either.
class PendingBarrier {
 public:
  /// completes_puts: what this rank has put to the ranks that it notifies is there when they have passed the barrier.
  explicit PendingBarrier(Segment &segment, bool completes_puts = false) : segment_(segment), completes_puts_(completes_puts) {}

  /// Enters the next barrier. The previous one has been passed.
  void enter();
  /// Notifies other ranks as far as possible: ok once all ranks have entered it, `again` until then. `call` is the caller's name in messages.
  Status look(const char *call);
  /// While `look` returns `again`: the rank that it waits for.
  int awaited() const;

 private:
  Segment &segment_;
  bool completes_puts_;
  RoundsPassed rounds_;
  std::uint32_t number_ = 0;
};

}  // namespace halocline::core
