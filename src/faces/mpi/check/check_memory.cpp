// Images of windows, and what the program has stored.
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/mpi/check/check_memory.hpp"

#include <sys/statvfs.h>

#include <algorithm>
#include <cstring>

#include "engine/communicator/collective.hpp"

namespace halocline::core::mpi {
namespace {

/// The part of the free room in /dev/shm that the images of one window may take.
constexpr std::int64_t kPartForImages = 4;

/// False for a window of several nodes, a dynamic one, and where there is no room.
bool has_room_for_images(const Window &window) {
  struct statvfs system;
  if (window.comm->spans_nodes() || window.attributes.flavor == MPI_WIN_FLAVOR_DYNAMIC || statvfs("/dev/shm", &system) != 0) return false;
  std::int64_t bytes = 0;
  for (int rank = 0; rank < window.size(); ++rank) bytes += window.memory.at(rank).bytes;
  return bytes < static_cast<std::int64_t>(system.f_frsize * system.f_bavail) / kPartForImages;
}

ByteRange first_difference(const char *a, const char *b, std::int64_t bytes) {
  std::int64_t begin = 0;
  while (begin < bytes && a[begin] == b[begin]) begin += 1;
  std::int64_t end = begin;
  while (end < bytes && a[end] != b[end]) end += 1;
  return {begin, end};
}

}  // namespace

Status CheckMemory::open() {
  Context &context = window_.comm->context;
  image_ = SharedMemory::rounded(kSites + static_cast<std::int64_t>(sizeof(CallSites)));
  std::int64_t room = has_room_for_images(window_) ? 1 : 0;
  HLC_TRY(reduce(context, context.comm(), MPI_MIN, &room, 1));
  has_images_ = room == 1;
  far_logs_ = image_;
  std::int64_t bytes = image_ + (has_images_ ? window_.memory.at(window_.rank()).bytes : 0);
  if (window_.comm->spans_nodes() && context.member() == 0) bytes += window_.size() * kSites;
  // Reserved: a /dev/shm that is full later would end the program.
  HLC_TRY(agree(context, context.comm(), create_shared_memory(context, bytes, region_)));
  return agree(context, context.comm(), open_logs() ? Status::ok : Status::unsupported);
}

/// This rank's, and by the first of the node those of other nodes' ranks.
bool CheckMemory::open_logs() {
  bool open = log(window_.rank()).open();
  for (int rank = 0; rank < window_.size() && window_.comm->context.member() == 0; ++rank)
    if (!window_.comm->is_near(rank)) open = log(rank).open() && open;
  return open;
}

void CheckMemory::take_image() {
  const Place mine = window_.memory.at(window_.rank());
  if (has_images_ && mine.bytes > 0) std::memcpy(image(window_.rank()), mine.mapped, static_cast<std::size_t>(mine.bytes));
}

/// Null if the kernel refuses.
const char *CheckMemory::read(int rank, ByteRange range) {
  const Place place = window_.memory.at(rank);
  if (place.is_mapped) return place.mapped + range.begin;
  const auto bytes = static_cast<std::size_t>(range.end - range.begin);
  thread_local std::vector<char> copied;
  copied.resize(bytes);
  const std::vector<Piece> all{{copied.data(), place.address + static_cast<std::uint64_t>(range.begin), bytes}};
  return window_.memory.copy(WindowMemory::Direction::read, rank, all) == 0 ? copied.data() : nullptr;
}

void CheckMemory::follow(int rank, const ByteRuns &runs) {
  if (!has_images_ || runs.reach.begin == runs.reach.end) return;
  const char *const from = read(rank, runs.reach);
  if (!from) return;
  const auto copy = [&](std::int64_t begin, std::int64_t bytes) {
    std::memcpy(image(rank) + begin, from + (begin - runs.reach.begin), static_cast<std::size_t>(bytes));
    return true;
  };
  if (runs.has_all)
    for_each_run(runs, copy);
  else
    copy(runs.reach.begin, runs.reach.end - runs.reach.begin);
}

bool CheckMemory::find_store(int rank, const ByteRuns &runs, ByteRange *found) {
  if (!has_images_ || log(rank).shares_memory != 0 || runs.empty()) return false;
  const char *const now = read(rank, runs.reach);
  bool differs = false;
  if (now)
    for_each_run(runs, [&](std::int64_t begin, std::int64_t bytes) {
      const ByteRange at = first_difference(now + (begin - runs.reach.begin), image(rank) + begin, bytes);
      differs = at.begin < at.end;
      if (differs) *found = {begin + at.begin, begin + at.end};
      return !differs;
    });
  return differs;
}

}  // namespace halocline::core::mpi
