// SPDX-License-Identifier: BSD-3-Clause
#include "scratch.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "progress.hpp"

namespace doctor {

Scratch::Scratch() {
  const char *set = std::getenv("TMPDIR");
  folder_ = std::string(set && *set ? set : "/tmp") + "/halocline-doctor-XXXXXX";
  if (!mkdtemp(folder_.data())) throw std::runtime_error("can't make the folder " + folder_);
}

Scratch::~Scratch() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

void Scratch::clear(int ranks) const {
  std::ofstream(results(folder_), std::ios::trunc).close();
  // Ranks of an earlier batch may still map the old counters.
  std::filesystem::remove(progress(folder_));
  Progress::create(progress(folder_), ranks);
}

}  // namespace doctor
