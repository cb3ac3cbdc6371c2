// Groups of the engine: subsets of the ranks, known to each by another handle, with late members.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <cstring>
#include <functional>
#include <vector>

#include "core_rig.hpp"
#include "support/skew.hpp"

namespace halocline::test {
namespace {

using core::Status;

constexpr std::int64_t kWord = sizeof(std::uint64_t);

/// Chooses members by rank.
using Choice = std::function<bool(int)>;

/// A group of the chosen ranks as one of them sees it; any other rank has none.
class Subset {
 public:
  Subset(CoreRig &rig, const Choice &chosen, int handle) : rig_(rig) {
    core::GroupMembers members;
    for (int r = size() - 1; r >= 0; --r)
      if (chosen(r)) members.add(r);
    group.define(members);
    if (chosen(rank())) {
      EXPECT_TRUE(ok(rig.until([&] { return group.commit(rig.resources, handle); })));
    }
  }
  Subset(const Subset &) = delete;
  Subset &operator=(const Subset &) = delete;
  ~Subset() { group.remove(rig_.resources); }

  const core::GroupMembers &members() const { return group.members(); }
  bool has_me() const { return members().contains(rank()); }
  Status barrier() {
    return rig_.until([&] { return group.barrier(rig_.resources); });
  }
  Status reduce(const core::SmallReduction &reduction) {
    return rig_.until([&] { return group.reduce(rig_.resources, reduction); });
  }

  core::Group group;

