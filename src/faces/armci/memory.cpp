// ARMCI_Malloc and its relatives.
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/armci/memory.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "engine/communicator/collective.hpp"
#include "faces/armci/profiling.hpp"

namespace halocline::core::armci {
namespace {

/// Whether any member of the group has failed. All know it when it returns.
bool any_failed(Job &job, const char *call, const ARMCI_Group &group, bool mine) {
  int all = mine ? 1 : 0;
  MPI_Request request = MPI_REQUEST_NULL;
  settle_mpi(MPI_Iallreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MAX, group.comm, &request), "MPI_Iallreduce");
  await_mpi(job, call, request);
  return all != 0;
}

Status open_all(const ARMCI_Group &group, const std::vector<PartRecord> &records, Allocation &made, std::vector<void *> *addresses) {
  for (int rank = 0; rank < group.size; ++rank) {
    HLC_TRY(made.open(proc_of(group, rank), records[static_cast<std::size_t>(rank)]));
    if (addresses) addresses->push_back(made.address());
  }
  return Status::ok;
}

/// Why an allocation fails here, if the reason is here.
Status reason(const char *call, int rank, Status mine) {
  return failed(mine) ? mine : fail(Status::memory, "%s on rank %d: another rank could not allocate", call, rank);
}

constexpr std::int64_t kAlignment = 64;

}  // namespace

Status make_together(Job &job, const char *call, const ARMCI_Group &group, std::int64_t bytes, Allocation &made,
                     std::vector<void *> *addresses) {
  const Status mine = alone(job.context, [&] { return made.make(bytes); });
  PartRecord record = made.record();
  record.failed = failed(mine) ? 1 : 0;
  record.number = job.allocations.next_number();
  std::vector<PartRecord> records(static_cast<std::size_t>(group.size));
  MPI_Request request = MPI_REQUEST_NULL;
  settle_mpi(MPI_Iallgather(&record, sizeof record, MPI_BYTE, records.data(), sizeof record, MPI_BYTE, group.comm, &request),
             "MPI_Iallgather");
  await_mpi(job, call, request);
  for (const PartRecord &other : records) {
    if (other.failed != 0) return reason(call, job.rank(), mine);
    made.number = std::max(made.number, other.number);
  }
  const Status opened = alone(job.context, [&] { return open_all(group, records, made, addresses); });
  if (any_failed(job, call, group, failed(opened))) return reason(call, job.rank(), opened);
  made.close_file();
  return Status::ok;
}

namespace {

/// The group of a call is the one that it names, or the world group.
enum class Over { world, named };

const ARMCI_Group &group_of(const Job &job, const char *call, Over over, const ARMCI_Group *named) {
  if (over == Over::world) return job.world;
  check_member(job, call, named);
  return *named;
}

int allocate(const char *call, void **ptr_arr, armci_size_t bytes, Over over, const ARMCI_Group *named = nullptr) {
  return enter(call, [&](Job &job) {
    const ARMCI_Group &group = group_of(job, call, over, named);
    if (!ptr_arr) end_all_with("%s on rank %d: ptr_arr is NULL", call, job.rank());
    if (bytes < 0) end_all_with("%s on rank %d: bytes is %ld but must be 0 or more", call, job.rank(), bytes);
    auto made = std::make_unique<Allocation>(job.context.network());
    std::vector<void *> addresses;
    const Status status = make_together(job, call, group, bytes, *made, &addresses);
    if (failed(status)) return refuse(FAIL, "%s on rank %d: %s", call, job.rank(), error_message());
    std::copy(addresses.begin(), addresses.end(), ptr_arr);
    if (std::any_of(addresses.begin(), addresses.end(), [](const void *address) { return address != nullptr; }))
      job.allocations.add(std::move(made));
    return 0;
  });
}

/// Finds the allocation of which all members of the group pass memory; null if all pass NULL, as those without memory do. The code is the same on
/// all: FAIL if a member passes something else.
int find_together(Job &job, const char *call, const ARMCI_Group &group, const void *ptr, const Allocation **found) {
  const Allocation *const mine = ptr ? job.allocations.find(job.rank(), ptr) : nullptr;
  constexpr std::int64_t kNone = INT64_MIN, kWrong = INT64_MAX;
  const bool is_wrong = ptr && !mine;
  const auto number = mine ? static_cast<std::int64_t>(mine->number) : is_wrong ? kWrong : kNone;
  std::int64_t ends[] = {number, mine ? -number : kNone};
  MPI_Request request = MPI_REQUEST_NULL;
  settle_mpi(MPI_Iallreduce(MPI_IN_PLACE, ends, 2, MPI_INT64_T, MPI_MAX, group.comm, &request), "MPI_Iallreduce");
  await_mpi(job, call, request);
  *found = nullptr;
  if (is_wrong) return refuse(FAIL, "%s on rank %d: %p is not memory of this rank that ARMCI_Malloc has returned", call, job.rank(), ptr);
  if (ends[0] == kWrong) return refuse(FAIL, "%s on rank %d: another rank passes what ARMCI_Malloc has not returned", call, job.rank());
  if (ends[0] == kNone) return 0;
  if (ends[0] != -ends[1]) return refuse(FAIL, "%s on rank %d: the ranks pass memory of different allocations", call, job.rank());
  *found = job.allocations.with_number(static_cast<std::uint64_t>(ends[0]));
  return 0;
}

int release(const char *call, const void *ptr, Over over, const ARMCI_Group *named = nullptr) {
  return enter(call, [&](Job &job) {
    const ARMCI_Group &group = group_of(job, call, over, named);
    // What is written to the memory has arrived once all have fenced and met.
    job.fence(call);
    const Allocation *found = nullptr;
    if (const int code = find_together(job, call, group, ptr, &found)) return code;
    if (found) job.allocations.take(found).reset();
    return 0;
  });
}

}  // namespace
}  // namespace halocline::core::armci

