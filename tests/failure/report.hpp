// What the survivors of a death report to the script that has launched them: a file per rank. A rank that hangs says so, too.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

namespace halocline::test {

/// The report of this rank. One per program.
class Report {
 public:
  /// From now on the rank hangs if it has not ended after HALOCLINE_TEST_PATIENCE seconds.
  Report(const std::filesystem::path &directory, int rank) : directory_(directory) {
    file() = (directory / std::to_string(rank)).string();
    signal(SIGALRM, hang);
    alarm(static_cast<unsigned>(std::atoi(std::getenv("HALOCLINE_TEST_PATIENCE"))));
  }
  Report(const Report &) = delete;
  Report &operator=(const Report &) = delete;

  /// A file has its name when all is in it.
  void write(const std::string &text) const {
    std::ofstream(file() + ".part") << text;
    std::filesystem::rename(file() + ".part", file());
  }
  /// Waits until all of so many ranks but the victim have reported.
  void await_others(int ranks, int victim) const {
    for (int r = 0; r < ranks; ++r)
      while (r != victim && !std::filesystem::exists(directory_ / std::to_string(r)))
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }

 private:
  static std::string &file() {
    static std::string name;
    return name;
  }
  [[noreturn]] static void hang(int) {
    if (FILE *report = std::fopen(file().c_str(), "w")) {
      std::fprintf(report, "hangs");
      std::fclose(report);
    }
    _exit(0);
  }

  std::filesystem::path directory_;
};

}  // namespace halocline::test
