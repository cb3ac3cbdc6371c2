// What is known of this machine, read once per context, when it is first needed.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

namespace halocline::core {

struct Machine;

/// Read when it is first asked for. One thread at a time asks.
class LazyMachine {
 public:
  LazyMachine();
  ~LazyMachine();
  LazyMachine(const LazyMachine &) = delete;
  LazyMachine &operator=(const LazyMachine &) = delete;

  /// The files are those of all ranks of a node: one rank reports what is wrong with them.
  void leave_reports_to_others() { reports_ = false; }
  const Machine &get();

 private:
  bool reports_ = true;
  std::unique_ptr<Machine> machine_;
};

}  // namespace halocline::core
