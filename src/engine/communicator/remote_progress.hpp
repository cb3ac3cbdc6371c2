// What waits and collective steps ask of the network that reaches other nodes: progress, and which of their ranks are lost.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace halocline {

/// Any thread that may use the network.
class RemoteProgress {
 public:
  RemoteProgress() = default;
  RemoteProgress(const RemoteProgress &) = delete;
  RemoteProgress &operator=(const RemoteProgress &) = delete;

  /// Moves everything along that is under way, and serves others; true if anything came.
  virtual bool poll() = 0;
  /// True if a thread of this process moves the network whenever something comes (HALOCLINE_PROGRESS=thread), and rings this rank's doorbell for it.
  /// A spare thread is none that a wait may rely on.
  virtual bool has_thread() const = 0;
  /// True if a transfer has failed.
  virtual bool has_failed() const = 0;
  /// The last rank of another node that this one or another has found to be lost; -1 if there is none.
  virtual int lost() const = 0;
  /// Looks for the ranks of other nodes; the first that was reached once and no longer is, -1 if none is known.
  virtual int find_lost() = 0;
  /// A rank of another node that is looked for, in messages.
  virtual std::string name_of(int rank) = 0;

 protected:
  ~RemoteProgress() = default;
};

}  // namespace halocline
