// The command by which ranks are started, where the user leaves that to halocline-run.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "choice.hpp"

namespace runner {

/// The launcher with its flags, and halocline-run again for each rank, which alone gets LD_PRELOAD. Throws Refused.
std::vector<std::string> launch_command(const Options &options, const Choice &choice);

}  // namespace runner
