// Memory of a device that another process of the node has allocated, by the handles of CUDA's legacy IPC: giving a handle away, and opening
// one. A process opens each allocation once, however many plans read it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "device/driver.hpp"

namespace halocline::core::device {

/// An array as other processes may open it: its allocation, and where it begins in it.
struct Given {
  IpcHandle handle;
  std::int64_t offset = 0;
  bool is_given = false;
};

/// Finds the handle of the allocation that an array of a device is in. The array's context is current. Otherwise the reason why other processes
/// cannot open it; empty if they can.
std::string give(const void *data, std::int64_t bytes, Given &given);

/// What one plan has opened in one context. It is closed with the plan, or with the last plan of this process that reads it. Its owner may free
/// it only then, which the collective end of plans sees to.
class Opened {
 public:
  Opened() = default;
  Opened(const Opened &) = delete;
  Opened &operator=(const Opened &) = delete;
  ~Opened() { close(); }

  /// The context is current. Otherwise the reason; empty if it is open.
  std::string open(Context context, const Given &given, char **data);
  /// Nothing of it is in use any more. It makes its context current.
  void close();

 private:
  std::vector<Address> held_;  // each as often as it was opened here
};

}  // namespace halocline::core::device
