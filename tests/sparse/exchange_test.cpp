// Sparse exchanges: every message of every rank arrives at its target once, byte by byte. Every rank can compute what all ranks send.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <halocline/halocline.hpp>

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "engine/segments.hpp"
#include "support/skew.hpp"

namespace halocline::test {
namespace {

using Bytes = std::vector<std::byte>;
/// A message with the rank at its other end.
using Message = std::pair<int, Bytes>;

/// What a test sends: up to `most` messages per rank, of sizes around those of slots.
struct Traffic {
  std::uint64_t stream;
  int most;
  std::int64_t largest;
  int targets;  // ranks that receive: 0 to targets - 1
};

std::int64_t draw_size(Random &random, std::int64_t largest) {
  const std::int64_t slot = HLC_SPARSE_SLOT_BYTES;
  const std::int64_t sizes[] = {0, 1, 8, slot - 1, slot, slot + 1, 3 * slot, 8192, between(random, 0, largest)};
  return std::min(sizes[between(random, 0, 8)], largest);
}

/// What a rank sends in a step, with the targets.
std::vector<Message> sent_by(int origin, std::uint64_t step, const Traffic &traffic) {
  Random random(mixed(seed() ^ mixed(traffic.stream << 40 | step << 16 | static_cast<std::uint64_t>(origin))));
  std::vector<Message> messages(static_cast<std::size_t>(between(random, 0, traffic.most)));
  std::uint64_t number = step * 64;
  for (auto &[target, bytes] : messages) {
    target = static_cast<int>(between(random, 0, traffic.targets - 1));
    bytes.resize(static_cast<std::size_t>(draw_size(random, traffic.largest)));
    for (std::size_t b = 0; b < bytes.size(); ++b) bytes[b] = byte_of(origin, number, static_cast<std::int64_t>(b));
    ++number;
  }
  return messages;
}

/// What this rank is to receive in a step, with the origins, sorted.
std::vector<Message> expected(std::uint64_t step, const Traffic &traffic) {
  std::vector<Message> all;
  for (int origin = 0; origin < size(); ++origin)
    for (auto &[target, bytes] : sent_by(origin, step, traffic))
      if (target == rank()) all.emplace_back(origin, std::move(bytes));
  std::sort(all.begin(), all.end());
  return all;
}

std::vector<hlc_sparse_message> listed(const std::vector<Message> &messages) {
  std::vector<hlc_sparse_message> list;
  for (const auto &[target, bytes] : messages) list.push_back({target, bytes.data(), static_cast<std::int64_t>(bytes.size())});
  return list;
}

/// A handle that keeps what it receives.
class Exchange {
 public:
  explicit Exchange(int slots, const char *name = nullptr) {
    const hlc_sparse_spec spec{slots, &Exchange::take, this, name};
    EXPECT_TRUE(ok(hlc_sparse_create(context(), &spec, &raw_)));
  }
  Exchange(const Exchange &) = delete;
  Exchange &operator=(const Exchange &) = delete;
  ~Exchange() { EXPECT_TRUE(ok(hlc_sparse_destroy(&raw_))); }

  void start(std::uint64_t step, const Traffic &traffic) { start(sent_by(rank(), step, traffic)); }
  void start(std::vector<Message> messages) {
    sent_ = std::move(messages);
    const std::vector<hlc_sparse_message> list = listed(sent_);
    EXPECT_TRUE(ok(hlc_sparse_start(raw_, static_cast<int>(list.size()), list.data())));
  }
  void finish(std::uint64_t step, const Traffic &traffic) { finish(step, expected(step, traffic)); }
  /// `right`: what is to be received, sorted.
  void finish(std::uint64_t step, const std::vector<Message> &right) {
    EXPECT_TRUE(ok(hlc_sparse_finish(raw_)));
    std::sort(received_.begin(), received_.end());
    const bool equal = received_ == right;
    EXPECT_TRUE(equal) << "step " << step << ": " << received_.size() << " messages";
    received_.clear();
  }
  hlc_sparse *raw() const { return raw_; }

 private:
  static void take(int origin, const void *data, std::int64_t bytes, void *user) {
    const auto *begin = static_cast<const std::byte *>(data);
    static_cast<Exchange *>(user)->received_.emplace_back(origin, Bytes(begin, begin + bytes));
  }

