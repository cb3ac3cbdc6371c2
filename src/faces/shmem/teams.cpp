// Making, finding and ending teams.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>
#include <set>
#include <span>
#include <thread>

#include "faces/shmem/hooks.hpp"
#include "faces/shmem/job.hpp"
#include "faces/shmem/reduce.hpp"
#include "faces/shmem/team.hpp"

namespace halocline::core::shmem {
namespace {

/// Channels that always belong to the same.
constexpr int kWorld = 0, kShared = 1, kActiveSets = 2, kFirstFree = 3;

/// A bit for each channel that this PE does not use.
using FreeChannels = std::array<std::uint64_t, ChannelLayout::kMost / 64>;

/// All teams of this process between shmem_init and shmem_finalize. Any thread.
struct Teams {
  Team world, shared;
  Channel active_sets;

  std::mutex mutex;  // of what follows
  std::vector<std::unique_ptr<Team>> made;
  FreeChannels free{};
  std::set<int> parents;  // the channels of those of which threads of this PE are making teams
  bool is_choosing = false;  // one of these threads may take free channels
};

std::unique_ptr<Teams> teams;

/// Handles are numbers, so that one of a destroyed team is recognised: none is given twice. SHMEM_TEAM_SHARED has the last of the predefined
/// ones. Under the mutex of `teams`.
std::uintptr_t last_handle = 2;

bool is_free(const FreeChannels &free, int channel) { return (free[static_cast<std::size_t>(channel) / 64] >> (channel % 64) & 1) != 0; }

void flip(FreeChannels &free, int channel) { free[static_cast<std::size_t>(channel) / 64] ^= std::uint64_t{1} << (channel % 64); }

/// The PEs of this node, if they are a sequence with one distance; else this PE alone.
PeMap pes_of_node(const Job &job) {
  const int members = job.context.members();
  const int first = job.context.rank_of(0);
  const int stride = members > 1 ? job.context.rank_of(1) - first : 1;
  for (int member = 0; member < members; ++member)
    if (job.context.rank_of(member) != first + member * stride) return {job.rank(), 1, 1};
  return {first, stride, members};
}

/// The number in a sequence of a PE of the world; -1 if it is not in it.
int number_in(const PeMap &pes, int world) {
  const int distance = world - pes.first;
  if (pes.size == 0 || (pes.stride == 0 && distance != 0)) return -1;
  const int number = pes.stride == 0 ? 0 : distance / pes.stride;
  return pes.contains(number) && pes.to_world(number) == world ? number : -1;
}

Team make_predefined(const Job &job, const PeMap &pes, int channel, shmem_team_t handle) {
  Team team;
  team.pes = pes;
  team.me = number_in(pes, job.rank());
  team.channel = Channel(channel, job.size());
  team.handle = handle;
  return team;
}

/// A thread that makes teams of a parent, all PEs of which are in the call. Others of this PE may do so at the same time, of other parents, and
/// which thread is first may differ between PEs. So none waits for its turn: a thread that has none says so to the PEs of its parent, and all
/// of these try again. Of the parents that have all their PEs here the one with the lowest channel has the next turn.
class Chooser {
 public:
  explicit Chooser(int parent) : parent_(parent) {
    const std::lock_guard lock(teams->mutex);
    teams->parents.insert(parent_);
  }
  Chooser(const Chooser &) = delete;
  Chooser &operator=(const Chooser &) = delete;
  ~Chooser() {
    give_back();
    const std::lock_guard lock(teams->mutex);
    teams->parents.erase(parent_);
  }

  /// The free channels, which no other thread takes until give_back; false if another one has its turn.
  bool take(FreeChannels *free) {
    const std::lock_guard lock(teams->mutex);
    if (teams->is_choosing || *teams->parents.begin() != parent_) return false;
    teams->is_choosing = has_turn_ = true;
    *free = teams->free;
    return true;
  }
  void give_back() {
    const std::lock_guard lock(teams->mutex);
    if (has_turn_) teams->is_choosing = has_turn_ = false;
  }

