// The contract of a network (src/transport/network.hpp). It is tested on libfabric, on UCX, and on the network between the threads of a process
// that other tests run on. Each is tested as it is, and as a network that does less than it can. All endpoints are of this process, and one
// thread polls them in turn.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/environment.hpp"
#include "support/loopback/region.hpp"
#ifdef HALOCLINE_HAS_LIBFABRIC
#include "transport/ofi/region.hpp"
#endif
#ifdef HALOCLINE_HAS_UCX
#include "transport/ucx/region.hpp"
#endif

namespace halocline::core::transport {
namespace {

constexpr std::int64_t kBytes = 3000;

/// Providers of libfabric that are tried beside the one that it offers first.
constexpr std::array kProviders{"", "tcp;ofi_rxm", "net", "sockets", "shm"};

template <class EndpointOf, class RegionOf, Fake how, std::size_t which = 0>
struct Network {
  using Endpoint = EndpointOf;
  using Region = RegionOf;
  static constexpr Fake fake = how;
  static constexpr std::size_t provider = which;
};

/// Byte n of the i-th write: never 0.
char byte_of(std::int64_t i, std::int64_t n) { return static_cast<char>(1 + (7 * i + n) % 120); }

/// An endpoint with memory that others write to, and memory to write from.
template <class N>
struct Side {
  typename N::Endpoint endpoint;
  typename N::Region open_to_others, mine;

  Status open(const Wish &wish, const Choice &choice) {
    HLC_TRY(endpoint.open(wish, choice));
    HLC_TRY(open_to_others.open(endpoint, 16 * kBytes, Use::for_peers));
    return mine.open(endpoint, 16 * kBytes, Use::for_me);
  }
  void fill(std::int64_t i) {
    for (std::int64_t n = 0; n < kBytes; ++n) mine.base()[i * kBytes + n] = byte_of(i, n);
  }
  bool has(std::int64_t i) const { return is_filled(open_to_others.base() + i * kBytes, i); }
  static bool is_filled(const char *bytes, std::int64_t i) {
    for (std::int64_t n = 0; n < kBytes; ++n)
      if (bytes[n] != byte_of(i, n)) return false;
    return true;
  }
};

template <class N>
class NetworkTest : public testing::Test {
 protected:
  using Endpoint = typename N::Endpoint;

  void SetUp() override {
    Wish wish;
    wish.one_host = wish.many_threads = true;
    wish.fake = N::fake;
    wish.provider = kProviders[N::provider];
    if (!std::is_same_v<Endpoint, loopback::Endpoint> && wish.provider.empty()) {
      wish.provider = environment("PROVIDER");
      wish.interface = environment("INTERFACE");
    }
    Choice choice;
    if (Endpoint::choose(wish, &choice) == Status::unsupported) GTEST_SKIP() << error_message();
    for (Side<N> *side : {&a_, &b_}) ASSERT_EQ(side->open(wish, choice), Status::ok) << error_message();
    ASSERT_EQ(a_.endpoint.resolve(b_.endpoint.address(), &to_b_), Status::ok);
    ASSERT_EQ(b_.endpoint.resolve(a_.endpoint.address(), &to_a_), Status::ok);
  }

  /// Polls both endpoints until the condition holds; false after HALOCLINE_TIMEOUT seconds, or ten.
  bool poll_until(const std::function<bool()> &holds) {
    const char *const seconds = environment("TIMEOUT");
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(*seconds ? std::atoi(seconds) : 10);
    while (!holds()) {
      if (std::chrono::steady_clock::now() > end) return false;
      a_.endpoint.poll();
      b_.endpoint.poll();
    }
    return true;
  }
  static bool is_over(const Transfer &transfer) { return transfer.state.load(std::memory_order_acquire) != Transfer::State::under_way; }
  static bool is_done(const Transfer &transfer) { return transfer.state.load(std::memory_order_acquire) == Transfer::State::at_rest; }
  bool finish(const Transfer &transfer) {
    return poll_until([&] { return is_over(transfer); });
  }

