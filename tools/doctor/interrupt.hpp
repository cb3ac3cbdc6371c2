// What happens when the doctor is interrupted: it notes the signal and ends what it has started; should it be killed before it can, a shell that
// waits for its end removes its folder.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <stdexcept>
#include <string>

namespace doctor {

/// Somebody has asked the doctor to stop.
class Interrupted : public std::runtime_error {
 public:
  explicit Interrupted(int signal);
  int signal() const { return signal_; }

 private:
  int signal_;
};

/// From now on SIGINT, SIGTERM and SIGHUP are noted, and the end of the launcher that has started this process, if one has;
/// throw_if_interrupted throws Interrupted once one has come.
void note_interrupts(bool by_launcher);
void throw_if_interrupted();

/// Removes a folder when this process has ended, however that was. A second process waits for it, which holds nothing else open.
class Sweeper {
 public:
  explicit Sweeper(const std::string &folder);
  ~Sweeper();
  Sweeper(const Sweeper &) = delete;
  Sweeper &operator=(const Sweeper &) = delete;

 private:
  int pipe_ = -1;
  int pid_ = -1;
};

}  // namespace doctor
