// See ranks.hpp. Defines what support/mpi_main.cpp defines for real launches, and the main function, which prints a line per test and one
// of totals.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "threads/ranks.hpp"

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "threads/mpi/world.hpp"

namespace halocline::test {
namespace {

thread_local int my_rank = 0, my_size = 1;
thread_local hlc_context *my_context = nullptr;
std::uint64_t the_seed = 0;

/// One line per test, as every test program of the project prints them.
class Reporter : public testing::EmptyTestEventListener {
 public:
  int passed = 0, failed = 0;

  void OnTestPartResult(const testing::TestPartResult &part) override {
    if (part.failed()) std::printf("  %s:%d\n  %s\n", part.file_name() ? part.file_name() : "?", part.line_number(), part.message());
    std::fflush(stdout);
  }
  void OnTestEnd(const testing::TestInfo &info) override {
    ++(info.result()->Passed() ? passed : failed);
    std::printf("%s %s.%s (%lld ms)\n", info.result()->Passed() ? "ok  " : "FAIL", info.test_suite_name(), info.name(),
                static_cast<long long>(info.result()->elapsed_time()));
    std::fflush(stdout);
  }
};

}  // namespace

int rank() { return my_rank; }
int size() { return my_size; }
hlc_context *context() { return my_context; }
std::uint64_t seed() { return the_seed; }

bool everyone(bool mine) {
  int vote = mine ? 1 : 0, all = 1;
  MPI_Allreduce(&vote, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  return all == 1;
}

testing::AssertionResult is_status(hlc_status expected, hlc_status status) {
  if (status == expected) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "rank " << my_rank << " of " << my_size << ": expected " << hlc_status_name(expected) << ", got "
                                     << hlc_status_name(status) << ": " << hlc_error_message();
}

testing::AssertionResult ok(hlc_status status) { return is_status(HLC_OK, status); }

void as_ranks(int ranks, const std::function<void()> &body) {
  threads::play(ranks, static_cast<unsigned>(the_seed), [&] {
    my_rank = threads::world_rank();
    my_size = ranks;
    EXPECT_TRUE(ok(hlc_init(MPI_COMM_WORLD, &my_context)));
    body();
    EXPECT_TRUE(ok(hlc_finalise(&my_context)));
  });
}

}  // namespace halocline::test

int main(int argc, char **argv) {
  using namespace halocline::test;
  testing::InitGoogleTest(&argc, argv);
  const char *given = std::getenv("HALOCLINE_TEST_SEED");
  the_seed = given ? std::strtoull(given, nullptr, 10)
                   : static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count() % 1000000007);
  std::printf("HALOCLINE_TEST_SEED=%llu\n", static_cast<unsigned long long>(the_seed));
  if (const char *seconds = std::getenv("HALOCLINE_TEST_WATCHDOG")) alarm(static_cast<unsigned>(std::atoi(seconds)));

  auto &listeners = testing::UnitTest::GetInstance()->listeners();
  delete listeners.Release(listeners.default_result_printer());
  auto *reporter = new Reporter;  // the listeners own it
  listeners.Append(reporter);
  const int status = RUN_ALL_TESTS();
  std::printf("%d passed, %d failed, 0 skipped\n", reporter->passed, reporter->failed);
  return status != 0 || reporter->passed == 0 ? 1 : 0;
}
