// What operations between nodes ask of the network, beside the least that their protocol allows: writes, messages, registrations, bytes. Times say
// little on a busy machine, counts are exact. Run with HALOCLINE_LIBFABRIC=counting_libfabric.
// SPDX-License-Identifier: BSD-3-Clause
#include <dlfcn.h>
#include <halocline/segment.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "network/counts.hpp"
#include "support/mpi_test.hpp"

namespace {

using halocline::test::context;
using halocline::test::NetworkCounts;
using halocline::test::ok;
using halocline::test::rank;
using halocline::test::size;

constexpr std::int64_t kBytes = 4000;

std::string network() {
  const char *const fake = std::getenv("HALOCLINE_FAKE_NETWORK");
  return fake ? fake : "";
}
/// A write carries eight bytes of immediate data.
bool carries_values() { return network().empty(); }
/// Sources of the program's own have to be registered, unless they are short.
bool registers_sources() { return network() == "poor" || network() == "efa"; }
/// A write carries none: a message follows.
bool announces() { return network() == "cxi" || network() == "opx"; }

NetworkCounts count() {
  static void *const counting = dlopen(std::getenv("HALOCLINE_LIBFABRIC"), RTLD_NOW | RTLD_LOCAL);
  NetworkCounts all;
  reinterpret_cast<void (*)(NetworkCounts *)>(dlsym(counting, "halocline_test_counts"))(&all);
  return all;
}

constexpr std::array kKinds{
    &NetworkCounts::writes,        &NetworkCounts::writes_with_immediate, &NetworkCounts::reads,       &NetworkCounts::messages,
    &NetworkCounts::announcements, &NetworkCounts::registrations,         &NetworkCounts::completions, &NetworkCounts::bytes};
constexpr int kTimes = 20;

/// What a call costs each rank, on average of many. A probe of liveness may be among them; so the least of some repetitions counts. The ranks begin
/// and end together, so that no call of one is counted in those of another.
NetworkCounts cost_of(const char *name, const std::function<void()> &call) {
  std::array<std::uint64_t, kKinds.size()> least;
  least.fill(UINT64_MAX);
  for (int i = 0; i < 3; ++i) call();
  for (int repetition = 0; repetition < 4; ++repetition) {
    MPI_Barrier(MPI_COMM_WORLD);
    const NetworkCounts before = count();
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < kTimes; ++i) call();
    MPI_Barrier(MPI_COMM_WORLD);
    const NetworkCounts after = count();
    for (std::size_t kind = 0; kind < kKinds.size(); ++kind)
      least[kind] = std::min(least[kind], after.*kKinds[kind] - before.*kKinds[kind]);
  }
  NetworkCounts cost;
  for (std::size_t kind = 0; kind < kKinds.size(); ++kind) cost.*kKinds[kind] = least[kind];
  if (rank() == 0) {
    std::printf("| %s |", name);
    for (const auto kind : kKinds) std::printf(" %.2f |", static_cast<double>(cost.*kind) / kTimes);
    std::printf("\n");
  }
  return cost;
}

/// So many of each per call, and no more. With more kinds of networks: what takes the place of immediate data.
void expect(const NetworkCounts &cost, std::uint64_t writes, std::uint64_t writes_with_immediate, std::uint64_t messages) {
  EXPECT_EQ(cost.writes, kTimes * (writes + (announces() ? writes_with_immediate : 0)));
  EXPECT_EQ(cost.writes_with_immediate, announces() ? 0 : kTimes * writes_with_immediate);
  EXPECT_EQ(cost.announcements, announces() ? kTimes * writes_with_immediate : 0);
  EXPECT_EQ(cost.messages, kTimes * messages);
  EXPECT_EQ(cost.reads, 0u);
  EXPECT_EQ(cost.registrations, 0u);
}

class Counts : public testing::Test {
 protected:
  void SetUp() override {
    if (size() != 2) GTEST_SKIP() << "counted between two ranks";
    ASSERT_TRUE(std::getenv("HALOCLINE_LIBFABRIC"));
  }
};

class CountsOfSegments : public Counts {
 protected:
  void SetUp() override {
    Counts::SetUp();
    if (IsSkipped()) return;
    const hlc_segment_spec spec{2 * kBytes, 4, 0};
    ASSERT_TRUE(ok(hlc_segment_create(context(), &spec, &segment_)));
  }
  void TearDown() override {
    if (segment_) {
      EXPECT_TRUE(ok(hlc_segment_free(&segment_)));
    }
  }
  hlc_target other(std::int64_t offset) const { return {segment_, 1 - rank(), offset}; }

