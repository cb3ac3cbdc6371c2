// Finding symmetric objects, and messages about what is none.
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/shmem/place.hpp"

#include <dlfcn.h>

#include <string>

#include "faces/shmem/context.hpp"

namespace halocline::core::shmem {
namespace {

/// What is known of an address that is not symmetric; "" if nothing is.
std::string describe(const Job &job, const Symmetric &what) {
  const auto offset = reinterpret_cast<std::uintptr_t>(what.address) - reinterpret_cast<std::uintptr_t>(job.part());
  if (offset < static_cast<std::uintptr_t>(kInternalBytes + job.heap.bytes()))
    return "; " + std::to_string(what.bytes) + " bytes from there go beyond the symmetric heap";
  for (const StaticPages &pages : job.static_data.all())
    if (reinterpret_cast<std::uintptr_t>(what.address) - pages.begin < static_cast<std::uintptr_t>(pages.bytes))
      return "; " + std::to_string(what.bytes) + " bytes from there go beyond the variables of " + pages.name;
  Dl_info file;
  if (dladdr(what.address, &file) != 0 && file.dli_fname)
    return std::string("; it is in ") + file.dli_fname + ", whose variables are not symmetric (docs/guide/shmem.md)";
  return "";
}

[[noreturn, gnu::cold]] void stop_for_address(const char *call, const Job &job, const Symmetric &what) {
  stop("%s on PE %d: %s is %p but must be the address of symmetric memory, from shmem_malloc or a static variable%s", call, job.rank(),
       what.argument, what.address, describe(job, what).c_str());
}

}  // namespace

void stop_for_null(const char *call, const char *argument) { stop("%s on PE %d: %s is NULL", call, need_job(call).rank(), argument); }

std::int64_t find_offset(const char *call, const Symmetric &what, int pe) {
  const Job &job = need_job(call);
  if (pe < 0 || pe >= job.size()) stop_for_pe(call, pe, job.size());
  const std::int64_t offset = job.offset_of(what.address, what.bytes);
  if (offset < 0) stop_for_address(call, job, what);
  return offset;
}

char *mapped_place(const char *call, const Symmetric &what, int pe) {
  const std::int64_t offset = find_offset(call, what, pe);
  const unsigned member = static_cast<unsigned>(pe) - near.first;
  if (member < near.members) return near.parts + member * near.stride + offset;
  char *part = need_job(call).segment->memory_of(pe).data();
  return part ? part + offset : nullptr;
}

}  // namespace halocline::core::shmem
