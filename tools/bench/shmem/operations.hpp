// The operations of the command `shmem`, with the ways to carry each out.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <halocline/halocline.hpp>

#include "bench/rma/operation.hpp"

#include <cstdint>
#include <vector>

namespace bench {

/// Who carries operations out: a program as it is compiled, with inline forms; the functions of the library, called; those beside whom it is.
inline const std::string kShmem = "halocline", kCalledShmem = "halocline, called", kNotifiedPut = "hlc_put_notify", kHostMpi = "host MPI";

/// The symmetric memory that the operations use, between shmem_init and shmem_finalize.
class ShmemStage {
 public:
  explicit ShmemStage(MPI_Comm comm);
  ~ShmemStage();
  ShmemStage(const ShmemStage &) = delete;
  ShmemStage &operator=(const ShmemStage &) = delete;

  static constexpr std::int64_t kBytes = std::int64_t{4} << 20;

  MPI_Comm comm;
  int rank, ranks, target;  ///< the target is the last PE
  char *here;  ///< kBytes, symmetric, for what is written
  char *there;  ///< the same of the target, where that is mapped; else null
  char *source;  ///< kBytes, symmetric
  std::uint64_t *signal;
  std::int64_t stamp = 0;  ///< no two samples have the same values

  bool works() const { return rank == 0; }
  /// Ends a sample of PE 0's operations: the time that counts, after all have found their values right.
  double ended(double us, bool right, const std::string &operation) const;
};

/// Put and get of sizes, and atomics of 8 bytes.
std::vector<Operation> shmem_puts(ShmemStage &stage, const std::vector<std::int64_t> &sizes);
std::vector<Operation> shmem_gets(ShmemStage &stage, const std::vector<std::int64_t> &sizes);
std::vector<Operation> shmem_atomics(ShmemStage &stage);
/// Half a round trip of a put with a signal, and of a notified put.
std::vector<Operation> shmem_signals(ShmemStage &stage, halocline::Segment &segment, const std::vector<std::int64_t> &sizes);
std::vector<Operation> shmem_collectives(ShmemStage &stage, const std::vector<std::int64_t> &sizes);

}  // namespace bench
