// Atomic operations from all ranks at once: a counter that every rank fetches and adds to, a lock that one rank at a time may win, sums that
// meet in the same elements, and accumulates of one rank that must keep their order.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstdint>

#include "../probe.hpp"
#include "../watchdog.hpp"
#include "../window.hpp"

namespace doctor {
namespace {

constexpr int kTimes = 50;

/// A window of 64-bit numbers in one lock_all epoch.
class Numbers {
 public:
  Numbers(Bench &bench, Kind kind, std::size_t count) : bench_(bench), window_(kind, bench.comm(), {8 * count, 8, 1}), count_(count) {
    CALL(MPI_Win_lock, MPI_LOCK_EXCLUSIVE, bench.rank(), 0, window_);
    for (std::size_t i = 0; i < count; ++i) at(i) = 0;
    CALL(MPI_Win_unlock, bench.rank(), window_);
    CALL(MPI_Barrier, bench.comm());
    CALL(MPI_Win_lock_all, 0, window_);
  }
  /// Completes everything and lets look at it.
  void settle() {
    CALL(MPI_Win_flush_all, window_);
    CALL(MPI_Barrier, bench_.comm());
    CALL(MPI_Win_sync, window_);
  }
  void end() {
    CALL(MPI_Barrier, bench_.comm());
    CALL(MPI_Win_unlock_all, window_);
    window_.free();
  }
  std::int64_t &at(std::size_t i) { return reinterpret_cast<std::int64_t *>(window_.base())[i]; }
  MPI_Aint place(int rank, std::size_t i) const { return window_.displacement(rank, 8 * i); }
  MPI_Win window() const { return window_; }
  std::size_t count() const { return count_; }

