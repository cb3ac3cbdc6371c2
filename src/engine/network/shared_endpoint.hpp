// This process's endpoint on a network, with what there is once for all its contexts: the thread that moves it, the buffers in which messages
// of others arrive, the word that probes write. Contexts that have chosen the same network share one; whoever polls moves all of them along.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <mutex>

#include "engine/network/liveness.hpp"
#include "engine/network/request_pool.hpp"
#include "engine/network/service.hpp"
#include "engine/progress/progress.hpp"

namespace halocline {

/// What a context asks of an endpoint. The secret of the choice is the context's own.
struct EndpointSpec {
  transport::Wish wish;
  transport::Choice choice;
  Progress progress = Progress::caller;
};

struct EndpointUser;

/// What the endpoint tells a context.
class EndpointClient : public RequestOwner {
 public:
  // With the endpoint's lock, as ended().
  /// Does what a message says. False for one that is none of this context's, or not in order.
  virtual bool read(const char *text, std::int64_t bytes) = 0;
  /// Tries again what had to wait.
  virtual void carry_out_put_off() = 0;
  /// The context goes: leaves its requests and connections, whose ends are nobody's from now on.
  virtual void leave(EndpointUser &user) = 0;
  // Without the lock, or with it.
  /// Something has come: wakes whoever sleeps for that.
  virtual void wake() = 0;

 protected:
  ~EndpointClient() = default;
};

/// A context at the endpoint; and, once that has gone, what the provider may still have of it.
struct EndpointUser {
  EndpointClient *client = nullptr;
  RequestPool pool;
  std::map<int, Connection> connections;
  std::unique_ptr<Liveness> liveness;
};
using EndpointUsers = std::list<EndpointUser>;

/// Any thread may call if it was opened for many threads; else one at a time, for all contexts together.
class SharedEndpoint final : public Polled {
 public:
  explicit SharedEndpoint(const EndpointSpec &spec) : spec_(spec) {}
  SharedEndpoint(const SharedEndpoint &) = delete;
  SharedEndpoint &operator=(const SharedEndpoint &) = delete;
  /// The last context has gone.
  ~SharedEndpoint();

  /// Hands out the endpoint of this process that is open for the same, or opens one. Unsupported, with the reason, if there is none.
  static Status share(const EndpointSpec &spec, std::shared_ptr<SharedEndpoint> *endpoint);

  NetworkEndpoint &endpoint() { return endpoint_; }
  const ProbeWords &probe_words() const { return probe_words_; }
  bool many_threads() const { return spec_.wish.many_threads; }
  /// What counts the failures of one context's transfers. It stays as long as the endpoint.
  transport::Failures &count_failures();

  /// A context takes part from now on. `user` holds one, and is empty then; it allocates nothing.
  void join(EndpointUsers &user);
  /// It does no longer: the endpoint keeps what is under way, with the probes, until it ends. Nothing of the context is touched any more but memory
  /// that a caller has brought for a long put or a get. Does nothing for one that has not joined.
  void leave(EndpointClient &client, std::unique_ptr<Liveness> &liveness);

  /// Takes the memory for messages of others.
  Status open_receive_buffers();
  /// Takes in messages from now on.
  void take_messages();

  /// Moves everything along for all contexts, and does what other ranks ask of them; true if anything came. With a thread that rings, wakes whoever
  /// sleeps on a doorbell for that: the caller's without a lock, if there is a caller.
  bool poll_for(EndpointClient *caller);
  bool poll() override { return poll_for(nullptr); }
  std::uint64_t polls() const override { return endpoint_.polls(); }
  void sleep(int until, long timeout_ns) override { endpoint_.sleep(until, timeout_ns); }
  /// True if something has come that waits to be taken in: who moves the network must not sleep for long. Without the lock.
  bool has_more() const override { return endpoint_.any_ended() || any_put_off_.load(std::memory_order_relaxed); }
  /// There are queries that wait for memory which another rank of the node changes just now.
  void note_put_off() { any_put_off_.store(true, std::memory_order_relaxed); }
  /// The lock of all requests, if there are many threads.
  std::unique_lock<std::mutex> lock() { return many_threads() ? std::unique_lock(mutex_) : std::unique_lock<std::mutex>(); }

 private:
  Status open();
  Status start_thread();
  bool take_in_unless_busy();
  void take_in();
  void receive(Transfer &buffer);
  void ring(EndpointClient *caller);
  void sweep();

  EndpointSpec spec_;
  std::mutex mutex_;
  NetworkEndpoint endpoint_;
  ProbeWords probe_words_;
  std::unique_ptr<ReceiveBuffers> receive_buffers_;
  bool takes_messages_ = false;
  std::deque<transport::Failures> failures_;
  EndpointUsers users_, left_;
  std::atomic<int> contexts_{0};  // the length of users_; read without the lock
  std::atomic<bool> any_put_off_{false};  // read without the lock
  bool rings_ = false;
  std::unique_ptr<ProgressThread> thread_;  // goes before what it polls
};

}  // namespace halocline
