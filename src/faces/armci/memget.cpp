// Memory that one process allocates alone, and others attach by what it tells them.
// SPDX-License-Identifier: BSD-3-Clause
#include <cstring>

#include "faces/armci/job.hpp"
#include "faces/armci/profiling.hpp"

using namespace halocline::core::armci;
using halocline::core::MemoryDescriptor;

namespace {

static_assert(sizeof(MemoryDescriptor) <= sizeof armci_meminfo_t::idlist);

void check(const Job &job, const char *call, const armci_meminfo_t *info) {
  if (!info) end_all_with("%s on rank %d: meminfo is NULL", call, job.rank());
  if (info->cpid < 0 || info->cpid >= job.size())
    end_all_with("%s on rank %d: cpid is %d but must be 0 to %d", call, job.rank(), info->cpid, job.size() - 1);
}

void describe(const Job &job, const PartRecord &record, std::size_t bytes, armci_meminfo_t &info) {
  info = {};
  // NOLINTNEXTLINE(performance-no-int-to-ptr): ranges are compared as numbers
  info.armci_addr = info.addr = reinterpret_cast<char *>(record.address);
  info.size = bytes;
  info.cpid = job.rank();
  std::memcpy(info.idlist, &record.descriptor, sizeof record.descriptor);
}

/// An allocation with one part.
Allocation &add_single(Job &job, std::unique_ptr<Allocation> made, int proc, const PartRecord &record) {
  made->number = job.allocations.next_number();
  settle(made->open(proc, record));
  return job.allocations.add(std::move(made));
}

Allocation &attach(Job &job, const armci_meminfo_t &info) {
  if (Allocation *const known = job.allocations.find_single(info.cpid, info.addr)) {
    ++known->users;
    return *known;
  }
  PartRecord record;
  record.address = reinterpret_cast<std::uint64_t>(info.addr);
  record.bytes = static_cast<std::int64_t>(info.size);
  std::memcpy(&record.descriptor, info.idlist, sizeof record.descriptor);
  return add_single(job, std::make_unique<Allocation>(job.context.network()), info.cpid, record);
}

/// False if there is no such memory here.
bool detach(Job &job, const armci_meminfo_t &info) {
  Allocation *const known = job.allocations.find_single(info.cpid, info.addr);
  if (!known) return false;
  if (--known->users == 0) job.allocations.take(known).reset();
  return true;
}

}  // namespace

extern "C" {

void PARMCI_Memget(size_t bytes, armci_meminfo_t *meminfo, int) {
  constexpr const char *call = "ARMCI_Memget";
  enter(call, [&](Job &job) {
    if (!meminfo) end_all_with("%s on rank %d: meminfo is NULL", call, job.rank());
    auto made = std::make_unique<Allocation>(job.context.network());
    settle(made->make(static_cast<std::int64_t>(bytes)));
    const PartRecord record = made->record();
    describe(job, record, bytes, *meminfo);
    if (bytes > 0) add_single(job, std::move(made), job.rank(), record);
  });
}

void *PARMCI_Memat(armci_meminfo_t *meminfo, long offset) {
  constexpr const char *call = "ARMCI_Memat";
  return enter(call, [&](Job &job) {
    check(job, call, meminfo);
    char *const begin = meminfo->cpid == job.rank() ? meminfo->addr : static_cast<char *>(attach(job, *meminfo).address());
    return static_cast<void *>(begin + offset);
  });
}

void PARMCI_Memdt(armci_meminfo_t *meminfo, long) {
  constexpr const char *call = "ARMCI_Memdt";
  enter(call, [&](Job &job) {
    check(job, call, meminfo);
    if (meminfo->cpid == job.rank()) return;
    job.fence(call, meminfo->cpid);
    if (!detach(job, *meminfo)) end_all_with("%s on rank %d: the memory of rank %d is not attached", call, job.rank(), meminfo->cpid);
  });
}

void PARMCI_Memctl(armci_meminfo_t *meminfo) {
  constexpr const char *call = "ARMCI_Memctl";
  enter(call, [&](Job &job) {
    check(job, call, meminfo);
    if (meminfo->cpid != job.rank()) end_all_with("%s on rank %d: rank %d has allocated the memory", call, job.rank(), meminfo->cpid);
    if (meminfo->size > 0 && !detach(job, *meminfo)) end_all_with("%s on rank %d: the memory has been freed already", call, job.rank());
  });
}

HLC_ARMCI_ALIAS(Memget);
HLC_ARMCI_ALIAS(Memat);
HLC_ARMCI_ALIAS(Memdt);
HLC_ARMCI_ALIAS(Memctl);

}  // extern "C"
