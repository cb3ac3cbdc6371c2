// What a test sets for a while: environment variables, and a file of each rank that one of them may name.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
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

/// A file of this rank, as long as the object lives. Its path is the same on all ranks, which variables have to agree on; its text need not be.
class RankFile {
 public:
  RankFile(const char *name, const std::string &text) : descriptor_(kFirst + files()++) {
    const int made = memfd_create(name, MFD_CLOEXEC);
    EXPECT_EQ(write(made, text.data(), text.size()), static_cast<ssize_t>(text.size()));
    EXPECT_EQ(dup2(made, descriptor_), descriptor_);
    close(made);
    path_ = "/proc/self/fd/" + std::to_string(descriptor_);
  }
  RankFile(const RankFile &) = delete;
  RankFile &operator=(const RankFile &) = delete;
  ~RankFile() {
    remove();
    --files();
  }
  /// From now on there is none under this path.
  void remove() const { close(descriptor_); }
  const std::string &path() const { return path_; }

 private:
  static constexpr int kFirst = 500;  // no library has so many descriptors here
  static int &files() {
    static int there = 0;
    return there;
  }

  int descriptor_;
  std::string path_;
};

}  // namespace halocline::test
