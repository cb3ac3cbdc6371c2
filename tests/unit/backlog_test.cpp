// Transfers that wait for room in the provider: in order for one peer, peers independent of each other.
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/backlog.hpp"

#include <gtest/gtest.h>

#include <array>
#include <set>
#include <vector>

#include "transport/ofi/long_transfers.hpp"

namespace halocline::core::transport::ofi {
namespace {

constexpr std::size_t kTransfers = 12;
constexpr Peer kPeers = 3;

/// Transfers to three peers in turn, and a provider that has room for those of some peers only.
class BacklogTest : public testing::Test {
 protected:
  BacklogTest() {
    for (Peer peer = 0; peer < kPeers; ++peer) backlog_.add(peer);
    for (std::size_t i = 0; i < kTransfers; ++i) {
      transfers_[i].peer = i % kPeers;
      transfers_[i].immediate = i;
    }
  }

  bool try_start(const Transfer &transfer) {
    if (full_.count(transfer.peer) != 0 || taken_.size() == most_) return false;
    taken_.push_back(transfer.immediate);
    return true;
  }
  /// As Endpoint::start.
  void start(Transfer &transfer) {
    if (backlog_.holds_up(transfer) || !try_start(transfer)) backlog_.push(transfer);
  }
  void start_all() {
    for (Transfer &transfer : transfers_) start(transfer);
  }
  void retry() {
    backlog_.retry([this](const Transfer &transfer) { return try_start(transfer); });
  }
  /// What has been started to one peer, in that order.
  std::vector<std::uint64_t> taken_of(Peer peer) const {
    std::vector<std::uint64_t> of;
    for (const std::uint64_t number : taken_)
      if (number % kPeers == peer) of.push_back(number);
    return of;
  }

  Backlog backlog_;
  std::array<Transfer, kTransfers> transfers_;
  std::set<Peer> full_;
  std::size_t most_ = kTransfers;
  std::vector<std::uint64_t> taken_;
};

TEST_F(BacklogTest, hands_over_in_order_for_each_peer) {
  full_ = {0, 1, 2};
  start_all();
  EXPECT_TRUE(taken_.empty());
  full_.clear();
  for (most_ = 1; most_ <= kTransfers; ++most_) retry();
  EXPECT_TRUE(backlog_.empty());
  EXPECT_EQ(taken_of(0), (std::vector<std::uint64_t>{0, 3, 6, 9}));
  EXPECT_EQ(taken_of(1), (std::vector<std::uint64_t>{1, 4, 7, 10}));
  EXPECT_EQ(taken_of(2), (std::vector<std::uint64_t>{2, 5, 8, 11}));
}

TEST_F(BacklogTest, lets_nothing_pass_that_is_started_while_there_is_room_again) {
  full_ = {1};
  start(transfers_[1]);
  full_.clear();
  start(transfers_[4]);
  start(transfers_[0]);
  EXPECT_EQ(taken_, (std::vector<std::uint64_t>{0})) << "another peer does not wait";
  EXPECT_TRUE(transfers_[4].waits);
  retry();
  EXPECT_EQ(taken_, (std::vector<std::uint64_t>{0, 1, 4}));
  start(transfers_[7]);
  EXPECT_EQ(taken_.back(), 7u) << "nothing waits any more";
}

TEST_F(BacklogTest, does_not_let_a_peer_without_room_hold_up_others) {
  full_ = {0, 1, 2};
  start_all();
  full_ = {1};
  retry();
  EXPECT_EQ(taken_of(0).size(), kTransfers / kPeers);
  EXPECT_TRUE(taken_of(1).empty());
  EXPECT_EQ(taken_of(2).size(), kTransfers / kPeers);
  EXPECT_FALSE(backlog_.empty());
}

TEST_F(BacklogTest, keeps_the_order_around_what_is_withdrawn) {
  full_ = {0, 1, 2};
  start_all();
  for (const std::size_t i : {0u, 6u, 9u}) EXPECT_TRUE(backlog_.withdraw(transfers_[i]));
  EXPECT_FALSE(backlog_.withdraw(transfers_[6])) << "it does not wait any more";
  start(transfers_[6]);
  full_.clear();
  retry();
  EXPECT_EQ(taken_of(0), (std::vector<std::uint64_t>{3, 6}));
  EXPECT_FALSE(backlog_.withdraw(transfers_[3])) << "the provider has it";
}

TEST_F(BacklogTest, tries_each_that_goes_in_any_order_before_the_others) {
  for (const std::size_t i : {0u, 1u}) transfers_[i].in_any_order = true;
  full_ = {0, 1};
  for (const std::size_t i : {3u, 0u, 4u, 1u}) start(transfers_[i]);
  full_ = {0};
  EXPECT_FALSE(backlog_.holds_up(transfers_[0]));
  EXPECT_TRUE(backlog_.holds_up(transfers_[6]));
  retry();
  EXPECT_EQ(taken_, (std::vector<std::uint64_t>{1, 4}));
  EXPECT_TRUE(backlog_.withdraw(transfers_[0]));
  EXPECT_TRUE(backlog_.withdraw(transfers_[3]));
  retry();
  EXPECT_TRUE(backlog_.empty());
}

TEST_F(BacklogTest, forgets_a_peer_only_when_nothing_to_it_waits) {
  full_ = {2};
  start(transfers_[2]);
  backlog_.remove(2);
  start(transfers_[5]);
  backlog_.remove(0);
  start(transfers_[0]);
  full_.clear();
  retry();
  EXPECT_EQ(taken_, (std::vector<std::uint64_t>{0, 2, 5}));
}

struct OneTransfer : Transfer {
  OneTransfer(Kind of_kind, std::int64_t of_bytes, Peer to) {
    kind = of_kind;
    bytes = of_bytes;
    peer = to;
  }
};

class LongTransfersTest : public testing::Test {
 protected:
  void begin_two() {
    transfers_.limit();
    begun_ns_ = now_ns();
    for (const Transfer *one : {&put_, &get_}) {
      EXPECT_FALSE(transfers_.holds_up(*one));
      transfers_.begin(*one);
    }
  }

