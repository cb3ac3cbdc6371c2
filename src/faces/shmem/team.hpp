// Teams: OpenSHMEM 1.5, team management. Every team is a sequence of PEs of the world with one distance, and has a channel for its collective
// calls. Which channel a new team gets, the PEs of its parent agree on: the first that none of them uses.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "faces/shmem/channel.hpp"

namespace halocline::core::shmem {

/// A team that this PE is in.
struct Team {
  PeMap pes;
  int me = 0;
  shmem_team_config_t config{};
  Channel channel;
  shmem_team_t handle = nullptr;
};

/// The team of a handle; null for SHMEM_TEAM_INVALID. Ends the job for one that was destroyed, or never was.
Team *find_team(const char *call, shmem_team_t handle);
/// The same; ends the job for SHMEM_TEAM_INVALID, too.
Team &need_team(const char *call, shmem_team_t handle);

/// A call of a team.
inline Collective collective_of(const char *call, shmem_team_t handle) {
  Team &team = need_team(call, handle);
  return {call, team.pes, team.me, team.channel};
}

/// A call of an active set; ends the job if this is none, or this PE is not in it.
struct ActiveSet {
  int start, log_stride, size;
};
Collective collective_of(const char *call, const ActiveSet &set);

/// A call of all PEs.
Collective collective_of_all(const char *call);

}  // namespace halocline::core::shmem
