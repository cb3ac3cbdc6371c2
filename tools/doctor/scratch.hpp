// The folder through which the ranks of a batch and the doctor know of each other. Every rank gets its name.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace doctor {

/// Made under an unguessable name, for this user alone, and removed at the end with all that is in it.
class Scratch {
 public:
  Scratch();
  ~Scratch();
  Scratch(const Scratch &) = delete;
  Scratch &operator=(const Scratch &) = delete;
  const std::string &folder() const { return folder_; }
  /// Empties the result file and sets all counters to 0.
  void clear(int ranks) const;

  static std::string results(const std::string &folder) { return folder + "/results"; }
  static std::string progress(const std::string &folder) { return folder + "/progress"; }
  static std::string output(const std::string &folder) { return folder + "/output"; }

 private:
  std::string folder_;
};

}  // namespace doctor
