// The network that reaches the ranks of other nodes: opened by all ranks of a context together, when the first plan or
// segment needs it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/network/request_engine.hpp"
#include "engine/network/shared_endpoint.hpp"

namespace halocline {

/// What a context knows of its network. Until it is opened, and where it cannot be, there is no endpoint. The endpoint is that of the endpoint, which other
/// contexts of the process may share.
class Network final : public RemoteProgress {
 public:
  explicit Network(Communicator &communicator) : communicator_(communicator) {}
  Network(const Network &) = delete;
  Network &operator=(const Network &) = delete;
  ~Network() { leave(); }
  /// Opens it, once. Collective over the communicator, the same status on all ranks: unsupported if there is none that all ranks can use, with
  /// the reason as the message, now and whenever it is asked again.
  Status open();
  /// Gives up all but what MPI can only free collectively.
  void close();
  NetworkEndpoint *endpoint() const { return endpoint_; }
  /// True if a thread of this process moves the network whenever something comes (HALOCLINE_PROGRESS=thread), and rings this rank's doorbell for it.
  /// A spare thread is none that a wait may rely on.
  bool has_thread() const override { return rings_; }
  /// The helper process of this node; null if there is none.
  Helper *helper() const { return requests_ ? requests_->helper() : nullptr; }
  /// Who of the ranks of other nodes is still there; open if the endpoint is.
  Liveness *liveness() { return liveness_.get(); }
  /// Counts transfers of this context that have failed; who has some under way looks at them when it grows. The endpoint is open.
  std::uint64_t failures() const { return failures_->load(std::memory_order_acquire); }
  /// Where each transfer of this context counts its failure.
  transport::Failures *count_failures() const { return failures_; }
  bool has_failed() const override { return failures_ && failures() > 0; }
  /// A rank of another node is lost, as this one or another has found out: collective steps wait for it no longer. Any thread.
  void note_lost(int rank) { lost_.store(rank, std::memory_order_relaxed); }
  /// The last of them, -1 if there is none.
  int lost() const override { return lost_.load(std::memory_order_relaxed); }
  /// What goes over it for segments; there if the endpoint is.
  RequestEngine *requests() const { return requests_.get(); }
  /// Moves everything along that is under way, of the other contexts at the endpoint as well, and serves others; true if anything came. With a
  /// thread that rings, wakes whoever sleeps on the doorbell for that. Any thread that may use the endpoint.
  bool poll() override { return requests_ && requests_->poll(); }
  int find_lost() override { return liveness_->find_lost(); }
  std::string name_of(int rank) override { return liveness_->name_of(rank); }
  /// The same now and then, for calls that are repeated until something has changed: one look costs as much as many of them.
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
  Status enter(const EndpointSpec &spec);
  void leave();

  Communicator &communicator_;
  NodeLeaders leaders_;
  std::shared_ptr<SharedEndpoint> shared_endpoint_;
  NetworkEndpoint *endpoint_ = nullptr;
  transport::Failures *failures_ = nullptr;
  EndpointUsers as_user_;  // until it joins the endpoint
  std::unique_ptr<Liveness> liveness_;
  std::unique_ptr<RequestEngine> requests_;
  bool rings_ = false;
  std::atomic<int> lost_{-1};
  bool asked_ = false;
  char description_[512] = "no plan and no segment has needed a network";
};

}  // namespace halocline
