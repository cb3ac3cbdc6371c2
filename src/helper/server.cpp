// The loop of the helper process, and the orders of the ranks.
// SPDX-License-Identifier: BSD-3-Clause
#include "helper/server.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <new>
#include <numeric>

#include "base/environment.hpp"

namespace halocline {
namespace {

using transport::shm::ObjectAddress;
using transport::shm::Region;

constexpr long kLongestSleep_ns = 1'000'000'000;
constexpr int kPollsBetweenLooks = 64;

/// Maps what a rank has made, from a place on.
Status open_object(const ObjectAddress &address, std::int64_t place, const std::vector<std::int64_t> &parts, Region *memory) {
  memory->lay_out(parts);
  int error = memory->open(address);
  if (error == 0) error = memory->map_from(place);
  memory->close();
  return error == 0 ? Status::ok
                    : fail(Status::unsupported, "it does not reach the memory of process %d: %s", address.maker, std::strerror(error));
}

}  // namespace

Status Server::try_to_open() {
  const HelperBoard &board = this->board();
  transport::Wish wish;
  wish.provider = environment("PROVIDER");
  wish.interface = environment("INTERFACE");
  wish.library = board.library;
  wish.one_host = board.one_host != 0;
  wish.sleeps = true;
  HLC_TRY(endpoint_.open(wish, board.choice));
  HLC_TRY(letterbox_.open(endpoint_));
  Region doorbells;
  const auto members = static_cast<std::size_t>(board.members);
  HLC_TRY(open_object(board.doorbells, 0, std::vector<std::int64_t>(members, board.doorbell_distance), &doorbells));
  doorbells_.look_on(std::move(doorbells));
  members_.resize(members);
  std::iota(members_.begin(), members_.end(), 0);
  return Status::ok;
}

bool Server::open() {
  HelperBoard &board = this->board();
  const Status opened = try_to_open();
  board.address = endpoint_.address();
  board.status = static_cast<std::int32_t>(opened);
  if (failed(opened))
    std::snprintf(board.message, sizeof board.message, "%.*s", static_cast<int>(sizeof board.message - 1), error_message());
  // SYNC helper-ready (pairs with Helper::await_ready)
  board.state.store(failed(opened) ? HelperBoard::State::failed : HelperBoard::State::ready, std::memory_order_release);
  return !failed(opened);
}

/// Who rings leaves a byte. The end of the file: no rank has the pipe open any more.
bool Server::is_needed(int pipe) {
  char bytes[256];
  const ssize_t count = ::read(pipe, bytes, sizeof bytes);
  const bool failed = count < 0 && errno != EAGAIN && errno != EINTR;
  if (count == 0 || failed || board().over.load(std::memory_order_relaxed) != 0) return false;
  if (count > 0)
    for (const int member : members_) look_at(part(member).desk);
  return true;
}

void Server::serve(int pipe) {
  while (is_needed(pipe)) {
    int polls = 0;
    while (poll())
      if (++polls == kPollsBetweenLooks) break;
    if (polls < kPollsBetweenLooks) endpoint_.sleep(pipe, kLongestSleep_ns);
  }
}

bool Server::poll() {
  const std::uint64_t events = endpoint_.events();
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

/// What is dropped is counted; a rank that has no reply gives up in time.
void Server::receive(Transfer &letter) {
  if (letter.error != 0 || !read(letter.into, letter.arrived)) endpoint_.count_foreign();
  letterbox_.receive_again(letter);
}

bool Server::read(const char *text, std::int64_t bytes) {
  Message message, reply;
  if (!service_.read(text, bytes, &message) || message.kind == Message::Kind::reply || !ranks_.mapped()) return false;
  const std::int64_t rest = bytes - static_cast<std::int64_t>(sizeof message);
  if (service_.carry_out(message, text + sizeof message, rest, &reply) != Service::Outcome::done) return false;
  const auto *ranks = reinterpret_cast<const RankAddress *>(ranks_.part(0));
  return !failed(replies_.send(reply.target, ranks[reply.target].address, reply));
}

void Server::look_at(HelperDesk &desk) {
  // SYNC order-before-asked (pairs with Helper::order)
  const std::uint32_t asked = desk.asked.load(std::memory_order_acquire);
  if (desk.answered.load(std::memory_order_relaxed) == asked) return;
  desk.reply = HelperReply();
  const Status status = carry_out(desk.order, &desk.reply);
  desk.reply.status = static_cast<std::int32_t>(status);
  if (failed(status))
    std::snprintf(desk.reply.message, sizeof desk.reply.message, "%.*s", static_cast<int>(sizeof desk.reply.message - 1), error_message());
  // SYNC reply-before-answered (pairs with Helper::order)
  desk.answered.store(asked, std::memory_order_release);
}

Status Server::carry_out(const HelperOrder &order, HelperReply *reply) {
  switch (order.kind) {
    case HelperOrder::Kind::book:
      HLC_TRY(open_object(order.object, 0, {order.bytes}, &ranks_));
      letterbox_.receive();
      return Status::ok;
    case HelperOrder::Kind::serve: return take_in(order, reply);
    case HelperOrder::Kind::stop: abandon(order); return Status::ok;
  }
  return fail(Status::argument, "there is no such order");
}

Status Server::take_in(const HelperOrder &order, HelperReply *reply) {
  Guest guest;
  HLC_TRY(open_object(order.object, order.begin, {order.bytes}, &guest.memory));
  char *memory = guest.memory.part(0);
  HLC_TRY(guest.open_to_others.cover(endpoint_, memory + order.landing, order.data + order.data_bytes - order.landing));
  Words words;
  HLC_TRY(find_words(order, &guest, &words));
  if (endpoint_.carries_values()) HLC_TRY(endpoint_.register_words(words, &guest.words_id));
  service_.serve(order.rank, order.segment, {memory + order.data, order.data_bytes, words});
  reply->part = guest.open_to_others.remote();
  reply->words_id = guest.words_id;
  guests_[{order.rank, order.segment}] = std::move(guest);
  return Status::ok;
}

/// Notifications that the ranks of the node share lie in the part of one of them.
Status Server::find_words(const HelperOrder &order, Guest *guest, Words *words) {
  char *memory = guest->memory.part(0);
  words->rising = reinterpret_cast<NotificationWord *>(memory + order.rising_words);
  words->rising_count = order.rising;
  const std::int64_t bytes = Notifications::bytes_of(order.notifications), place = order.first_notification;
  if (order.elsewhere == 0 && place >= order.begin && place + bytes <= order.begin + order.bytes) {
    words->notifications = Notifications(memory + (place - order.begin), order.notifications);
    return Status::ok;
  }
  const std::int64_t page = Region::rounded(place + 1) - Region::rounded(1);
  const ObjectAddress &object = order.elsewhere == 0 ? order.object : order.notifications_object;
  HLC_TRY(open_object(object, page, {place + bytes - page}, &guest->shared_notifications));
  words->notifications = Notifications(guest->shared_notifications.part(0) + (place - page), order.notifications);
  return Status::ok;
}

void Server::abandon(const HelperOrder &order) {
  const auto guest = guests_.find({order.rank, order.segment});
  if (guest == guests_.end()) return;
  service_.stop_serving(order.rank, order.segment);
  if (guest->second.words_id != 0) endpoint_.release_words(guest->second.words_id);
  guests_.erase(guest);
}

}  // namespace halocline
