// What keeps the order of messages over UCX, and what finds transfers and memory by numbers that peers send.
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/ucx/order.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "transport/ucx/exposed.hpp"
#include "transport/ucx/tokens.hpp"

namespace halocline::core::transport::ucx {
namespace {

/// What an endpoint does with a write, and with a message of one byte.
class OrderTest : public testing::Test {
 protected:
  void write(std::uint64_t stream) {
    order_.count(stream);
    take_next(stream);
  }
  void message(std::uint64_t stream, std::uint64_t number, char letter) {
    if (!order_.is_next(stream, number)) return order_.keep(stream, number, &letter, 1);
    got_ += letter;
    write(stream);
  }
  void take_next(std::uint64_t stream) {
    while (const auto next = order_.next(stream)) got_ += next->front();
  }

  Order order_;
  std::string got_;
};

TEST_F(OrderTest, lets_messages_pass_that_come_in_order) {
  write(1);
  message(1, 1, 'a');
  message(1, 2, 'b');
  EXPECT_EQ(got_, "ab");
}

TEST_F(OrderTest, keeps_a_message_until_the_writes_before_it_have_come) {
  message(1, 2, 'a');
  write(1);
  EXPECT_EQ(got_, "");
  write(1);
  EXPECT_EQ(got_, "a");
}

TEST_F(OrderTest, gives_messages_that_were_kept_in_the_order_in_which_they_were_sent) {
  message(1, 3, 'c');
  message(1, 1, 'a');
  message(1, 2, 'b');
  EXPECT_EQ(got_, "");
  write(1);
  EXPECT_EQ(got_, "abc");
}

TEST_F(OrderTest, keeps_connections_apart) {
  message(1, 1, 'a');
  write(2);
  EXPECT_EQ(got_, "");
  message(2, 1, 'b');
  EXPECT_EQ(got_, "b");
  write(1);
  EXPECT_EQ(got_, "ba");
}

TEST(Tokens, find_a_transfer_once) {
  Tokens tokens;
  Transfer one, other;
  const std::uint64_t first = tokens.add(one), second = tokens.add(other);
  EXPECT_EQ(tokens.take(second), &other);
  EXPECT_EQ(tokens.take(second), nullptr);
  const std::uint64_t third = tokens.add(other);
  EXPECT_NE(third, second);
  EXPECT_EQ(tokens.take(second), nullptr);
  EXPECT_EQ(tokens.take(first), &one);
  EXPECT_EQ(tokens.take(third), &other);
  EXPECT_EQ(tokens.take(0), nullptr);
}

TEST(Tokens, are_given_up_with_their_peer) {
  Tokens tokens;
  std::array<Transfer, 3> transfers;
  for (std::size_t i = 0; i < transfers.size(); ++i) {
    transfers[i].peer = i % 2;
    tokens.add(transfers[i]);
  }
  std::vector<Transfer *> lost;
  tokens.take_all(0, [&](Transfer &transfer) { lost.push_back(&transfer); });
  EXPECT_EQ(lost, (std::vector<Transfer *>{&transfers[0], &transfers[2]}));
  tokens.take_all(0, [&](Transfer &) { ADD_FAILURE(); });
}

TEST(Exposed, finds_what_lies_within_its_memory) {
  Exposed exposed;
  std::array<char, 100> memory{};
  const std::uint64_t key = exposed.add(memory.data(), 100, {});
  const auto base = reinterpret_cast<std::uint64_t>(memory.data());
  EXPECT_EQ(exposed.find({base, key}, 100), memory.data());
  EXPECT_EQ(exposed.find({base + 60, key}, 40), memory.data() + 60);
  EXPECT_EQ(exposed.find({base + 100, key}, 0), memory.data() + 100);
  for (const std::uint64_t wrong : {base - 1, base + 61, base + 101, std::uint64_t{0}, ~std::uint64_t{0}})
    EXPECT_EQ(exposed.find({wrong, key}, 40), nullptr);
  EXPECT_EQ(exposed.find({base, key}, 101), nullptr);
  EXPECT_EQ(exposed.find({base, key}, -1), nullptr);
  EXPECT_EQ(exposed.find({base, key + 1}, 1), nullptr);
  exposed.remove(key);
  EXPECT_EQ(exposed.find({base, key}, 1), nullptr);
}

}  // namespace
}  // namespace halocline::core::transport::ucx
