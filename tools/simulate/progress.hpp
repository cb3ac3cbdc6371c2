// A line on stderr that says how far the experiments are, written anew twice a second where that is a terminal.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "simulation.hpp"

#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <string>
#include <thread>

namespace simulate {

class Progress {
 public:
  /// always: also where stderr is no terminal.
  explicit Progress(bool always) {
    if (always || isatty(STDERR_FILENO)) writer_ = std::thread([this] { write(); });
  }
  ~Progress() {
    if (!writer_.joinable()) return;
    {
      const std::lock_guard lock(mutex_);
      ended_ = true;
    }
    changed_.notify_one();
    writer_.join();
    blank();
  }
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;

  /// What is simulated from now on.
  void enter(const std::string &what) {
    {
      const std::lock_guard lock(mutex_);
      what_ = what;
    }
    changed_.notify_one();
  }
  /// Takes the line away until the next enter, as something else is written to the same terminal.
  void pause() {
    const std::lock_guard lock(mutex_);
    what_.clear();
    if (writer_.joinable()) blank();
  }

 private:
  static void blank() { std::fprintf(stderr, "\r%70s\r", ""); }

  void write() {
    const auto began = std::chrono::steady_clock::now();
    std::unique_lock lock(mutex_);
    while (!ended_) {
      const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - began).count();
      if (!what_.empty())
        std::fprintf(stderr, "\r%-30s %6d simulations done, %3d s ", what_.c_str(), simulations_done.load(), static_cast<int>(seconds));
      changed_.wait_for(lock, std::chrono::milliseconds(500));
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::string what_;
  bool ended_ = false;
  std::thread writer_;
};

}  // namespace simulate
