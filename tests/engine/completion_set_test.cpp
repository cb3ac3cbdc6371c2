// Sets of requests: when they are complete, and what they keep of failures.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "core_rig.hpp"
#include "support/cases.hpp"

namespace halocline::test {
namespace {

using core::Completion;
using core::CompletionSet;
using core::Status;

constexpr std::int64_t kBytes = 100'000;

/// A byte that names its writer and the step, and is never 0.
char byte_of(int from, int step, std::int64_t i) { return static_cast<char>(1 + (from * 31 + step * 7 + i) % 127); }

void fill(std::vector<char> &bytes, int step) {
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = byte_of(rank(), step, static_cast<std::int64_t>(i));
}

/// Puts the bytes to all ranks, in several requests each.
void put_to_all(CoreRig &rig, const std::vector<char> &bytes, CompletionSet &set) {
  for (int to = 0; to < size(); ++to) {
    core::RemoteMemory &memory = rig.data_of(to);
    for (std::int64_t begin = 0; begin < kBytes; begin += kBytes / 5)
      EXPECT_TRUE(ok(put("test", core::Target{memory, rank() * kBytes + begin}, {bytes.data() + begin, kBytes / 5})));
    if (!memory.is_near()) set.note(to);
  }
}

void expect_data(CoreRig &rig, int step) {
  for (int from = 0; from < size(); ++from) {
    const char *found = rig.data.mine().data() + from * kBytes;
    std::int64_t wrong = 0;
    for (std::int64_t i = 0; i < kBytes; ++i) wrong += found[i] != byte_of(from, step, i) ? 1 : 0;
    EXPECT_EQ(wrong, 0) << "of rank " << from << " in step " << step;
  }
}

TEST(CompletionSet, of_remote_completion_has_its_data_at_the_targets) {
  CoreRig rig(kBytes * size());
  CompletionSet set(Completion::remote);
  std::vector<char> bytes(kBytes);
  for (int step = 1; step <= 20; ++step) {
    fill(bytes, step);
    put_to_all(rig, bytes, set);
    EXPECT_TRUE(ok(rig.until([&] { return set.look(rig.requests(), "test"); })));
    std::atomic_thread_fence(std::memory_order_seq_cst);
    rig.meet();
    expect_data(rig, step);
    rig.meet();
  }
}

/// The bytes are overwritten at once: what arrives is what they were.
TEST(CompletionSet, of_local_completion_gives_its_sources_back) {
  CoreRig rig(kBytes * size());
  CompletionSet local, remote(Completion::remote);
  std::vector<char> bytes(kBytes);
  for (int step = 1; step <= 20; ++step) {
    fill(bytes, step);
    put_to_all(rig, bytes, local);
    EXPECT_TRUE(ok(rig.until([&] { return local.look(rig.requests(), "test"); })));
    std::fill(bytes.begin(), bytes.end(), char{});
    if (rig.requests()) remote.add(rig.requests()->begin_flushes(true));
    EXPECT_TRUE(ok(rig.until([&] { return remote.look(rig.requests(), "test"); })));
    std::atomic_thread_fence(std::memory_order_seq_cst);
    rig.meet();
    expect_data(rig, step);
    rig.meet();
  }
}

TEST(CompletionSet, keeps_its_first_failure_until_it_is_cleared) {
  CoreRig rig(kBytes * size());
  CompletionSet set;
  EXPECT_TRUE(ok(set.look(rig.requests(), "test")));
  set.note_failure(core::fail(Status::peer_died, "the first"), 3);
  set.note_failure(core::fail(Status::state, "the second"), 5);
  set.note_failure(core::fail(Status::state, "the third"), 3);
  for (int time = 0; time < 2; ++time) {
    static_cast<void>(core::fail(Status::state, "another call"));
    EXPECT_EQ(set.look(rig.requests(), "test"), Status::peer_died);
    EXPECT_EQ(std::string(core::error_message()), "the first");
  }
  EXPECT_EQ(set.failed_ranks(), (std::vector<int>{3, 5}));
  set.clear();
  EXPECT_TRUE(set.failed_ranks().empty());
  EXPECT_TRUE(ok(set.look(rig.requests(), "test")));
}

TEST(CompletionSet, gives_each_failure_once) {
  CoreRig rig(kBytes * size());
  CompletionSet set;
  EXPECT_TRUE(ok(set.take_failure()));
  set.note_failure(core::fail(Status::peer_died, "the first"), 3);
  set.note_failure(core::fail(Status::state, "the second"), 5);
  set.note_failure(core::fail(Status::state, "the third"), 3);
  EXPECT_EQ(set.take_failure(), Status::peer_died);
  EXPECT_EQ(std::string(core::error_message()), "the first");
  EXPECT_EQ(set.failed_ranks(), (std::vector<int>{5}));
  EXPECT_EQ(set.look(rig.requests(), "test"), Status::state);
  EXPECT_EQ(set.take_failure(), Status::state);
  EXPECT_EQ(std::string(core::error_message()), "the second");
  EXPECT_TRUE(ok(set.take_failure()));
  EXPECT_TRUE(ok(set.look(rig.requests(), "test")));
}

TEST(RankSet, holds_each_rank_once) {
  core::RankSet set;
  std::vector<int> expected;
  Random random(mixed(seed() + static_cast<std::uint64_t>(rank())));
  for (int i = 0; i < 1000; ++i) {
    const int r = static_cast<int>(between(random, 0, 500));
    if (set.contains(r) && i % 2 == 0)
      set.remove(r), std::erase(expected, r);
    else if (!set.contains(r))
      set.add(r), expected.push_back(r);
    EXPECT_EQ(set.size(), expected.size());
  }
  std::sort(expected.begin(), expected.end());
  std::vector<int> taken;
  set.take_all([&](int r) { taken.push_back(r); });
  EXPECT_EQ(taken, expected);
  EXPECT_TRUE(set.empty());
}

}  // namespace
}  // namespace halocline::test
