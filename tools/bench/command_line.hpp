// The command line of halocline-bench: which command, with which options.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "bench/auto/options.hpp"
#include "bench/frame/pair_options.hpp"
#include "bench/halo/options.hpp"
#include "bench/mesh/options.hpp"
#include "bench/model/options.hpp"

#include <common/program.hpp>

namespace bench {

enum class Command { none, halo, notify, bandwidth, overlap, progress, allreduce, rma, windows, operations, model, mesh, automatic };

/// What the command line asks for.
struct CommandLine {
  Command command = Command::none;
  HaloOptions halo;   ///< of command `halo`
  MeshOptions mesh;   ///< of command `mesh`
  AutoOptions automatic;  ///< of command `auto`
  ModelOptions model;  ///< of command `model`
  PairOptions pair;   ///< of all others
  common::Answer answer;  ///< without a command
};

CommandLine parse(int argc, char **argv);

}  // namespace bench
