// What each Halocline mode needs of the MPI, and so what the probes say about it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "outcome.hpp"
#include "verdicts.hpp"

namespace doctor {

/// The verdict on every mode. A mode is as good as the worst of what it needs.
ModeVerdicts judge_modes(const std::vector<Result> &results);

/// The modes in the order of the library's own table.
std::vector<std::string> mode_names();

}  // namespace doctor
