// HALOCLINE_CHECK=1: the places in the program from which MPI was called, as text that other ranks read.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

namespace halocline::core::mpi {

/// A rank's call sites, in shared memory, written once by it. `offset` is that of the call in its file, as addr2line takes it.
struct CallSites {
  static constexpr std::uint32_t kMax = 256;
  struct Site {
    std::uint64_t offset;
    char file[240];
  };
  std::uint32_t used;
  Site all[kMax];
};

/// This rank's side: finds the program's frame, which is the first one outside of this library and the MPI. Any thread.
class CallSiteWriter {
 public:
  void open(CallSites *sites) { sites_ = sites; }
  /// The number of the site of the present call. Other ranks may read it after they have synchronised with this one.
  std::uint32_t here();

 private:
  std::mutex mutex_;
  std::map<const void *, std::uint32_t> known_;
  CallSites *sites_ = nullptr;
};

/// "function (file:line)" where addr2line and debug information are there, else "file+offset". Starts a process.
std::string text_of(const CallSites &sites, std::uint32_t site);

}  // namespace halocline::core::mpi
