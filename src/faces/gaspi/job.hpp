// The job of this process between gaspi_proc_init and gaspi_proc_term, and how every function enters it and waits in it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <new>
#include <set>
#include <thread>
#include <unordered_map>

#include "base/kept.hpp"
#include "engine/wait.hpp"
#include "faces/gaspi/answer.hpp"
#include "faces/gaspi/group.hpp"
#include "faces/gaspi/queue.hpp"
#include "faces/gaspi/reads.hpp"
#include "faces/gaspi/statistics.hpp"

namespace halocline::gaspi {

/// Which ranks are known to be out of reach. Any thread.
class Watch {
 public:
  explicit Watch(Context &context) : context_(context) {}
  /// Looks for ranks of the node that have ended, and for those of other nodes to which something has failed or that are not reached any more:
  /// the first that was not known is a failure.
  Status look(const char *call);
  bool knows_any() const { return any_.load(std::memory_order_relaxed); }
  bool is_lost(int rank);
  /// Takes it for lost: what was sent to it has not ended for HALOCLINE_TIMEOUT seconds.
  void lose(int rank);

 private:
  Status look_at_node(const char *call);
  Status look_at_others(const char *call, Traffic &traffic);
  Status note(int rank, Status status);

  Context &context_;
  std::atomic<bool> any_{false};
  std::mutex mutex_;
  std::set<int> lost_;
};

/// Passive messages that this rank has in hand.
struct Passive {
  std::mutex sending_mutex, receiving_mutex;
  std::map<std::thread::id, Drain> sending;  // not locally complete yet, by the thread that goes on with it
};

/// What gaspi_segment_create and gaspi_segment_use have left when their time was over.
struct Making {
  bool begun = false;
  bool met = false;  // all have begun
  gaspi_return_t mine = GASPI_SUCCESS;
};

/// All that is there while the job is open.
class Job : public Kept {
 public:
  explicit Job(const gaspi_config_t &chosen) : config(chosen), parts(context), watch(context), reads(context) {}

  /// Collective over MPI_COMM_WORLD, the same status on all ranks.
  Status open();
  /// Waits for the other ranks. Collective.
  Status close();

  int rank() const { return context.rank(); }
  int size() const { return context.size(); }
  const Plan &plan() const { return plan_; }
  /// Moves on what is under way.
  void poll();

  /// Notes that something was written to a rank of another node, and hands out those of a group.
  void note_write(int rank);
  std::vector<int> take_written(const Group &group);
  /// Counts the groups of the same members that this rank has committed.
  std::uint64_t count_commits(std::uint64_t members) { return ++commits_[members]; }

  Context context;
  const gaspi_config_t config;
  Parts parts;
  Watch watch;
  Reads reads;
  Passive passive;
  Statistics statistics;
  std::array<Queue, kMostQueues> queues;
  std::array<Group, kMostGroups> groups;
  std::array<Making, kMostSegments> makings;
  bool started_mpi = false;

 private:
  Status compare_config();
  Status open_network();
  Status commit_all();

  Plan plan_{config, 1};
  std::mutex mutex_;
  std::set<int> written_;
  std::unordered_map<std::uint64_t, std::uint64_t> commits_;
};

/// The open job; null if there is none.
Job *the_job();

/// Calls work(job); an allocation that fails in it becomes a code. Calls that a program repeats until something changes serve the others, too.
template <class Work>
gaspi_return_t enter(Work work) {
  Job *job = the_job();
  if (!job) return GASPI_ERR_NOINIT;
  job->context.network().glance();
  try {
    return work(*job);
  } catch (const std::bad_alloc &) {
    return GASPI_ERR_MEMALLOC;
  }
}

/// As above for a function that writes one value.
template <class Value, class Work>
gaspi_return_t get(Value *value, Work work) {
  return enter([&](Job &job) {
    if (!value) return GASPI_ERR_NULLPTR;
    *value = static_cast<Value>(work(job));
    return GASPI_SUCCESS;
  });
}

/// The moment at which a timeout is over.
class Deadline {
 public:
  explicit Deadline(gaspi_timeout_t timeout_ms) : forever_(timeout_ms >= kForever), end_ns_(now_ns() + to_ns(timeout_ms)) {}
  bool over() const { return !forever_ && now_ns() >= end_ns_; }

 private:
  static constexpr gaspi_timeout_t kForever = 1ul << 40;  // decades
  static std::int64_t to_ns(gaspi_timeout_t ms) { return ms >= kForever ? 0 : static_cast<std::int64_t>(ms) * 1'000'000; }

  bool forever_;
  std::int64_t end_ns_;
};

/// Now and then in a wait: fails if a rank has newly been lost, or HALOCLINE_TIMEOUT is over.
Status judge(Job &job, const char *call, const Wait &wait);

/// Calls look() until it says something else than `again`, or the time is over.
template <class Look>
Status wait_until(Job &job, const char *call, gaspi_timeout_t timeout_ms, Look look, WakeUp wake_up = WakeUp::by_bell) {
  Status status = look();
  if (status == Status::again) {
    // Nobody else may move what it looks for.
    job.poll();
    status = look();
  }
  if (status != Status::again || timeout_ms == GASPI_TEST) return status;
  const Deadline deadline(timeout_ms);
  Wait wait(job.context, wake_up);
  do {
    const Wait::Turn turn = wait.pause();
    status = look();
    if (status != Status::again || turn == Wait::Turn::look_again) continue;
    job.poll();
    // What a rank did before it was lost still counts.
    const Status verdict = judge(job, call, wait);
    if (failed(verdict)) status = look();
    if (failed(verdict) && status == Status::again) return verdict;
  } while (status == Status::again && !deadline.over());
  return status;
}

template <class Look>
gaspi_return_t until(Job &job, const char *call, gaspi_timeout_t timeout_ms, Look look, WakeUp wake_up = WakeUp::by_bell) {
  return answer(wait_until(job, call, timeout_ms, look, wake_up));
}

}  // namespace halocline::gaspi
