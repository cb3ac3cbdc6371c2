// A program that uses hlc_* and gaspi_* together: both share the endpoint of the network and the thread that moves it, and do not disturb each
// other. Run on emulated nodes, with each kind of progress.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <cstdlib>
#include <cstring>
#include <memory>
#include <thread>

#include "engine/test_context.hpp"
#include "gaspi_test.hpp"
#include "support/listening.hpp"
#include "support/threads.hpp"

namespace halocline::test {
namespace {

/// What this process has of the network.
struct Held {
  std::size_t endpoints = count_endpoints();
  int threads = halocline::test::threads();
};

void expect_same(const Held &expected, const Held &held) {
  EXPECT_EQ(held.endpoints, expected.endpoints);
  EXPECT_EQ(held.threads, expected.threads);
}

/// The job of GASPI with a segment, and rounds on it that check every word. One thread.
class TestJob {
 public:
  TestJob() {
    EXPECT_TRUE(succeeds(gaspi_proc_init(GASPI_BLOCK)));
    segment_ = std::make_unique<Segment>(2 * kWords * sizeof(std::uint64_t));
  }
  TestJob(const TestJob &) = delete;
  TestJob &operator=(const TestJob &) = delete;
  ~TestJob() {
    segment_.reset();
    EXPECT_TRUE(succeeds(gaspi_proc_term(GASPI_BLOCK)));
  }

  /// A notified write to the next rank, and nothing that has to be waited for.
  void begin() {
    round_ += 1;
    for (std::uint64_t i = 0; i < kWords; ++i) segment_->words()[i] = word_of(rank(), round_, i);
    EXPECT_TRUE(succeeds(gaspi_write_notify(0, 0, next(), 0, kWords * sizeof(std::uint64_t), kWords * sizeof(std::uint64_t), 3,
                                            static_cast<gaspi_notification_t>(round_), 0, GASPI_BLOCK)));
  }
  /// Waits for that of the rank before, and looks at it.
  void end() {
    EXPECT_EQ(take(0, 3), round_);
    expect_words(segment_->words() + kWords, kWords, previous(), round_);
    wait_for(0);
    barrier();
  }
  void pass(int rounds) {
    for (int i = 0; i < rounds; ++i) {
      begin();
      end();
    }
  }

 private:
  static constexpr std::uint64_t kWords = 700;

  std::unique_ptr<Segment> segment_;
  std::uint64_t round_ = 0;
};

bool is_right(const TestContext &each) {
  EXPECT_TRUE(ok(each.status()));
  EXPECT_EQ(each.wrong(), 0);
  return each.well() && each.wrong() == 0;
}

/// There is one endpoint more. UCX's has a socket on each device.
void expect_one_more(const Held &before, const Held &with_one) {
  const char *const network = std::getenv("HALOCLINE_NETWORK");
  if (network && std::strcmp(network, "ucx") == 0)
    EXPECT_GT(with_one.endpoints, before.endpoints);
  else
    EXPECT_EQ(with_one.endpoints, before.endpoints + 1);
}

/// Each test has nothing to test where there is no network, and begins with what one use of it has left.
class BothFaces : public testing::Test {
 protected:
  void SetUp() override {
    const TestContext context(MPI_COMM_WORLD, 0);
    if (!everyone(context.well())) GTEST_SKIP() << hlc_context_network(context.context());
  }
};

TEST_F(BothFaces, share_one_endpoint_and_one_thread) {
  const Held before;
  TestContext context(MPI_COMM_WORLD, 1);
  const Held with_one;
  expect_one_more(before, with_one);
  auto job = std::make_unique<TestJob>();
  for (int round = 0; round < 20; ++round) {
    context.begin();
    job->begin();
    context.end();
    job->end();
  }
  expect_same(with_one, Held());
  EXPECT_TRUE(is_right(context));
  job.reset();
  expect_same(with_one, Held());
  context.pass(3);
  EXPECT_TRUE(is_right(context));
  EXPECT_TRUE(ok(context.close()));
  expect_same(before, Held());
}

TEST_F(BothFaces, share_what_the_job_has_opened) {
  const Held before;
  auto job = std::make_unique<TestJob>();
  const Held with_one;
  expect_one_more(before, with_one);
  TestContext context(MPI_COMM_WORLD, 1);
  for (int round = 0; round < 5; ++round) {
    job->begin();
    context.pass(1);
    job->end();
  }
  expect_same(with_one, Held());
  EXPECT_TRUE(is_right(context));
  EXPECT_TRUE(ok(context.close()));
  expect_same(with_one, Held());
  job->pass(3);
  job.reset();
  expect_same(before, Held());
}

/// A rank waits in one interface, and another asks it for something of the other.
TEST_F(BothFaces, serve_each_other_while_one_waits) {
  TestContext context(MPI_COMM_WORLD, 1);
  TestJob job;
  for (std::int64_t round = 0; round < 5; ++round) {
    std::int64_t old = -1;
    if (rank() == 0) {
      EXPECT_TRUE(ok(hlc_atomic_fetch_add({context.segment(), 1, 0}, HLC_NUMBER_INT64, 1, &old)));
      EXPECT_EQ(old, round);
      EXPECT_TRUE(succeeds(gaspi_notify(0, 1, 5, 9, 0, GASPI_BLOCK)));
      EXPECT_EQ(take(0, 5), 8u) << "a notification is taken before the next of its id";
    } else if (rank() == 1) {
      EXPECT_EQ(take(0, 5), 9u);
      EXPECT_TRUE(succeeds(gaspi_notify(0, 0, 5, 8, 0, GASPI_BLOCK)));
    }
  }
}

TEST_F(BothFaces, may_be_used_by_threads_at_once) {
  TestContext context(MPI_COMM_WORLD, 1);
  TestJob job;
  std::thread worker([&context] { context.pass(40); });
  job.pass(40);
  worker.join();
  EXPECT_TRUE(is_right(context));
}

/// Contexts are opened and closed by one thread while another is inside the job, and the reverse.
TEST_F(BothFaces, come_and_go_beside_each_other) {
  {
    TestJob job;
    std::thread worker([&job] { job.pass(100); });
    for (int i = 1; i <= 4; ++i) {
      TestContext context(MPI_COMM_WORLD, i);
      context.pass(2);
      EXPECT_TRUE(is_right(context));
    }
    worker.join();
  }
  TestContext context(MPI_COMM_WORLD, 1);
  std::thread worker([&context] { context.pass(100); });
  for (int i = 0; i < 4; ++i) TestJob().pass(2);
  worker.join();
  EXPECT_TRUE(is_right(context));
}

}  // namespace
}  // namespace halocline::test
