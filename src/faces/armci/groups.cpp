// ARMCI's groups. Each is a communicator.
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/armci/groups.hpp"

#include <armcix.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "faces/armci/blocked_call.hpp"
#include "faces/armci/profiling.hpp"

namespace halocline::core::armci {
namespace {

int *table_of(const std::vector<int> &numbers) {
  auto *const table = static_cast<int *>(std::malloc(std::max<std::size_t>(numbers.size(), 1) * sizeof(int)));
  if (!table) throw std::bad_alloc();
  std::copy(numbers.begin(), numbers.end(), table);
  return table;
}

/// Translates all ranks of one group of MPI to another.
std::vector<int> translate(MPI_Group from, MPI_Group to, int count) {
  std::vector<int> ranks(static_cast<std::size_t>(count)), translated(ranks.size());
  for (int i = 0; i < count; ++i) ranks[static_cast<std::size_t>(i)] = i;
  MPI_Group_translate_ranks(from, count, ranks.data(), to, translated.data());
  std::replace(translated.begin(), translated.end(), int{MPI_UNDEFINED}, -1);
  return translated;
}

void fill_tables(const Job &job, ARMCI_Group &group) {
  MPI_Group all, members;
  MPI_Comm_group(job.context.comm(), &all);
  MPI_Comm_group(group.comm, &members);
  group.grp_to_abs = table_of(translate(members, all, group.size));
  group.abs_to_grp = table_of(translate(all, members, job.size()));
  MPI_Group_free(&all);
  MPI_Group_free(&members);
}

void check_ranks(const Job &job, const char *call, const ARMCI_Group &parent, const int *ranks, int count) {
  if (count < 1 || count > parent.size)
    end_all_with("%s on rank %d: grp_size is %d but must be 1 to %d, the size of the parent", call, job.rank(), count, parent.size);
  if (!ranks) end_all_with("%s on rank %d: pid_list is NULL", call, job.rank());
  std::vector<bool> named(static_cast<std::size_t>(parent.size));
  for (int i = 0; i < count; ++i) {
    if (ranks[i] < 0 || ranks[i] >= parent.size)
      end_all_with("%s on rank %d: pid_list[%d] is %d but must be 0 to %d", call, job.rank(), i, ranks[i], parent.size - 1);
    if (named[static_cast<std::size_t>(ranks[i])]) end_all_with("%s on rank %d: pid_list has %d twice", call, job.rank(), ranks[i]);
    named[static_cast<std::size_t>(ranks[i])] = true;
  }
}

std::vector<int> procs_of(const ARMCI_Group &group) { return {group.grp_to_abs, group.grp_to_abs + group.size}; }

std::vector<int> procs_of(const ARMCI_Group &group, std::vector<int> ranks) {
  for (int &rank : ranks) rank = proc_of(group, rank);
  return ranks;
}

void create(Job &job, const char *call, const ARMCI_Group &parent, const int *ranks, int count, ARMCI_Group *out) {
  if (!out) end_all_with("%s on rank %d: group_out is NULL", call, job.rank());
  check_member(job, call, &parent);
  check_ranks(job, call, parent, ranks, count);
  const bool is_member = std::find(ranks, ranks + count, parent.rank) != ranks + count;
  fill_group(job, is_member ? make_comm(job, call, parent, {ranks, ranks + count}) : MPI_COMM_NULL, *out);
}

}  // namespace

MPI_Comm make_comm(Job &job, const char *call, const ARMCI_Group &parent, const std::vector<int> &ranks) {
  constexpr int kTag = 1;
  MPI_Group all, members;
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_group(parent.comm, &all);
  MPI_Group_incl(all, static_cast<int>(ranks.size()), ranks.data(), &members);
  meet_members(job, call, procs_of(parent, ranks));
  const BlockedCall blocked(job, call);
  settle_mpi(MPI_Comm_create_group(parent.comm, members, kTag, &comm), "MPI_Comm_create_group");
  MPI_Group_free(&all);
  MPI_Group_free(&members);
  return comm;
}

void fill_group(const Job &job, MPI_Comm comm, ARMCI_Group &group) {
  group = {comm, MPI_COMM_NULL, nullptr, nullptr, -1, 0};
  if (comm == MPI_COMM_NULL) return;
  MPI_Comm_rank(comm, &group.rank);
  MPI_Comm_size(comm, &group.size);
  fill_tables(job, group);
}

void release_group(ARMCI_Group &group) {
  if (group.size > 0 && group.comm != MPI_COMM_NULL && !mpi_has_ended()) MPI_Comm_free(&group.comm);
  std::free(group.grp_to_abs);
  std::free(group.abs_to_grp);
  group = {MPI_COMM_NULL, MPI_COMM_NULL, nullptr, nullptr, -1, 0};
}

void group_barrier(Job &job, const char *call, const ARMCI_Group &group) {
  if (group.comm == job.world.comm) return job.barrier(call);
  MPI_Request request = MPI_REQUEST_NULL;
  settle_mpi(MPI_Ibarrier(group.comm, &request), "MPI_Ibarrier");
  await_mpi(job, call, request);
}

void check_member(const Job &job, const char *call, const ARMCI_Group *group) {
  if (!group) end_all_with("%s on rank %d: group is NULL", call, job.rank());
  if (group->rank < 0 || group->size < 1) end_all_with("%s: rank %d is not a member of the group", call, job.rank());
}

}  // namespace halocline::core::armci

