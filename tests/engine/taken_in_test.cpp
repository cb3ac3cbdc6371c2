// A segment call polls the network while it waits for something else. What it receives wakes the ranks of the node that sleep until then.
// Run with HALOCLINE_PROGRESS=thread, where the doorbell ends a sleep on the doorbell: here nothing else ends it for 20 seconds.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <dlfcn.h>
#include <linux/futex.h>
#include <sys/syscall.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdarg>
#include <ctime>
#include <thread>

#include "engine/segments.hpp"

namespace {

constexpr std::timespec kLongSleep{20, 0};
std::atomic<bool> sleeps_long{false};
std::atomic<std::int64_t> *sleeps = nullptr;  // how many have begun, in memory that the node's ranks share
std::atomic<int> slept_through{0};

}  // namespace

/// Replaces the library's sleeps.
extern "C" __attribute__((visibility("default"))) long syscall(long number, ...) noexcept {
  static const auto real = reinterpret_cast<long (*)(long, ...)>(dlsym(RTLD_NEXT, "syscall"));
  std::array<long, 6> given{};
  va_list list;
  va_start(list, number);
  for (long &word : given) word = va_arg(list, long);
  va_end(list);
  const bool is_sleep = number == SYS_futex && given[1] == FUTEX_WAIT && sleeps_long.load();
  if (is_sleep) given[3] = reinterpret_cast<long>(&kLongSleep);
  if (is_sleep) *sleeps += 1;
  const long result = real(number, given[0], given[1], given[2], given[3], given[4], given[5]);
  if (!is_sleep) return result;
  if (result != 0 && errno == ETIMEDOUT) slept_through += 1;
  return result;
}

namespace halocline::test {
namespace {

/// One rank of a node sleeps until a notification to another rank of the node arrives. That other rank repeatedly fetches a number from the
/// sender, and receives the notification meanwhile. The number may be in a segment of another context.
class Night {
 public:
  explicit Night(hlc_segment *numbers = nullptr)
      : segment_(8, 4, true),
        numbers_(numbers ? numbers : segment_.raw()),
        sleeper_(nodes_.some_rank_of(0, 0)),
        taker_(nodes_.some_rank_of(0, 1)),
        sender_(nodes_.some_rank_of(1, 0)) {}

  /// False if the sleeper was not woken.
  bool pass(std::int64_t round) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank() == sleeper_) sleep(round);
    if (rank() == taker_) take_in(round);
    if (rank() == sender_) send(round);
    int missed = slept_through.load();
    MPI_Bcast(&missed, 1, MPI_INT, sleeper_, MPI_COMM_WORLD);
    return missed == 0;
  }

 private:
  std::atomic<std::int64_t> *sleeps_of_sleeper() const {
    hlc_segment_info_t info{};
    EXPECT_TRUE(ok(hlc_segment_info(segment_.raw(), sleeper_, &info)));
    return static_cast<std::atomic<std::int64_t> *>(info.data);
  }

  void sleep(std::int64_t round) {
    int id = -1;
    std::uint32_t value = 0;
    sleeps = sleeps_of_sleeper();
    sleeps_long = true;
    const std::int64_t before = *sleeps;
    MPI_Send(&before, 1, MPI_INT64_T, taker_, 0, MPI_COMM_WORLD);
    EXPECT_TRUE(ok(hlc_notify_wait(segment_.raw(), {2, 1}, &id)));
    sleeps_long = false;
    EXPECT_TRUE(ok(hlc_notify_reset(segment_.raw(), 2, &value)));
    EXPECT_EQ(value, static_cast<std::uint32_t>(round));
  }

  void take_in(std::int64_t round) {
    constexpr hlc_action read{HLC_OP_READ, HLC_NUMBER_INT64};
    const std::atomic<std::int64_t> &begun = *sleeps_of_sleeper();
    std::int64_t before = 0;
    MPI_Recv(&before, 1, MPI_INT64_T, sleeper_, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    while (begun == before) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    MPI_Send(nullptr, 0, MPI_INT, sender_, 0, MPI_COMM_WORLD);
    for (std::int64_t sent = 0; sent < round;) EXPECT_TRUE(ok(hlc_fetch_op({numbers_, sender_, 0}, read, nullptr, &sent)));
  }

  void send(std::int64_t round) {
    MPI_Recv(nullptr, 0, MPI_INT, taker_, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    EXPECT_TRUE(ok(hlc_notify(segment_.raw(), taker_, {2, static_cast<std::uint32_t>(round)})));
    EXPECT_TRUE(ok(hlc_atomic_fetch_add({numbers_, sender_, 0}, HLC_NUMBER_INT64, 1, nullptr)));
  }

  Nodes nodes_;
  TestSegment segment_;
  hlc_segment *numbers_;
  int sleeper_, taker_, sender_;
};

TEST(TakenIn, by_a_call_that_waits_for_something_else_wakes_those_who_sleep) {
  Night night;
  bool woken = true;
  for (std::int64_t round = 1; round <= 100 && woken; ++round) woken = night.pass(round);
  EXPECT_TRUE(woken) << "the sleeper was not woken";
}

TEST(TakenIn, by_a_call_in_another_context_wakes_those_who_sleep) {
  hlc_context *other = nullptr;
  hlc_segment *numbers = nullptr;
  const hlc_segment_spec spec{8, 0, 0};
  REQUIRE_EVERYWHERE(hlc_init(MPI_COMM_WORLD, &other) == HLC_OK);
  REQUIRE_EVERYWHERE(hlc_segment_create(other, &spec, &numbers) == HLC_OK);
  {
    Night night(numbers);
    bool woken = true;
    for (std::int64_t round = 1; round <= 100 && woken; ++round) woken = night.pass(round);
    EXPECT_TRUE(woken) << "the sleeper was not woken";
  }
  EXPECT_TRUE(ok(hlc_segment_free(&numbers)));
  EXPECT_TRUE(ok(hlc_finalise(&other)));
}

}  // namespace
}  // namespace halocline::test
