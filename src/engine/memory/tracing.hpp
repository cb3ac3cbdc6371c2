// Memory of the program that lies in no shared object is copied to and from by the other ranks of the node with process_vm_readv and _writev. Where
// Linux restricts tracing to a process's ancestors (Yama, kernel.yama.ptrace_scope = 1), a process has to name who else may.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/types.h>

#include <vector>

namespace halocline {

class Communicator;

/// The nearest process that all of `processes` descend from, or are; 0 if there is none but the first of all, or it cannot be known.
pid_t common_ancestor(const std::vector<pid_t> &processes);

/// As long as one of these lives, the ranks of this node may copy to and from this process: they, and what else descends from the process that
/// has started them all (the launcher's). Nobody else is let in, and afterwards nobody is.
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

}  // namespace halocline
