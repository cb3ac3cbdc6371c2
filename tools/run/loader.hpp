// Which files the dynamic loader would bring into a program, as the loader itself says: the program does not run.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace runner {

struct Loaded {
  std::string name, path;  ///< path: empty if the loader does not find it
};

/// Asks with LD_TRACE_LOADED_OBJECTS, as ldd does, for the environment of this process and LD_PRELOAD as given. Throws
/// std::runtime_error if the loader does not answer.
std::vector<Loaded> ask_loader(const std::string &program, const std::string &preload);

/// Those of them that are MPIs.
std::vector<Loaded> mpis_of(const std::vector<Loaded> &libraries);

}  // namespace runner
