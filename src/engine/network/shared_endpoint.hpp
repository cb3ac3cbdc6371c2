// This process's endpoint on a network, with what all its contexts share: the progress thread, the receive buffers, the word that probes
// write. Contexts that have chosen the same network share one endpoint; each poll drives progress for all of them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <mutex>

#include "base/mutex.hpp"
#include "engine/network/liveness.hpp"
#include "engine/network/request_pool.hpp"
#include "engine/network/service.hpp"
#include "engine/progress/progress.hpp"

namespace halocline::core {

/// What a context needs of an endpoint. The secret of the choice is the context's own.
struct EndpointSpec {
  transport::Wish wish;
  transport::Choice choice;
  Progress progress = Progress::caller;
};

struct EndpointUser;

/// A context, as the endpoint calls it.
class EndpointClient {
 public:
  EndpointClient() = default;
  EndpointClient(const EndpointClient &) = delete;
  EndpointClient &operator=(const EndpointClient &) = delete;
  // Called with the endpoint's lock.
  /// Handles a message. False for one that is not for this context, or is not valid.
  virtual bool read(const char *text, std::int64_t bytes) = 0;
  /// Tries the queries that were put off again.
  virtual void carry_out_put_off() = 0;
  /// Whether a request of the context is under way.
  virtual bool any_under_way() = 0;
  /// The context leaves: it hands its requests and connections to `user`. Their completions are ignored from now on.
  virtual void leave(EndpointUser &user) = 0;
  // Called without the lock, or with it.
  /// There were events: wakes the threads that sleep until then.
  virtual void wake() = 0;

 protected:
  ~EndpointClient() = default;
};

/// A context at the endpoint. Once it has left: its requests that the provider may still hold.
struct EndpointUser {
  EndpointClient *client = nullptr;
  RequestPool pool;
  std::map<int, Connection> connections;
  std::unique_ptr<Liveness> liveness;
};
using EndpointUsers = std::list<EndpointUser>;

/// Any thread may call if it was opened for many threads; else one thread at a time, for all contexts together.
class SharedEndpoint final : public Polled {
 public:
  explicit SharedEndpoint(const EndpointSpec &spec) : spec_(spec), mutex_(spec.wish.many_threads) {}
  SharedEndpoint(const SharedEndpoint &) = delete;
  SharedEndpoint &operator=(const SharedEndpoint &) = delete;
  /// Called when the last context has left.
  ~SharedEndpoint();

  /// Returns this process's open endpoint for the same spec, or opens one. Unsupported, with the reason, if neither is possible.
  static Status share(const EndpointSpec &spec, std::shared_ptr<SharedEndpoint> *endpoint);

  NetworkEndpoint &endpoint() { return endpoint_; }
  const ProbeWords &probe_words() const { return probe_words_; }
  bool many_threads() const { return spec_.wish.many_threads; }
  /// A counter of failed transfers for one context. It lives as long as the endpoint.
  transport::Failures &count_failures();

  /// A context joins. `user` holds its one entry, and is empty afterwards; nothing is allocated.
  void join(EndpointUsers &user);
  /// A context leaves: the endpoint keeps its requests and probes that are under way until they end. Nothing of the context is accessed any
  /// more except memory that a caller has passed for a long put or a get. Does nothing for a context that has not joined.
  void leave(EndpointClient &client, std::unique_ptr<Liveness> &liveness);

  /// Allocates and registers the buffers for messages of other ranks.
  Status open_receive_buffers();
  /// Receives messages from now on.
  void take_messages();

  /// Drives progress for all contexts and carries out queries to them; true if there were events. With a thread that rings, wakes the
  /// threads that sleep on a doorbell for that: those of `caller`, if there is one, without the lock.
  bool poll_for(EndpointClient *caller);
  bool poll() override { return poll_for(nullptr); }
  std::uint64_t polls() const override { return endpoint_.polls(); }
  bool needs_poll() override;
  void sleep(int until, long timeout_ns) override { endpoint_.sleep(until, timeout_ns); }
  /// True if ended transfers or queries that were put off wait to be handled: the progress thread must not sleep for long. Without the
  /// lock.
  bool has_more() const override { return endpoint_.any_ended() || any_put_off_.load(std::memory_order_relaxed); }
  /// Notes that queries wait for memory whose lock another rank of the node held.
  void note_put_off() { any_put_off_.store(true, std::memory_order_relaxed); }
  /// The lock of all requests.
  std::unique_lock<OptionalMutex> lock() { return std::unique_lock(mutex_); }

 private:
  Status open();
  bool take_in_unless_busy();
  void take_in() HLC_REQUIRES(mutex_);
  void receive(Transfer &buffer) HLC_REQUIRES(mutex_);
  void ring(EndpointClient *caller);
  void sweep() HLC_REQUIRES(mutex_);

  EndpointSpec spec_;
  OptionalMutex mutex_;
  NetworkEndpoint endpoint_;
  ProbeWords probe_words_;
  std::unique_ptr<ReceiveBuffers> receive_buffers_ HLC_GUARDED_BY(mutex_);
  bool takes_messages_ HLC_GUARDED_BY(mutex_) = false;
  std::deque<transport::Failures> failures_ HLC_GUARDED_BY(mutex_);
  EndpointUsers users_ HLC_GUARDED_BY(mutex_), left_ HLC_GUARDED_BY(mutex_);
  std::atomic<int> contexts_{0};  // the length of users_; read without the lock
  std::atomic<bool> any_put_off_{false};  // read without the lock
  bool rings_ = false;
  std::unique_ptr<ProgressThread> thread_;  // last member: destroyed before what it polls
};

/// A context needs it no more. Nothing is left of an endpoint that none needs.
void release_endpoint(std::shared_ptr<SharedEndpoint> *endpoint);

}  // namespace halocline::core
