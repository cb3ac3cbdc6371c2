// The links whose exchanges continue outside the calls that began them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace halocline::core::mpi {

/// What is driven.
class DrivenLinks {
 public:
  DrivenLinks() = default;
  DrivenLinks(const DrivenLinks &) = delete;
  DrivenLinks &operator=(const DrivenLinks &) = delete;
  virtual ~DrivenLinks() = default;

  /// Does what can be done now, unless another thread does. in_host: without calls of MPI.
  virtual void progress_if_free(bool in_host) = 0;
};

/// From now on the host's progress, and waits of this library, drive these links; no longer.
void list_links(DrivenLinks *links);
void unlist_links(DrivenLinks *links);

/// What can be done now for all links that are listed.
void progress_all_links(bool in_host);

}  // namespace halocline::core::mpi
