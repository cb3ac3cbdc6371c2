// The main function of GoogleTest programs under MPI. All ranks run the same tests in the same order, and agree on the result of each. Rank
// 0 then prints one line, with the failures of every rank. All ranks have the same exit status: 0 if all passed, 1 if one failed or nothing
// ran. It is 77 if every test was skipped.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <execinfo.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <vector>

#include "common/yielding.hpp"
#include "support/mpi_test.hpp"

namespace halocline::test {
namespace {

struct Launch {
  int rank = 0;
  int size = 0;
  MPI_Comm comm = MPI_COMM_NULL;
  hlc_context *context = nullptr;
  std::uint64_t seed = 0;
  bool ends_at_failure = false;
};

Launch launch;
char running[512] = "the start-up";

/// Names the test that hangs, with this rank's call stack, and ends the process before ctest kills it without a message.
void report_hang(int) {
  char line[600];
  const int length = std::snprintf(line, sizeof line, "rank %d hangs in %s\n", launch.rank, running);
  if (length > 0 && write(STDERR_FILENO, line, static_cast<size_t>(length)) < 0) _exit(1);
  void *frames[32];
  backtrace_symbols_fd(frames, backtrace(frames, 32), STDERR_FILENO);
  _exit(1);
}

void start_watchdog() {
  const char *seconds = std::getenv("HALOCLINE_TEST_WATCHDOG");
  if (!seconds) return;
  void *frame = nullptr;
  backtrace(&frame, 1);  // loads what backtrace needs, which a signal handler must not do
  signal(SIGALRM, report_hang);
  alarm(static_cast<unsigned>(std::atoi(seconds)));
}

/// HALOCLINE_TEST_FAIL_FAST=SECONDS: the library waits no longer than that. The first failure of any rank ends the launch, because the
/// other ranks may wait for that one in vain.
void choose_patience() {
  const char *seconds = std::getenv("HALOCLINE_TEST_FAIL_FAST"), *given = std::getenv("HALOCLINE_TIMEOUT");
  launch.ends_at_failure = seconds != nullptr;
  if (seconds && (!given || std::atoi(given) > std::atoi(seconds))) setenv("HALOCLINE_TIMEOUT", seconds, 1);
}

/// Any thread may call MPI at any time; with --threads=serialized one at a time.
int level_of_threads(int argc, char **argv) {
  const auto is_asked = [](const char *word) { return std::strcmp(word, "--threads=serialized") == 0; };
  return std::any_of(argv, argv + argc, is_asked) ? MPI_THREAD_SERIALIZED : MPI_THREAD_MULTIPLE;
}

void reduce(const int *mine, int *all, int count, MPI_Op op) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(mine, all, count, MPI_INT, op, launch.comm, &request);
  common::finish_yielding(request);
}

std::uint64_t agree_on_seed() {
  const char *given = std::getenv("HALOCLINE_TEST_SEED");
  std::uint64_t seed = given ? std::strtoull(given, nullptr, 10)
                             : static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count() % 1000000007);
  MPI_Bcast(&seed, 1, MPI_UINT64_T, 0, launch.comm);
  return seed;
}

/// Concatenates the ranks' texts on rank 0.
std::string gather(const std::string &mine) {
  const int length = static_cast<int>(mine.size());
  std::vector<int> lengths(static_cast<size_t>(launch.size)), offsets(static_cast<size_t>(launch.size));
  MPI_Gather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, 0, launch.comm);
  int total = 0;
  for (int r = 0; launch.rank == 0 && r < launch.size; ++r) {
    offsets[static_cast<size_t>(r)] = total;
    total += lengths[static_cast<size_t>(r)];
  }
  std::string all(static_cast<size_t>(total), ' ');
  MPI_Gatherv(mine.data(), length, MPI_CHAR, all.data(), lengths.data(), offsets.data(), MPI_CHAR, 0, launch.comm);
  return all;
}

/// Collects the results of this rank and, at each test's end, those of all ranks.
class Reporter : public testing::EmptyTestEventListener {
 public:
  int passed = 0, failed = 0, skipped = 0;

  void OnTestStart(const testing::TestInfo &info) override {
    std::snprintf(running, sizeof running, "%s.%s", info.test_suite_name(), info.name());
    texts_.clear();
    parts_ = 0;
    skipped_here_ = false;
  }

  void OnTestPartResult(const testing::TestPartResult &part) override {
    if (part.passed()) return;
    const std::lock_guard<std::mutex> one_at_a_time(mutex_);  // a test's threads report here too
    if (part.skipped())
      skipped_here_ = true;
    else if (++parts_ > most_shown)
      return;
    const char *file = part.file_name() ? part.file_name() : "unknown file";
    texts_ += "    rank " + std::to_string(launch.rank) + ": " + file + ":" + std::to_string(part.line_number()) + "\n" +
              indented(part.message());
    if (launch.ends_at_failure && part.failed()) end_launch();
  }

