// A rank that stops (SIGSTOP) for longer than its neighbours spin and yield, and then continues. It stops at each stage of a swap, or at
// any moment. No rank takes it for dead, nothing is lost, every value is right. HALOCLINE_TEST_STOP_MS sets how long it stops.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "support/rig.hpp"

extern char **environ;

namespace halocline::test {
namespace {

std::string stop_seconds() {
  const char *given = std::getenv("HALOCLINE_TEST_STOP_MS");
  return std::to_string((given ? std::atoi(given) : 40) / 1000.0);
}

/// Starts a shell command; its words $PID name this process.
pid_t start_shell(std::string command) {
  for (std::size_t at = command.find("$PID"); at != std::string::npos; at = command.find("$PID"))
    command.replace(at, 4, std::to_string(getpid()));
  std::string shell = "sh", flag = "-c";
  char *arguments[] = {shell.data(), flag.data(), command.data(), nullptr};
  pid_t child = -1;
  EXPECT_EQ(posix_spawnp(&child, "sh", nullptr, nullptr, arguments, environ), 0);
  return child;
}

/// Stops here and now.
void stand_still() {
  const pid_t child = start_shell("sleep " + stop_seconds() + "; kill -CONT $PID");
  raise(SIGSTOP);
  waitpid(child, nullptr, 0);
}

class StandStill : public testing::TestWithParam<ModeChoice> {
 protected:
  void SetUp() override {
    if (size() < 2) GTEST_SKIP() << "needs a rank that stands still and one that waits";
  }
  Random random_{13};
};

TEST_P(StandStill, before_start_or_between_start_and_finish_loses_nothing) {
  Rig rig(plain_case("stop", decompose(size(), 2, {2, 4}, 0b11, random_), 1, 2), GetParam());
  if (!rig.ready()) return;
  for (int step = 1; step <= 6; ++step) {
    const bool mine = step / 2 % size() == rank();
    rig.fill(step);
    if (mine && step % 2 == 0) stand_still();
    EXPECT_TRUE(ok(hlc_halo_start(rig.halo(), nullptr)));
    if (mine && step % 2 == 1) stand_still();
    EXPECT_TRUE(ok(hlc_halo_finish(rig.halo())));
    rig.expect(step);
  }
}

/// What the callbacks of an exchange around the ring do.
struct Ring {
  int step = 0;
  bool stops_in_pack = false, stops_in_unpack = false;
  std::int64_t came = -1;
};

std::int64_t stamp(int sender, int step) { return 1000 * sender + step; }

void pack_stamp(int, void *buffer, void *user) {
  auto *ring = static_cast<Ring *>(user);
  const std::int64_t mine = stamp(rank(), ring->step);
  std::memcpy(buffer, &mine, sizeof mine);
  if (ring->stops_in_pack) stand_still();
}

void unpack_stamp(int, const void *buffer, void *user) {
  auto *ring = static_cast<Ring *>(user);
  if (ring->stops_in_unpack) stand_still();
  std::memcpy(&ring->came, buffer, sizeof ring->came);
}

TEST_P(StandStill, while_packing_or_unpacking_loses_nothing) {
  const int before = (rank() + size() - 1) % size(), after = (rank() + 1) % size();
  const hlc_neighbour neighbours[] = {{after, 1, 0, 8, 0}, {before, 0, 1, 0, 8}};
  Ring ring;
  hlc_exchange_spec spec{};
  spec.nneighbours = 2;
  spec.neighbours = neighbours;
  spec.pack = pack_stamp;
  spec.unpack = unpack_stamp;
  spec.user = &ring;
  spec.mode = GetParam().mode;
  spec.epoch = GetParam().epoch;
  spec.drive = GetParam().drive;
  hlc_exchange *exchange = nullptr;
  REQUIRE_EVERYWHERE(hlc_exchange_create(context(), &spec, &exchange) == HLC_OK);
  for (int step = 1; step <= 8; ++step) {
    ring = {step, step % 4 == 1 && rank() == 0, step % 4 == 3 && rank() == 1, -1};
    EXPECT_TRUE(ok(hlc_exchange_start(exchange)));
    EXPECT_TRUE(ok(hlc_exchange_finish(exchange)));
    EXPECT_EQ(ring.came, stamp(before, step));
  }
  EXPECT_TRUE(ok(hlc_exchange_destroy(&exchange)));
}

TEST_P(StandStill, at_any_moment_loses_nothing) {
  Rig rig(plain_case("any moment", decompose(size(), 2, {2, 4}, 0b11, random_), 1, 2), GetParam());
  if (!rig.ready()) return;
  const bool mine = rank() == size() - 1;
  pid_t child = -1;
  if (mine) child = start_shell("for i in 1 2 3; do sleep 0.007; kill -STOP $PID; sleep " + stop_seconds() + "; kill -CONT $PID; done");
  int step = 0;
  do {
    for (int i = 0; i < 20; ++i) rig.swap_once(++step);
  } while (!everyone(!mine || waitpid(child, nullptr, WNOHANG) != 0));
}

FOR_ALL_MODES(StandStill);

}  // namespace
}  // namespace halocline::test
