// Overlaps of strided accesses, and the rules about accesses at the same time.
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/mpi/check/access_log.hpp"

#include <algorithm>
#include <cerrno>

#include "faces/mpi/datatype/iterate.hpp"

namespace halocline::core::mpi {
namespace {

using typed::Operation;
using typed::Strip;

constexpr std::int64_t kMaxRuns = 65536;

/// The same bytes, as runs that ascend; adjacent ones are one.
Strip ascending(Strip strip) {
  if (strip.stride < 0) strip.offset += (strip.count - 1) * strip.stride, strip.stride = -strip.stride;
  if (strip.stride == strip.bytes) strip.bytes *= strip.count, strip.count = 1;
  if (strip.count == 1 || strip.stride == 0) strip.count = 1, strip.stride = strip.bytes;
  return strip;
}

/// The first run of the strip that ends behind `begin`, if it begins before `end`.
bool find_run(const Strip &strip, ByteRange range, ByteRange *common) {
  const std::int64_t behind = range.begin - strip.offset - strip.bytes + 1;
  const std::int64_t at = behind <= 0 ? 0 : (behind + strip.stride - 1) / strip.stride;
  const std::int64_t start = strip.offset + at * strip.stride;
  if (at >= strip.count || start >= range.end) return false;
  *common = {std::max(range.begin, start), std::min(range.end, start + strip.bytes)};
  return true;
}

bool strips_overlap(const Strip &a, const Strip &b, ByteRange *common) {
  if (a.count > b.count) return strips_overlap(b, a, common);
  for (std::int64_t i = 0; i < std::min(a.count, kMaxRuns); ++i) {
    const std::int64_t begin = a.offset + i * a.stride;
    if (find_run(b, {begin, begin + a.bytes}, common)) return true;
  }
  return false;
}

/// Bytes, signed and unsigned integers of one size are taken for one type: more is permitted here than by MPI.
bool is_integer(typed::Basic type) { return type == typed::Basic::byte || typed::is_c_integer(type) || typed::is_fortran_integer(type); }
bool are_of_one_type(const LoggedAccess &a, const LoggedAccess &b) {
  if (a.basic == b.basic) return true;
  return is_integer(a.basic) && is_integer(b.basic) && typed::basic_bytes(a.basic) == typed::basic_bytes(b.basic);
}

/// One rank's accumulates are ordered. MPI_Compare_and_swap is allowed among all operations, as in locks and queues.
const char *why_not_accumulate(const LoggedAccess &a, const LoggedAccess &b) {
  if (a.origin == b.origin) return nullptr;
  if (!are_of_one_type(a, b)) return "with different types";
  if (a.call == Call::compare_and_swap || b.call == Call::compare_and_swap || a.op == b.op) return nullptr;
  return a.op == Operation::no_op || b.op == Operation::no_op ? nullptr : "with different operations";
}

}  // namespace

const char *name_of(Call call) {
  constexpr const char *names[] = {
      "MPI_Put", "MPI_Get", "MPI_Accumulate", "MPI_Get_accumulate", "MPI_Fetch_and_op", "MPI_Compare_and_swap"};
  return names[static_cast<std::size_t>(call)];
}

const char *name_of(EpochKind epoch) {
  constexpr const char *names[] = {"MPI_Win_fence", "MPI_Win_wait of the target", "a flush or unlock"};
  return names[static_cast<std::size_t>(epoch)];
}

ByteRuns::ByteRuns(const typed::Layout &layout, std::int64_t count, std::int64_t offset) {
  const typed::Reach all = layout.reach(count);
  reach = {offset + all.begin, offset + all.end};
  if (all.begin == all.end) return;
  std::int64_t runs = 0;
  typed::Cursor cursor(layout.steps(), count);
  for (Strip strip; cursor.next(strip);) {
    has_all = used < kMax && runs + strip.count <= kMaxRuns;
    if (!has_all) return;
    if (strip.bytes == 0 || strip.count == 0) continue;
    strip.offset += offset;
    runs += strip.count;
    strips[used++] = ascending(strip);
  }
}

bool overlap(const ByteRuns &a, const ByteRuns &b, ByteRange *common) {
  if (a.reach.begin >= b.reach.end || b.reach.begin >= a.reach.end) return false;
  for (int i = 0; i < a.used; ++i)
    for (int k = 0; k < b.used; ++k)
      if (strips_overlap(a.strips[i], b.strips[k], common)) return true;
  return false;
}

bool may_overlap(const ByteRuns &a, const ByteRuns &b) {
  ByteRange common;
  const bool reach = a.reach.begin < b.reach.end && b.reach.begin < a.reach.end;
  return reach && (!a.has_all || !b.has_all || overlap(a, b, &common));
}

const char *why_not(const LoggedAccess &a, const LoggedAccess &b) {
  if (!a.writes() && !b.writes()) return nullptr;
  if (a.accumulates() && b.accumulates()) return why_not_accumulate(a, b);
  return "at the same time";
}

bool TargetLog::open() {
  pthread_mutexattr_t attributes;
  if (pthread_mutexattr_init(&attributes) != 0) return false;
  const bool made = pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED) == 0 &&
                    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST) == 0 && pthread_mutex_init(&mutex, &attributes) == 0;
  pthread_mutexattr_destroy(&attributes);
  return made;
}

/// The oldest accesses are forgotten: then a conflict with them is not found.
void TargetLog::add(const LoggedAccess &access) {
  if (used < kMax)
    all[used++] = access;
  else
    all[next++ % kMax] = access;
}

HeldLog::HeldLog(TargetLog &log) : log_(log) {
  if (pthread_mutex_lock(&log.mutex) != EOWNERDEAD) return;
  log.used = 0;
  log.image_fence = log.image_exposure = 0;
  pthread_mutex_consistent(&log.mutex);
}

}  // namespace halocline::core::mpi