using namespace halocline::core::armci;

extern "C" {

void ARMCI_Group_create_child(int grp_size, int *pid_list, ARMCI_Group *group_out, ARMCI_Group *group_parent) {
  constexpr const char *call = "ARMCI_Group_create_child";
  enter(call, [&](Job &job) {
    if (!group_parent) end_all_with("%s on rank %d: group_parent is NULL", call, job.rank());
    create(job, call, *group_parent, pid_list, grp_size, group_out);
  });
}

void ARMCI_Group_create(int grp_size, int *pid_list, ARMCI_Group *group_out) {
  constexpr const char *call = "ARMCI_Group_create";
  enter(call, [&](Job &job) { create(job, call, job.standard, pid_list, grp_size, group_out); });
}

void ARMCI_Group_free(ARMCI_Group *group) {
  enter("ARMCI_Group_free", [&](Job &job) {
    if (!group || group->comm == job.world.comm) return;  // the world group ends with ARMCI
    if (job.standard.comm == group->comm) job.standard = job.world;
    release_group(*group);
  });
}

int ARMCI_Group_rank(ARMCI_Group *group, int *rank) {
  need_argument("ARMCI_Group_rank", "group", group);
  need_argument("ARMCI_Group_rank", "rank", rank);
  *rank = group->rank;
  return group->rank >= 0 ? 0 : 1;
}

void ARMCI_Group_size(ARMCI_Group *group, int *size) {
  need_argument("ARMCI_Group_size", "group", group);
  need_argument("ARMCI_Group_size", "size", size);
  *size = group->size;
}

void ARMCI_Group_set_default(ARMCI_Group *group) {
  constexpr const char *call = "ARMCI_Group_set_default";
  enter(call, [&](Job &job) {
    check_member(job, call, group);
    job.standard = *group;
  });
}

void ARMCI_Group_get_default(ARMCI_Group *group_out) {
  constexpr const char *call = "ARMCI_Group_get_default";
  need_argument(call, "group_out", group_out);
  enter(call, [&](const Job &job) { *group_out = job.standard; });
}

void ARMCI_Group_get_world(ARMCI_Group *group_out) {
  constexpr const char *call = "ARMCI_Group_get_world";
  need_argument(call, "group_out", group_out);
  enter(call, [&](const Job &job) { *group_out = job.world; });
}

int ARMCI_Absolute_id(ARMCI_Group *group, int group_rank) {
  constexpr const char *call = "ARMCI_Absolute_id";
  return enter(call, [&](const Job &job) {
    if (!group) end_all_with("%s on rank %d: group is NULL", call, job.rank());
    if (group_rank < 0 || group_rank >= group->size)
      end_all_with("%s on rank %d: group_rank is %d but must be 0 to %d", call, job.rank(), group_rank, group->size - 1);
    return proc_of(*group, group_rank);
  });
}

int ARMCIX_Group_split(ARMCI_Group *parent, int color, int key, ARMCI_Group *new_group) {
  constexpr const char *call = "ARMCIX_Group_split";
  return enter(call, [&](Job &job) {
    check_member(job, call, parent);
    need_argument(call, "new_group", new_group);
    meet_members(job, call, procs_of(*parent));
    const BlockedCall blocked(job, call);
    MPI_Comm comm = MPI_COMM_NULL;
    settle_mpi(MPI_Comm_split(parent->comm, color, key, &comm), "MPI_Comm_split");
    fill_group(job, comm, *new_group);
    return 0;
  });
}

int ARMCIX_Group_dup(ARMCI_Group *parent, ARMCI_Group *new_group) {
  constexpr const char *call = "ARMCIX_Group_dup";
  return enter(call, [&](Job &job) {
    check_member(job, call, parent);
    need_argument(call, "new_group", new_group);
    meet_members(job, call, procs_of(*parent));
    const BlockedCall blocked(job, call);
    MPI_Comm comm = MPI_COMM_NULL;
    settle_mpi(MPI_Comm_dup(parent->comm, &comm), "MPI_Comm_dup");
    fill_group(job, comm, *new_group);
    return 0;
  });
}

void PARMCI_GroupFence(ARMCI_Group *group) {
  constexpr const char *call = "ARMCI_GroupFence";
  enter(call, [&](Job &job) {
    check_member(job, call, group);
    for (int rank = 0; rank < group->size; ++rank) job.fence(call, proc_of(*group, rank));
  });
}

HLC_ARMCI_ALIAS(GroupFence);

}  // extern "C"
