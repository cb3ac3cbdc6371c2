// The network that reaches the ranks of other nodes: opened by all ranks of a context together, when the first plan or
// segment needs it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>
#include <list>
#include <memory>
#include <string>

#include "base/status.hpp"
#include "engine/communicator/remote_progress.hpp"
#include "engine/memory/node_leaders.hpp"
#include "engine/network/network_names.hpp"

namespace halocline::core {

class Communicator;
class Helper;
class Liveness;
class RequestEngine;
class SharedEndpoint;
struct EndpointSpec;
struct EndpointUser;

/// A context's view of its network. Until it is opened, and where that fails, there is no endpoint. Other contexts of the process may share
/// the endpoint.
class Network final : public RemoteProgress {
 public:
  explicit Network(Communicator &communicator);
  Network(const Network &) = delete;
  Network &operator=(const Network &) = delete;
  ~Network();
  /// Opens it, once. Collective over the communicator, the same status on all ranks: unsupported if there is no network that all ranks can
  /// use. The message is the reason; a later call returns the same.
  Status open();
  /// Releases all but what MPI can only free collectively.
  void close();
  NetworkEndpoint *endpoint() const { return endpoint_; }
  /// True if a message to another node arrives after what was put there before. The endpoint is open.
  bool keeps_order() const;
  /// True if a progress thread of this process handles arriving events (HALOCLINE_PROGRESS=thread) and rings this rank's doorbell for them.
  /// False for a spare thread, on which a wait may not rely.
  bool has_thread() const override { return rings_; }
  /// The helper process of this node; null if there is none.
  Helper *helper() const;
  /// Detects lost ranks of other nodes; there if the endpoint is.
  Liveness *liveness() { return liveness_.get(); }
  /// Number of transfers of this context that have failed; when it grows, callers check the transfers they have under way. The endpoint is
  /// open.
  std::uint64_t failures() const { return failures_->load(std::memory_order_acquire); }
  /// The counter to which each transfer of this context adds its failure.
  transport::Failures *count_failures() const { return failures_; }
  bool has_failed() const override { return failures_ && failures() > 0; }
  /// Notes that a rank of another node is lost, as this rank or another has detected: collective steps wait for it no longer. Any thread.
  void note_lost(int rank) { lost_.store(rank, std::memory_order_relaxed); }
  /// The last rank noted as lost, -1 if there is none.
  int lost() const override { return lost_.load(std::memory_order_relaxed); }
  /// Requests and queries for segments; there if the endpoint is.
  RequestEngine *requests() const { return requests_.get(); }
  /// Whether a request to a rank of another node may begin without a wait; `again` while too many are under way there.
  Status find_room(int rank, const char *call) const;
  /// Drives progress for all contexts at the endpoint and serves other ranks; true if there were events. With a thread that rings, wakes
  /// threads that sleep on the doorbell for that. Any thread that may use the endpoint.
  bool poll() override;
  std::uint64_t events() const override;
  int find_lost() override;
  std::string name_of(int rank) override;
  /// Polls in one of 32 calls, for callers that repeat until something has changed: one poll costs as much as many of their calls.
  void poll_sometimes() {
    thread_local unsigned turn = 0;
    if (requests_ && ++turn % 32 == 0) poll();
  }
  NodeLeaders &leaders() { return leaders_; }
  Communicator &communicator() const { return communicator_; }
  /// One line: what carries data to other nodes, or why it is MPI.
  const char *description() const { return description_; }

 private:
  Status try_to_open();
  Status enter_together(const EndpointSpec &spec);
  Status enter(const EndpointSpec &spec);
  void leave();

  Communicator &communicator_;
  NodeLeaders leaders_;
  std::shared_ptr<SharedEndpoint> shared_endpoint_;
  NetworkEndpoint *endpoint_ = nullptr;
  transport::Failures *failures_ = nullptr;
  std::list<EndpointUser> as_user_;  // this context's entry, until it joins the endpoint
  std::unique_ptr<Liveness> liveness_;
  std::unique_ptr<RequestEngine> requests_;
  bool rings_ = false;
  std::atomic<int> lost_{-1};
  bool asked_ = false;
  char description_[512] = "no plan and no segment has needed a network";
};

}  // namespace halocline::core