 private:
  int parent_;
  bool has_turn_ = false;
};

/// The first channels that no PE of a team uses: as many as `channels` has room for. False if there are too few.
bool agree_on_channels(const Collective &parent, Chooser &chooser, std::span<int> channels) {
  struct Proposal {
    FreeChannels free{};
    std::uint64_t has_turn = 0;
  } proposal;
  static_assert(sizeof proposal <= ChannelLayout::kScratchBytes);
  while (true) {
    proposal.has_turn = chooser.take(&proposal.free) ? 1 : 0;
    std::memcpy(scratch_of(parent.channel), &proposal, sizeof proposal);
    const Reduction reduction{reduction_of<std::uint64_t>(Operation::band), scratch_of(parent.channel), &proposal,
                              sizeof proposal / sizeof(std::uint64_t)};
    reduce_members(parent, reduction);
    if (proposal.has_turn != 0) break;
    chooser.give_back();
    std::this_thread::yield();
  }
  std::size_t found = 0;
  for (int channel = kFirstFree; channel < channel_layout().channels() && found < channels.size(); ++channel)
    if (is_free(proposal.free, channel)) channels[found++] = channel;
  return found == channels.size();
}

/// What a split asks for: PEs in the numbers of the parent.
struct Part {
  PeMap pes;
  const shmem_team_config_t *config;
  long mask;
  shmem_team_t *result;
};

/// Makes a team that this PE is in.
void make_team(const Team &parent, const Part &part, int channel) {
  const Job &job = need_job("shmem_team_split");
  const PeMap pes{parent.pes.to_world(part.pes.first), parent.pes.stride * part.pes.stride, part.pes.size};
  auto team = std::make_unique<Team>(make_predefined(job, pes, channel, nullptr));
  if (part.config && (part.mask & SHMEM_TEAM_NUM_CONTEXTS) != 0) team->config = *part.config;
  const std::lock_guard lock(teams->mutex);
  // NOLINTNEXTLINE(performance-no-int-to-ptr): programs compare handles, and never follow them
  *part.result = team->handle = reinterpret_cast<shmem_team_t>(++last_handle);
  teams->made.push_back(std::move(team));
  flip(teams->free, channel);
}

/// Makes the parts of a parent that this PE is in, all PEs of which call this with as many parts.
int split(const char *call, Team &parent, std::span<const Part> parts) {
  std::array<int, 2> channels{};
  const std::span<int> wanted(channels.data(), parts.size());
  const Collective all{call, parent.pes, parent.me, parent.channel};
  // A turn must not be kept while a PE is late: it may make teams of another parent first.
  sync_members(all);
  Chooser chooser(parent.channel.number);
  if (!agree_on_channels(all, chooser, wanted)) return 1;
  for (std::size_t i = 0; i < parts.size(); ++i)
    if (number_in(parts[i].pes, parent.me) >= 0) make_team(parent, parts[i], wanted[i]);
  return 0;
}

auto find_made(shmem_team_t handle) {
  return std::find_if(teams->made.begin(), teams->made.end(), [&](const auto &team) { return team->handle == handle; });
}

/// Whether all PEs of a sequence are PEs of a team of that size.
bool lies_within(const PeMap &pes, int size) {
  if (pes.size < 1 || (pes.stride == 0 && pes.size > 1)) return false;
  const std::int64_t last = pes.first + std::int64_t{pes.size - 1} * pes.stride;
  return pes.first >= 0 && pes.first < size && last >= 0 && last < size;
}

}  // namespace

Status open_teams(Job &job) {
  open_channels(job);
  if (channel_layout().channels() <= kFirstFree)
    return fail(Status::unsupported, "shmem_init: %d PEs, but the library's synchronisation memory is for fewer", job.size());
  teams = std::make_unique<Teams>();
  teams->world = make_predefined(job, {0, 1, job.size()}, kWorld, SHMEM_TEAM_WORLD);
  teams->shared = make_predefined(job, pes_of_node(job), kShared, SHMEM_TEAM_SHARED);
  teams->active_sets = Channel(kActiveSets, job.size());
  teams->free.fill(~std::uint64_t{0});
  for (int channel = 0; channel < kFirstFree; ++channel) flip(teams->free, channel);
  return Status::ok;
}

void close_teams(Job &) { teams.reset(); }

Team *find_team(const char *call, shmem_team_t handle) {
  const Job &job = need_job(call);
  if (handle == SHMEM_TEAM_INVALID) return nullptr;
  if (handle == SHMEM_TEAM_WORLD) return &teams->world;
  if (handle == SHMEM_TEAM_SHARED) return &teams->shared;
  const std::lock_guard lock(teams->mutex);
  const auto found = find_made(handle);
  if (found == teams->made.end()) stop("%s on PE %d: team is not a team, or has been destroyed", call, job.rank());
  return found->get();
}

Team &need_team(const char *call, shmem_team_t handle) {
  if (Team *team = find_team(call, handle)) return *team;
  stop("%s on PE %d: team is SHMEM_TEAM_INVALID but must be a team that this PE is in", call, need_job(call).rank());
}

Collective collective_of(const char *call, const ActiveSet &set) {
  const Job &job = need_job(call);
  if (set.log_stride < 0 || set.log_stride > 30)
    stop("%s on PE %d: logPE_stride is %d but must be 0 to 30", call, job.rank(), set.log_stride);
  const PeMap pes{set.start, 1 << set.log_stride, set.size};
  if (!lies_within(pes, job.size()))
    stop("%s on PE %d: PE_start is %d, logPE_stride %d and PE_size %d, but the job has %d PEs", call, job.rank(), set.start, set.log_stride,
         set.size, job.size());
  const int me = number_in(pes, job.rank());
  if (me < 0)
    stop("%s on PE %d: this PE is not in the active set: PE_start is %d, logPE_stride %d, PE_size %d", call, job.rank(), set.start,
         set.log_stride, set.size);
  return {call, pes, me, teams->active_sets};
}

Collective collective_of_all(const char *call) {
  need_job(call);
  return {call, teams->world.pes, teams->world.me, teams->world.channel};
}

}  // namespace halocline::core::shmem

