// Links, the pool of flights, and waiting for them. Everything under one lock, which is none unless MPI_THREAD_MULTIPLE was asked for.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/traffic.hpp"

#include <cstring>

#include "engine/collective.hpp"
#include "engine/wait.hpp"

namespace halocline {
namespace {

constexpr std::size_t kMostFlights = 1024;
constexpr std::size_t kTakeBackEvery = 32;

/// Its end says that it has left, or that its bytes are there, but not that all it does has been done.
bool is_post(const Flight &flight) {
  return flight.kind == Transfer::Kind::write || flight.kind == Transfer::Kind::announce ||
         flight.kind == Transfer::Kind::deliver_and_announce;
}

}  // namespace

Traffic::Traffic(Context &context, NetworkPort &port, std::uint64_t secret, bool many_threads)
    : context_(context), port_(port), secret_(secret), many_threads_(many_threads) {}

Status Traffic::open() {
  if (open_) return Status::ok;
  HLC_TRY(addresses_.share(context_, port_.address()));
  HLC_TRY(prepare(context_, context_.comm(), [this] {
    if (letters_) return Status::ok;
    auto letters = std::make_unique<Letters>();
    HLC_TRY(letters->room.open(port_, static_cast<std::int64_t>(kLetters) * Flight::kRoom, NetworkSegment::Use::for_me));
    letters_ = std::move(letters);
    return Status::ok;
  }));
  for (std::size_t i = 0; i < kLetters; ++i) {
    Transfer &letter = letters_->letters[i];
    letter.kind = Transfer::Kind::receive;
    letter.reported = true;
    letter.into = letters_->room.base() + static_cast<std::int64_t>(i) * Flight::kRoom;
    letter.bytes = Flight::kRoom;
    letter.descriptor = letters_->room.descriptor();
    port_.start(letter);
  }
  open_ = true;
  return Status::ok;
}

std::uint32_t Traffic::serve(const Served &memory) {
  const auto locked = lock();
  const std::uint32_t number = next_segment_++;  // also if there is no memory for what follows: all ranks count alike
  served_[number] = memory;
  return number;
}

void Traffic::stop_serving(std::uint32_t segment) {
  const auto locked = lock();
  served_.erase(segment);
}

void Traffic::poll() {
  std::unique_lock<std::mutex> locked;
  if (many_threads_) {
    locked = std::unique_lock(mutex_, std::try_to_lock);
    if (!locked) return;
  }
  port_.poll();
  for (Transfer *next = port_.take_ended(); next;) {
    Transfer &transfer = *next;
    next = transfer.next;
    ended(transfer);
  }
}

void Traffic::ended(Transfer &transfer) {
  if (transfer.kind == Transfer::Kind::receive) return receive(transfer);
  auto &flight = static_cast<Flight &>(transfer);
  ++ended_;
  if (flight.error != 0) {
    Link &link = *flight.link;
    if (link.error == 0) failed_links_ += 1;
    link.error = flight.error;
    link.failed_call = flight.call;
    flight.awaited = 1;  // no answer will come
  }
  settle(flight);
}

/// One of the things that a flight waits for has come.
void Traffic::settle(Flight &flight) {
  if (--flight.awaited > 0) return;
  if (flight.listed) {
    (flight.before ? flight.before->after : flight.link->oldest) = flight.after;
    (flight.after ? flight.after->before : flight.link->newest) = flight.before;
    flight.listed = false;
  }
  if (flight.answers) answers_ -= 1;
  if (!flight.held) release(flight);
}

void Traffic::release(Flight &flight) {
  flight.use += 1;
  flight.after = free_;
  free_ = &flight;
  in_use_ -= 1;
}

Status Traffic::reach(int rank, Link **link) {
  const auto known = links_.find(rank);
  if (known != links_.end()) {
    *link = &known->second;
    return Status::ok;
  }
  Link met;
  met.rank = rank;
  HLC_TRY(port_.meet(addresses_.of(rank), &met.peer));
  *link = &links_.emplace(rank, met).first->second;
  return Status::ok;
}

Status Traffic::add_chunk() {
  auto chunk = std::make_unique<Chunk>();
  HLC_TRY(chunk->room.open(port_, static_cast<std::int64_t>(kChunk) * Flight::kRoom, NetworkSegment::Use::for_me));
  chunks_.push_back(std::move(chunk));
  Chunk &made = *chunks_.back();
  for (std::size_t i = 0; i < kChunk; ++i) {
    Flight &flight = made.flights[i];
    flight.place = static_cast<std::uint32_t>((chunks_.size() - 1) * kChunk + i);
    flight.room = made.room.base() + static_cast<std::int64_t>(i) * Flight::kRoom;
    flight.room_descriptor = made.room.descriptor();
    flight.after = free_;
    free_ = &flight;
  }
  return Status::ok;
}

Status Traffic::take(Link &link, const char *call, Flight **flight) {
  if (!free_) HLC_TRY(add_chunk());
  Flight &taken = *free_;
  free_ = taken.after;
  in_use_ += 1;
  taken.link = &link;
  taken.call = call;
  taken.peer = link.peer;
  taken.reported = true;
  taken.listed = taken.held = taken.answers = false;
  taken.awaited = 1;
  taken.confirms = 0;
  *flight = &taken;
  return Status::ok;
}

/// Waits until `there` is true; a link that has failed is waited for no longer.
template <class There>
Status Traffic::await(const char *call, const Link *link, int rank, There there) {
  Wait wait(context_, WakeUp::by_polling);
  std::uint64_t ended = 0;
  while (true) {
    poll();
    {
      const auto locked = lock();
      if (link && link->error != 0) return failure(*link, call);
      if (there()) return Status::ok;
      if (ended != ended_) wait.progress();
      ended = ended_;
    }
    if (wait.pause() == Wait::Turn::check_peers && wait.timed_out()) return late(call, rank);
  }
}

/// Flights whose end is known are used again while they are in the cache.
bool Traffic::time_to_take_back() {
  const auto locked = lock();
  return in_use_ > 0 && in_use_ % kTakeBackEvery == 0;
}

Status Traffic::begin(int rank, const char *call, Flight **flight) {
  if (time_to_take_back()) poll();
  {
    const auto locked = lock();
    if (in_use_ < kMostFlights) return take_to(rank, call, flight);
  }
  HLC_TRY(await(call, nullptr, rank, [this] { return in_use_ < kMostFlights; }));
  const auto locked = lock();
  return take_to(rank, call, flight);
}

Status Traffic::take_to(int rank, const char *call, Flight **flight) {
  return alone(context_, [&] {
    Link *link = nullptr;
    HLC_TRY(reach(rank, &link));
    if (link->error != 0) return failure(*link, call);
    return take(*link, call, flight);
  });
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
  release(flight);
}

void Traffic::write(Flight &flight, Message message, const void *operands, std::int64_t bytes) {
  message.secret = secret_;
  message.origin = context_.rank();
  if (message.kind != Message::Kind::answer) {
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

Status Traffic::request(int rank, const char *call, const Message &message, const void *operands, std::int64_t bytes) {
  Flight *flight = nullptr;
  HLC_TRY(begin(rank, call, &flight));
  write(*flight, message, operands, bytes);
  flight->awaited = 2;
  start(*flight);
  return Status::ok;
}

Status Traffic::ask(int rank, const char *call, const Message &message, std::uint64_t *answer) {
  Flight *flight = nullptr;
  HLC_TRY(begin(rank, call, &flight));
  write(*flight, message, nullptr, 0);
  flight->awaited = 2;
  flight->held = true;
  start(*flight);
  const Status status = await(call, flight->link, rank, [flight] { return flight->awaited == 0; });
  const auto locked = lock();
  flight->held = false;
  *answer = flight->answer;
  if (flight->awaited == 0) release(*flight);
  return status;
}

/// Calls each(link) for the link to one rank, if there is one, or for all.
template <class Each>
Status Traffic::for_links(int rank, Each each) {
  auto locked = lock();
  auto next = rank < 0 ? links_.begin() : links_.find(rank);
  while (next != links_.end()) {
    if (many_threads_) locked.unlock();
    HLC_TRY(each(next->second));
    if (many_threads_) locked.lock();
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
  write(*flight, message, nullptr, 0);
  flight->awaited = 2;
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

bool Traffic::has_left(const char *call) const {
  if (answers_ > 0) return false;
  for (const auto &[rank, link] : links_)
    for (const Flight *flight = link.oldest; flight; flight = flight->after)
      if (flight->call == call && flight->state.load(std::memory_order_relaxed) == Transfer::State::under_way) return false;
  return true;
}

Status Traffic::see_off(const char *call) {
  return await(call, nullptr, -1, [&] { return has_left(call); });
}

Status Traffic::failure(const Link &link, const char *call) const {
  return fail(Status::peer_died, "%s: rank %d cannot reach rank %d over the network (any more): %s (in %s)", call, context_.rank(),
              link.rank, port_.text_of(link.error), link.failed_call);
}

Status Traffic::late(const char *call, int rank) const {
  const auto seconds = static_cast<long long>(context_.timeout_ns() / 1'000'000'000);
  if (rank < 0)
    return fail(Status::timeout, "%s: rank %d has waited %lld s for the network (HALOCLINE_TIMEOUT)", call, context_.rank(), seconds);
  return fail(Status::timeout, "%s: rank %d has waited %lld s for rank %d, on another node (HALOCLINE_TIMEOUT)", call, context_.rank(),
              seconds, rank);
}

Status Traffic::look_for_failure(const char *call) {
  const auto locked = lock();
  if (failed_links_ == 0) return Status::ok;
  for (const auto &[rank, link] : links_)
    if (link.error != 0) return failure(link, call);
  return Status::ok;
}

}  // namespace halocline
