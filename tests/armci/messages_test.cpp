// armci_msg_*: messages, broadcasts, reductions and selections.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "armci_test.hpp"

namespace halocline::test {
namespace {

TEST(ArmciMsg, knows_the_ranks) {
  EXPECT_EQ(armci_msg_me(), rank());
  EXPECT_EQ(armci_msg_nproc(), size());
  const double before = armci_timer();
  EXPECT_GE(armci_timer(), before);
}

/// Each pair in turn, so that a send may wait for its receive.
TEST(ArmciMsgSnd, arrives_with_its_length_and_tag) {
  if (size() == 1) GTEST_SKIP() << "a blocking message needs two ranks";
  for (int low = 0; low < size(); ++low)
    for (int high = low + 1; high < size(); ++high)
      for (const std::size_t count : {1u, 50u, 4000u}) {
        if (rank() != low && rank() != high) continue;
        const int other = low + high - rank();
        auto sent = words_of(rank(), count, count);
        std::vector<std::uint64_t> got(5000);
        int length = -1;
        if (rank() == low) armci_msg_snd(17, sent.data(), static_cast<int>(8 * count), other);
        armci_msg_rcv(17, got.data(), 40000, &length, other);
        if (rank() == high) armci_msg_snd(17, sent.data(), static_cast<int>(8 * count), other);
        EXPECT_EQ(length, static_cast<int>(8 * count));
        got.resize(count);
        EXPECT_EQ(got, words_of(other, count, count));
      }
}

TEST(ArmciMsgRcvany, says_who_has_sent) {
  if (rank() == 0) {
    std::vector<bool> seen(as_index(size()));
    for (int i = 1; i < size(); ++i) {
      int value = -1, length = -1;
      const int from = armci_msg_rcvany(23, &value, sizeof value, &length);
      ASSERT_TRUE(from > 0 && from < size());
      EXPECT_FALSE(seen[as_index(from)]);
      seen[as_index(from)] = true;
      EXPECT_EQ(value, 300 + from);
      EXPECT_EQ(length, 4);
    }
  } else {
    int value = 300 + rank();
    armci_msg_snd(23, &value, sizeof value, 0);
  }
  armci_msg_barrier();
}

/// The message of a rank to another one. Lengths change between those that fit a ring of shared memory and those that MPI carries.
struct Letter {
  int from, to, number;

