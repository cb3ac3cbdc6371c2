// Sharing the endpoint, and handing completions and messages to the context that they are for.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/network/shared_endpoint.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace halocline::core {
namespace {

/// The endpoints of this process.
struct OpenEndpoints {
  Mutex mutex;
  std::vector<std::weak_ptr<SharedEndpoint>> endpoints HLC_GUARDED_BY(mutex);
};

OpenEndpoints &open_endpoints() {
  HALOCLINE_ONCE_PER_PROCESS OpenEndpoints *const all = new OpenEndpoints;  // never destroyed: code at the end of the process may use it
  return *all;
}

}  // namespace

/// Requests under way use memory that is freed with the members: the provider has to release it first.
SharedEndpoint::~SharedEndpoint() {
  thread_.reset();
  endpoint_.close_endpoint();
}

Status SharedEndpoint::share(const EndpointSpec &spec, std::shared_ptr<SharedEndpoint> *endpoint) {
  OpenEndpoints &all = open_endpoints();
  const Lock lock(all.mutex);
  const auto serves = [&spec](const EndpointSpec &open) {
    return open.wish == spec.wish && open.choice.names_same_network(spec.choice) && open.progress == spec.progress;
  };
  for (const std::weak_ptr<SharedEndpoint> &one : all.endpoints)
    if (const std::shared_ptr<SharedEndpoint> open = one.lock(); open && serves(open->spec_)) {
      *endpoint = open;
      return Status::ok;
    }
  const auto made = std::make_shared<SharedEndpoint>(spec);
  HLC_TRY(made->open());
  all.endpoints.push_back(made);
  *endpoint = made;
  return Status::ok;
}

/// The memory of an endpoint is free only when its entry is gone, too.
void release_endpoint(std::shared_ptr<SharedEndpoint> *endpoint) {
  if (!*endpoint) return;
  endpoint->reset();
  OpenEndpoints &all = open_endpoints();
  const Lock lock(all.mutex);
  std::erase_if(all.endpoints, [](const std::weak_ptr<SharedEndpoint> &one) { return one.expired(); });
}

Status SharedEndpoint::open() {
  HLC_TRY(endpoint_.open(spec_.wish, spec_.choice));
  HLC_TRY(probe_words_.open(endpoint_));
  rings_ = spec_.progress == Progress::thread;
  if (!has_progress_thread(spec_.progress)) return Status::ok;
  thread_ = std::make_unique<ProgressThread>(*this, spec_.progress);
  return thread_->start();
}

transport::Failures &SharedEndpoint::count_failures() {
  const Lock locked(mutex_);
  return failures_.emplace_back(0);
}

void SharedEndpoint::join(EndpointUsers &user) {
  {
    const Lock locked(mutex_);
    users_.splice(users_.end(), user);
    contexts_.store(static_cast<int>(users_.size()), std::memory_order_relaxed);
    sweep();
  }
  if (rings_) ring(nullptr);
}

void SharedEndpoint::leave(EndpointClient &client, std::unique_ptr<Liveness> &liveness) {
  {
    const Lock locked(mutex_);
    const auto user = std::find_if(users_.begin(), users_.end(), [&](const EndpointUser &one) { return one.client == &client; });
    if (user == users_.end()) return;
    client.leave(*user);
    user->liveness = std::move(liveness);
    user->liveness->stop();
    user->client = nullptr;
    left_.splice(left_.end(), users_, user);
    contexts_.store(static_cast<int>(users_.size()), std::memory_order_relaxed);
    sweep();
  }
  if (rings_) ring(nullptr);
}

/// Releases the requests of contexts that have left, once they have ended. take_in runs after their end was seen, so no list holds
/// them any more.
void SharedEndpoint::sweep() {
  EndpointUsers over;
  for (auto next = left_.begin(); next != left_.end();) {
    const auto user = next++;
    if (!user->pool.any_under_way() && !user->liveness->any_under_way()) over.splice(over.end(), left_, user);
  }
  take_in();
  for (const EndpointUser &user : over) {
    user.liveness->part();
    for (const auto &[rank, connection] : user.connections) endpoint_.release_peer(connection.peer);
  }
}

Status SharedEndpoint::open_receive_buffers() {
  const Lock locked(mutex_);
  if (!receive_buffers_) receive_buffers_ = std::make_unique<ReceiveBuffers>();
  return receive_buffers_->open(endpoint_);
}

void SharedEndpoint::take_messages() {
  const Lock locked(mutex_);
  if (!std::exchange(takes_messages_, true)) receive_buffers_->receive();
}

/// Usually nothing has ended and nothing is put off; then the lock of the requests is not taken.
bool SharedEndpoint::poll_for(EndpointClient *caller) {
  const std::uint64_t events = endpoint_.events();
  endpoint_.poll();
  const bool taken_in = has_more() && take_in_unless_busy();
  const bool any_events = taken_in || endpoint_.events() != events;
  if (any_events && rings_) ring(caller);
  return any_events;
}

/// Where a helper process serves the segments: only while requests of this process are under way. A poll before that could find the end of a
/// helper of which nothing is asked. Its connections would be closed, and the next request would wait for a new one.
bool SharedEndpoint::needs_poll() {
  if (spec_.progress != Progress::helper) return true;
  const Lock locked(mutex_);
  return std::any_of(users_.begin(), users_.end(), [](const EndpointUser &user) { return user.client->any_under_way(); });
}

/// The next poll finds what ends while another thread holds the lock.
bool SharedEndpoint::take_in_unless_busy() {
  if (!mutex_.try_lock()) return false;
  const Lock locked(mutex_, std::adopt_lock);
  const bool ended = endpoint_.any_ended();
  take_in();
  return ended || !any_put_off_.load(std::memory_order_relaxed);
}

void SharedEndpoint::take_in() {
  if (any_put_off_.load(std::memory_order_relaxed)) {
    any_put_off_.store(false, std::memory_order_relaxed);
    for (const EndpointUser &user : users_) user.client->carry_out_put_off();
  }
  for (Transfer *next = endpoint_.take_ended(); next;) {
    Transfer &transfer = *next;
    next = transfer.next;
    if (transfer.kind == Transfer::Kind::receive)
      receive(transfer);
    else if (auto &request = static_cast<Request &>(transfer); request.owner)
      request.owner->ended(request);
  }
}

/// The secret identifies the context that a message is for. The buffer is posted again in any case. Dropped messages are counted.
void SharedEndpoint::receive(Transfer &buffer) {
  const bool taken = buffer.error == 0 && std::any_of(users_.begin(), users_.end(), [&](const EndpointUser &user) {
                       return user.client->read(buffer.into, buffer.arrived);
                     });
  if (!taken) endpoint_.count_foreign();
  receive_buffers_->receive_again(buffer);
}

void SharedEndpoint::ring(EndpointClient *caller) {
  if (caller) caller->wake();
  if (caller && contexts_.load(std::memory_order_relaxed) == 1) return;
  const Lock locked(mutex_);
  for (const EndpointUser &user : users_)
    if (user.client != caller) user.client->wake();
}

}  // namespace halocline::core
