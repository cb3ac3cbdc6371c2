// Which call of the library a rank is in, so that ranks in different calls can be told apart, and a rank that waits can say where another is.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace halocline {

class Context;

/// The calls that all ranks make together, and those in which a rank waits for others.
enum class CallName : std::uint8_t {
  none,
  init,
  finalise,
  field_alloc,
  grid_reorder,
  refuse,
  halo_init,
  halo_finalise,
  index_halo_init,
  index_halo_finalise,
  blocks_init,
  blocks_finalise,
  exchange_create,
  exchange_destroy,
  allreduce_create,
  allreduce_destroy,
  segment_create,
  segment_free,
  swap,
  allreduce_run,
  barrier,
  notify_wait,
  gaspi_init,
  gaspi_term,
  count_
};

/// Its name in messages.
const char *name_of(CallName name);

/// A call, and the number of the plan that it makes, uses or ends: plans of a context (halos, exchanges, reductions, segments) are counted
/// from 1 in the order in which they are made, the same on all ranks. 0: no plan.
struct CallWord {
  CallName name = CallName::none;
  std::int64_t plan = 0;

  /// As one number, never negative: ranks compare it, and read it in each other's memory.
  std::int64_t packed() const { return plan * 256 + static_cast<std::int64_t>(name); }
  static CallWord unpacked(std::int64_t packed);
  /// "hlc_halo_finalise of plan 2"; "no call that waits" for none.
  std::string text() const;
  /// The same without memory of its own.
  void write(char *text, std::size_t bytes) const;
};

/// A collective call, from its first line to its last.
class Call {
 public:
  Call(Context &context, CallName name, std::int64_t plan = 0);
  Call(const Call &) = delete;
  Call &operator=(const Call &) = delete;
  ~Call();

 private:
  Context &context_;
  CallWord before_;
};

}  // namespace halocline
