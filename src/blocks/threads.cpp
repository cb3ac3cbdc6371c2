// Swaps of blocks by several threads: one launches, one drives progress, and the others help with copies meanwhile.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "blocks/blocks.hpp"
#include "engine/communicator/communicator.hpp"
#include "engine/communicator/wait.hpp"
#include "exchange/rounds.hpp"

namespace halocline::core {
namespace {

/// True if `what` is the same swap that the first part has started.
bool is_same_swap(const BlockTables &tables, const hlc_swap *what) {
  if ((what && what->reverse) != tables.reverse || tables.depth_of(what) != tables.most) return false;
  if (!what || what->nfields == 0) return tables.swapped.size() == tables.fields.size();
  return std::equal(tables.swapped.begin(), tables.swapped.end(), what->fields, what->fields + what->nfields);
}

Status check_part(const Communicator &communicator, const char *call, int part, int parts) {
  if (part >= 0 && part < parts) return Status::ok;
  return fail(Status::argument, "%s on rank %d: part is %d but must be 0 to %d", call, communicator.rank(), part, parts - 1);
}

}  // namespace

Status Blocks::start_part(int part, const hlc_swap *what) {
  HLC_TRY(check_part(communicator_, "hlc_blocks_start_part", part, tables_.parts));
  HLC_TRY(check_swap("hlc_blocks_start_part", what));
  Parts::Entry entry{};
  bool same = true;
  HLC_TRY(team_->start(
      part,
      [&](bool first) {
        if (whole_ || exchange_.state().broken)
          return fail(Status::state, "hlc_blocks_start_part on rank %d: part %d: %s", communicator_.rank(), part,
                      exchange_.state().broken ? "an earlier swap of these blocks failed; they can only be finalised"
                                               : "a swap of hlc_blocks_start is in flight; call hlc_blocks_finish first");
        if (first) set_swap(what);
        same = first || is_same_swap(tables_, what);
        return Status::ok;
      },
      &entry));
  if (!same) {
    return team_->fail_round(
        fail(Status::mismatch,
             "hlc_blocks_start_part of %s on rank %d: part %d requests a different swap than the parts before it: fields, depth and "
             "reverse must be the same for all",
             exchange_.plan().text().c_str(), communicator_.rank(), part));
  }
  if (entry != Parts::Entry::last) return Status::ok;
  if (team_->broken()) return Status::ok;  // finish returns the error
  copies_.work_as(part);
  copies_.set_sharing(tables_.parts > 1);
  const Status launched = launch();
  if (failed(launched)) return team_->fail_round(launched);
  team_->launched();
  return Status::ok;
}

Status Blocks::finish_part(int part) {
  HLC_TRY(check_part(communicator_, "hlc_blocks_finish_part", part, tables_.parts));
  const std::uint64_t round = team_->round_of(part);
  if (round == 0) return fail(Status::state, "hlc_blocks_finish_part on rank %d: part %d has not been started", communicator_.rank(), part);
  wait_for_launch(part, round);
  Status driven = Status::ok;
  if (!team_->is_finished(round) && team_->drives(round))
    driven = drive(part, round);
  else
    help_until_finished(part, round);
  const Status left = team_->leave(part);
  return failed(left) ? left : driven;
}

/// Waits until the last part has launched the round; helps it with packing meanwhile.
void Blocks::wait_for_launch(int part, std::uint64_t round) {
  const std::int64_t timeout_ns = communicator_.timeout_ns();
  std::int64_t begun_ns = 0;
  ThreadPause wait;
  while (!team_->is_launched(round)) {
    if (copies_.help(part)) {
      wait.progress();
      continue;
    }
    wait.pause();
    if (timeout_ns == 0) continue;
    if (begun_ns == 0) begun_ns = now_ns();
    if (now_ns() - begun_ns > timeout_ns) static_cast<void>(team_->give_up_missing(part, timeout_ns));
  }
}

/// A broken rule that check mode finds is reported by this part; the swap ends nevertheless.
Status Blocks::drive(int part, std::uint64_t round) {
  copies_.work_as(part);
  const Status done = finish_rounds();
  copies_.set_sharing(false);
  if (exchange_.state().under_way || exchange_.state().broken)
    static_cast<void>(team_->fail_round(done));
  else
    team_->finished(round);
  return done;
}

/// The waits of the driving thread have time limits, and therefore so has this one.
void Blocks::help_until_finished(int part, std::uint64_t round) {
  ThreadPause wait;
  while (!team_->is_finished(round)) {
    if (copies_.help(part))
      wait.progress();
    else
      wait.pause();
  }
}

}  // namespace halocline::core
