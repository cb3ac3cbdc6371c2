// The progress thread: messages are sent and received while a rank does not call the library. The thread sleeps while there is nothing to
// do, and lives as long as the network of its context. Run on 2 emulated nodes, with HALOCLINE_PROGRESS=thread and with the spare thread of
// the default.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <ctime>
#include <functional>
#include <string>
#include <vector>

#include "support/mpi_test.hpp"
#include "support/threads.hpp"
#include "support/variables.hpp"

namespace halocline::test {
namespace {

using Bytes = std::vector<unsigned char>;

/// What byte i of a rank's message of a round holds; never 0.
unsigned char pattern(int from, int round, std::size_t i) {
  return static_cast<unsigned char>(1 + (static_cast<std::size_t>(from * 101 + round * 31) + i * 7) % 251);
}

/// An exchange of one message with the other rank in each direction, in mode notify.
class Swap {
 public:
  Swap(hlc_context *context, std::size_t bytes) : received_(bytes) {
    const auto count = static_cast<std::int64_t>(bytes);
    const hlc_neighbour neighbour{1 - rank(), 0, 0, count, count};
    hlc_exchange_spec spec{};
    spec.nneighbours = 1;
    spec.neighbours = &neighbour;
    spec.pack = [](int, void *buffer, void *self) { static_cast<const Swap *>(self)->pack(static_cast<unsigned char *>(buffer)); };
    spec.unpack = [](int, const void *buffer, void *self) {
      static_cast<Swap *>(self)->unpack(static_cast<const unsigned char *>(buffer));
    };
    spec.user = this;
    spec.mode = HLC_MODE_NOTIFY;
    EXPECT_TRUE(ok(hlc_exchange_create(context, &spec, &exchange_)));
  }
  Swap(const Swap &) = delete;
  Swap &operator=(const Swap &) = delete;
  ~Swap() { EXPECT_TRUE(ok(hlc_exchange_destroy(&exchange_))); }

  void start() {
    round_ += 1;
    EXPECT_TRUE(ok(hlc_exchange_start(exchange_)));
  }
  void finish() {
    EXPECT_TRUE(ok(hlc_exchange_finish(exchange_)));
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < received_.size(); ++i) wrong += received_[i] != pattern(1 - rank(), round_, i) ? 1 : 0;
    EXPECT_EQ(wrong, 0U) << "bytes of round " << round_;
  }
  int via_network() const {
    hlc_plan_info info{};
    EXPECT_TRUE(ok(hlc_exchange_info(exchange_, &info)));
    return info.via_network;
  }

 private:
  void pack(unsigned char *buffer) const {
    for (std::size_t i = 0; i < received_.size(); ++i) buffer[i] = pattern(rank(), round_, i);
  }
  void unpack(const unsigned char *buffer) { received_.assign(buffer, buffer + received_.size()); }