using namespace halocline::core::armci;

extern "C" {

int PARMCI_Malloc(void **ptr_arr, armci_size_t bytes) { return allocate("ARMCI_Malloc", ptr_arr, bytes, Over::world); }
int PARMCI_Malloc_group(void **ptr_arr, armci_size_t bytes, ARMCI_Group *group) {
  return allocate("ARMCI_Malloc_group", ptr_arr, bytes, Over::named, group);
}
int PARMCI_Malloc_memdev(void **ptr_arr, armci_size_t bytes, const char *) {
  return allocate("ARMCI_Malloc_memdev", ptr_arr, bytes, Over::world);
}
int PARMCI_Malloc_group_memdev(void **ptr_arr, armci_size_t bytes, ARMCI_Group *group, const char *) {
  return allocate("ARMCI_Malloc_group_memdev", ptr_arr, bytes, Over::named, group);
}
int PARMCI_Free(void *ptr) { return release("ARMCI_Free", ptr, Over::world); }
int PARMCI_Free_group(void *ptr, ARMCI_Group *group) { return release("ARMCI_Free_group", ptr, Over::named, group); }
int PARMCI_Free_memdev(void *ptr) { return release("ARMCI_Free_memdev", ptr, Over::world); }

void *PARMCI_Malloc_local(armci_size_t bytes) {
  if (bytes < 0) return nullptr;
  void *memory = nullptr;
  return posix_memalign(&memory, kAlignment, static_cast<std::size_t>(std::max<armci_size_t>(bytes, 1))) == 0 ? memory : nullptr;
}
int PARMCI_Free_local(void *ptr) {
  std::free(ptr);
  return 0;
}

void ARMCI_Copy(void *src, void *dst, int size) {
  if (size <= 0) return;
  need_argument("ARMCI_Copy", "src", src);
  need_argument("ARMCI_Copy", "dst", dst);
  std::memmove(dst, src, static_cast<std::size_t>(size));
}

HLC_ARMCI_ALIAS(Malloc);
HLC_ARMCI_ALIAS(Malloc_group);
HLC_ARMCI_ALIAS(Malloc_memdev);
HLC_ARMCI_ALIAS(Malloc_group_memdev);
HLC_ARMCI_ALIAS(Free);
HLC_ARMCI_ALIAS(Free_group);
HLC_ARMCI_ALIAS(Free_memdev);
HLC_ARMCI_ALIAS(Malloc_local);
HLC_ARMCI_ALIAS(Free_local);

}  // extern "C"
