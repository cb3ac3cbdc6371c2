// Opening and ending a job.
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/shmem/job.hpp"

#include <sys/statvfs.h>

#include <algorithm>
#include <cstring>

#include "base/environment.hpp"
#include "base/pages.hpp"
#include "engine/communicator/collective.hpp"
#include "engine/network/request_engine.hpp"
#include "faces/shmem/failure.hpp"
#include "faces/shmem/near.hpp"

namespace halocline::core::shmem {
namespace {

constexpr const char *kInit = "shmem_init";
constexpr std::int64_t kMiB = std::int64_t{1} << 20, kUsualHeap = 256 * kMiB, kSmallPage = 4096;

/// The size of a heap for which there is no variable: the usual one, or less where /dev/shm is small, as in containers. The PEs of the host
/// may fill half of that.
std::int64_t usual_heap(const Topology &topology) {
  struct statvfs system;
  if (statvfs("/dev/shm", &system) != 0 || system.f_blocks == 0) return kUsualHeap;
  const auto room = static_cast<std::int64_t>(system.f_bavail) * static_cast<std::int64_t>(system.f_frsize);
  const std::int64_t pes = topology.one_host() ? topology.size() : topology.members();
  return std::clamp(room / (2 * pes) / kMiB * kMiB, kMiB, kUsualHeap);
}

}  // namespace

constinit Near near{};

Job::Job(const Settings &chosen) : FaceJob({kInit, "shmem_finalize", CallName::shmem_init, CallName::shmem_finalize}), settings(chosen) {}

Job::~Job() {
  near = {};
  static_data.make_private();
}

Job &need_job(const char *call) {
  if (Job *job = the_job()) return *job;
  stop("%s: it must be called after shmem_init and before shmem_finalize", call);
}

void stop_unless_open(const char *call) { need_job(call); }

void drive_network() {
  if (Job *job = the_job()) job->context.network().poll_sometimes();
}

Status Job::open_face() {
  HLC_TRY(agree_on_heap());
  HLC_TRY(open_network());
  HLC_TRY(static_data.agree(context));
  HLC_TRY(make_segment());
  HLC_TRY(move_static_data());
  find_near();
  return watch_others();
}

/// PEs may wait for each other for as long as the program likes: OpenSHMEM knows no limit. A lost PE ends the waits. So each PE probes others
/// while it waits, which are those that it meets in a barrier.
Status Job::watch_others() {
  if (*environment("TIMEOUT") == '\0') context.wait_without_limit();
  RequestEngine *requests = context.network().requests();
  for (int distance = 1; requests && distance < size(); distance *= 2) {
    const int pe = (rank() + distance) % size();
    if (!segment->memory_of(pe).data()) HLC_TRY(requests->meet(pe));
  }
  return Status::ok;
}

/// All PEs need one size.
Status Job::agree_on_heap() {
  std::int64_t ends[2] = {settings.heap_bytes, -settings.heap_bytes};
  HLC_TRY(reduce(context, context.comm(), MPI_MIN, ends, 2));
  if (ends[0] != -ends[1])
    return fail(Status::mismatch, "%s: PEs disagree on SHMEM_SYMMETRIC_SIZE: one has %lld bytes, another %lld (0: not set)", kInit,
                static_cast<long long>(ends[0]), static_cast<long long>(-ends[1]));
  std::int64_t bytes = settings.heap_bytes > 0 ? settings.heap_bytes : usual_heap(context);
  HLC_TRY(reduce(context, context.comm(), MPI_MIN, &bytes, 1));
  heap.reset(SharedMemory::rounded(bytes));
  return Status::ok;
}

Status Job::make_segment() {
  const SegmentSpec spec{.bytes = kInternalBytes + heap.bytes() + static_data.bytes(), .pages = Pages::untouched};
  segment.emplace(context.network());
  HLC_TRY(agree(context, context.comm(), segment->check(kInit, spec)));
  HLC_TRY(segment->create(kInit, spec));
  HLC_TRY(agree_on_alignment());
  const int error = reserve_pages(part(), kInternalBytes);
  if (error == 0) return agree(context, context.comm(), Status::ok);
  return agree(context, context.comm(),
               fail(Status::memory, "%s on PE %d: no room for %lld bytes of shared memory: %s (see 'df /dev/shm')", kInit, rank(),
                    static_cast<long long>(kInternalBytes), std::strerror(error)));
}

/// Heaps begin at other addresses on other PEs, but usually equally far beyond a multiple of huge pages.
Status Job::agree_on_alignment() {
  const auto phase = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(heap_begin()) % kHugePage);
  std::int64_t ends[2] = {phase, -phase};
  HLC_TRY(reduce(context, context.comm(), MPI_MIN, ends, 2));
  if (ends[0] == -ends[1])
    heap.reset(heap.bytes(), kHugePage, phase);
  else
    heap.reset(heap.bytes(), kSmallPage);
  return Status::ok;
}

Status Job::move_static_data() {
  const Status moved = alone(context, [&] { return static_data.share(part() + kInternalBytes + heap.bytes()); });
  return agree(context, context.comm(), moved);
}

/// The parts of the node follow each other in this process, each as long as the others.
void Job::find_near() {
  const int first = context.rank_of(0), last = context.rank_of(context.members() - 1);
  char *parts = segment->memory_of(first).data();
  near = {.begin = reinterpret_cast<std::uintptr_t>(part()),
          .bytes = static_cast<std::size_t>(kInternalBytes + heap.bytes()),
          .parts = parts,
          .stride = 0,
          .first = static_cast<unsigned>(first),
          .members = 0,
          .has_others = context.nodes() > 1};
  if (last - first != context.members() - 1) return;
  near.members = static_cast<unsigned>(context.members());
  if (last > first) near.stride = static_cast<std::size_t>(segment->memory_of(first + 1).data() - parts);
}

std::int64_t Job::offset_of(const void *address, std::size_t bytes) const {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  const std::uintptr_t offset = at - reinterpret_cast<std::uintptr_t>(part()),
                       end = static_cast<std::uintptr_t>(kInternalBytes + heap.bytes());
  if (offset <= end && bytes <= end - offset) return static_cast<std::int64_t>(offset);
  const std::int64_t among = static_data.offset_of(at, bytes);
  return among < 0 ? -1 : static_cast<std::int64_t>(end) + among;
}

void Job::abandon_face() {}

}  // namespace halocline::core::shmem
