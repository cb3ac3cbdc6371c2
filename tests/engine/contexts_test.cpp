// Several contexts of a process share the endpoint of the network if they have chosen the same network. They do not disturb each other. Run
// on emulated nodes, a rank each, with each kind of progress.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <list>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "engine/test_context.hpp"
#include "support/listening.hpp"
#include "support/mpi_test.hpp"
#include "support/variables.hpp"

namespace halocline::test {
namespace {

/// They are made and closed by all ranks together, in one order.
using TestContexts = std::list<std::unique_ptr<TestContext>>;

TestContexts make_contexts(int count) {
  TestContexts contexts;
  for (int i = 0; i < count; ++i) contexts.push_back(std::make_unique<TestContext>(MPI_COMM_WORLD, i));
  return contexts;
}

bool is_right(const TestContext &each) {
  EXPECT_TRUE(ok(each.status()));
  EXPECT_EQ(each.wrong(), 0);
  return each.well() && each.wrong() == 0;
}

void expect_all_right(const TestContexts &contexts) {
  for (const auto &each : contexts) is_right(*each);
}

/// The provider's name, as HALOCLINE_PROVIDER gives it; empty where there is no network.
std::string provider_of(const TestContext &each) {
  const std::string network = hlc_context_network(each.context());
  const std::size_t end = network.find(" on ");
  return end == std::string::npos ? std::string() : network.substr(0, end);
}

/// Each test is skipped where there is no network.
#define NEEDS_NETWORK(each) \
  if (!everyone((each).well())) GTEST_SKIP() << hlc_context_network((each).context())

TEST(Contexts, share_one_endpoint) {
  const std::size_t before = count_endpoints();
  TestContext first(MPI_COMM_WORLD, 0);
  NEEDS_NETWORK(first);
  EXPECT_EQ(count_endpoints(), before + 1);
  TestContexts contexts = make_contexts(6);
  first.pass(1);
  for (auto &each : contexts) each->pass(1);
  EXPECT_EQ(count_endpoints(), before + 1);
  expect_all_right(contexts);
  EXPECT_TRUE(is_right(first));
}

TEST(Contexts, close_the_endpoint_with_the_last_of_them) {
  const std::size_t before = count_endpoints();
  TestContext first(MPI_COMM_WORLD, 0);
  NEEDS_NETWORK(first);
  TestContext second(MPI_COMM_WORLD, 1);
  EXPECT_TRUE(ok(first.close()));
  EXPECT_EQ(count_endpoints(), before + 1);
  second.pass(3);
  EXPECT_TRUE(is_right(second));
  EXPECT_TRUE(ok(second.close()));
  EXPECT_EQ(count_endpoints(), before);
}

TEST(Contexts, move_their_own_bytes_when_they_are_used_in_turn) {
  TestContexts contexts = make_contexts(4);
  NEEDS_NETWORK(*contexts.front());
  for (int round = 0; round < 20; ++round) {
    for (auto &each : contexts) each->begin();
    for (auto each = contexts.rbegin(); each != contexts.rend(); ++each) (*each)->end();
  }
  expect_all_right(contexts);
}

TEST(Contexts, go_on_while_others_come_and_go) {
  TestContext first(MPI_COMM_WORLD, 0);
  NEEDS_NETWORK(first);
  const std::size_t endpoints = count_endpoints();
  for (int i = 1; i <= 20; ++i) {
    first.begin();
    TestContext other(MPI_COMM_WORLD, i);
    other.pass(2);
    EXPECT_TRUE(is_right(other));
    first.end();
    first.begin();
    EXPECT_TRUE(ok(other.close()));
    first.end();
    EXPECT_EQ(count_endpoints(), endpoints);
  }
  EXPECT_TRUE(is_right(first));
}

/// A rank waits in one context, and another sends it a query of the other context.
TEST(Contexts, serve_each_other_while_one_waits) {
  TestContext one(MPI_COMM_WORLD, 0), other(MPI_COMM_WORLD, 1);
  NEEDS_NETWORK(one);
  const int last = size() - 1;  // of another node
  const auto take = [&one] {
    int id = -1;
    std::uint32_t value = 0;
    EXPECT_TRUE(ok(hlc_notify_wait(one.segment(), {0, 1}, &id)));
    EXPECT_TRUE(ok(hlc_notify_reset(one.segment(), 0, &value)));
  };
  for (std::int64_t round = 0; round < 5; ++round) {
    std::int64_t old = -1;
    if (rank() == 0) {
      EXPECT_TRUE(ok(hlc_atomic_fetch_add({other.segment(), last, 0}, HLC_NUMBER_INT64, 1, &old)));
      EXPECT_EQ(old, round);
      EXPECT_TRUE(ok(hlc_notify(one.segment(), last, {0, 7})));
      take();
    } else if (rank() == last) {
      take();
      EXPECT_TRUE(ok(hlc_notify(one.segment(), 0, {0, 7})));
    }
  }
}

TEST(Contexts, have_endpoints_of_their_own_where_they_choose_differently) {
  TestContext first(MPI_COMM_WORLD, 0);
  NEEDS_NETWORK(first);
  const std::size_t endpoints = count_endpoints();
  const Variables by_name{{"HALOCLINE_PROVIDER", provider_of(first)}};  // another choice than none, or than a part of its name
  TestContext second(MPI_COMM_WORLD, 1), third(MPI_COMM_WORLD, 2);
  EXPECT_EQ(count_endpoints(), endpoints + 1);
  for (int round = 0; round < 3; ++round) {
    first.begin();
    second.begin();
    third.begin();
    third.end();
    first.end();
    second.end();
  }
  for (const TestContext *each : {&first, &second, &third}) EXPECT_TRUE(is_right(*each));
  EXPECT_TRUE(ok(third.close()));
  EXPECT_TRUE(ok(second.close()));
  EXPECT_EQ(count_endpoints(), endpoints);
}

/// Each pair of ranks has a context, so that each rank is in several, with different first ranks.
TEST(Contexts, of_different_ranks_share_as_well) {
  const std::size_t before = count_endpoints();
  TestContext all(MPI_COMM_WORLD, 0);
  NEEDS_NETWORK(all);
  TestContexts mine;
  int number = 0;
  for (int i = 0; i < size(); ++i)
    for (int k = i + 1; k < size(); ++k) {
      const bool in = rank() == i || rank() == k;
      MPI_Comm pair = MPI_COMM_NULL;
      MPI_Comm_split(MPI_COMM_WORLD, in ? 0 : MPI_UNDEFINED, -rank(), &pair);
      number += 1;
      if (!in) continue;
      mine.push_back(std::make_unique<TestContext>(pair, number));
      MPI_Comm_free(&pair);
    }
  for (int round = 0; round < 5; ++round) {
    all.begin();
    for (auto &each : mine) each->begin();
    all.end();
    for (auto &each : mine) each->end();
  }
  EXPECT_EQ(count_endpoints(), before + 1);
  EXPECT_TRUE(is_right(all));
  expect_all_right(mine);
}

TEST(Contexts, may_be_used_by_threads_at_once) {
  int provided = MPI_THREAD_SINGLE;
  MPI_Query_thread(&provided);
  if (provided < MPI_THREAD_MULTIPLE) GTEST_SKIP() << "this MPI has no threads";
  TestContexts contexts = make_contexts(3);
  NEEDS_NETWORK(*contexts.front());
  std::vector<std::thread> threads;
  for (auto &each : contexts) threads.emplace_back([&each] { each->pass(40); });
  for (std::thread &thread : threads) thread.join();
  expect_all_right(contexts);
}

/// A context is closed by one thread while another thread is inside the endpoint, for a context of its own.
TEST(Contexts, may_be_closed_beside_threads_of_others) {
  int provided = MPI_THREAD_SINGLE;
  MPI_Query_thread(&provided);
  if (provided < MPI_THREAD_MULTIPLE) GTEST_SKIP() << "this MPI has no threads";
  TestContext busy(MPI_COMM_WORLD, 0);
  NEEDS_NETWORK(busy);
  std::thread worker([&busy] { busy.pass(150); });
  for (int i = 1; i <= 6; ++i) {
    TestContext other(MPI_COMM_WORLD, i);
    other.pass(2);
    EXPECT_TRUE(is_right(other));
  }
  worker.join();
  EXPECT_TRUE(is_right(busy));
}

}  // namespace
}  // namespace halocline::test
