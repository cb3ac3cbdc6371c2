// What the rounds of an exchange add to the trace and to the table of HALOCLINE_SUMMARY: each step with its neighbour. Where nothing is traced,
// a step costs one branch.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "exchange/channels.hpp"
#include "exchange/swap_times.hpp"
#include "trace/trace.hpp"

namespace halocline::core {

class RoundTrace {
 public:
  explicit RoundTrace(const Plan &plan) : plan_(plan) {}
  RoundTrace(const RoundTrace &) = delete;
  RoundTrace &operator=(const RoundTrace &) = delete;

  /// Makes room for the plan's edges. Whether anything is recorded is known then.
  void make_tables();
  /// What the next rounds move, for readers: the names of fields.
  void describe_round(const std::string &what) { detail_ = trace::keep_text(what); }

  /// Runs a step of an edge, or one of all: below 0.
  template <class Work>
  Status step(const char *name, int edge, Work work) {
    return trace::around([this, name, edge] { return event(name, edge); }, work);
  }
  /// The same for what returns nothing.
  template <class Work>
  void quiet_step(const char *name, int edge, Work work) {
    static_cast<void>(step(name, edge, [work] {
      work();
      return Status::ok;
    }));
  }
  /// Runs the call that starts a round, or one that may end it.
  template <class Work>
  Status start(Work work) {
    return trace::is_on() ? run_start(work) : work();
  }
  template <class Work>
  Status finish(Work work) {
    return trace::is_on() ? run_finish(work) : work();
  }
  /// Runs the call that releases what views have shown, after the round.
  template <class Work>
  Status release(Work work) {
    return trace::is_on() ? run_release(work) : work();
  }

  /// From now on this rank waits; it waits no longer, and it has waited for the edge's rank, or for the rank.
  void begin_wait() {
    if (trace::is_on()) wait_begun_ = trace::begin_wait();
  }
  void end_wait(int edge, const char *name = "wait") {
    if (trace::is_on()) record_wait(name, edge, -1);
  }
  void end_wait_for_readers(int rank) {
    if (trace::is_on()) record_wait("wait for readers", -1, rank);
  }
  /// True between the two.
  bool waits() const { return wait_begun_.ns != 0; }

 private:
  template <class Work>
  [[gnu::noinline, gnu::cold]] Status run_start(const Work &work);
  template <class Work>
  [[gnu::noinline, gnu::cold]] Status run_finish(const Work &work);
  template <class Work>
  [[gnu::noinline, gnu::cold]] Status run_release(const Work &work);
  trace::Event event(const char *name, int edge) const;
  void begin_round(std::int64_t now_ns);
  void record_call(const char *name, std::int64_t begin_ns);
  void end_round(bool failed);
  void record_wait(const char *name, int edge, int rank);

  const Plan &plan_;
  trace::Text label_ = 0, detail_ = 0;
  std::int64_t ended_ns_ = 0;  // the last call
  trace::WaitBegin wait_begun_;
};

template <class Work>
Status RoundTrace::run_start(const Work &work) {
  const std::int64_t begin_ns = now_ns();
  begin_round(begin_ns);
  const Status status = work();
  record_call("start", begin_ns);
  if (failed(status)) end_round(true);
  return status;
}

/// A look that finds nothing is left out of the trace.
template <class Work>
Status RoundTrace::run_finish(const Work &work) {
  const std::int64_t begin_ns = now_ns();
  plan_.times->begin_call();
  const Status status = work();
  if (status == Status::again) return status;
  record_call("finish", begin_ns);
  end_round(false);
  return status;
}

template <class Work>
Status RoundTrace::run_release(const Work &work) {
  const std::int64_t begin_ns = now_ns();
  plan_.times->begin_call();
  const Status status = work();
  plan_.times->add_release(begin_ns, now_ns());
  return status;
}

}  // namespace halocline::core
