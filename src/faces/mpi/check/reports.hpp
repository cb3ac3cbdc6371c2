// HALOCLINE_CHECK=1: the reports about a window. They name ranks, bytes and call sites.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "faces/mpi/check/check_memory.hpp"

namespace halocline::core::mpi {

/// "rank 2"
inline std::string rank_text(int rank) { return "rank " + std::to_string(rank); }

class CheckReports {
 public:
  /// `place`: the window's number, and the call that made it.
  CheckReports(const Window &window, const CheckMemory &memory, std::string place);

  /// The window, by the program's name if it has given one.
  std::string name() const;
  /// A call of a rank, with its site.
  std::string who(Call call, int rank, std::uint32_t site) const;
  void conflict(const LoggedAccess &a, const LoggedAccess &b, int target, ByteRange common) const;
  void store(const LoggedAccess &access, int target, ByteRange found, const char *when) const;

 private:
  const Window &window_;
  const CheckMemory &memory_;
  std::string place_;
  std::string first_name_;  // Open MPI names some windows itself
};

}  // namespace halocline::core::mpi
