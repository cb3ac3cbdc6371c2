// A thread's events in a file, of which the head and the latest events are mapped: what has been recorded is there even if the program crashes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <ctime>
#include <string>

#include "event.hpp"

namespace advise {

/// A clock that takes a few nanoseconds to read; Head has what its ticks mean.
inline std::uint64_t ticks() {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#else
  std::timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(time.tv_nsec);
#endif
}

class Log {
 public:
  /// The next record, to be filled in; null once the file is full or can't grow. Then this thread records no more. One thread writes a log.
  Event *add() {
    if (used_ == room_ && !make_room()) return end_thread();
    ++head_->count;
    return &latest_[used_++];
  }

  /// Words that belong to the event added last.
  void add_words(Kind kind, const std::uint64_t *words, std::size_t count);

  Head &head() { return *head_; }

 private:
  friend Log *open_log();
  bool make_room();
  Event *end_thread();
  bool write_out();
  void note_clock();

  int file_ = -1;
  Head *head_ = nullptr;
  Event *latest_ = nullptr;
  std::size_t used_ = 0, room_ = 0;  // of the latest records
};

/// This thread's log, opened at its first event; null if it can't be.
Log *open_log();

/// The folder of HLC_ADVISE, empty without one.
const std::string &folder();

/// Of this process in MPI_COMM_WORLD; called once, before the first log is opened.
void begin_logs(int rank, int ranks);

/// The head of every log, one after the other.
void for_each_head(void (*change)(Head &));

/// A line of the rank's text file, which explains numbers in the records.
void write_line(const std::string &line);

/// One more word of such a line.
inline void add_word(std::string &line, const std::string &word) { line.append(line.empty() ? "" : " ").append(word); }
template <class... Numbers>
void add_numbers(std::string &line, Numbers... numbers) {
  (add_word(line, std::to_string(numbers)), ...);
}

}  // namespace advise