  int tag() const { return 40 + number % 3; }
  std::size_t words() const { return static_cast<std::size_t>(number % 7 == 3 ? 9000 : number % 5 == 1 ? 700 : number % 4); }
  std::vector<std::uint64_t> text() const { return words_of(from, as_index(1000 * to + number), words() + 1); }
  void send() const {
    auto sent = text();
    armci_msg_snd(tag(), sent.data(), static_cast<int>(8 * sent.size()), to);
  }
  void receive() const {
    std::vector<std::uint64_t> got(10000);
    int length = -1;
    armci_msg_rcv(tag(), got.data(), 80000, &length, from);
    check(got, length);
  }
  void check(std::vector<std::uint64_t> got, int length) const {
    ASSERT_EQ(length, static_cast<int>(8 * text().size())) << "message " << number << " of rank " << from;
    got.resize(as_index(length / 8));
    ASSERT_EQ(got, text()) << "message " << number << " of rank " << from;
  }
};

/// A pause that differs between ranks and calls.
void pause(int number) {
  if (number % 5 == rank() % 5) usleep(static_cast<unsigned>(37 * (number % 11) * (rank() + 1)));
}

constexpr int kLetters = 42;

/// A rank of each pair sends all of its messages while the other one waits, then they change roles.
TEST(ArmciMsgSnd, keeps_the_order_of_each_tag_whoever_is_late) {
  for (int low = 0; low < size(); ++low)
    for (int high = low + 1; high < size(); ++high) {
      if (rank() != low && rank() != high) continue;
      const int other = low + high - rank();
      for (const bool sends : {rank() == low, rank() != low})
        for (int number = 0; number < kLetters; ++number) {
          pause(number);
          sends ? Letter{rank(), other, number}.send() : Letter{other, rank(), number}.receive();
        }
    }
  armci_msg_barrier();
}

/// Many on a node, few between nodes, where each may take milliseconds if ranks share cores.
int count_for(int r, int on_node) { return armci_domain_same_id(ARMCI_DOMAIN_SMP, r) != 0 ? on_node : 20; }

/// Short messages that are received long after, tag by tag, and after a barrier: no rank waits for another before that.
TEST(ArmciMsgSnd, of_few_bytes_does_not_wait_for_the_receive) {
  const auto number_of = [](int from, int number) { return 100000 * (from + 1) + number; };
  for (int r = 0; r < size(); ++r)
    for (int number = 0; number < count_for(r, 300) && r != rank(); ++number) {
      int value = number_of(rank(), number);
      armci_msg_snd(50 + number % 2, &value, sizeof value, r);
    }
  armci_msg_barrier();
  for (const int tag : {51, 50})
    for (int r = 0; r < size(); ++r)
      for (int number = tag - 50; number < count_for(r, 300) && r != rank(); number += 2) {
        int value = -1, length = -1;
        armci_msg_rcv(tag, &value, sizeof value, &length, r);
        ASSERT_EQ(length, 4);
        ASSERT_EQ(value, number_of(r, number));
      }
}

/// Many more than there is room for, while the receiver waits in a barrier.
TEST(ArmciMsgSnd, reaches_a_rank_that_waits_for_something_else) {
  if (rank() == 0) {
    armci_msg_barrier();
    for (int r = 1; r < size(); ++r)
      for (int number = 0; number < count_for(r, 6000); ++number) {
        int values[4] = {}, length = -1;
        armci_msg_rcv(60, values, sizeof values, &length, r);
        ASSERT_EQ(values[0], number);
        ASSERT_EQ(values[3], r);
      }
  } else {
    for (int number = 0; number < count_for(0, 6000); ++number) {
      int values[4] = {number, 0, 0, rank()};
      armci_msg_snd(60, values, sizeof values, 0);
    }
    armci_msg_barrier();
  }
}

/// The order of each sender holds for receives from any, and broadcasts and sums in between match none of the messages.
TEST(ArmciMsgRcvany, takes_the_messages_of_a_rank_in_their_order) {
  if (rank() == 0) {
    std::vector<int> next(as_index(size()));
    for (int i = 0; i < kLetters * (size() - 1); ++i) {
      std::vector<std::uint64_t> got(10000);
      int length = -1;
      pause(i);
      const int from = armci_msg_rcvany(70, got.data(), 80000, &length);
      ASSERT_TRUE(from > 0 && from < size());
      Letter{from, 0, next[as_index(from)]++}.check(got, length);
    }
  } else {
    for (int number = 0; number < kLetters; ++number) {
      auto text = Letter{rank(), 0, number}.text();
      pause(number);
      armci_msg_snd(70, text.data(), static_cast<int>(8 * text.size()), 0);
    }
  }
  armci_msg_barrier();
}

/// Messages that are under way when all reduce and broadcast, and messages of MPI with the same tag.
TEST(ArmciMsgGop, is_not_confused_by_messages) {
  for (int round = 0; round < 50; ++round) {
    int value = 7 * round + rank(), length = -1, got = -1, of_mpi = -1;
    pause(round);
    if (size() > 1) armci_msg_snd(80, &value, sizeof value, next());
    MPI_Request request;
    const int other = value + 1000000;
    MPI_Isend(&other, 1, MPI_INT, next(), 80, MPI_COMM_WORLD, &request);
    int sum = rank(), root = rank() == round % size() ? value : 0;
    char op[] = "+";
    armci_msg_igop(&sum, 1, op);
    EXPECT_EQ(sum, size() * (size() - 1) / 2);
    armci_msg_brdcst(&root, sizeof root, round % size());
    EXPECT_EQ(root, 7 * round + round % size());
    if (size() > 1) armci_msg_rcv(80, &got, sizeof got, &length, previous());
    MPI_Recv(&of_mpi, 1, MPI_INT, previous(), 80, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    EXPECT_EQ(got, size() > 1 ? 7 * round + previous() : -1);
    EXPECT_EQ(of_mpi, 1000000 + 7 * round + previous());
  }
}

TEST(ArmciMsgBcast, sends_the_roots_bytes_to_all) {
  for (int root = 0; root < size(); ++root)
    for (int form = 0; form < 3; ++form) {
      auto words = rank() == root ? words_of(root, 12, 3000) : std::vector<std::uint64_t>(3000);
      if (form == 0) armci_msg_bcast(words.data(), 24000, root);
      if (form == 1) armci_msg_brdcst(words.data(), 24000, root);
      if (form == 2) armci_msg_bcast_scope(SCOPE_ALL, words.data(), 24000, root);
      EXPECT_EQ(words, words_of(root, 12, 3000)) << "root " << root;
    }
}

/// Elements of which each rank has another one of, positive and negative.
template <class T>
T operand(int r, int i) {
  return static_cast<T>((r + i) % 3 == 0 ? -(r + 2 * i + 1) : r + i + 1);
}

template <class T>
T reduced(const std::string &op, int i) {
  T result = operand<T>(0, i);
  for (int r = 1; r < size(); ++r) {
    const T other = operand<T>(r, i);
    const T a = static_cast<T>(std::abs(result)), b = static_cast<T>(std::abs(other));
    if (op == "+") result += other;
    if (op == "*") result *= other;
    if (op == "max") result = std::max(result, other);
    if (op == "min") result = std::min(result, other);
    if (op == "absmax") result = std::max(a, b);
    if (op == "absmin") result = std::min(a, b);
  }
  if (size() == 1 && op.compare(0, 3, "abs") == 0) result = static_cast<T>(std::abs(result));
  return result;
}

template <class T, class Call>
void check_reductions(Call call) {
  constexpr int count = 33;
  for (const std::string op : {"+", "*", "max", "min", "absmax", "absmin"}) {
    std::vector<T> values;
    for (int i = 0; i < count; ++i) values.push_back(operand<T>(rank(), op == "*" ? i % 3 : i));
    std::string name = op;
    call(values.data(), count, name.data());
    for (int i = 0; i < count; ++i) ASSERT_EQ(values[as_index(i)], reduced<T>(op, op == "*" ? i % 3 : i)) << op << ", element " << i;
  }
}

TEST(ArmciMsgGop, reduces_in_every_type_by_every_operation) {
  check_reductions<int>(armci_msg_igop);
  check_reductions<long>(armci_msg_lgop);
  check_reductions<long long>(armci_msg_llgop);
  check_reductions<float>(armci_msg_fgop);
  check_reductions<double>(armci_msg_dgop);
  check_reductions<double>([](double *x, int n, char *op) { armci_msg_gop_scope(SCOPE_ALL, x, n, op, ARMCI_DOUBLE); });
  check_reductions<int>([](int *x, int n, char *op) { armci_msg_gop_scope(SCOPE_ALL, x, n, op, ARMCI_INT); });
}

TEST(ArmciMsgGop, of_the_bits_is_their_or) {
  char op[] = "or";
  int bits = 1 << (rank() % 30), expected = 0;
  for (int r = 0; r < size(); ++r) expected |= 1 << (r % 30);
  armci_msg_igop(&bits, 1, op);
  EXPECT_EQ(bits, expected);
  long wide = 1L << (rank() + 33);
  armci_msg_lgop(&wide, 1, op);
  for (int r = 0; r < size(); ++r) EXPECT_NE(wide & (1L << (r + 33)), 0) << "bit of rank " << r;
}

TEST(ArmciMsgGop, of_many_elements_reduces_all_of_them) {
  constexpr int count = 40000;
  std::vector<double> values(count);
  for (int i = 0; i < count; ++i) values[as_index(i)] = i + rank();
  char op[] = "+";
  armci_msg_dgop(values.data(), count, op);
  const double ranks = size() * (size() - 1) / 2;
  for (int i = 0; i < count; ++i) ASSERT_EQ(values[as_index(i)], 1.0 * i * size() + ranks);
}

/// A record whose first number is the same on several ranks, and that is longer than a ring sometimes.
struct Selected {
  bool greatest;
  int count, seed;

  bool contributes(int of) const { return (of + seed) % 3 != 0; }
  double number(int of) const { return (of * 5 + seed) % 4 - 1.5; }
  /// The first of those that contribute that has the best number; -1 if there is none.
  int best() const {
    int found = -1;
    for (int r = 0; r < size(); ++r)
      if (contributes(r) && (found < 0 || (greatest ? number(r) > number(found) : number(r) < number(found)))) found = r;
    return found;
  }
};

/// All get the whole record of the rank with the best first number.
TEST(ArmciMsgSel, takes_the_whole_record_of_the_rank_with_the_best_number) {
  for (int seed = 0; seed < 24; ++seed) {
    const Selected selected{seed % 2 == 0, seed % 4 < 2 ? 3 : 9'000, seed};
    std::vector<double> record(as_index(selected.count), 1000.0 * seed + rank());
    record[0] = selected.number(rank());
    char op[4] = {};
    std::strcpy(op, selected.greatest ? "max" : "min");
    pause(seed);
    armci_msg_sel(record.data(), 8 * selected.count, op, ARMCI_DOUBLE, selected.contributes(rank()) ? 1 : 0);
    const int best = selected.best() < 0 ? rank() : selected.best();
    EXPECT_EQ(record[0], selected.number(best)) << "seed " << seed;
    for (int i = 1; i < selected.count; ++i) ASSERT_EQ(record[as_index(i)], 1000.0 * seed + best) << "number " << i << ", seed " << seed;
  }
}

TEST(ArmciMsgSel, compares_integers_of_64_bits) {
  long record[2] = {(1L << 60) + (rank() + 1) % size(), rank()};
  char op[] = "max";
  armci_msg_sel_scope(SCOPE_ALL, record, sizeof record, op, ARMCI_LONG, 1);
  EXPECT_EQ(record[0], (1L << 60) + size() - 1);
  EXPECT_EQ(record[1], (2 * size() - 2) % size());
}

/// Each rank but the root has one above it, and is below it there.
TEST(ArmciMsgBintree, is_a_tree_of_all_ranks) {
  int root = -1, up = -2, left = -2, right = -2;
  armci_msg_bintree(SCOPE_ALL, &root, &up, &left, &right);
  EXPECT_EQ(root, 0);
  EXPECT_EQ(up == -1, rank() == root);
  const int mine[3] = {up, left, right};
  std::vector<int> all(as_index(3 * size()));
  MPI_Allgather(mine, 3, MPI_INT, all.data(), 3, MPI_INT, MPI_COMM_WORLD);
  for (int r = 0; r < size(); ++r) {
    const int above = all[as_index(3 * r)];
    if (above < 0) continue;
    EXPECT_TRUE(all[as_index(3 * above + 1)] == r || all[as_index(3 * above + 2)] == r) << "rank " << r << " is not below " << above;
  }
}

}  // namespace
}  // namespace halocline::test
