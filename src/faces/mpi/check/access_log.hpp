// HALOCLINE_CHECK=1: the accesses to one rank's part of a window that are not complete yet, in shared memory. Which of them conflict (MPI 4.1,
// section 12.7). Numbers only, no pointers.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <pthread.h>

#include <cstdint>

#include "faces/mpi/datatype/elements.hpp"
#include "faces/mpi/datatype/flatten.hpp"

namespace halocline::core::mpi {

namespace typed = halocline::mpi;

enum class Call : std::uint8_t { put, get, accumulate, get_accumulate, fetch_and_op, compare_and_swap };
const char *name_of(Call call);

/// What the access of a call completes: a fence; the target's wait; a flush or unlock of the origin.
enum class EpochKind : std::uint8_t { fence, started, passive };
const char *name_of(EpochKind epoch);

struct ByteRange {
  std::int64_t begin = 0, end = 0;
};

/// The bytes of an access, or some of them if they are too many strips: what is found of these is certain.
struct ByteRuns {
  static constexpr int kMax = 16;

  ByteRuns() = default;
  /// Those of `count` elements of a datatype, whose buffer is at `offset`.
  ByteRuns(const typed::Layout &layout, std::int64_t count, std::int64_t offset);
  bool empty() const { return used == 0; }

  ByteRange reach;
  std::int32_t used = 0;
  bool has_all = true;
  typed::Strip strips[kMax];  // of ascending runs
};

/// Whether both have a byte in common; `common` gets the first such run.
bool overlap(const ByteRuns &a, const ByteRuns &b, ByteRange *common);
/// False only if they have none.
bool may_overlap(const ByteRuns &a, const ByteRuns &b);

/// Calls work(begin, bytes) for each run, until one returns false.
template <class Work>
void for_each_run(const ByteRuns &runs, Work work) {
  for (int i = 0; i < runs.used; ++i)
    for (std::int64_t k = 0; k < runs.strips[i].count; ++k)
      if (!work(runs.strips[i].offset + k * runs.strips[i].stride, runs.strips[i].bytes)) return;
}

/// An access that was made and is not complete yet.
struct LoggedAccess {
  std::int32_t origin = 0;
  Call call = Call::put;
  EpochKind epoch = EpochKind::fence;
  typed::Operation op = typed::Operation::none;
  typed::Basic basic = typed::Basic::none;
  bool reported = false;
  bool seen = false;  // the program may know its result, and have ordered stores behind it
  std::uint32_t site = 0;  // of the origin's call sites
  std::uint64_t number = 0;  // of the fence, or of the target's exposure
  std::uint64_t id = 0;  // of this origin
  ByteRuns runs;

  bool writes() const { return call != Call::get && !(call >= Call::accumulate && op == typed::Operation::no_op); }
  bool fetches() const { return call == Call::get || call >= Call::get_accumulate; }
  bool accumulates() const { return call >= Call::accumulate; }
};

/// Why two accesses must not be under way at the same time; null if they may, wherever they are.
const char *why_not(const LoggedAccess &a, const LoggedAccess &b);

/// A target's accesses. All members are read and written under the mutex; a rank that dies with it leaves it to the next.
struct TargetLog {
  static constexpr std::uint32_t kMax = 1024;

  pthread_mutex_t mutex;
  std::uint64_t exposures;  // of the target that have ended
  std::uint64_t image_fence, image_exposure;  // 1 + the epoch at whose beginning the image was taken; 0: none
  std::uint32_t shares_memory;  // 1: another window is over the same memory, whose accesses the image does not follow
  std::uint32_t used, next;  // next: the place of the oldest one, if all are used
  LoggedAccess all[kMax];

  /// Makes the mutex. False if the system cannot.
  bool open();
  void add(const LoggedAccess &access);
  void erase(std::uint32_t at) { all[at] = all[--used]; }
};

/// Holds a log's mutex.
class HeldLog {
 public:
  explicit HeldLog(TargetLog &log);
  HeldLog(const HeldLog &) = delete;
  HeldLog &operator=(const HeldLog &) = delete;
  ~HeldLog() { pthread_mutex_unlock(&log_.mutex); }

 private:
  TargetLog &log_;
};

}  // namespace halocline::core::mpi
