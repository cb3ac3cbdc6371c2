// Links, what goes over them, and waiting for it; what has failed stands in traffic_failures.cpp. Everything under the endpoint's lock, which is
// none unless MPI_THREAD_MULTIPLE was asked for.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/network/traffic.hpp"

#include <algorithm>
#include <cstring>

#include "engine/communicator/collective.hpp"
#include "engine/communicator/wait.hpp"

namespace halocline {
namespace {

constexpr std::size_t kTakeBackEvery = 32;
constexpr std::uint32_t kOwnParts = std::uint32_t{1} << 31;

/// Its end says that it has left, or that its bytes are there, but not that all it does has been done.
bool is_post(const Flight &flight) {
  return flight.kind == Transfer::Kind::write || flight.kind == Transfer::Kind::announce ||
         flight.kind == Transfer::Kind::deliver_and_announce;
}

}  // namespace

Traffic::Traffic(const Needs &needs, const transport::Choice &choice, transport::Failures *failures)
    : communicator_(needs.communicator),
      leaders_(needs.leaders),
      endpoint_(needs.endpoint),
      pulses_(needs.pulses),
      port_(needs.endpoint.port()),
      choice_(choice),
      service_(choice.secret, needs.communicator.size()),
      flights_({&port_, this, failures}) {}

Status Traffic::open() {
  if (open_) return Status::ok;
  HLC_TRY(share_addresses());
  HLC_TRY(prepare(communicator_, communicator_.comm(), [this] { return endpoint_.open_letterbox(); }));
  endpoint_.take_messages();
  open_ = true;
  return Status::ok;
}

/// A rank has a port of its own, from which it asks and at which it hears answers; a helper has one for all that is asked of its node's ranks.
Status Traffic::share_addresses() {
  const Whereabouts mine = pulses_.mine();
  if (communicator_.progress() != Progress::helper) return ranks_.share(communicator_, leaders_, mine);
  HLC_TRY(ranks_.share(communicator_, leaders_, mine, ObjectFile::kept));
  HLC_TRY(start_helper());
  ranks_.close_file();
  return doors_.share(communicator_, leaders_, helper_->address());
}

Status Traffic::start_helper() {
  std::unique_ptr<Helper> helper;
  HLC_TRY(prepare(communicator_, communicator_.comm(), [&] {
    helper = std::make_unique<Helper>(communicator_);
    return Status::ok;
  }));
  HLC_TRY(helper->start(port_, choice_, ranks_.table()));
  helper_ = std::move(helper);
  return Status::ok;
}

std::uint32_t Traffic::next_segment() {
  const auto locked = lock();
  return next_segment_++;
}

std::uint32_t Traffic::next_own_part() {
  const auto locked = lock();
  return kOwnParts | next_own_part_++;
}

void Traffic::serve(std::uint32_t segment, const Served &memory) {
  const auto locked = lock();
  service_.serve(communicator_.rank(), segment, memory);
}

void Traffic::stop_serving(std::uint32_t segment) {
  const auto locked = lock();
  service_.stop_serving(communicator_.rank(), segment);
}

void Traffic::ended(Flight &flight) {
  if (flight.error != 0) {
    fail_link(*flight.link, flight.error, flight.call);
    flight.awaited = 1;  // no answer will come
    flight.asks = false;
  }
  settle(flight);
}

void Traffic::leave(EndpointUser &user) {
  flights_.disown();
  user.flights = std::move(flights_);
  user.links = std::move(links_);
}

bool Traffic::read(const char *text, std::int64_t bytes) {
  Message message;
  if (!service_.read(text, bytes, &message)) return false;
  if (message.kind == Message::Kind::answer) return take_answer(message);
  return carry_out(message, text + sizeof message, bytes - static_cast<std::int64_t>(sizeof message));
}

/// What has to wait is one number: its operands lie in the message itself.
bool Traffic::carry_out(const Message &message, const char *operands, std::int64_t bytes) {
  Message answer;
  const Service::Outcome outcome = service_.carry_out(message, operands, bytes, &answer);
  return !failed(alone(communicator_, [&] {
    if (outcome == Service::Outcome::done) return reply(answer);
    if (outcome == Service::Outcome::refused || bytes > 0) return Status::argument;
    put_off_.push_back(message);
    endpoint_.note_put_off();
    return Status::ok;
  }));
}

/// In the order in which they came.
void Traffic::carry_out_put_off() {
  std::vector<Message> due;
  due.swap(put_off_);
  for (const Message &message : due) carry_out(message, nullptr, 0);
}

/// Late answers of flights that have been given up name a use that is over. Who answers twice, or what is no question, is not heard: the
/// flight may still be the provider's.
bool Traffic::take_answer(const Message &message) {
  Flight *const found = flights_.at(message.flight);
  if (!found || found->use != message.use || !found->asks || found->link->rank != message.origin) return false;
  Flight &flight = *found;
  flight.asks = false;
  flight.answer = message.operand;
  flight.link->confirmed = std::max(flight.link->confirmed, flight.confirms);
  settle(flight);
  return true;
}

/// Answers take flights without limit: whoever asks has a limit, and waits for them.
Status Traffic::reply(const Message &answer) {
  Link *link = nullptr;
  Flight *flight = nullptr;
  HLC_TRY(reach(answer.target, &link));
  HLC_TRY(flights_.take(*link, "an answer", &flight));
  write(*flight, answer, nullptr, 0);
  flight->answers = true;
  answers_ += 1;
  port_.start(*flight);
  return Status::ok;
}

/// One of the things that a flight waits for has come.
void Traffic::settle(Flight &flight) {
  // What others have asked for is no sign of life of the rank that is waited for.
  if (!flight.answers) {
    flight.link->progress += 1;
    progress_ += 1;
  }
  if (--flight.awaited > 0) return;
  if (flight.listed) {
    (flight.before ? flight.before->after : flight.link->oldest) = flight.after;
    (flight.after ? flight.after->before : flight.link->newest) = flight.before;
    flight.listed = false;
  }
  if (flight.answers) answers_ -= 1;
  if (!flight.held) flights_.release(flight);
}

Status Traffic::reach(int rank, Link **link) {
  const auto known = links_.find(rank);
  if (known != links_.end()) {
    *link = &known->second;
    return Status::ok;
  }
  Link met;
  met.rank = rank;
  HLC_TRY(pulses_.know(rank, ranks_.of(rank)));
  HLC_TRY(port_.meet(helper_ ? doors_.of(rank) : ranks_.of(rank).address, &met.peer));
  *link = &links_.emplace(rank, met).first->second;
  return Status::ok;
}

Status Traffic::meet(int rank) {
  const auto locked = lock();
  Link *link = nullptr;
  return alone(communicator_, [&] { return reach(rank, &link); });
}

/// Waits until `there` is true, which may say anew for which rank; a link that has failed is waited for no longer.
template <class There>
Status Traffic::await(const char *call, const Link *link, const int &rank, There there) {
  Wait wait(communicator_, WakeUp::by_polling);
  const std::uint64_t &progress = link ? link->progress : progress_;
  std::uint64_t before = 0;
  while (true) {
    poll();
    {
      const auto locked = lock();
      if (link && link->error != 0) return failure(*link, call);
      if (there()) return Status::ok;
      if (progress != before) wait.progress();
      before = progress;
    }
    if (wait.pause() == Wait::Turn::check_peers && wait.timed_out()) return late(call, rank);
  }
}

/// Flights whose end is known are used again while they are in the cache.
bool Traffic::time_to_take_back() {
  const auto locked = lock();
  return flights_.in_use() > 0 && flights_.in_use() % kTakeBackEvery == 0;
}

Status Traffic::begin(int rank, const char *call, Flight **flight) {
  if (time_to_take_back()) poll();
  Link *link = nullptr;
  {
    const auto locked = lock();
    HLC_TRY(reach_for(rank, call, &link));
    if (link->in_use < kMostFlights) return take_for(*link, call, flight);
  }
  HLC_TRY(await(call, link, rank, [link] { return link->in_use < kMostFlights; }));
  const auto locked = lock();
  return take_for(*link, call, flight);
}

Status Traffic::reach_for(int rank, const char *call, Link **link) {
  HLC_TRY(alone(communicator_, [&] { return reach(rank, link); }));
  return (*link)->error != 0 ? failure(**link, call) : Status::ok;
}

Status Traffic::take_for(Link &link, const char *call, Flight **flight) {
  return alone(communicator_, [&] { return flights_.take(link, call, flight); });
}

void Traffic::list(Flight &flight) {
  Link &link = *flight.link;
  flight.number = begun_++;
  flight.before = link.newest;
  flight.after = nullptr;
  (link.newest ? link.newest->after : link.oldest) = &flight;
  link.newest = &flight;
  flight.listed = true;
}

void Traffic::start(Flight &flight) {
  const auto locked = lock();
  list(flight);
  if (is_post(flight)) flight.posted_before = flight.link->posted++;
  port_.start(flight);
}

void Traffic::drop(Flight &flight) {
  const auto locked = lock();
  flights_.release(flight);
}

void Traffic::write(Flight &flight, Message message, const void *operands, std::int64_t bytes) {
  if (message.kind != Message::Kind::answer) {
    message.secret = choice_.secret;
    message.origin = communicator_.rank();
    message.target = flight.link->rank;
    message.flight = flight.place;
    message.use = flight.use;
  }
  std::memcpy(flight.room, &message, sizeof message);
  if (bytes > 0) std::memcpy(flight.room + sizeof message, operands, static_cast<std::size_t>(bytes));
  flight.kind = Transfer::Kind::send;
  flight.from = flight.room;
  flight.descriptor = flight.room_descriptor;
  flight.bytes = static_cast<std::int64_t>(sizeof message) + bytes;
}

void Traffic::write_request(Flight &flight, const Message &message, const void *operands, std::int64_t bytes) {
  write(flight, message, operands, bytes);
  flight.awaited = 2;
  flight.asks = true;
}

Status Traffic::request(int rank, const char *call, const Message &message, const void *operands, std::int64_t bytes) {
  Flight *flight = nullptr;
  HLC_TRY(begin(rank, call, &flight));
  write_request(*flight, message, operands, bytes);
  start(*flight);
  return Status::ok;
}

Status Traffic::ask(int rank, const char *call, const Message &message, std::uint64_t *answer) {
  Flight *flight = nullptr;
  HLC_TRY(begin(rank, call, &flight));
  write_request(*flight, message, nullptr, 0);
  flight->held = true;
  start(*flight);
  const Status status = await(call, flight->link, rank, [flight] { return flight->awaited == 0; });
  const auto locked = lock();
  flight->held = false;
  *answer = flight->answer;
  if (flight->awaited == 0) flights_.release(*flight);
  return status;
}

/// Calls each(link) for the link to one rank, if there is one, or for all.
template <class Each>
Status Traffic::for_links(int rank, Each each) {
  auto locked = lock();
  auto next = rank < 0 ? links_.begin() : links_.find(rank);
  while (next != links_.end()) {
    if (endpoint_.many_threads()) locked.unlock();
    HLC_TRY(each(next->second));
    if (endpoint_.many_threads()) locked.lock();
    if (rank >= 0) return Status::ok;
    ++next;
  }
  return Status::ok;
}

/// So many of the first posts to a rank have ended.
std::uint64_t Traffic::ended_posts(const Link &link) {
  for (const Flight *flight = link.oldest; flight; flight = flight->after)
    if (is_post(*flight)) return flight->posted_before;
  return link.posted;
}

/// Asks whether what was posted there has been done.
Status Traffic::ask_to_confirm(Link &link, const char *call) {
  Flight *flight = nullptr;
  {
    const auto locked = lock();
    if (link.confirmed == link.posted) return Status::ok;
  }
  HLC_TRY(begin(link.rank, call, &flight));
  Message message;
  message.kind = Message::Kind::confirm;
  write_request(*flight, message, nullptr, 0);
  {
    const auto locked = lock();
    // SYNC announced-before-confirmed (pairs with do_as_asked): they come before the question.
    flight->confirms = ended_posts(link);
  }
  start(*flight);
  return Status::ok;
}

/// Waits until all that has begun so far to the rank of a link has ended.
Status Traffic::wait_for(const Link &link, const char *call) {
  std::uint64_t end = 0;
  {
    const auto locked = lock();
    end = begun_;
  }
  return await(call, &link, link.rank, [&] { return !link.oldest || link.oldest->number >= end; });
}

Status Traffic::drain(int rank, const char *call, bool confirm) {
  HLC_TRY(for_links(rank, [&](const Link &link) { return wait_for(link, call); }));
  if (!confirm) return Status::ok;
  HLC_TRY(for_links(rank, [&](Link &link) { return ask_to_confirm(link, call); }));
  return for_links(rank, [&](const Link &link) { return wait_for(link, call); });
}

Drain Traffic::begin_drain(int rank, bool confirm) {
  const auto locked = lock();
  return {rank, confirm, begun_};
}

Status Traffic::look(Drain &drain, const char *call) {
  poll();
  while (true) {
    Link *link = nullptr;
    {
      const auto locked = lock();
      const auto known = links_.find(drain.rank);
      if (known == links_.end()) return Status::ok;
      link = &known->second;
      if (link->error != 0) return failure(*link, call);
      if (link->oldest && link->oldest->number < drain.end) return Status::again;
      if (!drain.confirm) return Status::ok;
      if (link->in_use >= kMostFlights) return Status::again;
    }
    HLC_TRY(ask_to_confirm(*link, call));
    drain = begin_drain(drain.rank, false);
  }
}

/// A rank to which something of a call is still under way; -1 if there is none.
int Traffic::find_under_way(const char *call) const {
  for (const auto &[rank, link] : links_)
    for (const Flight *flight = link.oldest; flight; flight = flight->after)
      if (flight->call == call && flight->state.load(std::memory_order_relaxed) == Transfer::State::under_way) return rank;
  return -1;
}

Status Traffic::see_off(const char *call) {
  int awaited = -1;
  return await(call, nullptr, awaited, [&] {
    awaited = find_under_way(call);
    return awaited < 0 && answers_ == 0;
  });
}

}  // namespace halocline