  hlc_segment *segment_ = nullptr;
  std::vector<char> mine_ = std::vector<char>(kBytes, 'x');
};

void do_nothing(int, void *, void *) {}
void read_nothing(int, const void *, void *) {}

/// Each edge takes a write with immediate data for its bytes, and one that says that their slot is free again. An edge with an opposite one could do
/// without the second: the next data of that one say the same.
TEST_F(Counts, a_swap_is_two_writes_per_edge_and_registers_nothing) {
  hlc_exchange_spec spec{};
  const std::array<hlc_neighbour, 2> neighbours{{{1 - rank(), 0, 0, kBytes, kBytes}, {1 - rank(), 1, 1, kBytes, kBytes}}};
  spec.nneighbours = 2;
  spec.neighbours = neighbours.data();
  spec.pack = do_nothing;
  spec.unpack = read_nothing;
  spec.mode = HLC_MODE_NOTIFY;
  hlc_exchange *exchange = nullptr;
  ASSERT_TRUE(ok(hlc_exchange_create(context(), &spec, &exchange)));
  const NetworkCounts cost = cost_of("swap with 2 edges of 4,000 bytes", [&] {
    EXPECT_TRUE(ok(hlc_exchange_start(exchange)));
    EXPECT_TRUE(ok(hlc_exchange_finish(exchange)));
  });
  expect(cost, 0, 4, 0);
  EXPECT_LE(cost.bytes, static_cast<std::uint64_t>(kTimes) * (2 * kBytes + 2 * 16 + 4 * 8));
  EXPECT_TRUE(ok(hlc_exchange_destroy(&exchange)));
}

TEST_F(CountsOfSegments, a_put_with_notification_is_one_write) {
  std::uint32_t value = 1;
  const auto put = [&] {
    EXPECT_TRUE(ok(hlc_put_notify(other(0), mine_.data(), kBytes, {1, value++})));
    EXPECT_TRUE(ok(hlc_flush_local(segment_, 1 - rank())));
  };
  const NetworkCounts cost = cost_of("put of 4,000 bytes with notification", put);
  if (carries_values() || announces()) {
    expect(cost, 0, 1, 0);
    EXPECT_LE(cost.bytes, static_cast<std::uint64_t>(kTimes) * (kBytes + 8));
  }
  EXPECT_EQ(cost.registrations, registers_sources() ? std::uint64_t{kTimes} : 0);
  EXPECT_TRUE(ok(hlc_barrier(segment_)));
}

TEST_F(CountsOfSegments, a_notification_is_one_write) {
  std::uint32_t value = 1;
  const NetworkCounts cost = cost_of("notification", [&] {
    EXPECT_TRUE(ok(hlc_notify(segment_, 1 - rank(), {1, value++})));
    EXPECT_TRUE(ok(hlc_flush_local(segment_, 1 - rank())));
  });
  if (carries_values() || announces()) expect(cost, 0, 1, 0);
  EXPECT_TRUE(ok(hlc_barrier(segment_)));
}

/// The query of one rank and its reply to that of the other.
TEST_F(CountsOfSegments, an_atomic_with_its_old_value_is_a_query_and_a_reply) {
  std::int64_t old = 0;
  const NetworkCounts cost = cost_of("fetch and add", [&] { EXPECT_TRUE(ok(hlc_atomic_fetch_add(other(0), HLC_NUMBER_INT64, 1, &old))); });
  expect(cost, 0, 0, 2);
  EXPECT_TRUE(ok(hlc_barrier(segment_)));
}

/// One round between two ranks.
TEST_F(CountsOfSegments, a_barrier_is_one_notification_per_round) {
  const NetworkCounts cost = cost_of("barrier", [&] { EXPECT_TRUE(ok(hlc_barrier(segment_))); });
  const std::uint64_t all = cost.writes + cost.writes_with_immediate + cost.messages;
  if (carries_values()) {
    EXPECT_EQ(all, static_cast<std::uint64_t>(kTimes));
  }
  EXPECT_LE(all, 4u * kTimes);
  EXPECT_EQ(cost.registrations, 0u);
  EXPECT_EQ(cost.reads, 0u);
}

}  // namespace
