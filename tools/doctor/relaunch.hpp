// Starting the same launch once more: the launcher's own command line and environment, with another program's arguments at its end. So
// every batch of probes has a fresh MPI in a process group of its own, and a probe that hangs, crashes or aborts takes nothing else down.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace doctor {

/// How the present launch was started: everything before the program's own arguments, and the environment. Hosts, flags and wrappers are
/// kept as the user gave them.
struct LaunchCommand {
  std::vector<std::string> words, environment;
};

/// Finds the launcher among the parents of this process, whose command line names this program. Without a launcher it is the program itself.
/// Nothing if the launcher cannot be seen from here (batch systems start ranks by a daemon).
std::optional<LaunchCommand> find_launch(const std::string &program, bool by_launcher);

/// A running command in a process group of its own; its output goes to a file.
class Job {
 public:
  Job(const LaunchCommand &command, const std::vector<std::string> &arguments, const std::string &output);
  ~Job() { stop(); }
  Job(const Job &) = delete;
  Job &operator=(const Job &) = delete;

  /// True while it runs.
  bool running();
  /// Ends it: first politely, for launchers tidy up; then not.
  void stop();
  /// How it ended, in words; "" while it runs or after an end that nobody need mention.
  const std::string &how_it_ended() const { return end_; }

 private:
  bool wait_for_end(int tries);
  pid_t pid_ = -1;
  std::string end_;
};

}  // namespace doctor
