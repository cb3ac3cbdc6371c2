// Copies that the threads of a rank share in a swap of blocks, and how these threads wait.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <vector>

#include "base/atomics.hpp"

namespace halocline::core {

/// The items 0 to n - 1 of a job, sorted by the part whose memory they touch.
struct PartOrder {
  std::vector<int> items;
  std::vector<std::uint32_t> first;  // the start of each part in items, and the end of the last

  /// part_of[i] is the part of item i.
  void sort(const std::vector<int> &part_of, int parts);
  std::uint32_t count(std::size_t part) const { return first[part + 1] - first[part]; }
};

/// The pauses of a thread that waits for another one of its process: spin, then yield, then sleep for 50 us between two looks.
class ThreadPause {
 public:
  void pause();
  void progress() { looks_ = 0; }

 private:
  int looks_ = 0;
};

/// Items of work that threads share. One thread posts a job, works on it, and returns when it is done; others help while they wait.
/// A word per part contains the next item of that part, and a thread takes its own part's items first. Only the constructor allocates.
class SharedJob {
 public:
  using DoItem = std::function<void(int item)>;

  SharedJob(int parts, DoItem do_item);

  /// Posts the items of a job and returns when all are done. One thread at a time. The job must outlive this object; what do_item reads
  /// must be written before.
  void run(const PartOrder &job, std::size_t part);
  /// Does one item of the job that is posted, if one is left. Any thread.
  bool help(std::size_t part);

 private:
  static constexpr std::uint64_t kClosed = 0xffffffff;  // as the next item: no item can be taken

  void publish(std::uint64_t next);
  bool take(std::size_t part);

  std::vector<Counter> next_;  // per part: the job's number in the upper half, its next item in the lower
  DoItem do_item_;
  std::atomic<const PartOrder *> posted_{nullptr};
  std::uint64_t number_ = 0, items_ = 0;  // jobs and items posted so far
  Counter done_;  // items done so far
};

}  // namespace halocline::core