  Bytes received_;
  int round_ = 0;
  hlc_exchange *exchange_ = nullptr;
};

/// All tests but one are skipped where there is no network.
bool has_network() { return std::string(hlc_context_network(context())).find("progress by ") != std::string::npos; }

void wait_for_the_other() {
  int word = 0;
  MPI_Recv(&word, 1, MPI_INT, 1 - rank(), 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
void tell_the_other() {
  const int word = 1;
  MPI_Send(&word, 1, MPI_INT, 1 - rank(), 0, MPI_COMM_WORLD);
}

TEST(Progress, takes_and_sends_a_large_message_while_a_rank_does_not_call) {
  constexpr std::size_t more_than_sockets_hold = std::size_t{32} << 20;
  Swap swap(context(), more_than_sockets_hold);
  if (!has_network()) GTEST_SKIP() << hlc_context_network(context());
  ASSERT_EQ(swap.via_network(), 1);
  for (const int idle : {0, 1}) {
    swap.start();
    if (rank() == idle) wait_for_the_other();  // that is, until the other has all that I send, and all it sends has left
    swap.finish();
    if (rank() != idle) tell_the_other();
  }
}

/// Contexts that name the provider have another endpoint than those that do not, or that name a part of it.
std::string provider() {
  const std::string network = hlc_context_network(context());
  return network.substr(0, network.find(" on "));
}

/// Rank 0 uses rank 1's part of a segment for the first time, while rank 1 is inside MPI. The context has an endpoint of its own.
void use_part_of_a_rank_inside_mpi(const std::function<void(hlc_target)> &use) {
  if (!has_network()) GTEST_SKIP() << hlc_context_network(context());
  const Variables by_name{{"HALOCLINE_PROVIDER", provider()}};
  hlc_context *fresh = nullptr;
  REQUIRE_EVERYWHERE(hlc_init(MPI_COMM_WORLD, &fresh) == HLC_OK);
  const hlc_segment_spec spec{64, 1, 0};
  hlc_segment *segment = nullptr;
  const hlc_status made = hlc_segment_create(fresh, &spec, &segment);
  if (made == HLC_OK) {
    if (rank() == 0) use({segment, 1, 8});
    rank() == 0 ? tell_the_other() : wait_for_the_other();
    EXPECT_TRUE(ok(hlc_segment_free(&segment)));
  }
  EXPECT_TRUE(ok(hlc_finalise(&fresh)));
  if (made == HLC_ERR_UNSUPPORTED) GTEST_SKIP() << "no network";
  EXPECT_EQ(made, HLC_OK);
}

TEST(Progress, takes_in_a_first_put_while_a_rank_is_inside_MPI) {
  use_part_of_a_rank_inside_mpi([](hlc_target part) {
    const std::int64_t word = 7;
    EXPECT_TRUE(ok(hlc_put(part, &word, sizeof word)));
    EXPECT_TRUE(ok(hlc_flush(part.segment, part.rank)));
  });
}

TEST(Progress, answers_a_first_get_while_a_rank_is_inside_MPI) {
  use_part_of_a_rank_inside_mpi([](hlc_target part) {
    static std::int64_t word = 7;
    EXPECT_TRUE(ok(hlc_get(part, &word, sizeof word)));
    EXPECT_TRUE(ok(hlc_flush_local(part.segment, part.rank)));
    EXPECT_EQ(word, 0);
  });
}

TEST(Progress, carries_out_first_atomics_while_a_rank_is_inside_MPI) {
  use_part_of_a_rank_inside_mpi([](hlc_target part) {
    for (std::int64_t before = 0; before < 100; ++before) {
      std::int64_t old = -1;
      EXPECT_TRUE(ok(hlc_atomic_fetch_add(part, HLC_NUMBER_INT64, 1, &old)));
      EXPECT_EQ(old, before);
    }
  });
}

TEST(Progress, wakes_a_rank_that_has_gone_to_sleep) {
  Swap swap(context(), 8);
  for (const int late : {0, 1, 0, 1}) {
    const std::timespec time{0, 60'000'000};
    if (rank() == late) nanosleep(&time, nullptr);
    swap.start();
    swap.finish();
  }
}

TEST(Progress, goes_on_for_many_rounds_beside_a_caller_that_polls) {
  Swap small(context(), 100), large(context(), 300'000);
  for (int round = 0; round < 200; ++round) {
    large.start();
    small.start();
    small.finish();
    large.finish();
  }
}

TEST(Progress, sleeps_while_nothing_comes) {
  Swap swap(context(), 8);
  swap.start();
  swap.finish();
  MPI_Barrier(MPI_COMM_WORLD);
  const std::clock_t before = std::clock();
  const std::timespec time{0, 500'000'000};
  nanosleep(&time, nullptr);
  const double busy_s = static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
  EXPECT_LT(busy_s, 0.1) << "seconds of work in half a second without any";
}

TEST(Progress, has_one_thread_for_the_contexts_that_share_an_endpoint) {
  if (!has_network()) GTEST_SKIP() << hlc_context_network(context());
  const int before = threads();
  hlc_context *other = nullptr;
  REQUIRE_EVERYWHERE(hlc_init(MPI_COMM_WORLD, &other) == HLC_OK);
  {
    const Swap swap(other, 8);
    EXPECT_EQ(threads(), before);
  }
  EXPECT_TRUE(ok(hlc_finalise(&other)));
  EXPECT_EQ(threads(), before);
}

TEST(Progress, starts_a_thread_with_the_endpoint_and_ends_it_with_its_last_context) {
  if (!has_network()) GTEST_SKIP() << hlc_context_network(context());
  const Variables by_name{{"HALOCLINE_PROVIDER", provider()}};
  const int before = threads();
  hlc_context *other = nullptr;
  REQUIRE_EVERYWHERE(hlc_init(MPI_COMM_WORLD, &other) == HLC_OK);
  EXPECT_EQ(threads(), before) << "no plan has needed the network";
  {
    const Swap swap(other, 8);
    EXPECT_EQ(threads(), before + 1);
  }
  EXPECT_TRUE(ok(hlc_finalise(&other)));
  EXPECT_EQ(threads(), before);
}

TEST(Progress, needs_no_thread_on_one_node) {
  MPI_Comm alone = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank(), 0, &alone);
  const int before = threads();
  hlc_context *other = nullptr;
  EXPECT_TRUE(ok(hlc_init(alone, &other)));
  const hlc_neighbour myself{0, 0, 0, 0, 0};
  hlc_exchange_spec spec{};
  spec.nneighbours = 1;
  spec.neighbours = &myself;
  spec.mode = HLC_MODE_NOTIFY;
  hlc_exchange *exchange = nullptr;
  EXPECT_TRUE(ok(hlc_exchange_create(other, &spec, &exchange)));
  EXPECT_EQ(threads(), before);
  EXPECT_TRUE(ok(hlc_exchange_destroy(&exchange)));
  EXPECT_TRUE(ok(hlc_finalise(&other)));
  MPI_Comm_free(&alone);
}

}  // namespace
}  // namespace halocline::test