using namespace halocline::core::shmem;

extern "C" {

int pshmem_team_my_pe(shmem_team_t team) {
  const Team *found = find_team("shmem_team_my_pe", team);
  return found ? found->me : -1;
}

int pshmem_team_n_pes(shmem_team_t team) {
  const Team *found = find_team("shmem_team_n_pes", team);
  return found ? found->pes.size : -1;
}

int pshmem_team_get_config(shmem_team_t team, long config_mask, shmem_team_config_t *config) {
  constexpr const char *call = "shmem_team_get_config";
  const Team *found = find_team(call, team);
  if (!found) return -1;
  if ((config_mask & ~SHMEM_TEAM_NUM_CONTEXTS) != 0) return -1;
  if (config_mask == 0) return 0;
  if (!config) stop("%s on PE %d: config is NULL, but config_mask is %ld", call, need_job(call).rank(), config_mask);
  *config = found->config;
  return 0;
}

int pshmem_team_translate_pe(shmem_team_t src_team, int src_pe, shmem_team_t dest_team) {
  constexpr const char *call = "shmem_team_translate_pe";
  const Team *source = find_team(call, src_team), *dest = find_team(call, dest_team);
  if (!source || !dest || !source->pes.contains(src_pe)) return -1;
  return number_in(dest->pes, source->pes.to_world(src_pe));
}

int pshmem_team_split_strided(shmem_team_t parent_team, int start, int stride, int size, const shmem_team_config_t *config,
                              long config_mask, shmem_team_t *new_team) {
  constexpr const char *call = "shmem_team_split_strided";
  const Job &job = need_job(call);
  if (!new_team) stop("%s on PE %d: new_team is NULL", call, job.rank());
  *new_team = SHMEM_TEAM_INVALID;
  Team *parent = find_team(call, parent_team);
  if (!parent) return -1;
  const PeMap pes{start, stride, size};
  if (!lies_within(pes, parent->pes.size)) return -1;
  const Part part{pes, config, config_mask, new_team};
  return split(call, *parent, {&part, 1});
}

int pshmem_team_split_2d(shmem_team_t parent_team, int xrange, const shmem_team_config_t *xaxis_config, long xaxis_mask,
                         shmem_team_t *xaxis_team, const shmem_team_config_t *yaxis_config, long yaxis_mask, shmem_team_t *yaxis_team) {
  constexpr const char *call = "shmem_team_split_2d";
  const Job &job = need_job(call);
  if (!xaxis_team || !yaxis_team) stop("%s on PE %d: %s is NULL", call, job.rank(), xaxis_team ? "yaxis_team" : "xaxis_team");
  *xaxis_team = *yaxis_team = SHMEM_TEAM_INVALID;
  Team *parent = find_team(call, parent_team);
  if (!parent || xrange < 1) return -1;
  const int size = parent->pes.size, width = std::min(xrange, size), x = parent->me % width, y = parent->me / width;
  const PeMap row{y * width, 1, std::min(width, size - y * width)}, column{x, width, (size - x + width - 1) / width};
  const std::array parts{Part{row, xaxis_config, xaxis_mask, xaxis_team}, Part{column, yaxis_config, yaxis_mask, yaxis_team}};
  return split(call, *parent, parts);
}

void pshmem_team_destroy(shmem_team_t team) {
  constexpr const char *call = "shmem_team_destroy";
  const Job &job = need_job(call);
  if (team == SHMEM_TEAM_INVALID) return;
  if (team == SHMEM_TEAM_WORLD || team == SHMEM_TEAM_SHARED)
    stop("%s on PE %d: team is %s, which cannot be destroyed", call, job.rank(),
         team == SHMEM_TEAM_WORLD ? "SHMEM_TEAM_WORLD" : "SHMEM_TEAM_SHARED");
  Team &ending = need_team(call, team);
  end_contexts_of(call, team);
  // After this no PE of the team sends notifications in its channel.
  sync_members({call, ending.pes, ending.me, ending.channel});
  clear_channel(ending.channel);
  const std::lock_guard lock(teams->mutex);
  flip(teams->free, ending.channel.number);
  teams->made.erase(find_made(team));
}

int pshmem_team_create_ctx(shmem_team_t team, long options, shmem_ctx_t *ctx) {
  constexpr const char *call = "shmem_team_create_ctx";
  constexpr long known = SHMEM_CTX_SERIALIZED | SHMEM_CTX_PRIVATE | SHMEM_CTX_NOSTORE;
  const Job &job = need_job(call);
  if (!ctx) stop("%s on PE %d: ctx is NULL", call, job.rank());
  if ((options & ~known) != 0)
    stop("%s on PE %d: options is %ld but must be a sum of SHMEM_CTX_SERIALIZED, _PRIVATE and _NOSTORE", call, job.rank(), options);
  *ctx = SHMEM_CTX_INVALID;
  const Team *found = find_team(call, team);
  if (!found) return -1;
  *ctx = make_context(options, team == SHMEM_TEAM_WORLD ? nullptr : team, found->pes);
  return *ctx == SHMEM_CTX_INVALID ? 1 : 0;
}

HLC_SHMEM_ALIAS(team_my_pe);
HLC_SHMEM_ALIAS(team_n_pes);
HLC_SHMEM_ALIAS(team_get_config);
HLC_SHMEM_ALIAS(team_translate_pe);
HLC_SHMEM_ALIAS(team_split_strided);
HLC_SHMEM_ALIAS(team_split_2d);
HLC_SHMEM_ALIAS(team_destroy);
HLC_SHMEM_ALIAS(team_create_ctx);

}  // extern "C"
