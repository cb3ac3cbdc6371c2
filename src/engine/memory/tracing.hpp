// Private memory of a process is read and written by the other ranks of the node with process_vm_readv and process_vm_writev. Linux may
// restrict tracing to a process's ancestors (Yama, kernel.yama.ptrace_scope = 1). Then a process has to name a further tracer.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/types.h>

#include <vector>

namespace halocline::core {

class Communicator;

/// The nearest common ancestor of `processes`, which may be one of them; 0 if it is process 1 or not known.
pid_t common_ancestor(const std::vector<pid_t> &processes);

/// While one of these exists, the ranks of this node may read and write this process's memory. So may all descendants of their common
/// ancestor (the launcher's process), but no other process. Afterwards the permission is withdrawn.
class TracedByNode {
 public:
  TracedByNode() = default;
  TracedByNode(const TracedByNode &) = delete;
  TracedByNode &operator=(const TracedByNode &) = delete;
  ~TracedByNode();
  void allow(Communicator &communicator);

 private:
  bool allowed_ = false;
};

}  // namespace halocline::core