  hlc_sparse *raw_ = nullptr;
  std::vector<Message> sent_, received_;
};

TEST(SparseExchange, brings_each_message_to_its_target_once) {
  const Traffic traffic{1, 12, 20000, size()};
  Exchange exchange(0);
  Skew skew(17);
  for (int step = times(20); step > 0; --step) {
    skew.delay();
    exchange.start(static_cast<std::uint64_t>(step), traffic);
    skew.delay();
    exchange.finish(static_cast<std::uint64_t>(step), traffic);
  }
}

TEST(SparseExchange, needs_one_slot_where_all_send_to_one_rank) {
  for (const int slots : {1, 2, 5}) {
    const Traffic traffic{2, 9, 9000, 1};
    Exchange exchange(slots);
    for (int step = times(5); step > 0; --step) {
      exchange.start(static_cast<std::uint64_t>(step), traffic);
      exchange.finish(static_cast<std::uint64_t>(step), traffic);
    }
  }
}

TEST(SparseExchange, brings_a_large_message_through_few_slots) {
  const Traffic traffic{3, 3, 300000, size()};
  Exchange exchange(7);
  exchange.start(1, traffic);
  exchange.finish(1, traffic);
}

/// A message that names both ends, to a rank itself an empty one: that goes through a slot, too.
Message between_ranks(int origin, int target, std::uint64_t step) {
  Bytes bytes(origin == target ? 0 : 100 + step % 3 * 900);
  for (std::size_t b = 0; b < bytes.size(); ++b)
    bytes[b] = byte_of(origin, step * 64 + static_cast<std::uint64_t>(target), static_cast<std::int64_t>(b));
  return {target, bytes};
}

/// Every second time each rank sends to all. With one slot a list of counts has room for two, so that on several nodes the ranks then confirm
/// their messages.
TEST(SparseExchange, counts_few_targets_and_confirms_many) {
  Exchange exchange(1);
  Skew skew(19);
  for (auto step = static_cast<std::uint64_t>(times(20)); step > 0; --step) {
    const auto has_message = [step](int origin, int target) { return step % 2 == 0 || target == (origin + 1) % size(); };
    std::vector<Message> sent, right;
    for (int other = 0; other < size(); ++other) {
      if (has_message(rank(), other)) sent.push_back(between_ranks(rank(), other, step));
      if (has_message(other, rank())) right.emplace_back(other, between_ranks(other, rank(), step).second);
    }
    skew.delay();
    exchange.start(sent);
    skew.delay();
    exchange.finish(step, right);
  }
}

/// From the second exchange on messages go to slots that the target has reserved, and ranks are one exchange ahead of others.
TEST(SparseExchange, keeps_reserved_slots_of_two_exchanges_apart) {
  Exchange exchange(16);
  Skew skew(23);
  for (auto step = static_cast<std::uint64_t>(times(40)); step > 0; --step) {
    std::vector<Message> sent, right;
    for (int other = 0; other < size(); ++other) {
      sent.push_back(between_ranks(rank(), other, step));
      right.emplace_back(other, between_ranks(other, rank(), step).second);
    }
    skew.delay();
    exchange.start(sent);
    exchange.finish(step, right);
  }
}

/// Every rank sends one message of the same length to each other one. The lengths are on both sides of what a notification, a slot, several slots
/// and a reserved slot hold. With 4 slots half of the senders have none reserved, and long messages go around the end of the row.
TEST(SparseExchange, keeps_reserved_slots_of_long_messages_apart) {
  const std::int64_t slot = HLC_SPARSE_SLOT_BYTES;
  std::vector<std::int64_t> lengths;
  for (const std::int64_t end : {std::int64_t{512}, slot, 2 * slot, 4 * slot, std::int64_t{8192}, 5 * slot, 8 * slot, 9 * slot})
    for (const std::int64_t beside : {-1, 0, 1}) lengths.push_back(end + beside);
  for (const int slots : {2, 4, 64}) {
    Exchange exchange(slots);
    Skew skew(29);
    std::uint64_t step = 0;
    for (const std::int64_t length : lengths) {
      ++step;
      const auto message = [&](int origin, int target) {
        Bytes bytes(static_cast<std::size_t>(length));
        for (std::size_t b = 0; b < bytes.size(); ++b)
          bytes[b] = byte_of(origin, step * 64 + static_cast<std::uint64_t>(target), static_cast<std::int64_t>(b));
        return bytes;
      };
      std::vector<Message> sent, right;
      for (int other = 0; other < size(); ++other) {
        sent.emplace_back(other, message(rank(), other));
        right.emplace_back(other, message(other, rank()));
      }
      skew.delay();
      exchange.start(sent);
      exchange.finish(step, right);
    }
  }
}

/// The data of a message may change once the exchange is finished, also if the network still holds them.
TEST(SparseExchange, copies_what_is_still_under_way) {
  Exchange exchange(16);
  for (std::uint64_t step = 1; step <= 40; ++step) {
    std::vector<Message> sent, right;
    Bytes bytes(5000, static_cast<std::byte>(step));
    sent.emplace_back((rank() + 1) % size(), bytes);
    right.emplace_back((rank() + size() - 1) % size(), bytes);
    exchange.start(sent);
    exchange.finish(step, right);
  }
}

TEST(SparseExchange, is_outstanding_beside_another_one) {
  const Traffic one{4, 8, 5000, size()}, two{5, 8, 5000, size()};
  Exchange first(3, "first"), second(4, "second");
  for (std::uint64_t step = 1; step < 6; ++step) {
    first.start(step, one);
    second.start(step, two);
    for (hlc_status status = HLC_AGAIN; status == HLC_AGAIN;) {
      status = hlc_sparse_test(second.raw());
      const hlc_status beside = hlc_sparse_test(first.raw());
      EXPECT_TRUE(beside == HLC_AGAIN || ok(beside));
    }
    second.finish(step, two);
    first.finish(step, one);
  }
}

TEST(SparseExchange, refuses_wrong_calls) {
  Exchange exchange(4);
  const auto wrong = [&](hlc_status expected_status, hlc_status status, const std::string &words) {
    EXPECT_TRUE(is_status(expected_status, status));
    EXPECT_NE(std::string(hlc_error_message()).find(words), std::string::npos) << hlc_error_message();
  };
  const hlc_sparse_message nowhere{size(), nullptr, 0}, negative{0, nullptr, -1}, missing{0, nullptr, 1};
  wrong(HLC_ERR_ARGUMENT, hlc_sparse_start(exchange.raw(), 1, &nowhere), "messages[0].rank is " + std::to_string(size()));
  wrong(HLC_ERR_ARGUMENT, hlc_sparse_start(exchange.raw(), 1, &negative), "bytes is -1");
  wrong(HLC_ERR_ARGUMENT, hlc_sparse_start(exchange.raw(), 1, &missing), "data is NULL");
  wrong(HLC_ERR_ARGUMENT, hlc_sparse_start(exchange.raw(), 1, nullptr), "messages is NULL");
  wrong(HLC_ERR_ARGUMENT, hlc_sparse_start(nullptr, 0, nullptr), "sparse is NULL");
  wrong(HLC_ERR_STATE, hlc_sparse_finish(exchange.raw()), "no exchange");
  wrong(HLC_ERR_STATE, hlc_sparse_test(exchange.raw()), "no exchange");
  EXPECT_TRUE(ok(hlc_sparse_start(exchange.raw(), 0, nullptr)));
  wrong(HLC_ERR_STATE, hlc_sparse_start(exchange.raw(), 0, nullptr), "started already");
  hlc_sparse *raw = exchange.raw();
  wrong(HLC_ERR_STATE, hlc_sparse_destroy(&raw), "outstanding");
  EXPECT_TRUE(ok(hlc_sparse_finish(exchange.raw())));
  hlc_sparse *none = nullptr;
  const auto take = [](int, const void *, std::int64_t, void *) {};
  const hlc_sparse_spec unlike{rank() == 0 ? 3 : 5, take, nullptr, nullptr}, too_many{-1, take, nullptr, nullptr}, no_taker{};
  wrong(HLC_ERR_ARGUMENT, hlc_sparse_create(context(), &too_many, &none), "slots is -1");
  wrong(HLC_ERR_ARGUMENT, hlc_sparse_create(context(), &no_taker, &none), "receive is NULL");
  if (size() > 1) wrong(HLC_ERR_MISMATCH, hlc_sparse_create(context(), &unlike, &none), "slots");
  EXPECT_TRUE(ok(hlc_sparse_destroy(&none)));
}

TEST(SparseExchange, has_a_lambda_in_cxx) {
  const halocline::Context mine(MPI_COMM_WORLD);
  int sum = 0;
  halocline::SparseExchange exchange(mine, [&](int origin, const void *data, std::int64_t bytes) {
    int value = 0;
    EXPECT_EQ(bytes, static_cast<std::int64_t>(sizeof value));
    std::memcpy(&value, data, sizeof value);
    EXPECT_EQ(value, 10 * origin);
    sum += value;
  });
  const int value = 10 * rank();
  std::vector<halocline::SparseMessage> messages;
  for (int target = 0; target < size(); ++target) messages.push_back({target, &value, sizeof value});
  exchange.exchange(messages);
  EXPECT_EQ(sum, 5 * size() * (size() - 1));
  exchange.start(messages);
  while (!exchange.test()) {
  }
  exchange.finish();
  EXPECT_EQ(sum, 10 * size() * (size() - 1));
}

}  // namespace
}  // namespace halocline::test