 private:
  Bench &bench_;
  Window window_;
  std::size_t count_;
};

std::string number(std::int64_t value) { return std::to_string(value); }

/// Everybody adds 1 to rank 0's counter: the values fetched are all different.
void probe_fetch_and_op(Bench &bench, Kind kind) {
  Numbers numbers(bench, kind, 1);
  std::vector<std::int64_t> got(kTimes), all(static_cast<std::size_t>(kTimes * bench.size()));
  const std::int64_t one = 1;
  for (std::int64_t &value : got) {
    CALL(MPI_Fetch_and_op, &one, &value, MPI_INT64_T, 0, numbers.place(0, 0), MPI_SUM, numbers.window());
    CALL(MPI_Win_flush, 0, numbers.window());
  }
  numbers.settle();
  const auto total = static_cast<std::int64_t>(all.size());
  if (bench.rank() == 0)
    bench.expect(numbers.at(0) == total, "the counter is " + number(numbers.at(0)) + " after " + number(total) + " additions of 1");
  CALL(MPI_Gather, got.data(), kTimes, MPI_INT64_T, all.data(), kTimes, MPI_INT64_T, 0, bench.comm());
  std::sort(all.begin(), all.end());
  for (std::int64_t i = 0; bench.rank() == 0 && i < total; ++i)
    bench.expect(all[static_cast<std::size_t>(i)] == i,
                 "of the values fetched, the one in place " + number(i) + " is " + number(all[static_cast<std::size_t>(i)]));
  numbers.end();
}

/// All ranks try to set the words of rank 0 from 0 to their number + 1: each word has one winner, and the others see it.
void probe_compare_and_swap(Bench &bench, Kind kind) {
  Numbers numbers(bench, kind, kTimes);
  int wins = 0, all_wins = 0;
  const std::int64_t free = 0, mine = bench.rank() + 1;
  for (std::size_t i = 0; i < numbers.count(); ++i) {
    std::int64_t before = -1;
    CALL(MPI_Compare_and_swap, &mine, &free, &before, MPI_INT64_T, 0, numbers.place(0, i), numbers.window());
    CALL(MPI_Win_flush, 0, numbers.window());
    wins += before == 0;
    bench.expect(before >= 0 && before <= bench.size(), "word " + number(static_cast<std::int64_t>(i)) + " held " + number(before));
  }
  numbers.settle();
  CALL(MPI_Reduce, &wins, &all_wins, 1, MPI_INT, MPI_SUM, 0, bench.comm());
  if (bench.rank() == 0) bench.expect(all_wins == kTimes, number(all_wins) + " winners of " + number(kTimes) + " words");
  numbers.end();
}

/// Ranks add to the same elements at the same time; one fetches while it adds.
void probe_concurrent_sums(Bench &bench, Kind kind) {
  constexpr int elements = 16;
  Numbers numbers(bench, kind, elements);
  std::int64_t ones[elements], fetched[elements];
  std::fill(std::begin(ones), std::end(ones), 1);
  for (int i = 0; i < kTimes; ++i) {
    CALL(MPI_Accumulate, ones, elements, MPI_INT64_T, 0, numbers.place(0, 0), elements, MPI_INT64_T, MPI_SUM, numbers.window());
    CALL(MPI_Get_accumulate, ones, elements, MPI_INT64_T, fetched, elements, MPI_INT64_T, 0, numbers.place(0, 0), elements, MPI_INT64_T,
         MPI_SUM, numbers.window());
    CALL(MPI_Win_flush, 0, numbers.window());
    for (const std::int64_t value : fetched)
      bench.expect(value >= 2 * i + 1 && value <= 2 * kTimes * bench.size(),
                   "fetched " + number(value) + " after " + number(2 * i + 1) + " additions of my own");
  }
  numbers.settle();
  const std::int64_t total = 2 * kTimes * bench.size();
  for (std::size_t i = 0; bench.rank() == 0 && i < elements; ++i)
    bench.expect(numbers.at(i) == total, "element " + number(static_cast<std::int64_t>(i)) + " is " + number(numbers.at(i)) + " after " +
                                             number(total) + " additions of 1");
  numbers.end();
}

/// Accumulates of one origin to one place are ordered: the last replacement stays.
void probe_order(Bench &bench, Kind kind) {
  Numbers numbers(bench, kind, static_cast<std::size_t>(bench.size()));
  std::vector<std::int64_t> values(kTimes);
  for (int i = 0; i < kTimes; ++i) {
    values[static_cast<std::size_t>(i)] = 1000 * (bench.rank() + 1) + i;
    CALL(MPI_Accumulate, &values[static_cast<std::size_t>(i)], 1, MPI_INT64_T, bench.next(),
         numbers.place(bench.next(), static_cast<std::size_t>(bench.rank())), 1, MPI_INT64_T, MPI_REPLACE, numbers.window());
  }
  numbers.settle();
  const std::int64_t found = numbers.at(static_cast<std::size_t>(bench.previous())), expected = 1000 * (bench.previous() + 1) + kTimes - 1;
  bench.expect(found == expected,
               "after " + number(kTimes) + " replacements in order there is " + number(found) + ", expected the last, " + number(expected));
  numbers.end();
}

}  // namespace

std::vector<Probe> atomic_probes() {
  std::vector<Probe> probes;
  for (const Kind kind : kKinds) {
    const std::string prefix = std::string(name_of(kind)) + "/", maker = std::string(maker_of(kind)) + "; ";
    probes.push_back({prefix + "fetch_and_op", maker + "MPI_Fetch_and_op", [kind](Bench &b) { probe_fetch_and_op(b, kind); }});
    probes.push_back({prefix + "compare_and_swap", maker + "MPI_Compare_and_swap", [kind](Bench &b) { probe_compare_and_swap(b, kind); }});
    probes.push_back(
        {prefix + "concurrent_sums", maker + "MPI_Accumulate, MPI_Get_accumulate", [kind](Bench &b) { probe_concurrent_sums(b, kind); }});
    probes.push_back({prefix + "order", maker + "MPI_Accumulate (MPI_REPLACE), in order", [kind](Bench &b) { probe_order(b, kind); }});
  }
  return probes;
}

}  // namespace doctor
