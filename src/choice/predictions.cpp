// SPDX-License-Identifier: BSD-3-Clause
#include "choice/predictions.hpp"

#include <algorithm>
#include <sstream>

#include "base/environment.hpp"
#include "base/variable_table.hpp"
#include "engine/communicator/collective.hpp"
#include "exchange/modes/modes.hpp"
#include "model/machine.hpp"

namespace halocline::core {
namespace {

/// In the order in which modes are preferred where nothing is predicted.
constexpr hlc_mode kModes[] = {HLC_MODE_DIRECT,  HLC_MODE_NOTIFY_NODE, HLC_MODE_P2P,   HLC_MODE_NOTIFY,       HLC_MODE_NEIGHBOR,
                               HLC_MODE_PASSIVE, HLC_MODE_PSCW,        HLC_MODE_FENCE, HLC_MODE_PASSIVE_NAIVE};
static_assert(std::size(kModes) <= AgreementBuffer::kNumbers);

/// Candidates may be predicted to take kLimit times the time of the best one. Each is swapped a few times at least, and a trial should not
/// cost more than 20 swaps.
constexpr double kLimit = 3;

/// These move data on a node without MPI, and win there most often. To leave one out because a curve is wrong costs more than its trial.
constexpr hlc_mode kWithoutMpi[] = {HLC_MODE_NOTIFY, HLC_MODE_DIRECT};
bool is_without_mpi(hlc_mode mode) { return std::find(std::begin(kWithoutMpi), std::end(kWithoutMpi), mode) != std::end(kWithoutMpi); }

/// Eligibility and cost as one number; the largest of all ranks counts.
constexpr std::int64_t kPerStanding = std::int64_t{1} << 56;
std::int64_t packed(const Prediction &one) {
  return static_cast<std::int64_t>(one.standing) * kPerStanding + std::clamp<std::int64_t>(one.cost_ns, 0, kPerStanding - 1);
}

bool is_usable(const Prediction &one) { return one.standing <= Eligibility::slow; }

/// Whether the first of two is more promising: with a prediction before those without, else by cost.
bool is_better(const Prediction &a, const Prediction &b) {
  if (a.standing != b.standing) return a.standing < b.standing;
  return a.standing == Eligibility::predicted && a.cost_ns < b.cost_ns;
}

hlc_model_case case_of(const Topology &topology, const Work &work) {
  hlc_model_case which{};
  which.operation = "halo";
  which.nodes = topology.nodes();
  which.bytes = static_cast<double>(work.bytes);
  which.local_bytes = static_cast<double>(work.local_bytes);
  which.ranks = topology.size();
  which.ranks_per_core = topology.ranks_per_core();
  which.neighbours = work.neighbours;
  which.messages = work.messages;
  which.far_bytes = static_cast<double>(work.far_bytes);
  which.far_messages = work.far_messages;
  which.blocks = static_cast<double>(work.runs);
  return which;
}

/// The same without what neighbours on other nodes fill.
hlc_model_case near_part(hlc_model_case which) {
  which.bytes -= which.far_bytes;
  which.messages -= which.far_messages;
  which.far_bytes = which.far_messages = 0;
  return which;
}

std::int64_t ns(double us) { return static_cast<std::int64_t>(std::min(us * 1e3, 1e15)); }

/// A curve is not believed for many more bytes than it was fitted to: a small error per byte decides there.
constexpr double kMaxBeyond = 8;
bool is_far_beyond(const Card &card, const hlc_model_case &which) {
  const Curve *curve = card.find_curve(which);
  return curve && curve->most_bytes > 0 && which.bytes > kMaxBeyond * curve->most_bytes;
}

bool is_listed(const std::vector<hlc_mode> &listed, hlc_mode mode) {
  return listed.empty() || std::find(listed.begin(), listed.end(), mode) != listed.end();
}

}  // namespace

Status read_period(const std::string &who, std::int64_t *period) {
  long swaps = default_number("AUTO_PERIOD");
  HLC_TRY(environment_number(who.c_str(), "AUTO_PERIOD", swaps));
  *period = swaps;
  return Status::ok;
}

Status Predictions::read_list(const std::string &who, std::vector<hlc_mode> *listed) {
  std::istringstream words(environment("AUTO_MODES"));
  for (std::string word; std::getline(words, word, ',');) {
    hlc_mode mode{};
    if (failed(mode_from_name(word.c_str(), &mode)))
      return fail(Status::argument, "%s: HALOCLINE_AUTO_MODES: %s", who.c_str(), error_message());
    if (mode == HLC_MODE_AUTO)
      return fail(Status::argument, "%s: HALOCLINE_AUTO_MODES lists 'auto'; list the modes that auto may choose", who.c_str());
    listed->push_back(mode);
  }
  shows_views_ = is_listed(*listed, HLC_MODE_VIEW);
  if (!listed->empty() && shows_views_) listed->push_back(HLC_MODE_DIRECT);
  return Status::ok;
}

Status Predictions::classify(const std::string &who, const Machine &machine, const Topology &topology, const PlanTraits &plan) {
  std::vector<hlc_mode> listed;
  HLC_TRY(read_list(who, &listed));
  card_source_ = machine.card.source();
  doctor_source_ = machine.verdicts.source();
  const bool named = !listed.empty();
  for (const hlc_mode mode : kModes) {
    const ModeRow &row = *find_mode(mode);
    Prediction one;
    one.mode = mode;
    const ModeVerdict *verdict = machine.verdicts.of(row.name);
    if (row.calls_rma && !machine.verdicts.examined() && !named) one.standing = Eligibility::unexamined;
    const bool untestable = !row.sees_arrival || (plan.late_stages && mode == HLC_MODE_PSCW);
    if (untestable && !named) one.standing = Eligibility::untestable;
    if (verdict && !verdict->usable()) {
      one.standing = Eligibility::wrong;
      one.reason = verdict->word + (verdict->reason.empty() ? "" : ": " + verdict->reason);
    }
    if (!is_listed(listed, mode)) one.standing = Eligibility::forbidden;
    all_.push_back(std::move(one));
  }
  // On one node notify_node is direct, and data that cannot be read in place make both of them notify.
  several_nodes_ = topology.nodes() > 1;
  if (!several_nodes_ && is_usable(of(HLC_MODE_DIRECT))) leave_out(HLC_MODE_NOTIFY_NODE, Eligibility::same, "direct");
  if (!plan.reads && is_usable(of(HLC_MODE_NOTIFY))) {
    leave_out(HLC_MODE_DIRECT, Eligibility::same, "notify");
    if (!several_nodes_) leave_out(HLC_MODE_NOTIFY_NODE, Eligibility::same, "notify");
  }
  return Status::ok;
}

void Predictions::predict(const Machine &machine, const Topology &topology, const Work &work) {
  const Card &card = machine.card;
  hlc_model_case which = case_of(topology, work);
  for (Prediction &one : all_) {
    if (!is_usable(one)) continue;
    which.by = find_mode(one.mode)->name;
    hlc_prediction found{};
    if (card.predict(which, found) != Status::ok || is_far_beyond(card, which)) continue;
    one.standing = Eligibility::predicted;
    one.cost_ns = ns(found.us);
    if (hlc_prediction near{}; which.far_messages > 0 && card.predict(near_part(which), near) == Status::ok)
      one.far_ns = ns(found.us - near.us);
    one.typical_error = found.typical_error;
    one.beyond_measured = found.beyond_measured != 0;
  }
}

Status Predictions::agree(Communicator &communicator) {
  std::int64_t numbers[AgreementBuffer::kNumbers]{};
  for (std::size_t i = 0; i < all_.size(); ++i) numbers[i] = packed(all_[i]);
  HLC_TRY(reduce(communicator, communicator.comm(), MPI_MAX, numbers, static_cast<int>(all_.size())));
  for (std::size_t i = 0; i < all_.size(); ++i) {
    const auto standing = static_cast<Eligibility>(numbers[i] / kPerStanding);
    if (standing != all_[i].standing) all_[i].of_others = true;
    all_[i].standing = standing;
    all_[i].cost_ns = numbers[i] % kPerStanding;
  }
  return Status::ok;
}

std::vector<hlc_mode> Predictions::choose(int most) {
  std::vector<const Prediction *> order;
  for (const Prediction &one : all_)
    if (is_usable(one)) order.push_back(&one);
  // Equal ones stay in the order of the table, on all ranks alike.
  std::sort(order.begin(), order.end(),
            [](const Prediction *a, const Prediction *b) { return is_better(*a, *b) || (!is_better(*b, *a) && a < b); });
  std::vector<hlc_mode> chosen;
  for (const Prediction *one : order) {
    const bool slow = one->standing == Eligibility::predicted &&
                      static_cast<double>(one->cost_ns) > kLimit * static_cast<double>(std::max<std::int64_t>(order.front()->cost_ns, 1));
    if (slow)
      of(one->mode).standing = Eligibility::slow;
    else if (static_cast<int>(chosen.size()) < most)
      chosen.push_back(one->mode);
  }
  for (const hlc_mode mode : kWithoutMpi)
    if (most > 1 && (mode == HLC_MODE_DIRECT || !several_nodes_)) replace_last(mode, chosen);
  return chosen;
}

/// The mode, if it has no place, gets that of the last other one that is not of these; the first one keeps its own.
void Predictions::replace_last(hlc_mode mode, std::vector<hlc_mode> &chosen) {
  if (of(mode).standing != Eligibility::predicted || std::find(chosen.begin(), chosen.end(), mode) != chosen.end()) return;
  const auto first = chosen.rend() - 1;
  const auto last = std::find_if(chosen.rbegin(), first, [](hlc_mode other) { return !is_without_mpi(other); });
  if (last == first) return;
  of(*last).reason = std::string("replaced by ") + find_mode(mode)->name + ", which moves data on a node without MPI";
  *last = mode;
}

hlc_mode Predictions::first() const {
  for (const Prediction &one : all_)
    if (is_usable(one)) return one.mode;
  return HLC_MODE_DEFAULT;
}

void Predictions::leave_out(hlc_mode mode, Eligibility why, const std::string &reason) {
  Prediction &one = of(mode);
  if (!is_usable(one)) return;
  one.standing = why;
  one.of_others = false;
  one.reason = reason;
}

Prediction &Predictions::of(hlc_mode mode) {
  return *std::find_if(all_.begin(), all_.end(), [mode](const Prediction &one) { return one.mode == mode; });
}

}  // namespace halocline::core
