// OpenSHMEM 1.5, section 9.1: what this PE can access, and the library's name and version.
// SPDX-License-Identifier: BSD-3-Clause
#include <cstring>

#include "faces/shmem/interface.hpp"
#include "faces/shmem/place.hpp"
#include "faces/shmem/team.hpp"

using namespace halocline::core::shmem;

extern "C" {

int pshmem_pe_accessible(int pe) {
  const Job &job = need_job("shmem_pe_accessible");
  return pe >= 0 && pe < job.size() ? 1 : 0;
}

int pshmem_addr_accessible(const void *addr, int pe) {
  const Job &job = need_job("shmem_addr_accessible");
  return pe >= 0 && pe < job.size() && job.offset_of(addr, 1) >= 0 ? 1 : 0;
}

void *pshmem_ptr(const void *dest, int pe) {
  const Job &job = need_job("shmem_ptr");
  if (char *place = near_place(dest, 1, pe)) return place;
  if (pe < 0 || pe >= job.size() || job.offset_of(dest, 1) < 0) return nullptr;
  // Its own objects have the addresses that the program knows, static data too.
  return pe == job.rank() ? const_cast<void *>(dest) : mapped_place("shmem_ptr", {dest, 1, "dest"}, pe);
}

void *pshmem_team_ptr(shmem_team_t team, const void *dest, int pe) {
  const Team *found = find_team("shmem_team_ptr", team);
  return found && found->pes.contains(pe) ? pshmem_ptr(dest, found->pes.to_world(pe)) : nullptr;
}

void pshmem_info_get_version(int *major, int *minor) {
  if (!major) stop("shmem_info_get_version: major is NULL");
  if (!minor) stop("shmem_info_get_version: minor is NULL");
  *major = SHMEM_MAJOR_VERSION;
  *minor = SHMEM_MINOR_VERSION;
}

/// For profiling libraries, which replace it.
void pshmem_pcontrol(int /*level*/, ...) {}

void pshmem_info_get_name(char *name) {
  if (!name) stop("shmem_info_get_name: name is NULL");
  std::strcpy(name, SHMEM_VENDOR_STRING);
}

HLC_SHMEM_ALIAS(pe_accessible);
HLC_SHMEM_ALIAS(addr_accessible);
HLC_SHMEM_ALIAS(ptr);
HLC_SHMEM_ALIAS(team_ptr);
HLC_SHMEM_ALIAS(info_get_version);
HLC_SHMEM_ALIAS(pcontrol);
HLC_SHMEM_ALIAS(info_get_name);

}  // extern "C"