  void OnTestEnd(const testing::TestInfo &info) override {
    int mine[2] = {parts_, skipped_here_ ? 1 : 0}, all[2] = {0, 0};
    reduce(mine, all, 2, MPI_SUM);
    const bool fails = all[0] > 0, skips = !fails && all[1] > 0;
    ++(fails ? failed : skips ? skipped : passed);
    const std::string texts = fails ? gather(texts_) : skips ? texts_ : std::string();  // all ranks skip for one reason
    if (launch.rank != 0) return;
    std::printf("%s %s (%lld ms)\n%s",
                fails   ? "FAIL"
                : skips ? "skip"
                        : "ok  ",
                running, static_cast<long long>(info.result()->elapsed_time()), texts.c_str());
    std::fflush(stdout);
  }

 private:
  static constexpr int most_shown = 5;

  [[noreturn]] void end_launch() const {
    std::printf("FAIL %s\n%s", running, texts_.c_str());
    std::fflush(stdout);
    MPI_Abort(launch.comm, 1);
    std::_Exit(1);
  }

  static std::string indented(const char *text) {
    std::string result = "      ";
    for (; *text; ++text) result += *text == '\n' ? std::string("\n      ") : std::string(1, *text);
    return result + "\n";
  }

  std::mutex mutex_;
  std::string texts_;
  int parts_ = 0;
  bool skipped_here_ = false;
};

int run_all_tests() {
  testing::TestEventListeners &listeners = testing::UnitTest::GetInstance()->listeners();
  delete listeners.Release(listeners.default_result_printer());
  auto *reporter = new Reporter;  // the listeners own it
  listeners.Append(reporter);

  // The seed shows what to set to repeat a run.
  launch.seed = agree_on_seed();
  if (launch.rank == 0) std::printf("%d ranks, HALOCLINE_TEST_SEED=%llu\n", launch.size, static_cast<unsigned long long>(launch.seed));
  [[maybe_unused]] const int mine = RUN_ALL_TESTS();  // the reporter knows the result of all ranks

  int failed = reporter->failed;
  std::snprintf(running, sizeof running, "hlc_finalise");
  if (hlc_finalise(&launch.context) != HLC_OK) {
    std::printf("rank %d: hlc_finalise: %s\n", launch.rank, hlc_error_message());
    ++failed;
  }
  const int failed_here = failed;
  reduce(&failed_here, &failed, 1, MPI_MAX);
  if (launch.rank == 0) std::printf("%d passed, %d failed, %d skipped\n", reporter->passed, failed, reporter->skipped);
  std::fflush(stdout);
  if (failed > 0) return 1;
  return reporter->passed > 0 ? 0 : reporter->skipped > 0 ? 77 : 1;
}

}  // namespace

int rank() { return launch.rank; }
int size() { return launch.size; }
hlc_context *context() { return launch.context; }
std::uint64_t seed() { return launch.seed; }

bool everyone(bool mine) {
  const int here = mine ? 1 : 0;
  int all = 0;
  reduce(&here, &all, 1, MPI_MIN);
  return all == 1;
}

hlc_status open_context(MPI_Comm comm, hlc_context **opened) {
  constexpr int kTries = 10;
  hlc_status status = HLC_OK;
  for (int tries = 0; tries < kTries; ++tries) {
    status = hlc_init(comm, opened);
    if (everyone(status == HLC_OK)) return HLC_OK;
    if (!everyone(status == HLC_OK || status == HLC_ERR_TIMEOUT)) break;
    if (*opened) [[maybe_unused]]
      const hlc_status closed = hlc_finalise(opened);
  }
  return status == HLC_OK ? HLC_ERR_TIMEOUT : status;
}

testing::AssertionResult is_status(hlc_status expected, hlc_status status) {
  if (status == expected) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "expected " << hlc_status_name(expected) << ", got " << hlc_status_name(status)
                                     << (status > HLC_AGAIN ? std::string(": ") + hlc_error_message() : std::string());
}

testing::AssertionResult ok(hlc_status status) { return is_status(HLC_OK, status); }

}  // namespace halocline::test

int main(int argc, char **argv) {
  using halocline::test::launch;
  int provided = 0;
  halocline::test::choose_patience();
  MPI_Init_thread(&argc, &argv, halocline::test::level_of_threads(argc, argv), &provided);
  MPI_Comm_dup(MPI_COMM_WORLD, &launch.comm);
  MPI_Comm_rank(launch.comm, &launch.rank);
  MPI_Comm_size(launch.comm, &launch.size);
  testing::InitGoogleTest(&argc, argv);
  halocline::test::start_watchdog();

  if (halocline::test::open_context(launch.comm, &launch.context) != HLC_OK) {
    std::fprintf(stderr, "rank %d: hlc_init: %s\n", launch.rank, hlc_error_message());
    MPI_Abort(launch.comm, 1);
  }
  const int status = halocline::test::run_all_tests();
  MPI_Comm_free(&launch.comm);
  MPI_Finalize();
  return status;
}
