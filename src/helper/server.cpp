// The loop of the helper process, and the requests of the ranks.
// SPDX-License-Identifier: BSD-3-Clause
#include "helper/server.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <new>
#include <numeric>

#include "base/environment.hpp"

namespace halocline::core {
namespace {

using transport::shm::ObjectAddress;
using transport::shm::Region;

constexpr long kLongestSleep_ns = 1'000'000'000, kSleepWithPutOff_ns = 50'000;
constexpr int kPollsBetweenLooks = 64;

/// Maps an object that a rank has made, from `place` on.
Status open_object(const ObjectAddress &address, std::int64_t place, const std::vector<std::int64_t> &parts, Region *memory) {
  memory->lay_out(parts);
  int error = memory->open(address);
  if (error == 0) error = memory->map_from(place);
  memory->close();
  return error == 0 ? Status::ok
                    : fail(Status::unsupported, "cannot access the memory of process %d: %s", address.maker, std::strerror(error));
}

}  // namespace

Status Server::try_to_open() {
  const HelperState &state = this->state();
  transport::Wish wish;
  wish.provider = environment("PROVIDER");
  wish.interface = environment("INTERFACE");
  wish.only_library = environment("LIBFABRIC");
  wish.library = state.library;
  wish.one_host = state.one_host != 0;
  wish.sleeps = true;
  wish.ranks = state.ranks;
  HLC_TRY(endpoint_.open(wish, state.choice));
  HLC_TRY(probed_.open(endpoint_, sizeof(std::uint64_t), NetworkSegment::Use::for_peers));
  HLC_TRY(receive_buffers_.open(endpoint_));
  Region doorbells;
  const auto members = static_cast<std::size_t>(state.members);
  HLC_TRY(open_object(state.doorbells, 0, std::vector<std::int64_t>(members, state.doorbell_distance), &doorbells));
  doorbells_.look_on(std::move(doorbells));
  members_.resize(members);
  std::iota(members_.begin(), members_.end(), 0);
  return Status::ok;
}

bool Server::open() {
  HelperState &state = this->state();
  const Status opened = try_to_open();
  state.address = endpoint_.address();
  if (!failed(opened)) state.probe = probed_.remote();
  state.status = static_cast<std::int32_t>(opened);
  if (failed(opened))
    std::snprintf(state.message, sizeof state.message, "%.*s", static_cast<int>(sizeof state.message - 1), error_message());
  // SYNC helper-ready (pairs with Helper::await_ready)
  state.state.store(failed(opened) ? HelperState::State::failed : HelperState::State::ready, std::memory_order_release);
  return !failed(opened);
}

/// A rank that rings writes a byte. End of file: no rank has the pipe open any more.
bool Server::is_needed(int pipe) {
  char bytes[256];
  const ssize_t count = ::read(pipe, bytes, sizeof bytes);
  const bool failed = count < 0 && errno != EAGAIN && errno != EINTR;
  if (count == 0 || failed || state().over.load(std::memory_order_relaxed) != 0) return false;
  if (count > 0)
    for (const int member : members_) look_at(part(member).slot);
  return true;
}

void Server::serve(int pipe) {
  while (is_needed(pipe)) {
    int polls = 0;
    while (poll())
      if (++polls == kPollsBetweenLooks) break;
    if (polls < kPollsBetweenLooks) endpoint_.sleep(pipe, put_off_.empty() ? kLongestSleep_ns : kSleepWithPutOff_ns);
  }
}

bool Server::poll() {
  const std::uint64_t events = endpoint_.events();
  if (!put_off_.empty()) carry_out_put_off();
  endpoint_.poll();
  for (Transfer *next = endpoint_.take_ended(); next;) {
    Transfer &transfer = *next;
    next = transfer.next;
    if (transfer.kind == Transfer::Kind::receive)
      receive(transfer);
    else
      replies_.take_back(transfer);
  }
  if (endpoint_.events() == events) return false;
  doorbells_.ring_all(members_);
  return true;
}

/// Dropped messages are counted; a rank without a reply runs into its timeout.
void Server::receive(Transfer &buffer) {
  if (buffer.error != 0 || !read(buffer.into, buffer.arrived)) endpoint_.count_foreign();
  receive_buffers_.receive_again(buffer);
}

bool Server::read(const char *text, std::int64_t bytes) {
  Message message;
  if (!service_.read(text, bytes, &message) || message.kind == Message::Kind::reply || !ranks_.mapped()) return false;
  return carry_out(message, {text + sizeof message, bytes - static_cast<std::int64_t>(sizeof message)});
}

/// A query that finds others put off waits behind them, as ServedParts has it.
bool Server::carry_out(const Message &query, Operands operands) {
  Reply reply;
  Transfer *transfer = nullptr;
  const bool waits = !put_off_.empty() && Service::is_in_order(query);
  if (!query.silent && !waits && failed(replies_.take(&transfer, &reply))) return false;
  const Outcome outcome = waits ? Outcome::later : service_.carry_out(query, operands.data, operands.bytes, &reply);
  if (transfer && outcome != Outcome::done) replies_.take_back(*transfer);
  if (outcome == Outcome::refused) return false;
  if (outcome == Outcome::later) {
    put_off_.push_back({query, std::vector<char>(operands.data, operands.data + operands.bytes)});
    return true;
  }
  if (!transfer) return true;
  const auto *ranks = reinterpret_cast<const RankAddress *>(ranks_.part(0));
  return !failed(replies_.send(reply.message.target, ranks[reply.message.target].address, reply, *transfer));
}

void Server::carry_out_put_off() {
  std::vector<PutOff> due;
  due.swap(put_off_);
  for (const PutOff &query : due) carry_out(query.message, {query.operands.data(), static_cast<std::int64_t>(query.operands.size())});
}

void Server::look_at(HelperSlot &slot) {
  // SYNC request-before-asked (pairs with Helper::request)
  const std::uint32_t asked = slot.asked.load(std::memory_order_acquire);
  if (slot.answered.load(std::memory_order_relaxed) == asked) return;
  slot.reply = HelperReply();
  const Status status = do_as_asked(slot.request, &slot.reply);
  slot.reply.status = static_cast<std::int32_t>(status);
  if (failed(status))
    std::snprintf(slot.reply.message, sizeof slot.reply.message, "%.*s", static_cast<int>(sizeof slot.reply.message - 1), error_message());
  // SYNC reply-before-answered (pairs with Helper::request)
  slot.answered.store(asked, std::memory_order_release);
}

Status Server::do_as_asked(const HelperRequest &request, HelperReply *reply) {
  switch (request.kind) {
    case HelperRequest::Kind::book:
      HLC_TRY(open_object(request.object, 0, {request.bytes}, &ranks_));
      receive_buffers_.receive();
      return Status::ok;
    case HelperRequest::Kind::serve: return take_in(request, reply);
    case HelperRequest::Kind::stop: abandon(request); return Status::ok;
  }
  return fail(Status::argument, "unknown request");
}

Status Server::take_in(const HelperRequest &request, HelperReply *reply) {
  Guest guest;
  HLC_TRY(open_object(request.object, request.begin, {request.bytes}, &guest.memory));
  char *memory = guest.memory.part(0);
  HLC_TRY(guest.open_to_others.cover(endpoint_, memory + request.dummy_target, request.data + request.data_bytes - request.dummy_target));
  NotificationWords words;
  HLC_TRY(find_words(request, &guest, &words));
  if (request.takes_signals != 0)
    words.numbers = {reinterpret_cast<std::uint64_t *>(memory + request.data), SignalledNumbers::count_in(request.data_bytes)};
  if (endpoint_.carries_values()) HLC_TRY(endpoint_.register_words(words, &guest.words_id));
  service_.serve(request.rank, request.segment, {memory + request.data, request.data_bytes, words});
  reply->part = guest.open_to_others.remote();
  reply->words_id = guest.words_id;
  guests_[{request.rank, request.segment}] = std::move(guest);
  return Status::ok;
}

/// Notifications that the ranks of the node share are in the part of one of them, or in an object of their own.
Status Server::find_words(const HelperRequest &request, Guest *guest, NotificationWords *words) {
  char *memory = guest->memory.part(0);
  words->monotonic = reinterpret_cast<NotificationWord *>(memory + request.monotonic_words);
  words->monotonic_count = request.monotonic;
  const std::int64_t bytes = Notifications::bytes_of(request.notifications), place = request.first_notification;
  if (request.elsewhere == 0 && place >= request.begin && place + bytes <= request.begin + request.bytes) {
    words->notifications = Notifications(memory + (place - request.begin), request.notifications);
    return Status::ok;
  }
  const std::int64_t page = Region::rounded(place + 1) - Region::rounded(1);
  const ObjectAddress &object = request.elsewhere == 0 ? request.object : request.notifications_object;
  HLC_TRY(open_object(object, page, {place + bytes - page}, &guest->shared_notifications));
  words->notifications = Notifications(guest->shared_notifications.part(0) + (place - page), request.notifications);
  return Status::ok;
}

void Server::abandon(const HelperRequest &request) {
  const auto guest = guests_.find({request.rank, request.segment});
  if (guest == guests_.end()) return;
  service_.stop_serving(request.rank, request.segment);
  if (guest->second.words_id != 0) endpoint_.release_words(guest->second.words_id);
  guests_.erase(guest);
}

}  // namespace halocline::core