  const OneTransfer put_{Transfer::Kind::write_delivered, LongTransfers::kPieceBytes, 1};
  const OneTransfer get_{Transfer::Kind::read, LongTransfers::kPieceBytes, 1};
  std::int64_t begun_ns_ = 0;
  LongTransfers transfers_;
};

TEST_F(LongTransfersTest, wait_for_those_under_way_to_their_peer) {
  begin_two();
  EXPECT_TRUE(transfers_.holds_up(put_, begun_ns_));
  EXPECT_TRUE(transfers_.holds_up(get_, begun_ns_));
  EXPECT_FALSE(transfers_.holds_up(OneTransfer(Transfer::Kind::read, LongTransfers::kPieceBytes, 2), begun_ns_));
  EXPECT_FALSE(transfers_.holds_up(OneTransfer(Transfer::Kind::write_delivered, 2048, 1), begun_ns_));
  EXPECT_FALSE(transfers_.holds_up(OneTransfer(Transfer::Kind::write, LongTransfers::kPieceBytes, 1), begun_ns_));
  transfers_.end(get_);
  EXPECT_FALSE(transfers_.holds_up(put_, begun_ns_));
}

TEST_F(LongTransfersTest, do_not_wait_for_ever_for_a_peer_that_completes_none) {
  begin_two();
  const std::int64_t all_begun_ns = now_ns();
  EXPECT_TRUE(transfers_.holds_up(put_, begun_ns_));
  EXPECT_TRUE(transfers_.holds_up(put_, begun_ns_ + LongTransfers::kPatience_ns - 1));
  EXPECT_FALSE(transfers_.holds_up(put_, all_begun_ns + LongTransfers::kPatience_ns));
}

TEST_F(LongTransfersTest, of_any_length_begin_where_nothing_is_under_way) {
  transfers_.limit();
  EXPECT_FALSE(transfers_.holds_up(OneTransfer(Transfer::Kind::read, std::int64_t{1} << 30, 1)));
}

TEST_F(LongTransfersTest, that_end_after_their_peer_was_released_count_nothing) {
  begin_two();
  transfers_.forget(1);
  transfers_.end(put_);
  transfers_.end(get_);
  EXPECT_FALSE(transfers_.holds_up(put_, begun_ns_));
}

}  // namespace
}  // namespace halocline::core::transport::ofi
