// What the library records about itself while it runs, if HALOCLINE_TRACE or HALOCLINE_SUMMARY asks for it: spans of time with the rank that
// they concern. Every layer above records here; recorder.cpp writes the files, docs/tracing.md describes them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "base/clock.hpp"

namespace halocline::core::trace {

/// What is asked for: bits of `uses`.
enum Use : unsigned { kTrace = 1, kSummary = 2 };

/// Set while the first context is opened, and after that only cleared. Any thread.
extern std::atomic<unsigned> uses;

#ifdef HALOCLINE_WITHOUT_TRACING
constexpr bool is_on() { return false; }
#else
/// True if anything is asked for: the one branch that a program pays that asks for nothing.
inline bool is_on() { return __builtin_expect(uses.load(std::memory_order_relaxed) != 0, 0); }
#endif
inline bool traces() { return is_on() && (uses.load(std::memory_order_relaxed) & kTrace) != 0; }
inline bool summarises() { return is_on() && (uses.load(std::memory_order_relaxed) & kSummary) != 0; }

/// The number of a text that was kept; 0: none.
using Text = std::uint16_t;

/// Keeps a text for events, once. Returns 0 if there are too many. Any thread.
Text keep_text(const std::string &text);

inline constexpr int kNoRank = -1;

/// span: from begin_ns to end_ns on one thread. opens, closes: the ends of a swap, which belong together by plan and round.
enum class Kind : std::uint8_t { span, opens, closes };

/// What happened. All `const char *` live as long as the program.
struct Event {
  const char *name = nullptr;
  const char *category = "";
  const char *call = nullptr;  // of a wait: the call that waits
  std::int64_t begin_ns = 0, end_ns = 0;
  int rank = 0;  // of MPI_COMM_WORLD, as all ranks here
  int peer = kNoRank;  // that the event concerns: sent to, received from, waited for
  std::int64_t context = 0;  // the number of the context in which plan is numbered; 0: it has none
  std::int64_t plan = 0, round = -1;
  std::int64_t bytes = -1;
  Text label = 0;  // the plan's name
  Text detail = 0;  // the fields of a swap, the ranks of a group
  Kind kind = Kind::span;
};

/// Records an event, if there is a trace; none without a name. Any thread.
void record(const Event &event);

/// How long a thread has waited so far, in all calls of the library. Counted only where something is recorded.
struct Waited {
  int thread = -1;
  std::int64_t ns = 0;
};
/// That of the calling thread.
Waited waited();

/// When a wait begins, and how long its thread has waited before.
struct WaitBegin {
  std::int64_t ns = 0, waited_ns = 0;
};
/// A wait of the calling thread begins now.
WaitBegin begin_wait();
/// It is over. Waits within it are part of it.
void count_wait(const WaitBegin &begun, std::int64_t end_ns);

/// Runs `work`. If tracing is on, also records how long it took, under the name and the rest of what `describe` returns. Both are passed by
/// value, and should hold values: what they refer to would need room on the stack where tracing is off, too.
template <class Describe, class Work>
[[gnu::noinline, gnu::cold]] auto run_recorded(Describe describe, Work work) {
  const std::int64_t begin_ns = now_ns();
  const auto result = work();
  Event event = describe();
  event.begin_ns = begin_ns;
  event.end_ns = now_ns();
  record(event);
  return result;
}

template <class Describe, class Work>
[[gnu::always_inline]] inline auto around(Describe describe, Work work) {
  if (!is_on()) return work();
  return run_recorded(describe, work);
}

}  // namespace halocline::core::trace