  /// The i-th write from a to b, to the i-th place in b's memory.
  void aim(Transfer &transfer, Transfer::Kind kind, std::int64_t i) {
    transfer.kind = kind;
    transfer.peer = to_b_;
    transfer.from = a_.mine.base() + i * kBytes;
    transfer.desc = a_.mine.desc();
    transfer.bytes = kBytes;
    transfer.address = b_.open_to_others.remote().address + static_cast<std::uint64_t>(i * kBytes);
    transfer.key = b_.open_to_others.remote().key;
    transfer.failures = &failures_;
    a_.fill(i);
  }
  void give_buffer(Transfer &buffer, std::int64_t i) {
    buffer.kind = Transfer::Kind::receive;
    buffer.into = b_.mine.base() + i * kBytes;
    buffer.desc = b_.mine.desc();
    buffer.bytes = kBytes;
    b_.endpoint.start(buffer);
  }

  Failures failures_{0};
  Side<N> a_, b_;
  Peer to_a_ = 0, to_b_ = 0;
};

using Networks = testing::Types<
#ifdef HALOCLINE_HAS_LIBFABRIC
    Network<ofi::Endpoint, ofi::Region, Fake::no>, Network<ofi::Endpoint, ofi::Region, Fake::crowded>,
    Network<ofi::Endpoint, ofi::Region, Fake::unordered>, Network<ofi::Endpoint, ofi::Region, Fake::poor>,
    Network<ofi::Endpoint, ofi::Region, Fake::cxi>, Network<ofi::Endpoint, ofi::Region, Fake::efa>,
    Network<ofi::Endpoint, ofi::Region, Fake::opx>, Network<ofi::Endpoint, ofi::Region, Fake::no, 1>,
    Network<ofi::Endpoint, ofi::Region, Fake::no, 2>, Network<ofi::Endpoint, ofi::Region, Fake::no, 3>,
    Network<ofi::Endpoint, ofi::Region, Fake::no, 4>,
#endif
#ifdef HALOCLINE_HAS_UCX
    Network<ucx::Endpoint, ucx::Region, Fake::no>, Network<ucx::Endpoint, ucx::Region, Fake::crowded>,
    Network<ucx::Endpoint, ucx::Region, Fake::unordered>, Network<ucx::Endpoint, ucx::Region, Fake::poor>,
#endif
    Network<loopback::Endpoint, loopback::Region, Fake::no>, Network<loopback::Endpoint, loopback::Region, Fake::crowded>,
    Network<loopback::Endpoint, loopback::Region, Fake::unordered>, Network<loopback::Endpoint, loopback::Region, Fake::poor>>;
template <class Endpoint>
std::string name_of() {
  if (std::is_same_v<Endpoint, loopback::Endpoint>) return "loopback";
#ifdef HALOCLINE_HAS_UCX
  if (std::is_same_v<Endpoint, ucx::Endpoint>) return "ucx";
#endif
  return "libfabric";
}
struct NameOf {
  template <class N>
  static std::string GetName(int) {
    std::string name = name_of<typename N::Endpoint>();
    for (const char *word : {kFakeNames[static_cast<std::size_t>(N::fake)], kProviders[N::provider]})
      if (*word) name += std::string("_") + word;
    std::replace(name.begin(), name.end(), ';', '_');
    return name;
  }
};
TYPED_TEST_SUITE(NetworkTest, Networks, NameOf);

TYPED_TEST(NetworkTest, a_write_brings_what_its_source_held_until_it_was_complete) {
  Transfer write;
  this->aim(write, Transfer::Kind::write, 1);
  this->a_.endpoint.start(write);
  ASSERT_TRUE(this->finish(write));
  EXPECT_TRUE(this->is_done(write));
  std::memset(this->a_.mine.base(), 0, static_cast<std::size_t>(this->a_.mine.bytes()));
  EXPECT_TRUE(this->poll_until([&] { return this->b_.has(1); }));
}

TYPED_TEST(NetworkTest, a_delivered_write_is_complete_when_its_bytes_are_there) {
  std::array<Transfer, 8> writes;
  for (std::size_t i = 0; i < writes.size(); ++i) {
    this->aim(writes[i], Transfer::Kind::write_delivered, static_cast<std::int64_t>(i));
    this->a_.endpoint.start(writes[i]);
  }
  for (std::size_t i = 0; i < writes.size(); ++i) {
    ASSERT_TRUE(this->finish(writes[i]));
    EXPECT_TRUE(this->b_.has(static_cast<std::int64_t>(i))) << i;
  }
}

TYPED_TEST(NetworkTest, immediate_data_come_after_the_bytes_of_their_write) {
  for (const auto kind : {Transfer::Kind::write_with_immediate, Transfer::Kind::write_delivered_with_immediate}) {
    std::array<Counter, 2> counters{};
    std::array<Transfer, 8> writes;
    const std::uint64_t words[] = {this->b_.endpoint.register_counter(&counters[0]), this->b_.endpoint.register_counter(&counters[1])};
    std::memset(this->b_.open_to_others.base(), 0, static_cast<std::size_t>(this->b_.open_to_others.bytes()));
    for (std::size_t i = 0; i < writes.size(); ++i) {
      this->aim(writes[i], kind, static_cast<std::int64_t>(i));
      writes[i].immediate = words[i % 2];
      this->a_.endpoint.start(writes[i]);
      const std::uint64_t expected = 1 + i / 2;
      ASSERT_TRUE(this->poll_until([&] { return counters[i % 2].value.load(std::memory_order_acquire) == expected; }));
      EXPECT_TRUE(this->b_.has(static_cast<std::int64_t>(i))) << i;
    }
    for (const Transfer &write : writes) EXPECT_TRUE(this->finish(write));
    for (const std::uint64_t word : words) this->b_.endpoint.release_counter(word);
  }
  EXPECT_EQ(this->b_.endpoint.foreign(), 0u);
}

TYPED_TEST(NetworkTest, immediate_data_set_words_where_they_carry_values) {
  if (!this->b_.endpoint.carries_values()) GTEST_SKIP() << "four bytes have no room for a value";
  constexpr int notifications = 10, rising = 2;
  alignas(kLinePair) std::array<char, 4096> memory{};
  ASSERT_LE(NotificationWords::bytes_of(notifications, rising), static_cast<std::int64_t>(memory.size()));
  const NotificationWords words(memory.data(), notifications, rising);
  std::uint64_t id = 0;
  ASSERT_EQ(this->b_.endpoint.register_words(words, &id), Status::ok);
  Transfer write;
  this->aim(write, Transfer::Kind::write_with_immediate, 0);
  write.immediate = TypeParam::Endpoint::immediate_data(id, 7, 4711);
  this->a_.endpoint.start(write);
  ASSERT_TRUE(this->poll_until([&] { return words.notifications.seen(7) != 0; }));
  EXPECT_EQ(words.notifications.take(7), 4711u);
  EXPECT_TRUE(this->b_.has(0));
  EXPECT_TRUE(this->finish(write));
  this->b_.endpoint.release_words(id);
}

TYPED_TEST(NetworkTest, immediate_data_change_numbers_where_they_carry_values) {
  if (!this->b_.endpoint.carries_values()) GTEST_SKIP() << "four bytes have no room for a value";
  alignas(kLinePair) std::array<char, 4096> memory{};
  std::array<std::uint64_t, 20> numbers{};
  NotificationWords words(memory.data(), 10, 2);
  words.numbers = {numbers.data(), numbers.size()};
  std::array<std::uint64_t, 50> ids{};
  for (std::uint64_t &id : ids) ASSERT_EQ(this->b_.endpoint.register_words(words, &id), Status::ok);
  const auto send = [&](std::uint64_t immediate, auto is_there) {
    Transfer write;
    this->aim(write, Transfer::Kind::write_with_immediate, 0);
    write.immediate = immediate;
    this->a_.endpoint.start(write);
    EXPECT_TRUE(this->poll_until(is_there));
    EXPECT_TRUE(this->b_.has(0));
    EXPECT_TRUE(this->finish(write));
  };
  for (std::uint64_t i = 0; i < 3; ++i) {
    const std::uint64_t id = ids[i * 20];
    const auto replaces = SignalledNumbers::code_of(numbers.size(), {10 + i, 4711, false}),
               adds = SignalledNumbers::code_of(numbers.size(), {10 + i, 89, true});
    ASSERT_TRUE(replaces && adds);
    send(TypeParam::Endpoint::immediate_data(id, *replaces), [&] { return numbers[10 + i] == 4711; });
    send(TypeParam::Endpoint::immediate_data(id, *adds), [&] { return numbers[10 + i] == 4800; });
    send(TypeParam::Endpoint::immediate_data(id, 7, 5), [&] { return words.notifications.seen(7) != 0; });
    EXPECT_EQ(words.notifications.take(7), 5u);
  }
  for (const std::uint64_t id : ids) this->b_.endpoint.release_words(id);
  const auto late = SignalledNumbers::code_of(numbers.size(), {0, 1, false});
  send(TypeParam::Endpoint::immediate_data(ids[0], *late), [&] { return this->b_.endpoint.foreign() == 1; });
  EXPECT_EQ(numbers[0], 0u);
}

TYPED_TEST(NetworkTest, immediate_data_that_nobody_listens_to_are_counted_and_dropped) {
  Counter counter;
  const std::uint64_t word = this->b_.endpoint.register_counter(&counter);
  this->b_.endpoint.release_counter(word);
  Transfer write;
  this->aim(write, Transfer::Kind::write_with_immediate, 0);
  write.immediate = word;
  this->a_.endpoint.start(write);
  EXPECT_TRUE(this->poll_until([&] { return this->b_.endpoint.foreign() == 1; }));
  EXPECT_TRUE(this->finish(write));
  EXPECT_EQ(counter.value.load(), 0u);
}

TYPED_TEST(NetworkTest, a_read_brings_the_bytes_of_the_peer) {
  Transfer read;
  this->aim(read, Transfer::Kind::read, 3);
  for (std::int64_t n = 0; n < kBytes; ++n) this->b_.open_to_others.base()[3 * kBytes + n] = byte_of(5, n);
  read.into = this->a_.mine.base();
  read.from = nullptr;
  this->a_.endpoint.start(read);
  ASSERT_TRUE(this->finish(read));
  EXPECT_TRUE(this->is_done(read));
  EXPECT_TRUE(Side<TypeParam>::is_filled(this->a_.mine.base(), 5));
}

TYPED_TEST(NetworkTest, messages_fill_receive_buffers_whichever_come_first) {
  std::array<Transfer, 4> buffers, messages;
  std::array<bool, 4> seen{};
  for (std::size_t i = 0; i < 2; ++i) this->give_buffer(buffers[i], static_cast<std::int64_t>(i));
  for (std::size_t i = 0; i < messages.size(); ++i) {
    this->aim(messages[i], Transfer::Kind::send, static_cast<std::int64_t>(i));
    this->a_.endpoint.start(messages[i]);
  }
  for (std::size_t i = 2; i < buffers.size(); ++i) this->give_buffer(buffers[i], static_cast<std::int64_t>(i));
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    ASSERT_TRUE(this->finish(buffers[i]));
    EXPECT_EQ(buffers[i].arrived, kBytes);
    for (std::size_t m = 0; m < seen.size(); ++m)
      if (Side<TypeParam>::is_filled(buffers[i].into, static_cast<std::int64_t>(m))) {
        EXPECT_FALSE(std::exchange(seen[m], true)) << m;
      }
  }
  EXPECT_EQ(std::count(seen.begin(), seen.end(), true), 4);
  for (const Transfer &message : messages) EXPECT_TRUE(this->finish(message));
}

TYPED_TEST(NetworkTest, a_message_passes_no_write_that_was_started_before_it_where_order_is_kept) {
  if (!this->a_.endpoint.keeps_order()) GTEST_SKIP() << "transfers overtake each other here";
  for (int round = 0; round < 10; ++round) {
    std::array<Transfer, 8> writes;
    Transfer message, buffer;
    std::memset(this->b_.open_to_others.base(), 0, static_cast<std::size_t>(this->b_.open_to_others.bytes()));
    this->give_buffer(buffer, 0);
    for (std::size_t i = 0; i < writes.size(); ++i) {
      this->aim(writes[i], Transfer::Kind::write, static_cast<std::int64_t>(i));
      this->a_.endpoint.start(writes[i]);
    }
    this->aim(message, Transfer::Kind::send, 9);
    this->a_.endpoint.start(message);
    ASSERT_TRUE(this->finish(buffer));
    for (std::size_t i = 0; i < writes.size(); ++i) EXPECT_TRUE(this->b_.has(static_cast<std::int64_t>(i))) << i;
    for (const Transfer &write : writes) EXPECT_TRUE(this->finish(write));
    EXPECT_TRUE(this->finish(message));
  }
}

TYPED_TEST(NetworkTest, what_has_no_room_waits_and_arrives_unless_it_is_withdrawn) {
  constexpr std::size_t many = 200;
  std::vector<Transfer> writes(many);
  Counter counter;
  const std::uint64_t word = this->b_.endpoint.register_counter(&counter);
  for (std::size_t i = 0; i < many; ++i) {
    this->aim(writes[i], Transfer::Kind::write_with_immediate, static_cast<std::int64_t>(i % 16));
    writes[i].immediate = word;
    this->a_.endpoint.start(writes[i]);
  }
  std::uint64_t withdrawn = 0;
  for (std::size_t i = 0; i < many; i += 3) {
    const bool waits = this->a_.endpoint.waits_for_room(writes[i]);
    EXPECT_EQ(this->a_.endpoint.withdraw(writes[i]), waits);
    EXPECT_FALSE(this->a_.endpoint.waits_for_room(writes[i]));
    if (waits) {
      EXPECT_TRUE(this->is_done(writes[i]));
    }
    withdrawn += waits ? 1 : 0;
  }
  if (std::is_same_v<typename TypeParam::Endpoint, loopback::Endpoint>) {
    EXPECT_GT(withdrawn, 0u) << "it has room for a few of them";
  }
  for (const Transfer &write : writes) ASSERT_TRUE(this->finish(write));
  ASSERT_TRUE(this->poll_until([&] { return counter.value.load() >= many - withdrawn; }));
  for (int i = 0; i < 100; ++i) this->poll_until([&, first = true]() mutable { return !std::exchange(first, false); });
  EXPECT_EQ(counter.value.load(), many - withdrawn);
  EXPECT_EQ(this->a_.endpoint.taken(), many - withdrawn);
  EXPECT_TRUE(this->a_.endpoint.has_room());
  EXPECT_EQ(this->failures_.load(), 0u);
  this->b_.endpoint.release_counter(word);
}

TYPED_TEST(NetworkTest, reported_transfers_are_returned_once_each) {
  std::array<Transfer, 8> writes;
  for (std::size_t i = 0; i < writes.size(); ++i) {
    this->aim(writes[i], Transfer::Kind::write_delivered, static_cast<std::int64_t>(i));
    writes[i].reported = i % 2 == 0;
    this->a_.endpoint.start(writes[i]);
  }
  std::vector<const Transfer *> ended;
  for (const Transfer &write : writes) ASSERT_TRUE(this->finish(write));
  EXPECT_TRUE(this->a_.endpoint.any_ended());
  for (const Transfer *one = this->a_.endpoint.take_ended(); one; one = one->next) ended.push_back(one);
  EXPECT_EQ(ended.size(), 4u);
  for (std::size_t i = 0; i < writes.size(); i += 2) EXPECT_EQ(std::count(ended.begin(), ended.end(), &writes[i]), 1);
  EXPECT_FALSE(this->a_.endpoint.any_ended());
  EXPECT_EQ(this->a_.endpoint.take_ended(), nullptr);
}

TYPED_TEST(NetworkTest, memory_of_the_caller_can_be_registered_for_one_transfer) {
  std::vector<char> own(static_cast<std::size_t>(kBytes));
  for (std::int64_t n = 0; n < kBytes; ++n) own[static_cast<std::size_t>(n)] = byte_of(2, n);
  Transfer write;
  this->aim(write, Transfer::Kind::write_delivered, 2);
  write.from = own.data();
  ASSERT_EQ(this->a_.endpoint.register_source(write), Status::ok) << error_message();
  this->a_.endpoint.start(write);
  ASSERT_TRUE(this->finish(write));
  EXPECT_EQ(write.registered, nullptr);
  EXPECT_TRUE(this->b_.has(2));
}

TYPED_TEST(NetworkTest, a_transfer_that_is_given_up_has_failed) {
  Transfer first, last;
  this->aim(first, Transfer::Kind::write_delivered, 0);
  this->aim(last, Transfer::Kind::write_delivered, 1);
  std::vector<Transfer> between(100);
  this->a_.endpoint.start(first);
  for (Transfer &write : between) {
    this->aim(write, Transfer::Kind::write_delivered, 2);
    this->a_.endpoint.start(write);
  }
  this->a_.endpoint.start(last);
  const bool waits = this->a_.endpoint.waits_for_room(last);
  this->a_.endpoint.abandon(last, ECANCELED);
  EXPECT_EQ(last.state.load() == Transfer::State::failed, waits);
  EXPECT_EQ(this->failures_.load(), waits ? 1u : 0u);
  if (waits) {
    EXPECT_STRNE(this->a_.endpoint.text_of(last.error), "");
  }
  for (const Transfer &write : between) ASSERT_TRUE(this->finish(write));
  ASSERT_TRUE(this->finish(last));
  EXPECT_EQ(this->b_.has(1), !waits);
}

TYPED_TEST(NetworkTest, memory_that_is_not_registered_is_not_written) {
  if (std::string(kProviders[TypeParam::provider]) == "shm") GTEST_SKIP() << "it says that it has written";
  Transfer write;
  this->aim(write, Transfer::Kind::write_delivered, 0);
  write.key ^= 1;
  this->a_.endpoint.start(write);
  ASSERT_TRUE(this->finish(write));
  EXPECT_FALSE(this->is_done(write));
  EXPECT_EQ(this->failures_.load(), 1u);
  EXPECT_STRNE(this->a_.endpoint.text_of(write.error), "");
  EXPECT_FALSE(this->b_.has(0));
}

TYPED_TEST(NetworkTest, a_peer_is_known_until_each_meeting_is_undone) {
  Peer again = 0;
  ASSERT_EQ(this->a_.endpoint.resolve(this->b_.endpoint.address(), &again), Status::ok);
  EXPECT_EQ(again, this->to_b_);
  this->a_.endpoint.release_peer(this->b_.endpoint.address());
  Transfer write;
  this->aim(write, Transfer::Kind::write_delivered, 0);
  this->a_.endpoint.start(write);
  ASSERT_TRUE(this->finish(write));
  EXPECT_TRUE(this->b_.has(0));
  this->a_.endpoint.release_peer(this->to_b_);
}

/// Descriptors that this process has open.
std::ptrdiff_t descriptors() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), std::filesystem::directory_iterator());
}

