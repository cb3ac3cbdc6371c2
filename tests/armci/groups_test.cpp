// Groups of ranks, their memory and their messages; and which ranks share a node.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "armci_test.hpp"

namespace halocline::test {
namespace {

/// The ranks of a group in its order, and the caller's place in it, or -1.
struct Members {
  std::vector<int> ranks;
  int place() const {
    const auto found = std::find(ranks.begin(), ranks.end(), rank());
    return found == ranks.end() ? -1 : static_cast<int>(found - ranks.begin());
  }
};

Members even_ranks() {
  Members members;
  for (int r = 0; r < size(); r += 2) members.ranks.push_back(r);
  return members;
}

Members all_but_the_first() {
  Members members;
  for (int r = size() == 1 ? 0 : 1; r < size(); ++r) members.ranks.push_back(r);
  return members;
}

TEST(ArmciGroup, of_the_world_has_all_ranks_in_order) {
  ARMCI_Group world;
  ARMCI_Group_get_world(&world);
  int number = -1, me = -1;
  ARMCI_Group_size(&world, &number);
  EXPECT_EQ(ARMCI_Group_rank(&world, &me), 0);
  EXPECT_EQ(number, size());
  EXPECT_EQ(me, rank());
  for (int r = 0; r < size(); ++r) EXPECT_EQ(ARMCI_Absolute_id(&world, r), r);
  ARMCI_Group standard;
  ARMCI_Group_get_default(&standard);
  ARMCI_Group_size(&standard, &number);
  EXPECT_EQ(number, size());
}

TEST(ArmciGroup, knows_its_members) {
  for (const Members &members : {even_ranks(), all_but_the_first()}) {
    auto list = members.ranks;
    ARMCI_Group group;
    // Of all ranks: those outside learn that they are.
    ARMCI_Group_create(static_cast<int>(list.size()), list.data(), &group);
    if (members.place() >= 0) {
      int number = -1, me = -1;
      ARMCI_Group_size(&group, &number);
      EXPECT_EQ(ARMCI_Group_rank(&group, &me), 0);
      EXPECT_EQ(number, static_cast<int>(list.size()));
      EXPECT_EQ(me, members.place());
      for (std::size_t i = 0; i < list.size(); ++i) EXPECT_EQ(ARMCI_Absolute_id(&group, static_cast<int>(i)), list[i]);
    }
    ARMCI_Group_free(&group);
    ARMCI_Barrier();
  }
}

/// Addresses are by place in the group, targets by absolute rank.
TEST(ArmciMallocGroup, gives_memory_of_the_members) {
  const Members members = even_ranks();
  auto list = members.ranks;
  ARMCI_Group group;
  ARMCI_Group_create(static_cast<int>(list.size()), list.data(), &group);
  if (const int place = members.place(); place >= 0) {
    const int count = static_cast<int>(list.size()), right = (place + 1) % count, left = (place + count - 1) % count;
    std::vector<void *> bases(list.size());
    ASSERT_EQ(ARMCI_Malloc_group(bases.data(), 800, &group), 0);
    auto words = words_of(rank(), 2, 100);
    EXPECT_EQ(ARMCI_Put(words.data(), bases[as_index(right)], 800, list[as_index(right)]), 0);
    ARMCI_AllFence();
    armci_msg_group_barrier(&group);
    std::vector<std::uint64_t> got(100);
    EXPECT_EQ(ARMCI_Get(bases[as_index(place)], got.data(), 800, rank()), 0);
    EXPECT_EQ(got, words_of(list[as_index(left)], 2, 100));
    armci_msg_group_barrier(&group);
    EXPECT_EQ(ARMCI_Free_group(bases[as_index(place)], &group), 0);
  }
  ARMCI_Group_free(&group);
  ARMCI_Barrier();
}

TEST(ArmciGroup, of_one_rank_is_a_group) {
  std::vector<int> mine{rank()};
  std::vector<ARMCI_Group> groups(as_index(size()));
  for (int r = 0; r < size(); ++r) {
    int only = r;
    ARMCI_Group_create(1, &only, &groups[as_index(r)]);
  }
  ARMCI_Group *const group = &groups[as_index(rank())];
  void *base = nullptr;
  ASSERT_EQ(ARMCI_Malloc_group(&base, 64, group), 0);
  long value = 6 + rank(), got = 0;
  EXPECT_EQ(ARMCI_Put(&value, base, 8, rank()), 0);
  EXPECT_EQ(ARMCI_Get(base, &got, 8, rank()), 0);
  EXPECT_EQ(got, 6 + rank());
  EXPECT_EQ(ARMCI_Free_group(base, group), 0);
  for (ARMCI_Group &each : groups) ARMCI_Group_free(&each);
  ARMCI_Barrier();
}

/// Only the members call: no rank outside knows of it.
TEST(ArmciGroupCreateChild, is_called_by_the_members_of_its_parent) {
  const Members members = all_but_the_first();
  auto list = members.ranks;
  ARMCI_Group parent, child;
  ARMCI_Group_create(static_cast<int>(list.size()), list.data(), &parent);
  if (members.place() >= 0) {
    // Places in the parent.
    std::vector<int> upper{static_cast<int>(list.size()) - 1};
    ARMCI_Group_create_child(1, upper.data(), &child, &parent);
    if (members.place() == upper[0]) {
      int number = -1, me = -1;
      ARMCI_Group_size(&child, &number);
      EXPECT_EQ(ARMCI_Group_rank(&child, &me), 0);
      EXPECT_EQ(number, 1);
      EXPECT_EQ(me, 0);
      EXPECT_EQ(ARMCI_Absolute_id(&child, 0), rank());
    }
    ARMCI_Group_free(&child);
  }
  ARMCI_Group_free(&parent);
  ARMCI_Barrier();
}

/// While a group is the default, a collective allocation is that of its members.
TEST(ArmciGroup, as_the_default_is_that_of_allocations) {
  const Members members = even_ranks();
  auto list = members.ranks;
  ARMCI_Group group, world;
  ARMCI_Group_get_world(&world);
  ARMCI_Group_create(static_cast<int>(list.size()), list.data(), &group);
  if (members.place() >= 0) {
    ARMCI_Group_set_default(&group);
    ARMCI_Group standard;
    ARMCI_Group_get_default(&standard);
    int number = 0;
    ARMCI_Group_size(&standard, &number);
    EXPECT_EQ(number, static_cast<int>(list.size()));
    ARMCI_Group_set_default(&world);
  }
  ARMCI_Group_free(&group);
  ARMCI_Barrier();
}

TEST(ArmciMsgGroup, reduces_among_its_members) {
  const Members members = even_ranks();
  auto list = members.ranks;
  ARMCI_Group group;
  ARMCI_Group_create(static_cast<int>(list.size()), list.data(), &group);
  if (const int place = members.place(); place >= 0) {
    int expected = 0, largest = 0;
    for (const int r : list) expected += r + 1, largest = std::max(largest, r + 1);
    char add[] = "+", most[] = "max";
    int i = rank() + 1;
    long l = rank() + 1;
    long long ll = rank() + 1;
    float f = static_cast<float>(rank()) + 1;
    double d = rank() + 1;
    armci_msg_group_igop(&i, 1, add, &group);
    armci_msg_group_lgop(&l, 1, add, &group);
    armci_msg_group_llgop(&ll, 1, most, &group);
    armci_msg_group_fgop(&f, 1, add, &group);
    armci_msg_group_dgop(&d, 1, most, &group);
    EXPECT_EQ(i, expected);
    EXPECT_EQ(l, expected);
    EXPECT_EQ(ll, largest);
    EXPECT_EQ(f, static_cast<float>(expected));
    EXPECT_EQ(d, largest);
    long all[3] = {rank() + 1, 2 * (rank() + 1), -1};
    armci_msg_group_gop_scope(SCOPE_ALL, all, 3, add, ARMCI_LONG, &group);
    EXPECT_EQ(all[0], expected);
    EXPECT_EQ(all[1], 2 * expected);
    EXPECT_EQ(all[2], -static_cast<long>(list.size()));
    // The root is an absolute rank.
    const int root = list.back();
    std::vector<std::uint64_t> words = rank() == root ? words_of(root, 8, 50) : std::vector<std::uint64_t>(50);
    armci_msg_group_bcast_scope(SCOPE_ALL, words.data(), 400, root, &group);
    EXPECT_EQ(words, words_of(root, 8, 50));
    armci_msg_group_barrier(&group);
  }
  ARMCI_Group_free(&group);
  ARMCI_Barrier();
}

/// Each rank has a node; the numbers count the ranks of each.
TEST(ArmciDomain, says_which_ranks_share_a_node) {
  const armci_domain_t smp = ARMCI_DOMAIN_SMP;
  const int nodes = armci_domain_count(smp);
  EXPECT_GE(nodes, 1);
  EXPECT_EQ(armci_domain_my_id(smp), armci_domain_id(smp, rank()));
  int total = 0;
  for (int node = 0; node < nodes; ++node) {
    const int here = armci_domain_nprocs(smp, node);
    EXPECT_GE(here, 1);
    total += here;
    for (int i = 0; i < here; ++i) {
      const int r = armci_domain_glob_proc_id(smp, node, i);
      ASSERT_TRUE(r >= 0 && r < size());
      EXPECT_EQ(armci_domain_id(smp, r), node);
    }
  }
  EXPECT_EQ(total, size());
  for (int r = 0; r < size(); ++r) {
    EXPECT_EQ(armci_domain_same_id(smp, r) != 0, armci_domain_id(smp, r) == armci_domain_my_id(smp));
    EXPECT_EQ(ARMCI_Same_node(r) != 0, armci_domain_same_id(smp, r) != 0);
  }
  EXPECT_NE(ARMCI_Same_node(rank()), 0);
}

}  // namespace
}  // namespace halocline::test
