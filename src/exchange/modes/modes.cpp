// The table of modes, their names, and the choice of a mode and its options.
// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/modes/modes.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <string>

#include "base/environment.hpp"
#include "engine/communicator/consistency.hpp"

namespace halocline::core {
namespace {

constexpr ModeRow kModes[] = {
    {HLC_MODE_P2P, "p2p", make_p2p, nullptr, nullptr, false},
    {HLC_MODE_NEIGHBOR, "neighbor", make_neighbor, nullptr, nullptr, false},
    {HLC_MODE_FENCE, "fence", make_fence, nullptr, nullptr, false, true, false},
    {HLC_MODE_PSCW, "pscw", make_pscw, nullptr, nullptr, false, true},
    {HLC_MODE_PASSIVE, "passive", make_passive, nullptr, nullptr, false, true},
    {HLC_MODE_PASSIVE_NAIVE, "passive_naive", make_passive_naive, nullptr, nullptr, false, true, false},
    {HLC_MODE_NOTIFY, "notify", make_notify, make_wire, make_p2p, false},
    {HLC_MODE_DIRECT, "direct", make_direct, make_wire, make_p2p, true},
    {HLC_MODE_VIEW, "view", make_direct, make_wire, make_p2p, true},
    {HLC_MODE_NOTIFY_NODE, "notify_node", make_direct, make_node_wire, make_p2p, true},
    {HLC_MODE_AUTO, "auto", nullptr, nullptr, nullptr, false},
};

/// Levenshtein distance: how many characters must change.
std::size_t distance(const std::string &a, const std::string &b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t change = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({change, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

/// Chooses between two words; 0 for an empty text, else 1 or 2.
Status choose(const std::string &who, const char *variable, const char *first, const char *second, int *choice) {
  const std::string text = environment(variable);
  *choice = text == first ? 1 : text == second ? 2 : 0;
  if (*choice || text.empty()) return Status::ok;
  return fail(Status::argument, "%s: HALOCLINE_%s is '%s' but must be '%s' or '%s'", who.c_str(), variable, text.c_str(), first, second);
}

Status mode_from_environment(const std::string &who, hlc_mode *mode) {
  *mode = HLC_MODE_AUTO;
  const char *name = environment("MODE");
  if (*name == '\0' || mode_from_name(name, mode) == Status::ok) return Status::ok;
  return fail(Status::argument, "%s: HALOCLINE_MODE: %s", who.c_str(), error_message());
}

Status check_options(const std::string &who, const Options &options) {
  if (!find_mode(options.mode))
    return fail(Status::argument, "%s: mode is %d but must be an hlc_mode", who.c_str(), static_cast<int>(options.mode));
  if (options.epoch < HLC_EPOCH_DEFAULT || options.epoch > HLC_EPOCH_LATE)
    return fail(Status::argument, "%s: invalid hlc_epoch %d", who.c_str(), static_cast<int>(options.epoch));
  if (options.drive < HLC_DRIVE_DEFAULT || options.drive > HLC_DRIVE_GET)
    return fail(Status::argument, "%s: invalid hlc_drive %d", who.c_str(), static_cast<int>(options.drive));
  if (options.drive == HLC_DRIVE_GET && options.mode != HLC_MODE_FENCE)
    return fail(Status::unsupported, "%s: drive 'get' needs mode fence; in mode %s a rank cannot know when the data may be read",
                who.c_str(), find_mode(options.mode)->name);
  return Status::ok;
}

const char *mode_word(std::int64_t value) { return find_mode(static_cast<hlc_mode>(value))->name; }
const char *epoch_word(std::int64_t value) { return value == HLC_EPOCH_LATE ? "late" : "early"; }
const char *drive_word(std::int64_t value) { return value == HLC_DRIVE_GET ? "get" : "put"; }

}  // namespace

std::span<const ModeRow> mode_table() { return kModes; }

const ModeRow *find_mode(hlc_mode mode) {
  for (const ModeRow &row : kModes)
    if (row.mode == mode) return &row;
  return nullptr;
}

Status mode_from_name(const char *name, hlc_mode *mode) {
  if (!name || !mode) return fail(Status::argument, "hlc_mode_from_name: %s is NULL", name ? "mode" : "name");
  const ModeRow *nearest = &kModes[0];
  for (const ModeRow &row : kModes) {
    if (std::strcmp(row.name, name) == 0) {
      *mode = row.mode;
      return Status::ok;
    }
    if (distance(name, row.name) < distance(name, nearest->name)) nearest = &row;
  }
  return fail(Status::argument, "unknown mode '%s'; the nearest is '%s'", name, nearest->name);
}

std::string message_prefix(const Communicator &communicator, const Options &options) {
  const CallWord call = communicator.call();
  const std::string said = options.name.empty() ? call.text() : std::string(name_of(call.name)) + " of plan '" + options.name + "'";
  return said + " on rank " + std::to_string(communicator.rank());
}

Status resolve(Options &options, const Communicator &communicator) {
  const std::string who = message_prefix(communicator, options);
  if (options.mode == HLC_MODE_DEFAULT) HLC_TRY(mode_from_environment(who, &options.mode));
  HLC_TRY(check_options(who, options));
  int epoch = 0, drive = 0;
  HLC_TRY(choose(who, "EPOCH", "early", "late", &epoch));
  HLC_TRY(choose(who, "DRIVE", "put", "get", &drive));
  if (options.epoch == HLC_EPOCH_DEFAULT) options.epoch = epoch == 2 ? HLC_EPOCH_LATE : HLC_EPOCH_EARLY;
  // The variable applies to mode fence alone.
  if (options.drive == HLC_DRIVE_DEFAULT) options.drive = drive == 2 && options.mode == HLC_MODE_FENCE ? HLC_DRIVE_GET : HLC_DRIVE_PUT;
  if (options.drive == HLC_DRIVE_GET) options.epoch = HLC_EPOCH_LATE;
  return Status::ok;
}

std::vector<Rule> rules_of(const Options &options) {
  return {{"mode", options.mode, mode_word}, {"epoch", options.epoch, epoch_word}, {"drive", options.drive, drive_word}};
}

Status agree_on_options(Communicator &communicator, const Options &options) {
  const PlanCall call(communicator, options.name.c_str());
  return check_rules(communicator, call.text, [&] { return rules_of(options); });
}

}  // namespace halocline::core
