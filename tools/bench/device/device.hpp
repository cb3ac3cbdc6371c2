// The command `device`: swaps of fields in the memory of a CUDA device, in modes that read neighbours in place and in one that stages, beside a
// copy of as many bytes inside the device, and beside a swap that is written by hand with copies through pinned memory and MPI.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "bench/frame/results.hpp"

namespace bench {

struct DeviceOptions : CommonOptions {
  std::vector<std::int64_t> local;  ///< cells per rank along x, y, z; empty: the two shapes of MONC
  int fields = 29, depth = 2;
  double seconds = 100;  ///< no round begins after so many
};

/// A shape by the library in one mode: what it takes beside a copy inside the device, and beside the hand-written swap.
struct DeviceRatio {
  std::string shape, mode;
  int links_in_place = 0, links = 0;  ///< of rank 0
  Sampled over_copy, over_hand_written;
};

struct DeviceReport {
  Results results;
  std::vector<DeviceRatio> ratios;
  std::string driver;  ///< the library that was loaded
  std::vector<std::string> notes;  ///< what rank 0 says of plans that do not read in place
};

std::string table_of(const DeviceReport &report);
Document document_of(const DeviceReport &report);

/// Collective. Refuses where there is no device. Throws std::runtime_error if a halo cell is wrong.
DeviceReport run_device(MPI_Comm comm, const DeviceOptions &options, int argc, char **argv);

}  // namespace bench
