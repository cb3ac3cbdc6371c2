// What waits and collective steps need from the network to other nodes: progress, and which of their ranks are lost.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

namespace halocline::core {

/// May be called by any thread that may use the network.
class RemoteProgress {
 public:
  RemoteProgress() = default;
  RemoteProgress(const RemoteProgress &) = delete;
  RemoteProgress &operator=(const RemoteProgress &) = delete;

  /// Drives progress of all requests, and serves those of other ranks; true if anything arrived or completed.
  virtual bool poll() = 0;
  /// How often polls of this process, by any thread, have found that something arrived or completed.
  virtual std::uint64_t events() const = 0;
  /// True if a progress thread of this process drives progress whenever something arrives (HALOCLINE_PROGRESS=thread), and then rings this
  /// rank's doorbell. A wait must not rely on a spare thread.
  virtual bool has_thread() const = 0;
  /// True if a transfer has failed.
  virtual bool has_failed() const = 0;
  /// The last rank of another node that this or another rank has found to be lost; -1 if there is none.
  virtual int lost() const = 0;
  /// Probes the ranks of other nodes; returns the first that was reached before and is not reached now, -1 if none is known.
  virtual int find_lost() = 0;
  /// A rank of another node, as error messages name it.
  virtual std::string name_of(int rank) = 0;

 protected:
  ~RemoteProgress() = default;
};

}  // namespace halocline::core
