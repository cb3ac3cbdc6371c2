// The ring of messages of ARMCI, with its two ends in threads under ThreadSanitizer. The bytes of a message are only ordered by its counts.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cstdint>
#include <new>
#include <thread>
#include <vector>

#include "faces/armci/message_ring.hpp"

namespace halocline::test {
namespace {

using core::armci::Carrier;
using core::armci::MessageHead;
using core::armci::MessageRing;
using core::armci::RingEnd;

constexpr std::int64_t kCapacity = 256;
constexpr int kMessages = 4000;

/// A ring in memory of its own.
class OwnRing {
 public:
  OwnRing() : ring_(new(memory_) MessageRing) {}
  RingEnd end() { return {*ring_, kCapacity}; }

 private:
  alignas(MessageRing) char memory_[sizeof(MessageRing) + kCapacity] = {};
  MessageRing *ring_;
};

/// Messages of all lengths that a quarter of the ring has; of every seventh the ring has the head alone.
MessageHead head_of(int number) { return {number, number % 7 == 0 ? Carrier::mpi : Carrier::ring, number * 5 % (kCapacity / 4 + 1)}; }

char byte_of(int number, std::int64_t place) { return static_cast<char>(number * 3 + place + 1); }

void send_all(RingEnd ring) {
  std::vector<char> bytes(static_cast<std::size_t>(kCapacity / 4));
  for (int number = 0; number < kMessages; ++number) {
    const MessageHead head = head_of(number);
    for (std::int64_t i = 0; i < head.bytes; ++i) bytes[static_cast<std::size_t>(i)] = byte_of(number, i);
    while (!ring.has_room(RingEnd::bytes_of(head))) std::this_thread::yield();
    ring.write(head, bytes.data());
  }
}

/// Returns how many heads and bytes were wrong.
int receive_all(RingEnd ring) {
  int wrong = 0;
  for (int number = 0; number < kMessages; ++number) {
    const MessageHead wanted = head_of(number);
    MessageHead head{};
    while (!ring.next(&head)) std::this_thread::yield();
    std::vector<char> bytes(static_cast<std::size_t>(kCapacity / 4), 0);
    ring.take(head, bytes.data());
    wrong += head.tag != wanted.tag || head.carrier != wanted.carrier || head.bytes != wanted.bytes;
    const std::int64_t carried = wanted.carrier == Carrier::ring ? wanted.bytes : 0;
    for (std::int64_t i = 0; i < carried; ++i) wrong += bytes[static_cast<std::size_t>(i)] != byte_of(number, i);
  }
  return wrong;
}

TEST(MessageRing, has_messages_only_once_written_and_keeps_them_until_taken) {
  OwnRing ring;
  int wrong = -1;
  std::thread receiver([&] { wrong = receive_all(ring.end()); });
  send_all(ring.end());
  receiver.join();
  EXPECT_EQ(wrong, 0);
}

TEST(MessageRing, has_room_for_its_capacity_and_again_once_a_message_is_taken) {
  OwnRing ring;
  RingEnd sender = ring.end(), receiver = ring.end();
  const MessageHead head{1, Carrier::ring, kCapacity / 2 - static_cast<std::int64_t>(sizeof(MessageHead))};
  const std::vector<char> bytes(static_cast<std::size_t>(head.bytes), 'a');
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(sender.has_room(RingEnd::bytes_of(head)));
    sender.write(head, bytes.data());
  }
  EXPECT_FALSE(sender.has_room(sizeof(MessageHead)));
  MessageHead found{};
  std::vector<char> copy(bytes.size());
  EXPECT_TRUE(receiver.next(&found));
  EXPECT_FALSE(sender.has_room(sizeof(MessageHead))) << "a message that is looked at is still there";
  receiver.take(found, copy.data());
  EXPECT_EQ(copy, bytes);
  EXPECT_TRUE(sender.has_room(RingEnd::bytes_of(head)));
  EXPECT_FALSE(sender.has_room(RingEnd::bytes_of(head) + 1));
}

}  // namespace
}  // namespace halocline::test
