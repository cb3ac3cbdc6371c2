// A probe: one question to the MPI, asked by all ranks together. Probes are rows of a table; each group of probes has a file in probes/.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <functional>
#include <string>
#include <vector>

#include "outcome.hpp"

namespace doctor {

/// What a probe finds itself in, and where it says what it found. Findings of all ranks are put together afterwards.
class Bench {
 public:
  explicit Bench(MPI_Comm comm) : comm_(comm) {
    MPI_Comm_rank(comm, &rank_);
    MPI_Comm_size(comm, &size_);
  }
  MPI_Comm comm() const { return comm_; }
  int rank() const { return rank_; }
  int size() const { return size_; }
  int next() const { return (rank_ + 1) % size_; }
  int previous() const { return (rank_ + size_ - 1) % size_; }
  /// A number that no earlier round has had.
  unsigned next_round() { return round_ += 1; }

  /// Something is wrong; of each operation only the first few are kept.
  void wrong(const std::string &operation, const std::string &text) { add(Outcome::wrong, operation, text); }
  /// A property of this MPI that is neither right nor wrong. Told by rank 0 alone.
  void fact(const std::string &text) {
    if (rank_ == 0) add(Outcome::fact, "", text);
  }
  /// Complains with this text unless it is so.
  void expect(bool so, const std::string &text) {
    if (!so) wrong("", text);
  }
  void add(Outcome outcome, const std::string &operation, const std::string &text);
  std::vector<Finding> take_findings() { return std::move(findings_); }

 private:
  MPI_Comm comm_;
  int rank_ = 0, size_ = 1;
  unsigned round_ = 0;
  std::vector<Finding> findings_;
};

/// Tests a request until it is complete, as plans do.
void complete(MPI_Request &request);

struct Probe {
  std::string name;   ///< for windows "kind/synchronisation", for others a word or two; what --only matches
  std::string calls;  ///< which MPI functions it is about
  std::function<void(Bench &)> run;
  bool on_demand = false;  ///< runs only where --only chooses it: no mode depends on what it finds in MPIs that are right otherwise
};

/// All probes, in the order in which they are run. Those known to hang or crash somewhere stand at the end, and persistent
/// collectives behind the windows: after them request-based calls may crash (epochs/request_after_persistent).
const std::vector<Probe> &all_probes();

/// The groups, one file each.
std::vector<Probe> window_probes();
std::vector<Probe> sum_probes();
std::vector<Probe> atomic_probes();
std::vector<Probe> message_probes();
std::vector<Probe> collective_probes();
std::vector<Probe> cartesian_probes();
std::vector<Probe> epoch_probes();
std::vector<Probe> shared_memory_probes();
std::vector<Probe> property_probes();
std::vector<Probe> request_probes();
std::vector<Probe> risky_probes();
std::vector<Probe> crashing_probes();

}  // namespace doctor
