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

/// Where Yama restricts tracing to ancestors, lets the ranks of this node read and write this process's memory from now on. So may all
/// descendants of their common ancestor (the launcher's process), but no other process. The permission stays until the process ends. Linux does
/// not say what was permitted before, so it cannot be restored, and the MPI may rely on a permission of its own. Local; any thread.
void permit_node_to_trace(Communicator &communicator);

}  // namespace halocline::core
