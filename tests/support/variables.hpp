// What a test sets for a while: environment variables, and a file of each rank that one of them may name.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <initializer_list>
#include <map>
#include <string>
#include <utility>

#include "support/mpi_test.hpp"

namespace halocline::test {

/// Variables that are set as long as the object lives.
class Variables {
 public:
  explicit Variables(std::initializer_list<std::pair<const char *, std::string>> values) {
    for (const auto &[name, value] : values) {
      const char *const before = std::getenv(name);
      before_[name] = before ? before : "";
      setenv(name, value.c_str(), 1);
    }
  }
  Variables(const Variables &) = delete;
  Variables &operator=(const Variables &) = delete;
  ~Variables() {
    for (const auto &[name, value] : before_) value.empty() ? unsetenv(name.c_str()) : setenv(name.c_str(), value.c_str(), 1);
  }

 private:
  std::map<std::string, std::string> before_;
};

/// A file of this rank, as long as the object lives.
class RankFile {
 public:
  RankFile(const std::string &name, const std::string &text)
      : path_("/tmp/halocline-" + name + "-" + std::to_string(getpid()) + "-" + std::to_string(rank()) + ".json") {
    std::ofstream(path_) << text;
  }
  RankFile(const RankFile &) = delete;
  RankFile &operator=(const RankFile &) = delete;
  ~RankFile() { unlink(path_.c_str()); }
  const std::string &path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace halocline::test
