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

void put(Job &job, const OneSided &access);
void get(Job &job, const OneSided &access);
void accumulate(Job &job, const OneSided &access, const Scaled &scaled);

/// Bytes of an element, 0 for what is no type.
std::int64_t element_bytes(int type);

/// Where an operation reaches its target. Ends all processes if the bytes are not within memory of the process. Those of this process may be
/// anywhere.
inline Place find_place(Job &job, const char *call, const void *remote, int proc, Extent extent) {
  Place place;
  if (proc == job.rank()) {
    place.here = const_cast<char *>(static_cast<const char *>(remote));
    return place;
  }
  if (!job.allocations.locate(proc, remote, extent, &place))
    end_all_with("%s on rank %d: %lld bytes at %p are not memory of rank %d that ARMCI_Malloc has returned", call, job.rank(),
                 static_cast<long long>(extent.high - extent.low), remote, proc);
  return place;
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
