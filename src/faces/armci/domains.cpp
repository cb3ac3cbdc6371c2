// Which processes share a node; strided packing within a process.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "engine/elements/operations.hpp"
#include "faces/armci/block.hpp"
#include "faces/armci/groups.hpp"

using namespace halocline::core::armci;
using halocline::core::elements::Strided;

namespace {

int check_proc(const Job &job, const char *call, int proc) {
  if (proc < 0 || proc >= job.size())
    end_all_with("%s on rank %d: the process is %d but must be 0 to %d", call, job.rank(), proc, job.size() - 1);
  return proc;
}

/// The processes of a node; -1 is this process's node.
const std::vector<int> &procs_of(const Job &job, const char *call, int node) {
  if (node < -1 || node >= job.context.nodes())
    end_all_with("%s on rank %d: id is %d but must be -1 to %d", call, job.rank(), node, job.context.nodes() - 1);
  return job.procs_of(node == -1 ? job.context.node() : node);
}

/// Copies rows between strided memory and a buffer; `writes`: to the buffer.
// NOLINTNEXTLINE(readability-function-size): the arguments are those of ARMCI's functions
void pack(const char *call, char *strided, int levels, const int *strides, const int *count, char *buffer, bool writes) {
  int packed[ARMCI_MAX_STRIDE_LEVEL] = {};
  if (levels < 0 || levels > ARMCI_MAX_STRIDE_LEVEL)
    end_all_with("%s on rank %d: stride_levels is %d but must be 0 to %d", call, rank_or_none(), levels, ARMCI_MAX_STRIDE_LEVEL);
  need_argument(call, "count", count);
  for (int level = 0, bytes = count[0]; level < levels; bytes *= count[++level]) packed[level] = bytes;
  for (int level = 0; level <= levels; ++level)
    if (count[level] <= 0) return;
  need_argument(call, "ptr", strided);
  need_argument(call, "buf", buffer);
  if (levels > 0) need_argument(call, "stride_arr", strides);
  const Block block({strides, packed}, count, levels);
  block.for_each_strip([&](std::int64_t local, std::int64_t remote, std::int64_t rows, std::int64_t by_local, std::int64_t by_remote) {
    char *const here = strided + local, *const there = buffer + remote;
    const Strided where = writes ? Strided{there, here, by_remote, by_local} : Strided{here, there, by_local, by_remote};
    halocline::core::elements::copy_strided(where, block.row(), rows);
  });
}

}  // namespace

extern "C" {

int armci_domain_nprocs(armci_domain_t, int id) {
  constexpr const char *call = "armci_domain_nprocs";
  return enter(call, [&](const Job &job) { return static_cast<int>(procs_of(job, call, id).size()); });
}

int armci_domain_id(armci_domain_t, int glob_proc_id) {
  constexpr const char *call = "armci_domain_id";
  return enter(call, [&](const Job &job) { return job.node_of(check_proc(job, call, glob_proc_id)); });
}

int armci_domain_glob_proc_id(armci_domain_t, int id, int loc_proc_id) {
  constexpr const char *call = "armci_domain_glob_proc_id";
  return enter(call, [&](const Job &job) {
    const std::vector<int> &procs = procs_of(job, call, id);
    if (loc_proc_id < 0 || loc_proc_id >= static_cast<int>(procs.size()))
      end_all_with("%s on rank %d: loc_proc_id is %d but must be 0 to %zu", call, job.rank(), loc_proc_id, procs.size() - 1);
    return procs[static_cast<std::size_t>(loc_proc_id)];
  });
}

int armci_domain_my_id(armci_domain_t) {
  return enter("armci_domain_my_id", [](const Job &job) { return job.context.node(); });
}

int armci_domain_count(armci_domain_t) {
  return enter("armci_domain_count", [](const Job &job) { return job.context.nodes(); });
}

int armci_domain_same_id(armci_domain_t, int proc) {
  constexpr const char *call = "armci_domain_same_id";
  return enter(call, [&](const Job &job) { return job.is_on_node(check_proc(job, call, proc)) ? 1 : 0; });
}

int ARMCI_Same_node(int proc) { return armci_domain_same_id(ARMCI_DOMAIN_SMP, proc); }
int armci_sameclusnode(int proc) { return armci_domain_same_id(ARMCI_DOMAIN_SMP, proc); }

int ARMCI_Uses_shm(void) {
  return enter("ARMCI_Uses_shm", [](const Job &job) { return job.context.nodes() < job.size() ? 1 : 0; });
}

int ARMCI_Uses_shm_grp(ARMCI_Group *group) {
  constexpr const char *call = "ARMCI_Uses_shm_grp";
  return enter(call, [&](const Job &job) {
    if (!group || !group->grp_to_abs) return 0;
    std::vector<int> members(static_cast<std::size_t>(job.context.nodes()));
    for (int rank = 0; rank < group->size; ++rank) ++members[static_cast<std::size_t>(job.node_of(proc_of(*group, rank)))];
    return std::any_of(members.begin(), members.end(), [](int of_node) { return of_node > 1; }) ? 1 : 0;
  });
}

void ARMCI_Set_shm_limit(unsigned long) {}

void armci_write_strided(void *ptr, int stride_levels, int stride_arr[], int count[], char *buf) {
  pack("armci_write_strided", static_cast<char *>(ptr), stride_levels, stride_arr, count, buf, true);
}

void armci_read_strided(void *ptr, int stride_levels, int stride_arr[], int count[], char *buf) {
  pack("armci_read_strided", static_cast<char *>(ptr), stride_levels, stride_arr, count, buf, false);
}

}  // extern "C"
