// Do launcher and library match? A program of one MPI under another's launcher becomes N programs of one rank each, or does not start at all.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace doctor {

/// What the environment says about the launch.
struct LaunchClaim {
  std::string launcher, variable;  ///< who started this process, by which variable; empty: nobody known
  int size = 1, rank = 0;
  bool by_launcher() const { return !launcher.empty(); }
};

LaunchClaim claimed_launch();

/// For a process that is about to end with a complaint: launchers end all when one has failed, and rank 0 may not have spoken yet.
void let_rank_0_speak(const LaunchClaim &claim);

/// The mpiexec that lies beside the MPI library in memory, or "" if there is none.
std::string matching_mpiexec();

/// Inside MPI_Init: if it ends the process, or does not end within limit_s, the launch is explained and the exit status is kLaunchMismatch.
class InitGuard {
 public:
  explicit InitGuard(double limit_s);
  ~InitGuard();
  InitGuard(const InitGuard &) = delete;
  InitGuard &operator=(const InitGuard &) = delete;
};

inline constexpr int kLaunchMismatch = 2;

/// What to tell the user if the launcher meant another number of ranks than MPI sees; empty if they agree.
std::string mismatch(const LaunchClaim &claim, int size);

}  // namespace doctor
