// The command `windows`: how long it takes to make and to free windows of each kind, and how much memory a rank has for each, through
// libhalocline_mpi where it is loaded and through the host MPI, in turn in one process.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "bench/frame/results.hpp"

namespace bench {

struct WindowOptions : CommonOptions {
  std::vector<std::string> kinds;
  std::int64_t window_bytes = 4096;  ///< of data per rank; a page, so that what windows need beside it shows
  int windows = 32;                  ///< how many are open at the same time for the memory
  double seconds = 2;                ///< the most for one kind of window by one set of names
};

/// One kind of window by one set of names.
struct WindowCost {
  double first_us = 0;  ///< the first window, with what it opens for later ones
  Sampled us{};         ///< a window made and freed, on the slowest rank
  int windows = 0;      ///< open at the same time, when the memory was read
  double own_bytes = 0, shared_bytes = 0;  ///< per rank and window, without the program's data
  double reserved_bytes = 0;               ///< of /dev/shm, per rank and window, without the program's data
};

struct WindowRow {
  std::string kind;
  WindowCost loaded{}, host{};
};

struct WindowReport {
  Environment environment;
  bool loaded = false;
  std::int64_t window_bytes = 0;  ///< of data per rank
  std::vector<WindowRow> rows;
};

/// The kinds: create, allocate, allocate_shared, dynamic.
std::vector<std::string> window_kinds();

/// Collective; the same on all ranks. Throws std::runtime_error if a window is not there.
WindowReport run_windows(MPI_Comm comm, const WindowOptions &options, int argc, char **argv);

std::string table_of(const WindowReport &report);
/// For a file: rows in the schema of all commands, and what only this one has.
Document document_of(const WindowReport &report);

}  // namespace bench