 private:
  CoreRig &rig_;
};

/// No two ranks take the same for a group, where there are few.
int my_handle(int number) { return 1 + (rank() + 3 * number) % (CoreRig::kGroups - 1); }

std::uint64_t word_of(int from, std::uint64_t step) { return static_cast<std::uint64_t>(from + 1) << 32 | step; }

/// The place of what a rank writes in a step. A member may be one step ahead, and then writes to the other half.
std::int64_t place_of(int from, std::uint64_t step) { return kWord * (from + size() * static_cast<std::int64_t>(step % 2)); }

/// Each member writes to all, meets them, and must find what all have written.
void write_and_meet(CoreRig &rig, Subset &subset, int steps) {
  Skew skew(static_cast<std::uint64_t>(subset.members().size()));
  std::array<std::uint64_t, 2> mine{};
  for (std::uint64_t step = 1; step <= static_cast<std::uint64_t>(steps); ++step) {
    skew.delay();
    mine[step % 2] = word_of(rank(), step);
    for (int index = 0; index < subset.members().size(); ++index) {
      core::RemoteMemory &memory = rig.data_of(subset.members().rank_at(index));
      EXPECT_TRUE(ok(put("test", core::Target{memory, place_of(rank(), step)}, {&mine[step % 2], kWord})));
      if (!memory.is_near()) rig.resources.written.note(memory.rank());
    }
    EXPECT_TRUE(ok(subset.barrier()));
    for (int index = 0; index < subset.members().size(); ++index) {
      const int from = subset.members().rank_at(index);
      std::uint64_t found = 0;
      std::memcpy(&found, rig.data.mine().data() + place_of(from, step), sizeof found);
      EXPECT_EQ(found, word_of(from, step)) << "of rank " << from;
    }
  }
}

TEST(Group, barrier_of_some_ranks_shows_what_its_members_have_written) {
  const std::vector<Choice> choices{[](int) { return true; }, [](int r) { return r % 2 == 0; }, [](int r) { return r > 0; },
                                    [](int r) { return r == 0 || r == size() - 1; }};
  for (std::size_t i = 0; i < choices.size(); ++i) {
    CoreRig rig(2 * kWord * size());
    Subset subset(rig, choices[i], my_handle(static_cast<int>(i)));
    if (subset.has_me()) write_and_meet(rig, subset, 200);
  }
}

TEST(Group, of_all_ranks_has_one_handle_and_meets) {
  CoreRig rig(2 * kWord * size());
  core::Group all;
  all.define(core::GroupMembers(size()));
  EXPECT_TRUE(ok(rig.until([&] { return all.commit(rig.resources, 0); })));
  Skew skew(99);
  for (int step = 0; step < 100; ++step) {
    skew.delay();
    EXPECT_TRUE(ok(rig.until([&] { return all.barrier(rig.resources); })));
  }
}

/// Both have begun before one of them is continued.
TEST(Group, barrier_goes_on_beside_that_of_another_group) {
  CoreRig rig(kWord);
  Subset first(rig, [](int) { return true; }, my_handle(0)), second(rig, [](int r) { return r > 0 || size() == 1; }, my_handle(1));
  Skew skew(5);
  for (int step = 0; step < 100; ++step) {
    skew.delay();
    Status one = first.group.barrier(rig.resources), two = second.has_me() ? Status::again : Status::ok;
    const Status passed = rig.until([&] {
      if (two == Status::again) two = second.group.barrier(rig.resources);
      if (one == Status::again) one = first.group.barrier(rig.resources);
      return failed(one) || failed(two) ? Status::state : one == Status::again ? one : two;
    });
    EXPECT_TRUE(ok(passed));
  }
}

TEST(Group, call_returns_until_a_late_member_has_come) {
  if (size() == 1) GTEST_SKIP() << "no member can be late";
  CoreRig rig(kWord);
  Subset subset(rig, [](int r) { return r < 2; }, my_handle(0));
  if (rank() == 0) {
    EXPECT_EQ(subset.group.barrier(rig.resources), Status::again);
    EXPECT_TRUE(subset.group.is_busy(core::Group::Call::reduction));
    EXPECT_FALSE(subset.group.is_busy(core::Group::Call::barrier));
    EXPECT_EQ(subset.group.barrier(rig.resources), Status::again);
    MPI_Send(nullptr, 0, MPI_INT, 1, 0, MPI_COMM_WORLD);
  } else if (rank() == 1) {
    MPI_Recv(nullptr, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  if (subset.has_me()) {
    EXPECT_TRUE(ok(subset.barrier()));
  }
  EXPECT_FALSE(subset.group.is_busy(core::Group::Call::none));
}

/// x -> factor x + summand, to be composed: the order counts, the brackets do not.
struct Affine {
  std::uint64_t factor, summand;
};

Affine affine_of(int from, std::uint64_t step, std::size_t i) {
  const std::uint64_t word = word_of(from, step) + 7 * i;
  return {core::mix(1, word) | 1, core::mix(2, word)};
}

Status compose(const void *what, void *value, const void *other) {
  auto *first = static_cast<Affine *>(value);
  const auto *second = static_cast<const Affine *>(other);
  for (std::size_t i = 0; i < *static_cast<const std::size_t *>(what); ++i)
    first[i] = {first[i].factor * second[i].factor, first[i].factor * second[i].summand + first[i].summand};
  return Status::ok;
}

std::vector<Affine> composed(const core::GroupMembers &members, std::uint64_t step, std::size_t count) {
  std::vector<Affine> all(count, Affine{1, 0}), one(count);
  for (int index = 0; index < members.size(); ++index) {
    for (std::size_t i = 0; i < count; ++i) one[i] = affine_of(members.rank_at(index), step, i);
    EXPECT_TRUE(ok(compose(&count, all.data(), one.data())));
  }
  return all;
}

/// Up to five pieces of a slot, with a barrier now and then between.
TEST(Group, reduction_combines_in_the_order_of_its_members) {
  CoreRig rig(kWord);
  Subset subset(rig, [](int r) { return r != 1 || size() < 3; }, my_handle(2));
  Skew skew(3);
  for (std::uint64_t step = 1; subset.has_me() && step <= 100; ++step) {
    Random same(mixed(seed() + step));
    const auto count = static_cast<std::size_t>(between(same, 1, step % 3 == 0 ? 300 : 20));
    std::vector<Affine> mine(count), all(count);
    for (std::size_t i = 0; i < count; ++i) mine[i] = affine_of(rank(), step, i);
    skew.delay();
    const auto bytes = static_cast<std::int64_t>(count * sizeof(Affine));
    EXPECT_TRUE(ok(subset.reduce({mine.data(), all.data(), bytes, compose, &count})));
    const std::vector<Affine> expected = composed(subset.members(), step, count);
    EXPECT_EQ(std::memcmp(all.data(), expected.data(), static_cast<std::size_t>(bytes)), 0) << count << " elements in step " << step;
    if (step % 7 == 0) {
      EXPECT_TRUE(ok(subset.barrier()));
    }
  }
}

/// The next group of the same members meets, though its members know it by the handles of others before.
TEST(Group, may_be_removed_and_made_again) {
  CoreRig rig(kWord);
  for (int i = 0; i < 20; ++i) {
    Subset subset(rig, [](int r) { return r < 3; }, my_handle(i));
    if (subset.has_me()) {
      EXPECT_TRUE(ok(subset.barrier()));
    }
  }
}

}  // namespace
}  // namespace halocline::test
