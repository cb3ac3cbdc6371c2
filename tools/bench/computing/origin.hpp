// Who accesses the memory of a rank that computes: one interface for ARMCI, OpenSHMEM and MPI.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <memory>
#include <string>

namespace bench {

enum class AccessKind { put, get, accumulate, add };

/// What each rank exposes: one place for each kind of access.
struct Exposed {
  static constexpr int kDoubles = 512;
  double moved[kDoubles];  ///< puts and gets
  double sums[kDoubles];
  long counter;
};

class Origin {
 public:
  explicit Origin(std::string name) : by(std::move(name)) {}
  virtual ~Origin() = default;
  Origin(const Origin &) = delete;
  Origin &operator=(const Origin &) = delete;

  virtual bool has(AccessKind) const { return true; }
  /// Moves Exposed::kDoubles doubles, or adds 1 to the counter, and returns when that is complete at the target.
  virtual void access(AccessKind kind, double *doubles) = 0;
  /// Waits for all ranks, and serves those that have not come yet.
  virtual void meet() = 0;

  const std::string by;
  Exposed *mine = nullptr;  ///< this rank's; set by the constructors
};

/// Collective. The target is the last rank. `loaded`: by the MPI_ names, which are those of libhalocline_mpi where it is loaded.
std::unique_ptr<Origin> armci_origin(MPI_Comm comm);
std::unique_ptr<Origin> shmem_origin(MPI_Comm comm);
std::unique_ptr<Origin> mpi_origin(MPI_Comm comm, const std::string &name, bool loaded);

}  // namespace bench
