// GASPI 17.1, sections 6 and 11.2: groups and the barrier.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "faces/gaspi/job.hpp"
#include "faces/gaspi/profiling.hpp"

using namespace halocline::core::gaspi;

namespace {

using halocline::core::Group;
using Stage = Group::Stage;

/// Calls work(group) if there is such a group.
template <class Work>
gaspi_return_t with_group(gaspi_group_t handle, Work work) {
  return enter([&](Job &job) {
    if (handle >= job.config.group_max || job.groups[handle].stage() == Stage::none) return GASPI_ERR_INV_GROUP;
    return work(job, job.groups[handle]);
  });
}

}  // namespace

extern "C" {

gaspi_return_t pgaspi_group_create(gaspi_group_t *group) {
  return enter([&](Job &job) {
    if (!group) return GASPI_ERR_NULLPTR;
    for (unsigned handle = 0; handle < job.config.group_max; ++handle) {
      if (job.groups[handle].stage() != Stage::none || job.group_resources.commits.keeps_handle(static_cast<int>(handle))) continue;
      job.groups[handle].define({});
      *group = static_cast<gaspi_group_t>(handle);
      return GASPI_SUCCESS;
    }
    return GASPI_ERR_MANY_GRP;
  });
}

gaspi_return_t pgaspi_group_add(gaspi_group_t group, gaspi_rank_t rank) {
  return with_group(group, [&](const Job &job, Group &found) {
    if (group == GASPI_GROUP_ALL || found.stage() == Stage::committed) return GASPI_ERR_INV_GROUP;
    if (found.is_busy(Group::Call::none)) return GASPI_ERR_ACTIVE_COLL;
    return rank < job.size() && found.add(rank) ? GASPI_SUCCESS : GASPI_ERR_INV_RANK;
  });
}

gaspi_return_t pgaspi_group_commit(gaspi_group_t group, gaspi_timeout_t timeout_ms) {
  constexpr const char *call = "gaspi_group_commit";
  return with_group(group, [&](Job &job, Group &found) {
    if (!found.members().contains(job.rank())) return GASPI_ERR_INV_GROUP;
    if (found.is_busy(found.stage() == Stage::committed ? Group::Call::barrier : Group::Call::commit)) return GASPI_ERR_ACTIVE_COLL;
    if (found.stage() == Stage::committed) return until(job, call, timeout_ms, [&] { return found.barrier(job.group_resources); });
    return until(job, call, timeout_ms, [&] { return found.commit(job.group_resources, group); });
  });
}

gaspi_return_t pgaspi_group_delete(gaspi_group_t group) {
  return with_group(group, [&](Job &job, Group &found) {
    if (group == GASPI_GROUP_ALL) return GASPI_ERR_INV_GROUP;
    found.remove(job.group_resources);
    return GASPI_SUCCESS;
  });
}

gaspi_return_t pgaspi_group_num(gaspi_number_t *group_num) {
  return get(group_num, [](const Job &job) {
    return std::count_if(job.groups.begin(), job.groups.end(), [](const Group &group) { return group.stage() != Stage::none; });
  });
}

gaspi_return_t pgaspi_group_size(gaspi_group_t group, gaspi_number_t *group_size) {
  return with_group(group, [&](const Job &, const Group &found) {
    if (!group_size) return GASPI_ERR_NULLPTR;
    *group_size = static_cast<gaspi_number_t>(found.members().size());
    return GASPI_SUCCESS;
  });
}

gaspi_return_t pgaspi_group_ranks(gaspi_group_t group, gaspi_rank_t *group_ranks) {
  return with_group(group, [&](const Job &, const Group &found) {
    if (!group_ranks) return GASPI_ERR_NULLPTR;
    for (int index = 0; index < found.members().size(); ++index)
      group_ranks[index] = static_cast<gaspi_rank_t>(found.members().rank_at(index));
    return GASPI_SUCCESS;
  });
}

gaspi_return_t pgaspi_barrier(gaspi_group_t group, gaspi_timeout_t timeout_ms) {
  return with_group(group, [&](Job &job, Group &found) {
    if (found.stage() != Stage::committed) return GASPI_ERR_INV_GROUP;
    if (found.is_busy(Group::Call::barrier)) return GASPI_ERR_ACTIVE_COLL;
    return until(job, "gaspi_barrier", timeout_ms, [&] { return found.barrier(job.group_resources); });
  });
}

HLC_WEAK_ALIAS(group_create);
HLC_WEAK_ALIAS(group_add);
HLC_WEAK_ALIAS(group_commit);
HLC_WEAK_ALIAS(group_delete);
HLC_WEAK_ALIAS(group_num);
HLC_WEAK_ALIAS(group_size);
HLC_WEAK_ALIAS(group_ranks);
HLC_WEAK_ALIAS(barrier);

}  // extern "C"
