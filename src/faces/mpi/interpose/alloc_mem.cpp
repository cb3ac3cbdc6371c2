// MPI_Alloc_mem makes a shared object for each allocation, and the host's memory where it cannot.
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/mpi/interpose/alloc_mem.hpp"

#include <sys/statvfs.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>

#include "base/types.hpp"
#include "faces/mpi/interpose/error_text.hpp"
#include "faces/mpi/interpose/fallback_report.hpp"
#include "faces/mpi/interpose/host_table.hpp"

namespace halocline::core::mpi {
namespace {

/// Each allocation keeps a file open, and processes may have 1024 by default.
constexpr std::size_t kMaxAllocations = 256;
/// Programs allocate more than they touch, so no pages are reserved. Of the room in /dev/shm all ranks together take at most this part.
constexpr std::int64_t kPartOfRoom = 2;

struct Allocation {
  SharedMemory memory;
  ObjectAddress address;
};

/// Never destroyed: a program need not free its memory.
struct Allocations {
  std::mutex mutex;
  std::map<const char *, Allocation> all;  // by their first byte
  std::int64_t bytes = 0;
};

Allocations &allocations() {
  static auto *const all = new Allocations;
  return *all;
}

/// What this process may allocate of the room that there is now, so that pages are there when they are touched.
std::int64_t part_of_room() {
  struct statvfs system;
  int ranks = 1;
  if (statvfs("/dev/shm", &system) != 0 || PMPI_Comm_size(MPI_COMM_WORLD, &ranks) != MPI_SUCCESS) return 0;
  return static_cast<std::int64_t>(system.f_frsize * system.f_bavail) / kPartOfRoom / ranks;
}

/// False if `bytes` more are too large a part of the free space at the beginning, or of what is left.
bool take_room(std::int64_t bytes) {
  static const std::int64_t most = part_of_room();
  const std::lock_guard lock(allocations().mutex);
  if (allocations().all.size() >= kMaxAllocations || bytes > most - allocations().bytes || bytes > part_of_room()) return false;
  allocations().bytes += bytes;
  return true;
}

/// Null if there is no memory.
void *allocate_shared_object(MPI_Aint wanted) {
  const std::int64_t bytes = SharedMemory::rounded(wanted);
  if (!take_room(bytes)) return nullptr;
  Allocation made;
  made.memory.lay_out({bytes});
  const bool has = made.memory.make_nameless(made.address) == 0 && made.memory.map(0, Pages::untouched) == 0;
  const std::lock_guard lock(allocations().mutex);
  if (!has) allocations().bytes -= bytes;
  if (!has) return nullptr;
  char *const base = made.memory.part(0);
  allocations().all.emplace(base, std::move(made));
  return base;
}

/// Shared objects begin at pages. A program may want more (MPI 4.1, section 9.2).
bool is_aligned_enough(MPI_Info info) {
  char value[32] = {};
  int has = 0;
  if (info != MPI_INFO_NULL) PMPI_Info_get(info, "mpi_minimum_memory_alignment", sizeof value - 1, value, &has);
  return !has || std::strtoll(value, nullptr, 10) <= sysconf(_SC_PAGESIZE);
}

/// By the error handler of calls without a communicator (MPI 4.1, section 9.3).
int report_by_self(int code) {
  const MPI_Comm comm = MPI_VERSION >= 4 ? MPI_COMM_SELF : MPI_COMM_WORLD;
  explain_call(comm, code);
  return PMPI_Comm_call_errhandler(comm, code), code;
}

/// MPICH 5.0.2 returns an address in the first page and MPI_SUCCESS where there is no memory.
int allocate_by_host(MPI_Aint size, MPI_Info info, void *baseptr) {
  const int code = host::Alloc_mem(size, info, baseptr);
  std::uintptr_t made = 0;
  if (code == MPI_SUCCESS && baseptr) std::memcpy(&made, baseptr, sizeof made);
  const bool is_missing = code == MPI_SUCCESS && size > 0 && made < static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  return is_missing ? report_by_self(refuse(MPI_ERR_NO_MEM, "the MPI cannot allocate %lld bytes", static_cast<long long>(size))) : code;
}

/// False if it is not one of these.
bool free_shared_object(void *base) {
  Allocations &known = allocations();
  const std::lock_guard lock(known.mutex);
  const auto found = known.all.find(static_cast<char *>(base));
  if (found == known.all.end()) return false;
  known.bytes -= found->second.memory.bytes();
  known.all.erase(found);
  return true;
}

}  // namespace

SharedPlace find_shared(const void *base, std::int64_t bytes) {
  const std::lock_guard lock(allocations().mutex);
  const auto &all = allocations().all;
  auto found = all.upper_bound(static_cast<const char *>(base));
  if (found == all.begin() || bytes <= 0) return {};
  --found;
  const std::int64_t offset = static_cast<const char *>(base) - found->first, size = found->second.memory.bytes();
  if (offset >= size || bytes > size - offset) return {};
  return {found->second.address, size, offset};
}

SharedMemory map_shared(const SharedPlace &place) {
  SharedMemory memory;
  memory.lay_out({place.object_bytes});
  if (memory.open(place.object) != 0 || memory.map_from(0) != 0) return {};
  memory.close();
  return memory;
}

}  // namespace halocline::core::mpi

using namespace halocline::core::mpi;

extern "C" {

int MPI_Alloc_mem(MPI_Aint size, MPI_Info info, void *baseptr) {
  const bool is_possible = size > 0 && size <= halocline::core::kMaxBytes && baseptr;
  void *const base = is_possible && has_world() && is_aligned_enough(info) ? allocate_shared_object(size) : nullptr;
  if (!base) return allocate_by_host(size, info, baseptr);
  std::memcpy(baseptr, &base, sizeof base);
  return MPI_SUCCESS;
}

int MPI_Free_mem(void *base) { return free_shared_object(base) ? MPI_SUCCESS : host::Free_mem(base); }

HLC_MPI_PROFILED(MPI_Alloc_mem)
HLC_MPI_PROFILED(MPI_Free_mem)

}  // extern "C"