TYPED_TEST(NetworkTest, a_peer_that_has_gone_takes_no_descriptors_however_often_it_is_tried) {
  if (kProviders[TypeParam::provider] == std::string_view("shm")) GTEST_SKIP() << "libfabric's shm reads memory that the peer has released";
  this->b_.endpoint.close_endpoint();
  Transfer write;
  const auto before = descriptors();
  for (int i = 0; i < 30; ++i) {
    this->aim(write, Transfer::Kind::write_delivered, 0);
    this->a_.endpoint.start(write);
    for (int polls = 0; polls < 1000 && !this->is_over(write); ++polls) this->a_.endpoint.poll();
    this->a_.endpoint.withdraw(write);
    if (!this->is_over(write)) break;
  }
  EXPECT_LT(descriptors(), before + 10);
  this->a_.endpoint.close_endpoint();
}

TYPED_TEST(NetworkTest, nothing_arrives_at_an_endpoint_that_is_closed) {
  if (std::string(kProviders[TypeParam::provider]) == "shm") GTEST_SKIP() << "it ends the process";
  this->b_.endpoint.close_endpoint();
  Transfer write;
  this->aim(write, Transfer::Kind::write_delivered, 0);
  this->a_.endpoint.start(write);
  for (int i = 0; i < 1000 && !this->is_over(write); ++i) this->a_.endpoint.poll();
  EXPECT_FALSE(this->is_done(write));
  EXPECT_FALSE(this->b_.has(0));
  this->a_.endpoint.close_endpoint();
}

}  // namespace
}  // namespace halocline::core::transport
