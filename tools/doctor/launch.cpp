// SPDX-License-Identifier: BSD-3-Clause
#include "launch.hpp"

#include <dlfcn.h>
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include <common/identity.hpp>

namespace doctor {
namespace {

std::string short_mpi() { return common::short_mpi(common::mpi_library()); }

/// How launchers tell a process that it is one of many.
struct LauncherVariables {
  const char *size, *rank, *launcher;
};
constexpr LauncherVariables kLaunchers[] = {
    {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "Open MPI's mpiexec"},
    {"PMI_SIZE", "PMI_RANK", "a PMI launcher such as the mpiexec of MPICH or Intel MPI"},
    {"PALS_SIZE", "PALS_RANKID", "PALS"},
    {"MPI_LOCALNRANKS", "MPI_LOCALRANKID", "the mpiexec of MPICH or Intel MPI"},
    {"SLURM_STEP_NUM_TASKS", "SLURM_PROCID", "srun"},
    {"PMIX_SIZE", "PMIX_RANK", "a PMIx launcher"},
};

int number(const char *name, int otherwise) {
  const char *text = std::getenv(name);
  return text && *text ? std::atoi(text) : otherwise;
}

std::atomic<bool> initialising{false};

void explain(const char *what) {
  const LaunchClaim claim = claimed_launch();
  if (claim.rank != 0) return let_rank_0_speak(claim);
  std::fprintf(stderr, "halocline-doctor: MPI_Init %s.\n", what);
  if (claim.by_launcher())
    std::fprintf(stderr, "The process was started by %s (%s=%d); the library is %s. ", claim.launcher.c_str(), claim.variable.c_str(),
                 claim.size, short_mpi().c_str());
  const std::string mpiexec = matching_mpiexec();
  std::fprintf(stderr, "Launcher and library do not match, or the MPI is broken.%s%s\n", mpiexec.empty() ? "" : " Beside the library is ",
               mpiexec.c_str());
  std::fflush(stderr);
}

void at_exit() {
  if (!initialising.load()) return;
  explain("ended the process");
  _exit(kLaunchMismatch);
}

void wait_for_init(double limit_s) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::duration<double>(limit_s);
  while (std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    if (!initialising.load()) return;
  }
  explain("does not end");
  _exit(kLaunchMismatch);
}

}  // namespace

void let_rank_0_speak(const LaunchClaim &claim) {
  if (claim.rank != 0) std::this_thread::sleep_for(std::chrono::seconds(2));
}

LaunchClaim claimed_launch() {
  for (const LauncherVariables &known : kLaunchers)
    if (std::getenv(known.size)) return {known.launcher, known.size, number(known.size, 1), number(known.rank, 0)};
  return {};
}

std::string matching_mpiexec() {
  Dl_info info{};
  if (!dladdr(reinterpret_cast<void *>(&MPI_Init), &info) || !info.dli_fname) return "";
  std::error_code error;
  std::filesystem::path folder = std::filesystem::canonical(info.dli_fname, error).parent_path();
  for (int up = 0; up < 3 && !error; ++up, folder = folder.parent_path())
    if (const auto candidate = folder / "bin" / "mpiexec"; std::filesystem::exists(candidate, error)) return candidate;
  return "";
}

InitGuard::InitGuard(double limit_s) {
  initialising = true;
  static const int registered = std::atexit(at_exit);
  static_cast<void>(registered);
  std::thread(wait_for_init, limit_s).detach();
}

InitGuard::~InitGuard() { initialising = false; }

std::string mismatch(const LaunchClaim &claim, int size) {
  if (!claim.by_launcher() || claim.size == size || (claim.variable == "MPI_LOCALNRANKS" && claim.size <= size)) return "";
  const std::string mpiexec = matching_mpiexec();
  return "Launcher and library do not match: " + claim.launcher + " started " + std::to_string(claim.size) + " processes (" +
         claim.variable + "=" + std::to_string(claim.size) + "), but in each " + short_mpi() + " sees " + std::to_string(size) +
         (size == 1 ? " rank: they are singletons" : " ranks") + ". Use the launcher of that MPI" +
         (mpiexec.empty() ? "." : ": " + mpiexec);
}

}  // namespace doctor
