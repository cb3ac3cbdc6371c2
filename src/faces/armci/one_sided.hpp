// Puts, gets and accumulates of one block, after their arguments have been checked.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "faces/armci/block.hpp"
#include "faces/armci/job.hpp"

namespace halocline::core::armci {

/// Whether a call returns when its local memory may be reused.
enum class Mode { blocking, nonblocking };

/// One operation: the local and the remote address, the process, the block.
struct OneSided {
  const char *call;
  void *local;
  void *remote;
  int proc;
  const Block &block;
  Mode mode = Mode::blocking;
};

/// The type and the scale of an accumulate.
struct Scaled {
  int type;  // ARMCI_Acc_e
  const void *scale;
};

/// They return 0, or the code of find_place.
int put(Job &job, const OneSided &access);
int get(Job &job, const OneSided &access);
int accumulate(Job &job, const OneSided &access, const Scaled &scaled);

/// Bytes of an element, 0 for what is no type.
std::int64_t element_bytes(int type);

/// Bytes of a process.
struct Remote {
  const void *address;
  int proc;
  Extent extent;
};
inline Remote remote_of(const OneSided &access) { return {access.remote, access.proc, access.block.remote_extent()}; }

int refuse_place(const Job &job, const char *call, const Remote &remote);
/// Where an operation reaches its target: 0, or FAIL2 if the bytes are not within memory of the process. Those of this process may be
/// anywhere.
inline int find_place(Job &job, const char *call, const Remote &remote, Place *place) {
  if (remote.proc == job.rank()) {
    place->here = const_cast<char *>(static_cast<const char *>(remote.address));
    return 0;
  }
  return job.allocations.locate(remote.proc, remote.address, remote.extent, place) ? 0 : refuse_place(job, call, remote);
}

/// The checks that all operations make: the code of the first wrong argument, 0 if all are right.
int refuse_proc(const Job &job, const char *call, int proc, int code);
int refuse_address(const Job &job, const char *call, const char *name);
inline int check_proc(const Job &job, const char *call, int proc, int code) {
  return proc >= 0 && proc < job.size() ? 0 : refuse_proc(job, call, proc, code);
}
inline int check_address(const Job &job, const char *call, const char *name, const void *address) {
  return address ? 0 : refuse_address(job, call, name);
}
/// The counts and levels of strides.
int check_levels(const Job &job, const char *call, const int *count, int levels);
/// The type, the scale, and that rows have whole elements.
int check_accumulate(const Job &job, const char *call, const Scaled &scaled, std::int64_t row);

/// Completes what a process has begun to another node: until local memory may be reused.
void complete_local(Job &job, const char *call, int proc);

}  // namespace halocline::core::armci
